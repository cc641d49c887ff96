"""Where a path stands: C, the bias, and which points are beyond, on and inside their margin.

Bounded points have the multiplier C s_i (s_i the sample weight), the others of no multiplier count
not at all, and those on the margin, the free ones, have multipliers that fulfil the equations of
their `Elbow`. So a position is known by its three sets, the multipliers of the free points and b.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maxmargin.model_selection.elbow import Elbow
from maxmargin.problems import Case, Free, SoftMargin
from maxmargin.typing import Floats, Integers

__all__ = ["Position"]

_EPSILON = float(np.finfo(np.float64).eps)
# Sums of many terms lose a few digits more than one term does.
_ROUNDING = 64 * _EPSILON
_NEAR_BOUND = 1e-12
# Equations of the free points that hold this well, in roundings, are left alone.
_FULFILLED = 0.25


class Position:
    """The sets, multipliers and bias at one C, over the points of positive weight.

    Attributes
    ----------
    points : ndarray
        Those of the problem that have a weight.
    y, weight : ndarray
        Their labels and weights.
    C, bias : float
        Where the path is.
    case : ndarray of Case
        ZERO, FREE or BOUNDED.
    multiplier : ndarray
        Valid for the free points; see `multipliers`.
    elbow : Elbow
        The free points.
    pull : ndarray
        How f changes with C at every point because the bounded multipliers grow.
    rounding : float
        The size of `excess` that is rounding, as of its last computation.
    """

    def __init__(self, problem: SoftMargin, C: float) -> None:
        self.problem = problem
        self.points = np.flatnonzero(problem.sample_weight > 0)
        self.y: Floats = problem.y[self.points]
        self.weight: Floats = problem.sample_weight[self.points]
        self.C = C
        self.bias = 0.0
        n = len(self.points)
        self._gram = problem.dual().gram
        self.diagonal: Floats = self._gram.diagonal[self.points]
        self.kernel_size = float(self.diagonal.max()) or 1.0
        self.has_free_bias = isinstance(problem.bias, Free)
        unit = (float(self.diagonal.mean()) or 1.0) if self.has_free_bias else 0.0
        self.elbow = Elbow(self._row, n, unit)
        self.case: NDArray[np.int8] = np.full(n, Case.ZERO, dtype=np.int8)
        self.multiplier = np.zeros(n)
        self.pull = np.zeros(n)
        self.rounding = _ROUNDING

    def _row(self, point: int) -> Floats:
        return np.asarray(self._gram.rows(self.points[[point]])[0, self.points])

    @property
    def signed_weight(self) -> Floats:
        """The rate at which a bounded point's signed multiplier grows with C."""
        return self.y * self.weight

    @property
    def pull_sum(self) -> float:
        """The sum of those rates over the bounded points."""
        return float(self.signed_weight[self.case == Case.BOUNDED].sum())

    def move(self, point: int, to: Case) -> None:
        """Put a point into another set; its multiplier becomes what that set asks for."""
        before = Case(self.case[point])
        if before == to:
            return
        if to == Case.FREE:
            bound = 0.0 if before == Case.ZERO else self.C * self.weight[point]
            self.multiplier[point] = bound
            self.elbow.add(point)
        row = self.elbow.row(point) if Case.FREE in (before, to) else self._row(point)
        rate = self.signed_weight[point]
        if before == Case.BOUNDED:
            self.pull -= rate * row
        if to == Case.BOUNDED:
            self.pull += rate * row
        if before == Case.FREE:
            self.elbow.remove(point)
        self.case[point] = to
        if not (self.case == Case.BOUNDED).any():
            # What rounding left of the sum would move the path for ever.
            self.pull = np.zeros(len(self.pull))

    def place(self, case: NDArray[np.int8]) -> None:
        """Put every point that is not free into its set at once."""
        for point in self.elbow.members:
            self.elbow.remove(int(point))
        self.case = np.where(case == Case.FREE, np.int8(Case.ZERO), case).astype(np.int8)
        self.refresh()

    def refresh(self) -> None:
        """Add up the pull of the bounded points anew, without the rounding of its changes."""
        rates = np.zeros(self._gram.n_points)
        rates[self.points] = np.where(self.case == Case.BOUNDED, self.signed_weight, 0.0)
        self.pull = (self._gram @ rates)[self.points]

    def multipliers(self) -> Floats:
        """Return the multipliers of all points."""
        bounded = np.where(self.case == Case.BOUNDED, self.C * self.weight, 0.0)
        return np.where(self.case == Case.FREE, self.multiplier, bounded)

    def excess(self) -> Floats:
        """Return y f(x) - 1: zero on the margin, positive beyond it."""
        members = self.elbow.members
        carried = self.elbow.products(self.y[members] * self.multiplier[members])
        pulled = self.C * self.pull
        size = 1.0 + abs(self.bias) + np.abs(pulled).max() + np.abs(carried).max()
        self.rounding = _ROUNDING * float(size)
        return self.y * (pulled + carried + self.bias) - 1.0

    def at_bound(self) -> Floats:
        """Return for each multiplier what of it is rounding."""
        limit = self.C * self.weight
        step = np.minimum(limit, 1.0 / np.maximum(self.diagonal, 1e-300))
        return _NEAR_BOUND * step + 8 * _EPSILON * limit

    def correct(self, excess: Floats) -> Floats:
        """Solve the equations of the free points again where rounding has added up.

        Returns the excess after that. What would leave the multipliers' bounds is not done.
        """
        members = self.elbow.members
        if len(members) == 0:
            return excess
        own = excess[members]
        missing = -self.C * self.pull_sum - float(self.y[members] @ self.multiplier[members])
        if not self.has_free_bias:
            missing = 0.0
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
        """Return the biases that suit a C while no point is free, and the points that limit them.

        Without free points f = C pull + b, and each point limits b from one side.
        """
        ends = self.y - C * self.pull
        caps = (self.case == Case.BOUNDED) == (self.y > 0)
        upper, lower = np.where(caps, ends, np.inf), np.where(caps, -np.inf, ends)
        limiting = np.array([upper.argmin(), lower.argmax()])
        return float(lower.max()), float(upper.min()), limiting

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
