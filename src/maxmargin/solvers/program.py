"""One dual as the engine takes it, and the merging of variables that cannot be told apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from maxmargin.problems import BoxQP
from maxmargin.problems.gram import Gram
from maxmargin.typing import Floats, Integers

__all__ = ["Merged", "Program"]

_ROUNDING = 1e-14


@dataclass(frozen=True, eq=False)
class Program:
    """One dual over some rows of the engine's data: min 1/2 b'Hb + p'b in signed variables.

    Attributes
    ----------
    point : ndarray of shape (m,)
        Row of the engine's X that each variable belongs to.
    sign, linear, cost, ridge : ndarray of shape (m,)
        As in `maxmargin.problems.BoxQP`.
    group : ndarray of shape (m,)
        The sum that each variable is in, from 0; -1 for none (all are in one, or none is).
    direction : ndarray of shape (m,)
        +1 or -1: the variable's coefficient in that sum.
    start : ndarray of shape (m,)
        Feasible signed variables to start from; the sums stay what they are there.
    """

    point: Integers
    sign: Floats
    linear: Floats
    cost: Floats
    ridge: Floats
    group: Integers
    direction: Floats
    start: Floats

    @classmethod
    def of(cls, qp: BoxQP, start: Floats) -> Self:
        """Turn a problem's dual into a program."""
        group = np.full(qp.n_variables, -1)
        direction = np.ones(qp.n_variables)
        for k, members in enumerate(qp.groups):
            group[members] = k
            direction[members] = qp.equality[k, members]
        return cls(qp.point, qp.sign, qp.linear, qp.cost, qp.ridge, group, direction, start)

    def to_qp(self, gram: Gram) -> BoxQP:
        """Turn the program into a dual over the points of a Gram matrix."""
        n_groups = int(self.group.max(initial=-1)) + 1
        equality = np.zeros((n_groups, self.n_variables))
        inside = self.group >= 0
        equality[self.group[inside], np.flatnonzero(inside)] = self.direction[inside]
        return BoxQP(
            gram,
            self.point,
            self.sign,
            self.linear,
            self.cost,
            self.ridge,
            equality,
            equality @ self.start,
        )

    @property
    def n_variables(self) -> int:
        """The number m of variables."""
        return len(self.point)

    @property
    def low(self) -> Floats:
        """Lower bounds in the direction of the sums."""
        return np.where(self.sign * self.direction > 0, 0.0, -self.cost)

    @property
    def high(self) -> Floats:
        """Upper bounds in the direction of the sums."""
        return np.where(self.sign * self.direction > 0, self.cost, 0.0)

    def violation(self, signed: Floats, gradient: Floats) -> float:
        """Return the largest m(a) - M(a) over the sums: LIBSVM's stopping measure."""
        value, score = self.direction * signed, -self.direction * gradient
        can_rise, can_fall = value < self.high, value > self.low
        worst = 0.0
        for k in range(max(1, int(self.group.max(initial=-1)) + 1)):
            mine = self.group == k if self.group.max(initial=-1) >= 0 else self.group < 0
            free = 0.0 if self.group.max(initial=-1) < 0 else np.inf
            top = score[mine & can_rise].max(initial=-free)
            bottom = score[mine & can_fall].min(initial=free)
            worst = max(worst, float(top - bottom))
        return worst


@dataclass(frozen=True, eq=False)
class Merged:
    """A program whose variables of equal points and equal terms have been added up.

    Two such variables enter the objective by their sum alone, so one with both costs does as well.
    """

    program: Program
    original: Program
    owner: Integers

    @classmethod
    def of(cls, program: Program, first: Integers, place: Integers) -> Self:
        """Merge, given each point's first equal and the places of those in the reduced data."""
        point = place[first[program.point]]
        # A ridge is a property of one multiplier; such variables share a point but stay apart.
        apart = np.where(program.ridge > 0, np.arange(program.n_variables), -1)
        keys = np.stack(
            [point, program.group, apart, program.sign, program.direction, program.linear]
        )
        _, leader, owner = np.unique(keys, axis=1, return_index=True, return_inverse=True)
        owner = owner.ravel()
        m = len(leader)

        def added(values: Floats) -> Floats:
            sums = np.zeros(m)
            np.add.at(sums, owner, values)
            return sums

        reduced = Program(
            point[leader],
            program.sign[leader],
            program.linear[leader],
            added(program.cost),
            program.ridge[leader],
            program.group[leader],
            program.direction[leader],
            added(program.start),
        )
        return cls(reduced, program, owner)

    def split(self, signed: Floats) -> Floats:
        """Give each merged value back to its variables, the first ones filled first."""
        cost = self.original.cost
        order = np.argsort(self.owner, kind="stable")
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
