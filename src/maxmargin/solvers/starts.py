"""Feasible points of the dual: starting points, and multipliers snapped to their bounds."""

from __future__ import annotations

import numpy as np

from maxmargin.errors import InvalidInputError
from maxmargin.problems import BoxQP, Case, KernelProblem
from maxmargin.solvers.solution import Solution
from maxmargin.typing import Floats

__all__ = ["snap", "snapped_onto", "starting_point"]


def snap(problem: KernelProblem, signed: Floats) -> Floats:
    """Put multipliers that are at a bound up to rounding exactly there.

    The free variables of each equality constraint absorb the change.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.problems import Regularised, SoftMargin
    >>> from maxmargin.solvers import snap
    >>> problem = SoftMargin([[0.0], [2.0]], [-1, 1], bias=Regularised(1))
    >>> snap(problem, np.array([-0.999999999, 1e-12]))
    array([-1.,  0.])
    """
    return snapped_onto(problem.dual(), signed)


def snapped_onto(qp: BoxQP, signed: Floats) -> Floats:
    """Do the same for a quadratic program."""
    case = qp.case(qp.sign * signed)
    snapped = np.where(case == Case.ZERO, 0.0, signed)
    snapped = np.where(case == Case.BOUNDED, qp.sign * qp.cost, snapped)
    for k, members in enumerate(qp.groups):
        direction = qp.equality[k, members]
        free = members[case[members] == Case.FREE]
        if len(free):
            missing = qp.total[k] - direction @ snapped[members]
            snapped[free] += qp.equality[k, free] * (missing / len(free))
    return np.clip(snapped, qp.lower, qp.upper)


def starting_point(problem: KernelProblem, warm: Solution | None) -> Floats:
    """Return a feasible point: zero, or the better of a warm start as it is and scaled.

    Scaled means by the ratio of the costs, which suits a larger C where most support vectors are
    at their bound.

    Examples
    --------
    >>> from maxmargin.problems import OneClass
    >>> from maxmargin.solvers import starting_point
    >>> starting_point(OneClass([[0.0], [1.0]], nu=0.5), None)
    array([0.5, 0.5])
    """
    qp = problem.dual()
    if warm is None:
        return qp.project(np.zeros(qp.n_variables))
    if warm.dual.shape != qp.sign.shape:
        raise InvalidInputError(
            f"warm has {len(warm.dual)} multipliers and the problem {qp.n_variables}: start from a "
            "solution of a problem with as many constraints."
        )
    assert isinstance(warm.problem, KernelProblem)
    old = warm.problem.dual().cost
    usable = np.isfinite(old) & np.isfinite(qp.cost) & (old > 0)
    growth = np.divide(qp.cost, old, out=np.ones(qp.n_variables), where=usable)
    same = qp.sign * warm.dual
    return min((qp.project(same), qp.project(growth * same)), key=qp.value)
