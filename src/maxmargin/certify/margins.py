"""Margins: functional, geometric, and where each point stands relative to its margin plane."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum

import numpy as np

from maxmargin.errors import InvalidInputError
from maxmargin.problems import Problem, Solution
from maxmargin.typing import Floats

__all__ = ["Margins", "Position", "margins"]


class Position(Enum):
    """The seven positions of a point relative to its class's margin plane.

    Examples
    --------
    >>> from maxmargin import Position, margins, solve
    >>> from maxmargin.problems import HardMargin
    >>> problem = HardMargin([[0.0], [4.0], [9.0]], [-1, 1, 1])
    >>> margins(problem, solve(problem)).positions()[2] is Position.OUTSIDE
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
    >>> from maxmargin import margins, solve
    >>> from maxmargin.problems import HardMargin
    >>> problem = HardMargin([[0.0], [4.0], [9.0]], [-1, 1, 1])
    >>> found = margins(problem, solve(problem))
    >>> round(found.margin, 6), round(found.band, 6), found.training_errors
    (2.0, 4.0, 0)
    """

    functional: Floats
    geometric: Floats
    norm: float
    level: float

    @property
    def margin(self) -> float:
        """The geometric margin of the set: the smallest of all."""
        return float(self.geometric.min())

    @property
    def band(self) -> float:
        """The width of the band between both margin planes."""
        return 2 * self.level / self.norm if self.norm > 0 else float("inf")

    @property
    def training_errors(self) -> int:
        """Points on the wrong side or on the boundary; the sum of slacks / level bounds it."""
        return int(np.count_nonzero(self.functional <= 0))

    def positions(self, tolerance: float = 1e-6) -> list[Position]:
        """Return the position of each point; planes count as met within tolerance x level."""
        width = tolerance * abs(self.level)
        return [_position(value, self.level, width) for value in self.functional]

    def counts(self, tolerance: float = 1e-6) -> dict[Position, int]:
        """Count the points in each of the seven positions."""
        found = Counter(self.positions(tolerance))
        return {position: found[position] for position in Position}


def margins(problem: Problem, solution: Solution) -> Margins:
    """Return the margins of a two-class machine's training points, those of weight zero left out.

    Parameters
    ----------
    problem : HardMargin, SoftMargin or NuMargin
        The problem.
    solution : Solution
        Its solution.

    Examples
    --------
    >>> from maxmargin import margins, solve
    >>> from maxmargin.problems import HardMargin
    >>> problem = HardMargin([[0.0], [4.0], [9.0]], [-1, 1, 1])
    >>> margins(problem, solve(problem)).geometric.round(6)
    array([2., 2., 7.])
    """
    if not isinstance(problem, Problem) or not problem.has_two_classes:
        raise InvalidInputError(
            f"Margins are those of two classes; {type(problem).__name__} has none. "
            "Use solution.decision(X) and solution.slack."
        )
    qp = problem.dual()
    signed = qp.sign * solution.dual
    coefficients = qp.coefficients(signed)
    whole = float(coefficients @ (qp.gram @ coefficients))
    norm = max(whole - qp.gram.constant * float(coefficients.sum()) ** 2, 0.0) ** 0.5
    values = problem.training_decision(coefficients, solution.offsets)[qp.cost > 0]
    functional = qp.sign[qp.cost > 0] * values
    geometric = functional / norm if norm > 0 else np.full_like(functional, np.nan)
    return Margins(functional, geometric, norm, problem.level(whole, solution.offsets))


def _position(value: float, level: float, width: float) -> Position:
    for plane, place in (
        (level, Position.ON_MARGIN),
        (0.0, Position.ON_BOUNDARY),
        (-level, Position.ON_OTHER_MARGIN),
    ):
        if abs(value - plane) <= width:
            return place
    if value > level:
        return Position.OUTSIDE
    if value > 0:
        return Position.INSIDE
    return Position.INSIDE_WRONG if value > -level else Position.OUTSIDE_WRONG
