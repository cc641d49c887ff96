"""The numbers of a certificate for a linear machine that is given by its weights.

A `Solution` derives w from the multipliers. Primal methods, and whatever stops early, have weights
that are better than those: here the primal value is that of the weights themselves.
"""

from __future__ import annotations

import numpy as np

from maxmargin.certify.measure import Measures, kkt_residuals, smallest_value
from maxmargin.problems import Problem, Regularised
from maxmargin.typing import Floats

__all__ = ["measure_weights", "slack_of_weights"]

_ROUNDING = 1e-13


def measure_weights(
    problem: Problem, weights: Floats, bias: float, multipliers: Floats
) -> Measures:
    """Measure w and b, proved by multipliers that need not belong to them.

    Parameters
    ----------
    problem : SoftMargin or EpsilonTube with a linear kernel
        What they should solve.
    weights : ndarray of shape (d,)
        w.
    bias : float
        b.
    multipliers : ndarray of shape (m,)
        a; the dual value is that of the feasible ones nearest to them.

    Returns
    -------
    Measures
        The KKT violation includes how far w and b are from what the multipliers say, as the
        largest difference of decision values in units of the margin.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.certify.weights import measure_weights
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [2.0]], [-1, 1])
    >>> measure_weights(problem, np.array([1.0]), -1.0, np.array([0.5, 0.5])).gap
    0.0
    """
    qp = problem.dual()
    margin = _margins(problem, weights, bias)
    slack = np.maximum(0.0, -margin)
    own = 0.0
    if isinstance(problem.bias, Regularised) and problem.bias.scale > 0:
        own = (bias / problem.bias.scale) ** 2
    primal = 0.5 * (float(weights @ weights) + own) + qp.penalty(slack)

    signed = qp.sign * multipliers
    infeasibility = qp.infeasibility(signed)
    if infeasibility > _ROUNDING:
        signed = qp.project(signed)
    gradient = qp.gradient(signed)
    dual = -qp.value(signed, gradient)
    gap = primal - dual
    unit = max(abs(problem.level(0.0, np.zeros(len(qp.total)))), problem.margin_scale) or 1.0
    scale = max(abs(primal), abs(dual), smallest_value(problem, multipliers, unit))
    stationarity = margin + qp.ridge * multipliers
    residuals = kkt_residuals(qp, multipliers, stationarity, unit)
    moved = _difference(problem, weights, bias, qp.coefficients(signed))
    return Measures(
        primal=primal,
        dual=dual,
        gap=gap,
        relative_gap=gap / scale if np.isfinite(scale) and scale > 0 else gap,
        kkt_violation=max(float(residuals.max(initial=0.0)), moved / unit),
        feasibility=infeasibility,
    )


def slack_of_weights(problem: Problem, weights: Floats, bias: float) -> Floats:
    """Return how far each point is on the wrong side of its margin."""
    qp = problem.dual()
    slack = np.zeros(problem.n_points)
    np.maximum.at(slack, qp.point, -_margins(problem, weights, bias))
    return slack


def _margins(problem: Problem, weights: Floats, bias: float) -> Floats:
    """Return c of `maxmargin.problems.quadratic`: what is negative is the slack."""
    qp = problem.dual()
    scores = qp.gram.times(weights) + bias
    return np.asarray(qp.sign * (scores[qp.point] + qp.linear))


def _difference(problem: Problem, weights: Floats, bias: float, coefficients: Floats) -> float:
    """Return by how much decision values differ from those of the multipliers."""
    gram = problem.dual().gram
    moved = gram.times(weights - gram.weights(coefficients))
    if isinstance(problem.bias, Regularised):
        moved = moved + (bias - problem.bias_value(coefficients, np.zeros(0)))
    return float(np.abs(moved).max(initial=0.0))
