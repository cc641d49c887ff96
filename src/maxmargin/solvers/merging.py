"""Points that repeat others, and the merging of variables that cannot be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from maxmargin.solvers.answers import Answer
from maxmargin.solvers.program import Program, Sums
from maxmargin.typing import Floats, Integers

__all__ = ["Distinct", "Merged"]

_ROUNDING = 1e-14


class Distinct:
    """Points without repeats.

    Parameters
    ----------
    first : ndarray of shape (n,)
        The first point that each point equals.
    """

    def __init__(self, first: Integers) -> None:
        #: The points that repeat no other.
        self.kept = np.flatnonzero(first == np.arange(len(first)))
        place = np.zeros(len(first), dtype=np.int64)
        place[self.kept] = np.arange(len(self.kept))
        #: Which of them each point is.
        self.place: Integers = place[first]
        self._last: Merged | None = None

    def merge(self, program: Program) -> Merged:
        """Add up the variables that cannot be told apart."""
        merged = None if self._last is None else self._last.like(program, self)
        self._last = merged or Merged.of(program, self)
        return self._last

    def split(self, merged: Merged, answer: Answer) -> Answer:
        """Return the answer for all points."""
        return replace(
            answer,
            signed=merged.split(answer.signed),
            gradient=answer.gradient[merged.owner],
            sums=None if answer.sums is None else answer.sums[self.place],
            parts=None if answer.parts is None else self._spread(answer.parts),
        )

    def _spread(self, parts: Sequence[Sums]) -> list[Sums]:
        return [part.spread(self.place, self.kept) for part in parts]


@dataclass(frozen=True, eq=False)
class Merged:
    """A program whose variables of equal points and equal terms have been added up.

    Two such variables enter the objective by their sum alone, so one with both costs does as well.
    """

    program: Program
    original: Program
    owner: Integers
    leader: Integers
    order: Integers

    @classmethod
    def of(cls, program: Program, points: Distinct) -> Self:
        """Merge the variables of each of the points."""
        point = points.place[program.point]
        # A ridge is a property of one multiplier; such variables share a point but stay apart.
        apart = np.where(program.ridge > 0, np.arange(program.n_variables), -1)
        keys = (program.linear, program.direction, program.sign, apart, program.group, point)
        order = np.lexsort(keys)
        begins = np.ones(len(order), dtype=np.bool_)
        begins[1:] = np.any([key[order[1:]] != key[order[:-1]] for key in keys], axis=0)
        owner = np.empty(len(order), dtype=np.int64)
        owner[order] = np.cumsum(begins) - 1
        return cls._added(program, points, owner, order[begins], order)

    def like(self, program: Program, points: Distinct) -> Self | None:
        """Merge a program that differs in its costs and start alone; None if it differs in more."""
        names = ("point", "group", "ridge", "sign", "direction", "linear")
        same = all(
            np.array_equal(getattr(program, name), getattr(self.original, name)) for name in names
        )
        if not same:
            return None
        return self._added(program, points, self.owner, self.leader, self.order)

    @classmethod
    def _added(
        cls,
        program: Program,
        points: Distinct,
        owner: Integers,
        leader: Integers,
        order: Integers,
    ) -> Self:
        m = len(leader)
        cost = np.bincount(owner, program.cost, m).astype(np.float64)
        reduced = Program(
            points.place[program.point[leader]],
            program.sign[leader],
            program.linear[leader],
            cost,
            program.ridge[leader],
            program.group[leader],
            program.direction[leader],
            np.bincount(owner, program.start, m).astype(np.float64),
            None if program.near is None else program.near.merged(points.place, points.kept),
            None if program.shares is None else _added_shares(program, owner, cost),
        )
        return cls(reduced, program, owner, leader, order)

    def split(self, signed: Floats) -> Floats:
        """Give each merged value back to its variables, the first ones filled first."""
        cost = self.original.cost
        order = self.order
        owner = self.owner[order]
        if not np.isfinite(cost).all():
            number = np.bincount(self.owner)
            return np.asarray(signed[self.owner] / number[self.owner])
        # Sums in long double, and values within rounding of a bound set there: a multiplier that
        # is off its bound by a rounding error would count as free.
        summed = np.cumsum(cost[order], dtype=np.longdouble)
        before = summed - cost[order]
        heads = np.flatnonzero(np.diff(owner, prepend=-1))
        before -= np.repeat(before[heads], np.diff(np.append(heads, len(owner))))
        share = np.asarray(np.abs(signed[owner]) - before, dtype=np.float64)
        rounding = _ROUNDING * self.program.cost[owner]
        share[share <= rounding] = 0.0
        full = share >= cost[order] - rounding
        values = np.empty(len(cost))
        values[order] = np.where(full, cost[order], share)
        return np.asarray(self.original.sign * values)


def _added_shares(program: Program, owner: Integers, cost: Floats) -> Floats | None:
    """Return the shares of merged variables: by cost, so that those at a bound are split as is."""
    if program.shares is None or not np.isfinite(cost).all():
        return None
    weight = np.divide(1.0, cost, out=np.zeros(len(cost)), where=cost > 0)
    parts = [np.bincount(owner, part * program.cost, len(cost)) for part in program.shares]
    return np.array(parts, dtype=np.float64) * weight
