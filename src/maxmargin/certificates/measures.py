"""The numbers of a certificate: objective values, gap and violations.

Weak duality: any primal point has a value at least that of any feasible dual point. So the gap
between the two values bounds how far either is from the optimum, whoever computed the points. What
rounding may have changed is added to the primal value, to the gap and to the violation, and
subtracted from the dual value (`maxmargin.certificates.rounding`), so that all of them are true.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch

import numpy as np

from maxmargin.certificates.rounding import (
    Rounding,
    combination_error,
    linear_error,
    offset_bound,
    sum_residuals,
)
from maxmargin.certificates.subjects import Solved
from maxmargin.errors import InvalidInputError
from maxmargin.kernels.rounding import PER_TERM, UNIT_ROUNDOFF
from maxmargin.problems import BoxQP, KernelProblem, Problem, Regularised
from maxmargin.typing import Floats

__all__ = [
    "Measured",
    "Measures",
    "compared",
    "measure_multipliers",
    "measure_solution",
    "measure_weights",
]

# Multipliers whose infeasibility is at most this are feasible up to rounding.
_ROUNDING = 1e-13


@dataclass(frozen=True)
class Measures:
    """How close a solution is to the optimum.

    Attributes
    ----------
    primal : float
        Primal value of the machine (a hard margin is scaled to be feasible first), plus what
        rounding may hide.
    dual : float
        Dual value of the feasible multipliers nearest to the given ones, minus what rounding may
        hide: no solution has a lower objective.
    gap, relative_gap : float
        primal - dual, and the same divided by the larger absolute value of the two.
    kkt_violation : float
        The largest violation of a KKT condition, in units of the margin.
    feasibility : float
        The largest violation of the dual's constraints, relative to the multipliers.
    rounding : float
        The part of the gap that bounds rounding errors.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> solve(problem).certificate.measures.kkt_violation < 1e-6
    True
    """

    primal: float
    dual: float
    gap: float
    relative_gap: float
    kkt_violation: float
    feasibility: float
    rounding: float = 0.0


class Measured:
    """An object with `measures`, whose numbers are its attributes, too."""

    measures: Measures

    @property
    def primal(self) -> float:
        """Primal value."""
        return self.measures.primal

    @property
    def dual(self) -> float:
        """Dual value."""
        return self.measures.dual

    @property
    def gap(self) -> float:
        """Primal minus dual value: no solution is better than this one by more."""
        return self.measures.gap

    @property
    def relative_gap(self) -> float:
        """The gap divided by the larger objective value."""
        return self.measures.relative_gap

    @property
    def kkt_violation(self) -> float:
        """The largest violation of a KKT condition, in units of the margin."""
        return self.measures.kkt_violation

    @property
    def feasibility(self) -> float:
        """The largest violation of the dual's constraints, relative to the multipliers."""
        return self.measures.feasibility

    @property
    def rounding(self) -> float:
        """The part of the gap that bounds rounding errors."""
        return self.measures.rounding


def compared(
    primal: float,
    dual: float,
    violation: float,
    feasibility: float,
    least: float = 0.0,
    rounding: float = 0.0,
) -> Measures:
    """Return the measures of these values; the relative gap is relative to `least` at least."""
    gap, size = primal - dual, max(abs(primal), abs(dual), least)
    relative = gap / size if np.isfinite(size) and size > 0 else gap
    return Measures(primal, dual, gap, relative, violation + 0.0, feasibility + 0.0, rounding)


@singledispatch
def measure_solution(problem: Problem, solution: Solved) -> Measures:
    """Measure a solution of a problem."""
    del solution
    raise InvalidInputError(
        f"measure_solution takes a problem of maxmargin.problems; got {type(problem).__name__}."
    )


@measure_solution.register
def _(problem: KernelProblem, solution: Solved) -> Measures:
    if solution.weights is not None:
        return measure_weights(problem, solution.weights, solution.b, solution.dual)
    return measure_multipliers(problem, problem.dual().sign * solution.dual, solution.offsets)


def measure_multipliers(
    problem: KernelProblem, signed: Floats, offsets: Floats, gradient: Floats | None = None
) -> Measures:
    """Measure a dual point and its offsets.

    Parameters
    ----------
    problem : KernelProblem
        The problem that they should solve.
    signed : ndarray of shape (m,)
        Signed dual variables.
    offsets : ndarray of shape (k,)
        Multipliers of the dual's equality constraints.
    gradient : ndarray of shape (m,), optional
        Hb + p, if the caller has it; otherwise it is computed.

    Examples
    --------
    If all multipliers are zero, so is the dual value, and every point has a slack of one.

    >>> import numpy as np
    >>> from maxmargin.certificates import measure_multipliers
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> found = measure_multipliers(problem, np.zeros(4), np.zeros(1))
    >>> round(found.primal, 9), round(found.dual, 9) + 0.0
    (4.0, 0.0)
    """
    qp = problem.dual()
    gradient = qp.gradient(signed) if gradient is None else gradient
    rounding = Rounding.of(problem, signed, gradient)
    stationarity = qp.stationarity(gradient, offsets)
    constraint = qp.constraint(signed, gradient, offsets)
    off = rounding.of_constraint(qp, gradient, offsets)
    norm_squared = qp.norm_squared(signed, gradient)
    value = problem.primal_value(norm_squared, constraint, offsets)
    primal = problem.primal_value(norm_squared + rounding.square, constraint - off, offsets)
    primal += (
        PER_TERM
        * (qp.n_variables + 8)
        * (abs(primal) + 2 * float(np.abs(qp.total) @ np.abs(offsets)))
    )

    multipliers, infeasibility = qp.sign * signed, qp.infeasibility(signed)
    feasible = signed
    is_inside = not ((signed < qp.lower) | (signed > qp.upper)).any()
    if not is_inside or infeasibility > _ROUNDING:
        feasible = qp.project(signed)
        gradient = qp.gradient(feasible)
        rounding = Rounding.of(problem, feasible, gradient)
    dual_value = -qp.value(feasible, gradient)
    dual = dual_value - 0.5 * rounding.square - rounding.slope
    dual -= _unbalanced(qp, feasible, primal)

    unit = _unit(problem, problem.level(norm_squared, offsets))
    violation = _kkt_violation(qp, multipliers, stationarity, off, unit)
    least = _smallest_value(problem, multipliers, unit)
    hidden = (primal - value) + (dual_value - dual)
    return compared(primal, dual, violation, infeasibility, least, hidden)


def _unbalanced(qp: BoxQP, signed: Floats, primal: float) -> float:
    """Return how much too high the dual value may be, because sums are not exactly right."""
    missed = float(sum_residuals(qp, signed).sum())
    return missed * offset_bound(qp, primal) if missed > 0 else 0.0


def measure_weights(
    problem: KernelProblem, weights: Floats, bias: float, multipliers: Floats
) -> Measures:
    """Measure w and b of a linear machine together with multipliers.

    The primal value is that of w and b, not of the weights that the multipliers make: a primal
    method, or one that stops early, has better weights than those.

    Parameters
    ----------
    problem : SoftMargin, EpsilonTube or OneClass with a linear kernel
        The problem that they should solve.
    weights : ndarray of shape (d,)
        w.
    bias : float
        b.
    multipliers : ndarray of shape (m,)
        a; the dual value is that of the nearest feasible ones.

    Returns
    -------
    Measures
        The KKT violation includes the largest difference, in units of the margin, between decision
        values from w and b and from the multipliers.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.certificates import measure_weights
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [2.0]], [-1, 1])
    >>> measure_weights(problem, np.array([1.0]), -1.0, np.array([0.5, 0.5])).gap < 1e-13
    True
    """
    qp = problem.dual()
    scores = problem.points.scores(weights) + bias
    margin = np.asarray(qp.sign * (qp.by_variable(scores) + qp.linear))
    norm_squared = float(weights @ weights)
    if isinstance(problem.bias, Regularised) and problem.bias.scale > 0:
        norm_squared += (bias / problem.bias.scale) ** 2
    fixed = float(qp.total.sum()) * bias
    value = 0.5 * norm_squared + qp.penalty(np.maximum(0.0, -margin)) + fixed
    off = qp.by_variable(linear_error(problem.points, weights, bias))
    off = off + 4 * UNIT_ROUNDOFF * np.abs(qp.linear)
    primal = 0.5 * norm_squared + qp.penalty(np.maximum(0.0, off - margin)) + fixed
    primal += PER_TERM * (qp.n_variables + len(weights) + 8) * (abs(primal) + 2 * abs(fixed))

    signed = qp.sign * multipliers
    infeasibility = qp.infeasibility(signed)
    is_inside = not ((signed < qp.lower) | (signed > qp.upper)).any()
    if not is_inside or infeasibility > _ROUNDING:
        signed = qp.project(signed)
    coefficients = qp.coefficients(signed)
    combined = problem.points.weights(coefficients)
    constant = qp.constant * float(coefficients.sum())
    curvature = combined @ combined + constant * coefficients.sum() + qp.ridge @ signed**2
    dual_value = -float(0.5 * curvature + qp.linear @ signed)
    dual = dual_value - combination_error(qp, signed, combined) - _unbalanced(qp, signed, primal)
    unit = _unit(problem, problem.level(0.0, np.zeros(len(qp.total))))
    violation = _kkt_violation(qp, multipliers, margin + qp.ridge * multipliers, off, unit)
    difference = problem.points.scores(weights - combined)
    if isinstance(problem.bias, Regularised):
        difference = difference + (bias - constant)
    violation = max(violation, float(np.abs(difference).max()) / unit)
    least = _smallest_value(problem, multipliers, unit)
    hidden = (primal - value) + (dual_value - dual)
    return compared(primal, dual, violation, infeasibility, least, hidden)


def _unit(problem: KernelProblem, level: float) -> float:
    """Return the unit of violations: the margin or, if all points coincide, the linear term."""
    if _all_alike(problem):
        return float(np.abs(problem.dual().linear).max(initial=0.0)) or 1.0
    return max(abs(level), problem.margin_scale) or 1.0


def _all_alike(problem: KernelProblem) -> bool:
    """Say whether all points, or all targets, coincide up to rounding, and the optimum is zero."""
    linear = float(np.abs(problem.dual().linear).max(initial=0.0))
    return bool(linear > 0 and problem.margin_scale <= 16 * np.finfo(np.float64).eps * linear)


def _smallest_value(problem: KernelProblem, multipliers: Floats, unit: float) -> float:
    """Return the objective value below which only rounding is left.

    The optimum is zero in the nu forms, which have no linear term, if the (reduced) convex hulls
    meet, and in the others if all points, or all targets, coincide.
    """
    is_zero = not problem.dual().linear.any() or _all_alike(problem)
    return float(1e-6 * unit * np.abs(multipliers).sum()) if is_zero else 0.0


def _kkt_violation(
    qp: BoxQP, multipliers: Floats, stationarity: Floats, off: Floats, unit: float
) -> float:
    """Return the largest violation of a KKT condition, in units of the margin.

    The violation is the stationarity or, if smaller, the distance of the multiplier to the bound
    at which this stationarity would be optimal, in units of `BoxQP.step_scale`. So the multiplier
    1e-12 of an interior-point method is no violation, whatever its stationarity. `off` bounds the
    rounding errors of the stationarity.
    """
    scale = qp.step_scale(unit)
    used = scale > 0
    scale, cost, stationarity, off = scale[used], qp.cost[used], stationarity[used], off[used]
    inside = np.clip(multipliers[used], 0.0, cost)
    should_fall = np.minimum(np.maximum(0.0, stationarity + off) / unit, inside / scale)
    should_rise = np.minimum(np.maximum(0.0, off - stationarity) / unit, (cost - inside) / scale)
    return float(np.maximum(should_fall, should_rise).max(initial=0.0))
