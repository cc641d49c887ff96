"""Duplicate points, and the merging of their variables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from maxmargin.typing import Floats, Integers

if TYPE_CHECKING:
    from maxmargin.solvers.kernel.batch import Found, Terms

__all__ = ["Distinct", "Merged"]

# A value closer to a bound than this share of its cost is at the bound, except for rounding.
_ROUNDING = 1e-14


class Distinct:
    """Distinct points.

    Parameters
    ----------
    first : ndarray of shape (n,)
        The first point that each point equals.
    """

    def __init__(self, first: Integers) -> None:
        #: The first of each group of equal points.
        self.kept = np.flatnonzero(first == np.arange(len(first)))
        place = np.zeros(len(first), dtype=np.int64)
        place[self.kept] = np.arange(len(self.kept))
        #: Which of them each point is.
        self.place: Integers = place[first]
        self._last: Merged | None = None

    def merge(self, terms: Terms) -> Merged:
        """Merge the variables of equal points."""
        merged = None if self._last is None else self._last.like(terms, self)
        self._last = merged or Merged.of(terms, self)
        return self._last

    def split(self, merged: Merged, found: Found) -> Found:
        """Return what was found for all points."""
        return replace(
            found,
            signed=merged.split(found.signed),
            gradient=found.gradient[merged.owner],
            expansion=None if found.expansion is None else found.expansion[self.place],
        )


@dataclass(frozen=True, eq=False)
class Merged:
    """A program whose variables of equal points and equal terms have been added up.

    Two such variables enter the objective by their sum alone, so one with both costs does as well.
    """

    terms: Terms
    original: Terms
    owner: Integers
    leader: Integers
    order: Integers

    @classmethod
    def of(cls, terms: Terms, points: Distinct) -> Self:
        """Merge the variables of each of the points."""
        point = points.place[terms.point]
        # A ridge is a property of one multiplier; such variables share a point but stay apart.
        apart = np.where(terms.ridge > 0, np.arange(terms.n_variables), -1)
        keys = (terms.linear, terms.direction, terms.sign, apart, terms.group, point)
        order = np.lexsort(keys)
        begins = np.ones(len(order), dtype=np.bool_)
        begins[1:] = np.any([key[order[1:]] != key[order[:-1]] for key in keys], axis=0)
        owner = np.empty(len(order), dtype=np.int64)
        owner[order] = np.cumsum(begins) - 1
        return cls._added(terms, points, owner, order[begins], order)

    def like(self, terms: Terms, points: Distinct) -> Self | None:
        """Merge a program that differs in its costs and start alone; None if it differs in more."""
        names = ("point", "group", "ridge", "sign", "direction", "linear")
        same = all(
            np.array_equal(getattr(terms, name), getattr(self.original, name)) for name in names
        )
        if not same:
            return None
        return self._added(terms, points, self.owner, self.leader, self.order)

    @classmethod
    def _added(
        cls, terms: Terms, points: Distinct, owner: Integers, leader: Integers, order: Integers
    ) -> Self:
        m = len(leader)
        cost = np.bincount(owner, terms.cost, m).astype(np.float64)
        reduced = replace(
            terms,
            point=points.place[terms.point[leader]],
            sign=terms.sign[leader],
            linear=terms.linear[leader],
            cost=cost,
            ridge=terms.ridge[leader],
            group=terms.group[leader],
            direction=terms.direction[leader],
            start=np.bincount(owner, terms.start, m).astype(np.float64),
            shares=None if terms.shares is None else _added_shares(terms, owner, cost),
        )
        return cls(reduced, terms, owner, leader, order)

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
        rounding = _ROUNDING * self.terms.cost[owner]
        share[share <= rounding] = 0.0
        full = share >= cost[order] - rounding
        values = np.empty(len(cost))
        values[order] = np.where(full, cost[order], share)
        return np.asarray(self.original.sign * values)


def _added_shares(terms: Terms, owner: Integers, cost: Floats) -> Floats | None:
    """Return the shares of merged variables: by cost, so that those at a bound are split as is."""
    if terms.shares is None or not np.isfinite(cost).all():
        return None
    weight = np.divide(1.0, cost, out=np.zeros(len(cost)), where=cost > 0)
    parts = [np.bincount(owner, part * terms.cost, len(cost)) for part in terms.shares]
    return np.array(parts, dtype=np.float64) * weight
