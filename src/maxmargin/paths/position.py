"""A position on the path: C, the bias, and the set of each point.

A point beyond its margin has the multiplier zero; one inside it is bounded, with the multiplier
C s_i (s_i its sample weight); one on it is free, and its multiplier solves the equations of the
`Elbow`. So the sets, the multipliers of the free points and b determine a position.

Every decision value is f = C g + sum over the free points of b_j k(x_j, x) + bias. Here g, called
`bounded_slope`, is the sum of y_j s_j k(x_j, x) over the bounded points.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maxmargin.paths.elbow import Elbow
from maxmargin.problems import Case, Free, SoftMargin
from maxmargin.typing import Floats, Integers

__all__ = ["Position"]

_EPSILON = float(np.finfo(np.float64).eps)

# The relative rounding error of a sum of many terms.
_ROUNDING = 64 * _EPSILON

# A multiplier closer to a bound than this, in units of a significant change, is at the bound.
_NEAR_BOUND = 1e-12

# Equations of the free points with residuals up to this, in units of rounding, need no correction.
_FULFILLED = 0.25


class Position:
    """The sets, multipliers and bias at one C."""

    def __init__(self, problem: SoftMargin, C: float) -> None:
        self.C = C
        self.bias = 0.0
        self.has_free_bias = isinstance(problem.bias, Free)
        #: The points of the problem with a positive weight, to which all arrays below refer.
        self.points = np.flatnonzero(problem.sample_weight > 0)
        self.y: Floats = problem.y[self.points]
        self.weight: Floats = problem.sample_weight[self.points]
        n = len(self.points)
        self._qp = problem.dual()
        self.diagonal: Floats = (self._qp.points.diagonal + self._qp.constant)[self.points]
        self.kernel_size = float(self.diagonal.max()) or 1.0
        #: ZERO, FREE or BOUNDED.
        self.case: NDArray[np.int8] = np.full(n, Case.ZERO, dtype=np.int8)
        #: Valid for the free points only; see `multipliers`.
        self.multiplier = np.zeros(n)
        #: The slope of f with respect to C that comes from the bounded points.
        self.bounded_slope = np.zeros(n)
        #: The free points.
        unit = (float(self.diagonal.mean()) or 1.0) if self.has_free_bias else 0.0
        self.elbow = Elbow(self._row, n, unit)
        #: The rounding error of the last result of `excess`.
        self.rounding = _ROUNDING

    def _row(self, point: int) -> Floats:
        return np.asarray(self._qp.gram_rows(self.points[[point]])[0, self.points])

    @property
    def signed_weight(self) -> Floats:
        """y_i s_i: the slope of a bounded point's signed multiplier with respect to C."""
        return self.y * self.weight

    @property
    def bounded_sum(self) -> float:
        """The sum of those slopes over the bounded points."""
        return float(self.signed_weight[self.case == Case.BOUNDED].sum())

    def move(self, point: int, to: Case) -> None:
        """Put a point into another set, with the multiplier of its bound there."""
        before = Case(self.case[point])
        if before == to:
            return
        if to == Case.FREE:
            self.multiplier[point] = 0.0 if before == Case.ZERO else self.C * self.weight[point]
            self.elbow.add(point)
        row = self.elbow.row(point) if Case.FREE in (before, to) else self._row(point)
        slope = self.signed_weight[point]
        if before == Case.BOUNDED:
            self.bounded_slope -= slope * row
        if to == Case.BOUNDED:
            self.bounded_slope += slope * row
        if before == Case.FREE:
            self.elbow.remove(point)
        self.case[point] = to
        if not (self.case == Case.BOUNDED).any():
            # Exactly zero, because a remainder of rounding would move the path for ever.
            self.bounded_slope = np.zeros(len(self.bounded_slope))

    def place(self, case: NDArray[np.int8]) -> None:
        """Put every point into its set; those that will be free are at zero until then."""
        self.case = np.where(case == Case.FREE, np.int8(Case.ZERO), case).astype(np.int8)
        self.refresh()

    def refresh(self) -> None:
        """Compute `bounded_slope` again, without the rounding of its updates."""
        slopes = np.zeros(self._qp.n_points)
        slopes[self.points] = np.where(self.case == Case.BOUNDED, self.signed_weight, 0.0)
        self.bounded_slope = self._qp.expansion(slopes)[self.points]

    def multipliers(self) -> Floats:
        """Return the multipliers of all points."""
        bounded = np.where(self.case == Case.BOUNDED, self.C * self.weight, 0.0)
        return np.where(self.case == Case.FREE, self.multiplier, bounded)

    def excess(self) -> Floats:
        """Return y f(x) - 1: zero on the margin, positive beyond it."""
        members = self.elbow.members
        of_free = self.elbow.products(self.y[members] * self.multiplier[members])
        of_bounded = self.C * self.bounded_slope
        size = 1.0 + abs(self.bias) + np.abs(of_bounded).max() + np.abs(of_free).max()
        self.rounding = _ROUNDING * float(size)
        return self.y * (of_bounded + of_free + self.bias) - 1.0

    def at_bound(self) -> Floats:
        """Return for each multiplier the distance to a bound that is only rounding."""
        limit = self.C * self.weight
        change = np.minimum(limit, 1.0 / np.maximum(self.diagonal, 1e-300))
        return _NEAR_BOUND * change + 8 * _EPSILON * limit

    def missing_sum(self) -> float:
        """Return what the free signed multipliers lack for a sum of zero over all points."""
        members = self.elbow.members
        return -self.C * self.bounded_sum - float(self.y[members] @ self.multiplier[members])

    def correct(self, excess: Floats) -> Floats:
        """Solve the equations of the free points again if rounding has accumulated.

        Returns the excess after that. Nothing changes if a multiplier would leave its bounds.
        """
        members = self.elbow.members
        if len(members) == 0:
            return excess
        own = excess[members]
        missing = self.missing_sum() if self.has_free_bias else 0.0
        unbalanced = abs(missing) > 64 * _EPSILON * self.C * float(self.weight.sum())
        if float(np.abs(own).max()) <= _FULFILLED * self.rounding and not unbalanced:
            return excess
        change, bias = self.elbow.solve(-self.y[members] * own, missing)
        corrected = self.multiplier[members] + self.y[members] * change
        allowed = self.at_bound()[members]
        limit = self.C * self.weight[members]
        if (corrected < -allowed).any() or (corrected > limit + allowed).any():
            return excess
        self.multiplier[members] = np.clip(corrected, 0.0, limit)
        self.bias += bias
        return excess + self.y * (self.elbow.products(change) + bias)

    def bias_interval(self, C: float) -> tuple[float, float, Integers]:
        """Return the interval of optimal biases at C without free points, and its limiting points.

        Then f = C bounded_slope + b, and each point bounds b from one side.
        """
        ends = self.y - C * self.bounded_slope
        bounds_above = (self.case == Case.BOUNDED) == (self.y > 0)
        upper = np.where(bounds_above, ends, np.inf)
        lower = np.where(bounds_above, -np.inf, ends)
        limiting = np.array([upper.argmin(), lower.argmax()])
        return float(lower.max()), float(upper.min()), limiting

    def center_bias(self) -> None:
        """Set the bias to the middle of the optimal ones at C, while no point is free."""
        low, high, _ = self.bias_interval(self.C)
        self.bias = 0.5 * (low + high)

    def violation(self, excess: Floats) -> float:
        """Return the largest violation of an optimality condition, in units of the margin."""
        wrong = np.where(self.case == Case.BOUNDED, excess, -excess)
        wrong[self.case == Case.FREE] = np.abs(excess[self.case == Case.FREE])
        members = self.elbow.members
        outside = np.maximum(
            -self.multiplier[members],
            self.multiplier[members] - self.C * self.weight[members],
        )
        moved = float((outside * self.diagonal[members]).max(initial=0.0))
        return max(0.0, float(wrong.max()), moved)
