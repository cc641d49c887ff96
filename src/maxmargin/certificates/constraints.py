"""The constraints of a problem at a solution: multiplier, decision value, margin, slack.

A kernel machine has one constraint per dual variable: one per point, or two in regression. The l1
machine has one per point, with the multiplier a_i = 2 C_i slack_i. Crammer and Singer's machine
also has one per point: its own class against the highest of the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch

import numpy as np
from numpy.typing import NDArray

from maxmargin.certificates.subjects import Solved
from maxmargin.errors import InvalidInputError
from maxmargin.problems import Case, CrammerSinger, KernelProblem, L1Margin, Problem
from maxmargin.typing import Floats, Integers

__all__ = ["Constraints", "cases_of", "constraints_of"]

# A multiplier of Crammer and Singer's machine closer to a bound than this, in units of its cost, is
# at the bound.
_AT_BOUND = 1e-7


@dataclass(frozen=True, eq=False)
class Constraints:
    """Arrays with one entry per constraint.

    Attributes
    ----------
    point : ndarray of int
        The index of its point.
    side : ndarray
        +1 or -1: the label, or above and below the tube.
    multiplier, cost, ridge : ndarray
        a, its upper bound, and 1 / (2 C) for a squared loss (else zero).
    decision : ndarray
        f(x); with many classes that of the point's own class.
    margin : ndarray
        y f(x) with two classes. With more, f of the own class minus the highest of the others.
        Otherwise the constraint.
    constraint : ndarray
        The value that must be at least zero, except for slack.
    case : ndarray of int8
        Whether the multiplier is zero, free or bounded, as `Case`.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.certificates import constraints_of
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [4.0], [9.0]], [-1, 1, 1])
    >>> constraints_of(problem, solve(problem)).margin.round(6)
    array([1. , 1. , 3.5])
    """

    point: Integers
    side: Floats
    multiplier: Floats
    cost: Floats
    ridge: Floats
    decision: Floats
    margin: Floats
    constraint: Floats
    case: NDArray[np.int8]

    @property
    def slack(self) -> Floats:
        """By how much each constraint is violated; zero for a hard constraint."""
        soft = np.isfinite(self.cost) | (self.ridge > 0)
        return np.where(soft, np.maximum(0.0, -self.constraint), 0.0) + 0.0


@singledispatch
def constraints_of(problem: Problem, solution: Solved) -> Constraints:
    """Return the constraints of a problem at a solution.

    Parameters
    ----------
    problem : Problem
        Any of `maxmargin.problems`.
    solution : Solution
        Of this problem, or of another one with the same variables.

    Returns
    -------
    Constraints

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.certificates import constraints_of
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [4.0], [9.0]], [-1, 1, 1])
    >>> constraints_of(problem, solve(problem)).multiplier.round(3)
    array([0.125, 0.125, 0.   ])
    """
    del solution
    raise InvalidInputError(
        f"constraints_of takes a problem of maxmargin.problems; got {type(problem).__name__}."
    )


def cases_of(problem: Problem, solution: Solved) -> NDArray[np.int8]:
    """Return for each constraint whether its multiplier is zero, free or bounded."""
    if isinstance(problem, KernelProblem):
        return problem.dual().case(solution.dual)
    return constraints_of(problem, solution).case


@constraints_of.register
def _(problem: KernelProblem, solution: Solved) -> Constraints:
    qp = problem.dual()
    if solution.weights is None:
        signed = qp.sign * solution.dual
        coefficients = qp.coefficients(signed)
        # The expansion contains a regularised bias.
        bias = 0.0 if qp.constant else problem.bias_value(coefficients, solution.offsets)
        decision = qp.expansion(coefficients) + bias + problem.baseline(problem.X)
        constraint = qp.constraint(signed, qp.gradient(signed), solution.offsets)
    else:
        decision = problem.points.scores(solution.weights) + solution.b
        constraint = np.asarray(qp.sign * (qp.by_variable(decision) + qp.linear))
    decision = qp.by_variable(decision)
    return Constraints(
        point=qp.point,
        side=qp.sign,
        multiplier=solution.dual,
        cost=qp.cost,
        ridge=qp.ridge,
        decision=decision,
        margin=qp.sign * decision if problem.has_two_classes else constraint,
        constraint=constraint,
        case=qp.case(solution.dual),
    )


@constraints_of.register
def _(problem: L1Margin, solution: Solved) -> Constraints:
    assert solution.weights is not None
    decision = problem.points.scores(solution.weights) + solution.b
    margin = problem.y * decision
    cost = problem.cost
    multiplier = 2.0 * cost * np.maximum(0.0, 1.0 - margin)
    used = cost > 0
    return Constraints(
        point=np.arange(problem.n_points),
        side=problem.y,
        multiplier=multiplier,
        cost=np.where(used, np.inf, 0.0),
        ridge=np.divide(0.5, cost, out=np.zeros(len(cost)), where=used),
        decision=decision,
        margin=margin,
        constraint=margin - 1.0,
        case=np.where(multiplier > 0, np.int8(Case.FREE), np.int8(Case.ZERO)),
    )


@constraints_of.register
def _(problem: CrammerSinger, solution: Solved) -> Constraints:
    assert solution.weights is not None
    at = np.arange(problem.n_points)
    scores = problem.points.scores(solution.weights.T) + solution.offsets
    own = scores[at, problem.label]
    scores[at, problem.label] = -np.inf
    margin = own - scores.max(axis=1)
    multiplier, cost = solution.dual[at, problem.label], problem.cost
    bounded = (multiplier >= (1 - _AT_BOUND) * cost) & (cost > 0)
    free = (multiplier > _AT_BOUND * cost) & ~bounded
    case = np.where(bounded, np.int8(Case.BOUNDED), np.int8(Case.ZERO))
    return Constraints(
        point=at,
        side=np.ones(problem.n_points),
        multiplier=multiplier,
        cost=cost,
        ridge=np.zeros(problem.n_points),
        decision=own,
        margin=margin,
        constraint=margin - 1.0,
        case=np.where(free, np.int8(Case.FREE), case),
    )
