"""Functional and geometric margins, and the position of each point relative to the margins."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from maxmargin.certificates.constraints import constraints_of
from maxmargin.certificates.subjects import Solved, one_solution
from maxmargin.errors import InvalidInputError
from maxmargin.problems import CrammerSinger, KernelProblem
from maxmargin.typing import Floats

__all__ = ["Margins", "Position", "margin_norm", "margins"]


class Position(Enum):
    """The seven positions of a point relative to its class's margin plane.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.certificates import Position
    >>> from maxmargin.problems import HardMargin
    >>> solution = solve(HardMargin([[0.0], [4.0], [9.0]], [-1, 1, 1]))
    >>> solution.positions()[2] is Position.OUTSIDE
    True
    """

    OUTSIDE = "outside the band, on its own side"
    ON_MARGIN = "on its margin plane"
    INSIDE = "inside the band, on its own side"
    ON_BOUNDARY = "on the decision boundary"
    INSIDE_WRONG = "inside the band, on the wrong side"
    ON_OTHER_MARGIN = "on the other class's margin plane"
    OUTSIDE_WRONG = "outside the band, on the wrong side"


@dataclass(frozen=True, eq=False)
class Margins:
    """Margins of the training points of a two-class machine.

    Attributes
    ----------
    functional : ndarray of shape (n,)
        y f(x).
    geometric : ndarray of shape (n,)
        y f(x) / |w|: the signed distance from the boundary, the same for any scale of f.
    norm : float
        |w|; in a kernel machine |w|^2 = c'Kc with the signed coefficients c.
    level : float
        The functional margin of the margin planes: 1, or rho in the nu form.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import HardMargin
    >>> found = solve(HardMargin([[0.0], [4.0], [9.0]], [-1, 1, 1])).margins()
    >>> round(found.margin, 6), round(found.band, 6), found.training_errors
    (2.0, 4.0, 0)
    """

    functional: Floats
    geometric: Floats
    norm: float
    level: float

    @property
    def margin(self) -> float:
        """The geometric margin of the set: the smallest of its points."""
        return float(self.geometric.min())

    @property
    def band(self) -> float:
        """The width of the band between both margin planes."""
        return 2 * self.level / self.norm if self.norm > 0 else float("inf")

    @property
    def training_errors(self) -> int:
        """Points on the wrong side or on the boundary; at most the sum of slacks / level."""
        return int(np.count_nonzero(self.functional <= 0))

    def positions(self, tolerance: float = 1e-6) -> list[Position]:
        """Return the position of each point; it is on a plane within tolerance times level."""
        width = tolerance * abs(self.level)
        return [_position(value, self.level, width) for value in self.functional]

    def counts(self, tolerance: float = 1e-6) -> dict[Position, int]:
        """Count the points in each of the seven positions."""
        found = Counter(self.positions(tolerance))
        return {position: found[position] for position in Position}


def margins(subject: Any, machine: int | None = None) -> Margins:
    """Return the margins of a two-class machine's training points of positive weight.

    Parameters
    ----------
    subject : Solution, fitted estimator, pipeline or search
        With more than two classes, choose a machine for two of them.
    machine : int, optional
        The index of the machine in an estimator's ``machines_``, if it has several.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.certificates import margins
    >>> from maxmargin.problems import HardMargin
    >>> margins(solve(HardMargin([[0.0], [4.0], [9.0]], [-1, 1, 1]))).geometric.round(6)
    array([2., 2., 7.])
    """
    solution = one_solution(subject, machine)
    problem = solution.problem
    if not problem.has_two_classes:
        raise InvalidInputError(
            f"Margins need a problem with two classes; got {type(problem).__name__}. "
            "Use solution.decision(X) and solution.slack."
        )
    norm, level = margin_norm(solution)
    functional = constraints_of(problem, solution).margin[problem.sample_weight > 0]
    geometric = functional / norm if norm > 0 else np.full_like(functional, np.nan)
    return Margins(functional, geometric, norm, level)


def margin_norm(solution: Solved) -> tuple[float, float]:
    """Return |w|, without a regularised bias, and the level of the margin planes.

    For `CrammerSinger`, |w| is the largest |w_m - w_l| of two classes.
    """
    problem, weights = solution.problem, solution.weights
    if isinstance(problem, CrammerSinger):
        assert weights is not None
        apart = [weights[m] - weights[m + 1 :] for m in range(len(weights) - 1)]
        return float(np.linalg.norm(np.concatenate(apart), axis=1).max()), 1.0
    if not isinstance(problem, KernelProblem):
        assert weights is not None
        return float(np.linalg.norm(weights)), 1.0
    if weights is not None:
        squared = float(weights @ weights)
        return squared**0.5, problem.level(squared, solution.offsets)
    qp = problem.dual()
    coefficients = qp.coefficients(qp.sign * solution.dual)
    with_bias = float(coefficients @ qp.expansion(coefficients))
    squared = max(with_bias - qp.constant * float(coefficients.sum()) ** 2, 0.0)
    return squared**0.5, problem.level(with_bias, solution.offsets)


def _position(value: float, level: float, width: float) -> Position:
    for plane, position in (
        (level, Position.ON_MARGIN),
        (0.0, Position.ON_BOUNDARY),
        (-level, Position.ON_OTHER_MARGIN),
    ):
        if abs(value - plane) <= width:
            return position
    if value > level:
        return Position.OUTSIDE
    if value > 0:
        return Position.INSIDE
    return Position.INSIDE_WRONG if value > -level else Position.OUTSIDE_WRONG
