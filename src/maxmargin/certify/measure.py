"""The numbers of a certificate: objective values, gap and violations, from problem and point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from maxmargin.problems import BoxQP, Problem
from maxmargin.typing import Floats

__all__ = ["Measures", "kkt_residuals", "measure", "smallest_value"]

_ROUNDING = 1e-13


@dataclass(frozen=True)
class Measures:
    """How good a point is.

    Attributes
    ----------
    primal : float
        Primal value of the machine (a hard margin is scaled to be feasible first).
    dual : float
        Dual value of the feasible multipliers nearest to the given ones.
    gap, relative_gap : float
        primal - dual, and the same over the larger of both in absolute value.
    kkt_violation : float
        The largest violation of a KKT condition, in units of the margin.
    feasibility : float
        The largest violation of the dual's bounds and sums, relative to the multipliers.

    Examples
    --------
    >>> from maxmargin import certify, solve
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> measures = certify(problem, solve(problem)).measures
    >>> measures.kkt_violation < 1e-6
    True
    """

    primal: float
    dual: float
    gap: float
    relative_gap: float
    kkt_violation: float
    feasibility: float


def measure(
    problem: Problem, signed: Floats, offsets: Floats, gradient: Floats | None = None
) -> Measures:
    """Measure a dual point and its offsets.

    Parameters
    ----------
    problem : Problem
        What they should solve.
    signed : ndarray of shape (m,)
        Signed dual variables.
    offsets : ndarray of shape (k,)
        Multipliers of the dual's sums.
    gradient : ndarray of shape (m,), optional
        Hb + p where the caller has it already; recomputed otherwise.

    Examples
    --------
    At zero the dual is zero and every point pays for its slack.

    >>> import numpy as np
    >>> from maxmargin.certify import measure
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> found = measure(problem, np.zeros(4), np.zeros(1))
    >>> found.primal, found.dual + 0.0
    (4.0, 0.0)
    """
    qp = problem.dual()
    gradient = qp.gradient(signed) if gradient is None else gradient
    stationarity = qp.stationarity(gradient, offsets)
    multipliers = qp.sign * signed
    norm_squared = qp.norm_squared(signed, gradient)
    primal = problem.primal_value(norm_squared, qp.constraint(signed, gradient, offsets), offsets)
    infeasibility = qp.infeasibility(signed)
    if infeasibility <= _ROUNDING:
        dual = -qp.value(signed, gradient)
    else:
        dual = -qp.value(qp.project(signed))
    gap = primal - dual
    unit = max(abs(problem.level(norm_squared, offsets)), problem.margin_scale) or 1.0
    scale = max(abs(primal), abs(dual), smallest_value(problem, multipliers, unit))
    return Measures(
        primal=primal,
        dual=dual,
        gap=gap,
        relative_gap=gap / scale if np.isfinite(scale) and scale > 0 else gap,
        kkt_violation=float(kkt_residuals(qp, multipliers, stationarity, unit).max()) + 0.0,
        feasibility=infeasibility,
    )


def smallest_value(problem: Problem, multipliers: Floats, unit: float) -> float:
    """Return the objective value that counts as zero: what a solver leaves of it is rounding.

    The nu forms, which have no linear term, have an optimum of zero where the (reduced) hulls
    meet; the others where all points, or all targets, coincide.
    """
    linear = float(np.abs(problem.dual().linear).max(initial=0.0))
    if linear == 0:
        return float(1e-8 * unit * np.abs(multipliers).sum())
    all_alike = problem.margin_scale <= 16 * np.finfo(np.float64).eps * linear
    return float(1e-8 * linear * np.abs(multipliers).sum()) if all_alike else 0.0


def kkt_residuals(qp: BoxQP, multipliers: Floats, stationarity: Floats, unit: float) -> Floats:
    """Return for each constraint how far its KKT condition is from holding, in margin units.

    A multiplier off its bound needs zero stationarity. It counts as at its bound up to the amount
    by which moving it there would change the decision, so that an interior-point multiplier of
    1e-12 is no violation, whatever its stationarity.
    """
    scale = qp.step_scale(unit)
    used = scale > 0
    residuals = np.zeros(len(multipliers))
    inside = np.clip(multipliers[used], 0.0, qp.cost[used])
    should_fall = np.maximum(0.0, stationarity[used]) / unit
    should_rise = np.maximum(0.0, -stationarity[used]) / unit
    residuals[used] = np.maximum(
        np.minimum(should_fall, inside / scale[used]),
        np.minimum(should_rise, (qp.cost[used] - inside) / scale[used]),
    )
    return residuals
