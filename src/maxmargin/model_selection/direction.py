"""Which way the solution goes from a breakpoint: its derivative to the right.

Let d be the change of the signed multipliers per unit of C. Points beyond their margin stay at
zero, those inside keep up with their bound, those on it are free. Points that are on their margin
and at a bound too, the tied ones, may leave that bound or stay. The derivative solves

    min 1/2 d'Kd,   sum d = 0,   tied points leave their bound inwards or not at all

which is a least squares problem with a sign for each tied point, solved as Lawson and Hanson (1974)
do: the point that wants most to leave its bound joins the free ones, and one that would cross its
bound goes back. However many points are tied, the objective falls at each change, so that no
sequence of sets repeats.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from maxmargin.model_selection.elbow import SingularElbowError
from maxmargin.model_selection.position import Position
from maxmargin.problems import Case
from maxmargin.typing import Bools, Floats, Integers

__all__ = ["Direction", "find_direction"]

_ROUNDING = 1e-13
# Slopes of free points should be zero: what is left of them tells the error of all.
_AS_THE_FREE = 10.0


@dataclass(frozen=True, eq=False)
class Direction:
    """How a position changes with C.

    Attributes
    ----------
    multiplier : ndarray of shape (m,)
        Of the free points, in the elbow's order.
    bias : float
        Of b; without meaning where no point is free and the bias is.
    excess : ndarray of shape (n,)
        Of y f(x).
    rounding : float
        What of `excess` is rounding.
    """

    multiplier: Floats
    bias: float
    excess: Floats
    rounding: float


def find_direction(position: Position, tied: Bools) -> Direction:
    """Solve the problem above, moving tied points between their bound and the elbow.

    Parameters
    ----------
    position : Position
        Left with the sets that the path has beyond the breakpoint.
    tied : ndarray of bool
        Points that are on their margin and in the set of their bound.
    """
    return _Search(position, np.flatnonzero(tied)).run()


class _Search:
    def __init__(self, position: Position, tied: Integers) -> None:
        self.position = position
        self.tied = tied
        self.home = {int(i): Case(position.case[i]) for i in tied}
        #: How fast each point that joined leaves its bound.
        self.leaving: dict[int, float] = {}
        self.barred: set[int] = set()

    def run(self) -> Direction:
        position, elbow = self.position, self.position.elbow
        for _ in range(10 * len(self.tied) + 10):
            if len(elbow) == 0 and elbow.has_bias:
                pair = self._closing_pair()
                if pair is None:
                    slope = position.y * position.pull
                    return Direction(np.zeros(0), 0.0, slope, self._rounding(slope))
                for point in pair:
                    self._join(point)
            members = elbow.members
            signed, bias = elbow.solve(-position.pull[members], -position.pull_sum)
            if self._some_turned_back(dict(zip(members.tolist(), signed.tolist(), strict=True))):
                continue
            carried = elbow.products(signed) + bias
            slope = position.y * (position.pull + carried)
            uneven = float(np.abs(slope[members]).max(initial=0.0))
            rounding = self._rounding(carried) + _AS_THE_FREE * uneven
            joining = self._most_eager(slope, rounding)
            if joining is None:
                self._refuse_barred(slope, rounding)
                return Direction(position.y[members] * signed, bias, slope, rounding)
            self._join(joining)
        raise SingularElbowError

    def _rounding(self, carried: Floats) -> float:
        return _ROUNDING * float(np.abs(self.position.pull).max() + np.abs(carried).max())

    def _join(self, point: int) -> None:
        self.position.move(point, Case.FREE)
        self.leaving[point] = 0.0

    def _inward(self, point: int) -> float:
        """Return the sign of a signed multiplier's change that leaves the bound."""
        y = float(self.position.y[point])
        return y if self.home[point] == Case.ZERO else -y

    def _some_turned_back(self, signed: dict[int, float]) -> bool:
        """Send back the points that would cross their bound; say whether there were any."""
        wanted = {}
        for point in self.leaving:
            bounded = self.home[point] == Case.BOUNDED
            base = float(self.position.signed_weight[point]) if bounded else 0.0
            wanted[point] = self._inward(point) * (signed[point] - base)
        crossing = [point for point, speed in wanted.items() if speed <= 0]
        if not crossing:
            self.leaving = wanted
            return False
        shares = {p: self.leaving[p] / (self.leaving[p] - wanted[p] or 1.0) for p in crossing}
        share = min(shares.values())
        back = [point for point in crossing if shares[point] <= share]
        for point, speed in wanted.items():
            self.leaving[point] += share * (speed - self.leaving[point])
        for point in back:
            # What joined and never left would join again for ever.
            if share == 0:
                self.barred.add(point)
            del self.leaving[point]
            self.position.move(point, self.home[point])
        return True

    def _outside(self) -> Integers:
        is_outside = self.position.case[self.tied] != Case.FREE
        return np.asarray(self.tied[is_outside])

    def _most_eager(self, slope: Floats, rounding: float) -> int | None:
        """Return the tied point whose margin would be violated most if it stayed."""
        outside = np.array([i for i in self._outside() if i not in self.barred], dtype=np.int64)
        if len(outside) == 0:
            return None
        eager = self._away(outside, slope)
        first = int(eager.argmin())
        return int(outside[first]) if eager[first] < -rounding else None

    def _away(self, points: Integers, slope: Floats) -> Floats:
        bounded = self.position.case[points] == Case.BOUNDED
        return np.where(bounded, -slope[points], slope[points])

    def _refuse_barred(self, slope: Floats, rounding: float) -> None:
        outside = self._outside()
        if (self._away(outside, slope) < -rounding).any():
            raise SingularElbowError

    def _closing_pair(self) -> tuple[int, int] | None:
        """Return two points that leave no room for b when C grows; None if there is room.

        Without free points only two together can leave their bounds, for the sum must stay.
        """
        position = self.position
        if abs(position.pull_sum) > 1e-9 * float(position.weight.sum()):
            raise SingularElbowError
        outside = [int(i) for i in self._outside() if i not in self.barred]
        inward = {i: self._inward(i) for i in outside}
        rising = [i for i in outside if inward[i] > 0]
        falling = [i for i in outside if inward[i] < 0]
        if not rising or not falling:
            return None
        first = min(rising, key=lambda i: position.pull[i])
        second = min(falling, key=lambda i: -position.pull[i])
        room = float(position.pull[first] - position.pull[second])
        return (first, second) if room < -self._rounding(position.pull) else None
