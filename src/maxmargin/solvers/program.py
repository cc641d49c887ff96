"""One dual as the engine takes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from maxmargin.problems import BoxQP
from maxmargin.problems.gram import Gram
from maxmargin.typing import Floats, Integers

__all__ = ["Program", "Sums"]


@dataclass(frozen=True, eq=False)
class Sums:
    """What the kernel adds up to, for given coefficients of the engine's points.

    Attributes
    ----------
    coefficients : ndarray of shape (n,)
        One a point.
    values : ndarray of shape (n,)
        sum_j coefficient_j k(x_j, x) at each point x.
    """

    coefficients: Floats
    values: Floats

    def merged(self, owner: Integers, kept: Integers) -> Sums:
        """Return the same over points without repeats, given which of them each point is."""
        added = np.bincount(owner, self.coefficients, len(kept))
        return Sums(added.astype(np.float64), self.values[kept])

    def spread(self, owner: Integers, kept: Integers) -> Sums:
        """Return the same over all points, the other way round; repeats have no coefficient."""
        coefficients = np.zeros(len(owner))
        coefficients[kept] = self.coefficients
        return Sums(coefficients, self.values[owner])


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
    near : Sums, optional
        Of coefficients near those of the start, so that only the difference costs anything.
    shares : ndarray of shape (n_parts, m), optional
        How much of each variable belongs to each part of the sums that is wanted by itself.
    """

    point: Integers
    sign: Floats
    linear: Floats
    cost: Floats
    ridge: Floats
    group: Integers
    direction: Floats
    start: Floats
    near: Sums | None = None
    shares: Floats | None = None

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
    def n_free(self) -> int:
        """Variables that start between their bounds."""
        size = np.abs(self.start)
        return int(np.count_nonzero((size > 0) & (size < self.cost)))

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
