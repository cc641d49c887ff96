"""The next step of the path: its direction at a breakpoint, and its length.

Let d be the derivative of the signed multipliers with respect to C, to the right of a breakpoint.
Points beyond their margin stay at zero, bounded points follow their bound, free points may move.
Points that are on their margin and at a bound, the tied ones, may leave the bound or stay. The
derivative solves

    min 1/2 d'Kd,   sum d = 0,   tied points leave their bound inwards or not at all.

This is a least squares problem with a sign constraint for each tied point, solved with the active
set method of Lawson and Hanson (1974): the point whose condition is violated most becomes free, and
a point that would cross its bound returns to it. The objective decreases at each change, so no
combination of sets repeats, however many points are tied.

The step ends at the next breakpoint, where a point reaches its margin or a bound.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from maxmargin.paths.elbow import SingularElbowError
from maxmargin.paths.position import Position
from maxmargin.problems import Case
from maxmargin.typing import Bools, Floats, Integers

__all__ = ["Direction", "Step", "find_direction", "next_step"]

# The relative rounding error of slopes.
_ROUNDING = 1e-13

# The slopes of free points should be zero. Their error, times this, is the error of all slopes.
_ERROR_OF_FREE = 10.0

# Points that reach their margin or bound within this relative change of C do so together.
_TOGETHER = 1e-14

# Newton's method takes a few iterations; this only ends it if rounding makes it cycle.
_NEWTON_ITERATIONS = 200


@dataclass(frozen=True, eq=False)
class Direction:
    """The derivatives of a position with respect to C."""

    #: Of the multipliers of the free points, in the order of the elbow.
    multiplier: Floats
    #: Of b; meaningless if the bias is free and no point is.
    bias: float
    #: Of y f(x).
    excess: Floats
    #: The rounding error of `excess`.
    rounding: float


def find_direction(position: Position, tied: Bools) -> Direction:
    """Solve the problem above, and move tied points into their sets beyond the breakpoint."""
    return _ActiveSet(position, np.flatnonzero(tied)).find()


class _ActiveSet:
    def __init__(self, position: Position, tied: Integers) -> None:
        self.position = position
        self.tied = tied
        #: The set of each tied point at the breakpoint.
        self.home = {int(i): Case(position.case[i]) for i in tied}
        #: The tied points that have become free, and how fast each leaves its bound.
        self.leaving: dict[int, float] = {}
        #: Points that returned at once, and would become free again for ever.
        self.barred: set[int] = set()

    def find(self) -> Direction:
        position, elbow = self.position, self.position.elbow
        for _ in range(10 * len(self.tied) + 10):
            if len(elbow) == 0 and elbow.has_bias:
                pair = self._limiting_pair()
                if pair is None:
                    slope = position.y * position.bounded_slope
                    return Direction(np.zeros(0), 0.0, slope, self._rounding(slope))
                for point in pair:
                    self._free(point)
            members = elbow.members
            signed, bias = elbow.solve(-position.bounded_slope[members], -position.bounded_sum)
            if self._return_crossing(dict(zip(members.tolist(), signed.tolist(), strict=True))):
                continue
            of_free = elbow.products(signed) + bias
            slope = position.y * (position.bounded_slope + of_free)
            error = float(np.abs(slope[members]).max(initial=0.0))
            rounding = self._rounding(of_free) + _ERROR_OF_FREE * error
            staying = self._staying()
            inward = self._violation(staying, slope)
            if not (inward > rounding).any():
                return Direction(position.y[members] * signed, bias, slope, rounding)
            allowed = np.array([i not in self.barred for i in staying], dtype=np.bool_)
            worst = int(np.where(allowed, inward, -np.inf).argmax())
            if not allowed[worst] or inward[worst] <= rounding:
                break
            self._free(int(staying[worst]))
        raise SingularElbowError

    def _rounding(self, slopes: Floats) -> float:
        largest = np.abs(self.position.bounded_slope).max() + np.abs(slopes).max()
        return _ROUNDING * float(largest)

    def _staying(self) -> Integers:
        """Return the tied points that are not free."""
        return np.asarray(self.tied[self.position.case[self.tied] != Case.FREE])

    def _violation(self, points: Integers, slope: Floats) -> Floats:
        """Return how fast each point's condition would be violated if it stayed at its bound."""
        bounded = self.position.case[points] == Case.BOUNDED
        return np.where(bounded, slope[points], -slope[points])

    def _free(self, point: int) -> None:
        self.position.move(point, Case.FREE)
        self.leaving[point] = 0.0

    def _inward(self, point: int) -> float:
        """Return the sign of the change of a signed multiplier that leaves its bound."""
        y = float(self.position.y[point])
        return y if self.home[point] == Case.ZERO else -y

    def _return_crossing(self, signed: dict[int, float]) -> bool:
        """Return the first points that would cross their bound to it; say whether there are any.

        The derivative goes from the current one towards the new one until the first point reaches
        its bound.
        """
        speeds = {}
        for point in self.leaving:
            bounded = self.home[point] == Case.BOUNDED
            of_bound = float(self.position.signed_weight[point]) if bounded else 0.0
            speeds[point] = self._inward(point) * (signed[point] - of_bound)
        crossing = [point for point, speed in speeds.items() if speed <= 0]
        if not crossing:
            self.leaving = speeds
            return False
        shares = {p: self.leaving[p] / (self.leaving[p] - speeds[p] or 1.0) for p in crossing}
        share = min(shares.values())
        for point, speed in speeds.items():
            self.leaving[point] += share * (speed - self.leaving[point])
        for point in crossing:
            if shares[point] <= share:
                if share == 0:
                    self.barred.add(point)
                del self.leaving[point]
                self.position.move(point, self.home[point])
        return True

    def _limiting_pair(self) -> tuple[int, int] | None:
        """Return two points that leave no room for b if C grows; None if there is room.

        Without free points, points can leave their bounds only in pairs, because the sum of the
        signed multipliers must stay zero.
        """
        position, slope = self.position, self.position.bounded_slope
        if abs(position.bounded_sum) > 1e-9 * float(position.weight.sum()):
            raise SingularElbowError
        staying = [int(i) for i in self._staying() if i not in self.barred]
        rising = [i for i in staying if self._inward(i) > 0]
        falling = [i for i in staying if self._inward(i) < 0]
        if not rising or not falling:
            return None
        first = min(rising, key=lambda i: slope[i])
        second = max(falling, key=lambda i: slope[i])
        room = float(slope[first] - slope[second])
        return (first, second) if room < -self._rounding(slope) else None


@dataclass(frozen=True, eq=False)
class Step:
    """A step of the path."""

    #: C at its end.
    end: float
    #: The derivative of b with respect to C.
    bias: float
    #: The points that reach their margin or a bound at the end.
    reached: Integers


def next_step(
    position: Position, direction: Direction, excess: Floats, tied: Bools, C_max: float
) -> Step:
    """Return the step to the next breakpoint, or to C_max.

    The excess is y f(x) - 1. Tied points, on their margin but staying at a bound, do not end the
    step.
    """
    if len(position.elbow) == 0 and position.has_free_bias:
        return _without_free_points(position, C_max)
    members = position.elbow.members
    lengths = np.full(len(position.y), np.inf)
    lengths[members] = _until_bound(position, direction, members)
    beyond = np.where(position.case == Case.BOUNDED, -1.0, 1.0)
    speed = -beyond * direction.excess
    approaching = (position.case != Case.FREE) & ~tied & (speed > direction.rounding)
    distance = np.maximum(beyond[approaching] * excess[approaching], 0.0)
    lengths[approaching] = distance / speed[approaching]
    length = float(lengths.min())
    end = position.C + length
    if end >= C_max:
        return Step(C_max, direction.bias, np.zeros(0, dtype=np.int64))
    return Step(end, direction.bias, np.flatnonzero(lengths <= length + _TOGETHER * end))


def _until_bound(position: Position, direction: Direction, members: Integers) -> Floats:
    """Return how far C can grow until each free multiplier reaches zero or C s_i."""
    multiplier, slope = position.multiplier[members], direction.multiplier
    weight = position.weight[members]
    with np.errstate(divide="ignore", invalid="ignore"):
        to_zero = np.where(slope < 0, multiplier / -slope, np.inf)
        room = position.C * weight - multiplier
        to_limit = np.where(slope > weight, room / (slope - weight), np.inf)
    return np.maximum(np.minimum(to_zero, to_limit), 0.0)


def _without_free_points(position: Position, C_max: float) -> Step:
    """Go on as long as some b is optimal for all points.

    The length of the interval of such b is a concave function of C, so Newton's method from the
    right finds its zero, and b, linear in between, stays in the interval.
    """
    end, reached = C_max, np.zeros(0, dtype=np.int64)
    for _ in range(_NEWTON_ITERATIONS):
        low, high, limiting = position.bias_interval(end)
        if low <= high:
            break
        reached = limiting
        upper, lower = limiting
        closing = float(position.bounded_slope[upper] - position.bounded_slope[lower])
        if closing <= 0:
            raise SingularElbowError
        before, end = end, float(position.y[upper] - position.y[lower]) / closing
        if end >= before:
            break
    end = min(max(end, position.C), C_max)
    low, high, _ = position.bias_interval(end)
    length = end - position.C
    slope = (0.5 * (low + high) - position.bias) / length if length > 0 else 0.0
    return Step(end, slope, reached)
