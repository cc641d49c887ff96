"""Feasible points of the decomposition, with few variables off their bounds.

Each nonzero variable costs a row of the Gram matrix.
"""

from __future__ import annotations

import numpy as np

from maxmargin.problems import BoxQP, KernelProblem
from maxmargin.solvers.solution import Solution
from maxmargin.typing import Bools, Floats

__all__ = ["FEASIBLE", "balanced", "filled", "scaled"]

#: A point whose sums are off by no more than this share of the multipliers is feasible.
FEASIBLE = 1e-10


def filled(qp: BoxQP) -> Floats:
    """Return the feasible point that raises the variables of each sum to their cost, in order.

    Examples
    --------
    >>> from maxmargin.problems import OneClass
    >>> from maxmargin.solvers.kernel.starts import filled
    >>> filled(OneClass([[0.0], [1.0], [2.0]], nu=0.5).dual())
    array([1. , 0.5, 0. ])
    """
    start = np.zeros(qp.n_variables)
    for k in np.flatnonzero(qp.total):
        members = qp.groups[k]
        cost = qp.cost[members]
        missing = abs(float(qp.total[k])) - (np.cumsum(cost) - cost)
        start[members] = qp.sign[members] * np.clip(missing, 0.0, cost)
    return start


def scaled(qp: BoxQP, warm: Solution) -> Floats:
    """Return a solution's multipliers, scaled with the costs if that has the better dual value.

    If they are not feasible, they are projected.
    """
    assert isinstance(warm.problem, KernelProblem)
    problem, unit = warm.problem.in_unit_weights()
    before = problem.dual()
    signed, cost = before.sign * warm.dual / unit, before.cost
    gradient = None if warm.gradient is None else warm.gradient / unit
    usable = np.isfinite(cost) & np.isfinite(qp.cost) & (cost > 0)
    growth = np.divide(qp.cost, cost, out=np.ones(len(cost)), where=usable)
    is_bounded = usable & (np.abs(signed) >= cost)
    if not _gains_by(growth, qp, before, signed, gradient, is_bounded):
        growth = np.ones(len(cost))
    grown: Floats = np.clip(growth * signed, qp.lower, qp.upper)
    # Rounding of the product must not move multipliers off their bounds.
    if (growth != 1.0).any():
        grown = np.where(is_bounded, qp.sign * qp.cost, grown)
    # A projection moves every variable off its bound, by rounding at least.
    return grown if qp.infeasibility(grown) <= FEASIBLE else qp.project(grown)


def _gains_by(
    growth: Floats,
    qp: BoxQP,
    before: BoxQP,
    signed: Floats,
    gradient: Floats | None,
    is_bounded: Bools,
) -> bool:
    """Say whether to scale: by the dual value if all costs grow alike, else by a rule of thumb.

    Free multipliers do not depend on their costs, so scaling pays if most are at their bounds.
    """
    factor = float(growth[0])
    is_known = gradient is not None and gradient.shape == signed.shape
    if gradient is None or not is_known or (growth != factor).any():
        return bool(2 * np.count_nonzero(is_bounded) >= np.count_nonzero(signed))
    kernel_part = signed @ (gradient - before.linear - before.ridge * signed)
    square = kernel_part + qp.ridge @ signed**2
    slope = float(qp.linear @ signed)
    # The value at t times the point is t^2 square / 2 + t slope.
    return bool(0.5 * (factor**2 - 1.0) * square + (factor - 1.0) * slope <= 0.0)


def balanced(qp: BoxQP, signed: Floats) -> Floats:
    """Return a point whose sums are exact: millions of steps leave rounding errors in them.

    The free variables of a sum absorb its error, in proportion to their room.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solvers.kernel.starts import balanced
    >>> qp = SoftMargin([[0.0], [1.0], [2.0]], [-1, 1, 1], C=1).dual()
    >>> balanced(qp, np.array([-1.0, 0.5, 0.5 - 1e-8])).sum()
    np.float64(0.0)
    """
    found = signed.copy()
    for k, members in enumerate(qp.groups):
        direction = qp.equality[k, members]
        missing = qp.total[k] - direction @ signed[members]
        own, way = signed[members], direction * np.sign(missing)
        is_free = (own != 0.0) & (np.abs(own) < qp.cost[members])
        ends = np.where(way > 0, qp.upper[members], qp.lower[members])
        room = np.where(is_free, np.abs(ends - own), 0.0)
        room = np.where(np.isfinite(room), room, np.abs(own))
        if room.sum() > abs(missing):
            found[members] += way * room * (abs(missing) / room.sum())
    return found if qp.infeasibility(found) <= FEASIBLE else qp.project(signed)
