"""Many classes by two-class machines: one a pair of classes, or one a class against the rest.

The points are sorted by class, so that each class is a range. In a pair (i, j) with i < j, class
i is the positive one; against the rest the class itself is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.errors import InfeasibleProblemError
from maxmargin.estimators.decision import pairs_of
from maxmargin.estimators.programs import MarginForm
from maxmargin.problems import Bias, BoxQP, Free
from maxmargin.problems.gram import Gram
from maxmargin.typing import Floats, Integers

__all__ = ["ClassRanges", "Contest", "Decomposition", "bias_of"]


@dataclass(frozen=True, eq=False)
class ClassRanges:
    """Points sorted by class: those of class c lie at starts[c] .. starts[c + 1] - 1.

    Attributes
    ----------
    order : ndarray of shape (n,)
        The training point at each place.
    starts : ndarray of shape (n_classes + 1,)
        Where each class starts.
    """

    order: Integers
    starts: Integers

    @classmethod
    def of(cls, labels: Integers, rows: Integers, n_classes: int) -> ClassRanges:
        """Sort the given points by class, each class in the order it came."""
        order = rows[np.argsort(labels[rows], kind="stable")]
        sizes = np.bincount(labels[rows], minlength=n_classes)
        return cls(order, np.concatenate([[0], np.cumsum(sizes)]))

    @property
    def n_classes(self) -> int:
        """The number of classes, empty ones included."""
        return len(self.starts) - 1

    def size(self, c: int) -> int:
        """Return the number of points of a class."""
        return int(self.starts[c + 1] - self.starts[c])

    def places(self, c: int) -> slice:
        """Return where a class lies."""
        return slice(int(self.starts[c]), int(self.starts[c + 1]))


@dataclass(frozen=True, eq=False)
class Contest:
    """One two-class machine: its points by place, and their signs."""

    machine: int
    positive: int
    negative: int | None
    point: Integers
    sign: Floats

    def classes(self, labels: Any) -> tuple[Any, Any]:
        """Return the labels of both sides, None for the rest."""
        other = None if self.negative is None else _plain(labels[self.negative])
        return _plain(labels[self.positive]), other

    def name(self, labels: Any) -> str:
        """Say which machine this is."""
        one, other = self.classes(labels)
        return f"the pair {one!r}, {other!r}" if self.negative is not None else f"class {one!r}"


@dataclass(frozen=True, eq=False)
class Decomposition:
    """The machines of a classifier and how their multipliers are laid out."""

    ranges: ClassRanges
    contests: tuple[Contest, ...]
    pairwise: bool

    @classmethod
    def of(cls, ranges: ClassRanges, pairwise: bool) -> Decomposition:
        """Return the machines; classes without points have none."""
        k = ranges.n_classes
        pairwise = pairwise or k == 2
        contests = [
            _pair(machine, i, j, ranges)
            for machine, (i, j) in enumerate(pairs_of(k) if pairwise else [])
            if ranges.size(i) and ranges.size(j)
        ]
        if not pairwise:
            contests = [_rest(c, ranges) for c in range(k) if ranges.size(c)]
        return cls(ranges, tuple(contests), pairwise)

    @property
    def n_machines(self) -> int:
        """Machines, those without points included."""
        k = self.ranges.n_classes
        return k * (k - 1) // 2 if self.pairwise else k

    def forms(
        self, form: MarginForm, weight: Floats, class_weight: Floats, bias: Bias, labels: Any
    ) -> list[MarginForm]:
        """Return the form of each machine; weights of points are by place.

        A nu that the points allow but the class weights do not gives way to the largest possible
        one; a nu that both refuse is an error, which names the machine.
        """
        whole = weight * np.repeat(class_weight, np.diff(self.ranges.starts))
        found: list[MarginForm] = []
        for c in self.contests:
            mild = form.without_infeasibility(c.sign, whole[c.point], bias)
            if mild != form:
                try:
                    form.require_feasible(c.sign, weight[c.point], bias)
                except InfeasibleProblemError as error:
                    where = f" This is {c.name(labels)}." if self.n_machines > 1 else ""
                    raise InfeasibleProblemError(f"{error}{where}") from None
            found.append(mild)
        return found

    def duals(
        self, forms: Sequence[MarginForm], gram: Gram, weight: Floats, bias: Bias
    ) -> list[BoxQP]:
        """Return the dual program of each machine; weight is by place."""
        return [
            form.dual(gram, c.point, c.sign, weight[c.point], bias)
            for form, c in zip(forms, self.contests, strict=True)
        ]

    def coefficients(self, signed: Sequence[Floats]) -> Floats:
        """Return scikit-learn's layout over all places from each machine's signed multipliers."""
        k, n = self.ranges.n_classes, len(self.ranges.order)
        layout = np.zeros((k - 1 if self.pairwise else k, n))
        for contest, values in zip(self.contests, signed, strict=True):
            i, j = contest.positive, contest.negative
            if j is None:
                layout[i] = values
            else:
                size = self.ranges.size(i)
                layout[j - 1, self.ranges.places(i)] = values[:size]
                layout[i, self.ranges.places(j)] = values[size:]
        return layout

    def intercepts(self, found: Sequence[float]) -> Floats:
        """Return one intercept a machine; a class without points loses every contest."""
        intercepts = np.full(self.n_machines, 0.0 if self.pairwise else -1.0)
        if self.pairwise:
            for machine, (i, j) in enumerate(pairs_of(self.ranges.n_classes)):
                intercepts[machine] = float(self.ranges.size(i) > 0) - (self.ranges.size(j) > 0)
        for contest, value in zip(self.contests, found, strict=True):
            intercepts[contest.machine] = value
        return intercepts

    def steps(self, found: Sequence[int]) -> Integers:
        """Return the steps of each machine."""
        steps: Integers = np.zeros(self.n_machines, dtype=np.int32)
        most = np.iinfo(np.int32).max
        for contest, value in zip(self.contests, found, strict=True):
            steps[contest.machine] = min(value, most)
        return steps


def bias_of(bias: Bias, signed: Floats, offsets: Floats) -> float:
    """Return the intercept of a machine, as `maxmargin.problems.Problem.bias_value` does."""
    if isinstance(bias, Free):
        return float(-offsets.mean())
    return float(bias.scale**2 * signed.sum())


def _pair(machine: int, i: int, j: int, ranges: ClassRanges) -> Contest:
    one, other = ranges.places(i), ranges.places(j)
    point = np.concatenate([np.arange(one.start, one.stop), np.arange(other.start, other.stop)])
    sign = np.ones(len(point))
    sign[ranges.size(i) :] = -1.0
    return Contest(machine, i, j, point, sign)


def _rest(c: int, ranges: ClassRanges) -> Contest:
    sign = np.full(len(ranges.order), -1.0)
    sign[ranges.places(c)] = 1.0
    return Contest(c, c, None, np.arange(len(ranges.order)), sign)


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label
