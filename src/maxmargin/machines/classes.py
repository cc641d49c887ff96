"""Classes of a classifier: labels, weights, and the machines that tell them apart.

Kernel machines separate pairs of classes, in which the later class is positive, or one class from
the rest, in which the class itself is. Linear machines do the latter, or are one machine for all
classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state, compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from maxmargin.errors import InvalidInputError
from maxmargin.problems import (
    Bias,
    CrammerSinger,
    Free,
    L1Margin,
    Points,
    Problem,
    Regularised,
    SoftMargin,
)
from maxmargin.problems.checks import moderate
from maxmargin.solvers import Solution
from maxmargin.typing import Floats, Integers

__all__ = [
    "ClassMachines",
    "LinearFamily",
    "Pair",
    "class_weights",
    "coefficients_of",
    "encoded",
    "given_class_weights",
    "linear_bias",
    "pairs_of",
    "plain",
    "require_two_classes",
    "seed_of",
    "times_class_weights",
]

_REGULARISED = Regularised(1.0)


def encoded(y: Any) -> tuple[Any, Integers]:
    """Return the classes in order, and the place of each label among them."""
    found = _encoded_by_table(y)
    if found is not None:
        return found
    check_classification_targets(y)
    classes = np.unique(y)
    return classes, np.searchsorted(classes, y).astype(np.int64, copy=False)


def _encoded_by_table(y: Any) -> tuple[Any, Integers] | None:
    """Count whole numbers that lie close together, which is many times as fast as sorting them."""
    is_whole = y.dtype.kind in "iu" and np.can_cast(y.dtype, np.int64)
    if y.ndim != 1 or not is_whole or len(y) == 0:
        return None
    low, high = int(y.min()), int(y.max())
    if high - low >= len(y):
        return None
    place = np.subtract(y, low, dtype=np.int64)
    is_used = np.bincount(place) > 0
    classes = np.flatnonzero(is_used)
    # scikit-learn warns of labels that look like amounts.
    if 2 * len(classes) > len(y):
        return None
    labels = place if is_used.all() else (np.cumsum(is_used) - 1)[place]
    return (classes + low).astype(y.dtype), labels


def class_weights(given: Any, names: Any, labels: Integers, weight: Floats | None) -> Floats:
    """Return what multiplies C in each class; "balanced" weights count each point by its own."""
    if given is None:
        return np.ones(len(names))
    if given == "balanced" and weight is not None:
        held = np.bincount(labels, np.maximum(weight, 0.0), len(names))
        shares = np.divide(held.sum(), held, out=np.zeros(len(names)), where=held > 0)
        return np.asarray(shares / len(names))
    return given_class_weights(given, names, names[labels])


def given_class_weights(given: Any, names: Any, y: Any) -> Floats:
    """Return the given weight of each class, a finite number, zero or more."""
    found = np.asarray(compute_class_weight(given, classes=names, y=y), dtype=np.float64)
    for name, weight in zip(names, found, strict=True):
        if not (0 <= weight < np.inf):
            raise InvalidInputError(
                f"class_weight of class {plain(name)!r} is {weight:g}: the weight of a class must "
                "be a finite number, zero or more."
            )
    moderate(found, "class_weight")
    return found


def times_class_weights(weight: Floats, of_class: Floats) -> Floats:
    """Return the weights of points times those of their classes."""
    product = weight * of_class
    moderate(product, "sample_weight times class_weight")
    return product


def require_two_classes(classes: Any, instead: str = "OneClassSVM") -> None:
    """Refuse labels of one class only, and name the estimator for them."""
    if len(classes) < 2:
        raise InvalidInputError(
            f"The number of classes has to be greater than one; got {len(classes)} class: give y "
            f"another class, or use {instead}."
        )


def plain(label: Any) -> Any:
    """Return a label as a plain Python value."""
    return label.item() if isinstance(label, np.generic) else label


def pairs_of(n_classes: int) -> list[tuple[int, int]]:
    """Return the pairs of classes in the order of their machines."""
    return [(i, j) for i in range(n_classes) for j in range(i + 1, n_classes)]


@dataclass(frozen=True, eq=False)
class Pair:
    """One two-class machine.

    Attributes
    ----------
    place : int
        Among the decision values of all machines.
    positive, negative : int
        The classes of both sides; None for the rest.
    rows : ndarray of int or None
        The training rows that it is about; None for all of them.
    sign : ndarray
        Their labels.
    """

    place: int
    positive: int
    negative: int | None
    rows: Integers | None
    sign: Floats

    def classes(self, labels: Any) -> tuple[Any, ...]:
        """Return the labels of both sides, positive one last; (label, None) against the rest."""
        if self.negative is None:
            return plain(labels[self.positive]), None
        return plain(labels[self.negative]), plain(labels[self.positive])

    def name(self, labels: Any) -> str:
        """Say which machine this is."""
        one, other = self.classes(labels)
        return f"class {one!r}" if other is None else f"the pair {one!r}, {other!r}"


class ClassMachines:
    """The two-class machines of a classifier, and how their multipliers are laid out.

    Parameters
    ----------
    labels : ndarray of int
        The class of each training row, from 0.
    rows : ndarray of int or None
        The training rows that count; None for all of them.
    n_classes : int
        Classes without a row that counts included.
    pairwise : bool
        Whether there is a machine per pair of classes, or one per class against the rest.
    """

    def __init__(
        self, labels: Integers, rows: Integers | None, n_classes: int, pairwise: bool
    ) -> None:
        self.n_classes = n_classes
        self.pairwise = pairwise or n_classes == 2
        self._labels = labels if rows is None else labels[rows]
        self._rows = rows
        #: Points of each class that count.
        self.sizes: Integers = np.bincount(self._labels, minlength=n_classes)

    @cached_property
    def order(self) -> Integers:
        """The training rows sorted by class, as scikit-learn lists support vectors."""
        order = np.argsort(self._labels, kind="stable")
        return order if self._rows is None else self._rows[order]

    @cached_property
    def starts(self) -> Integers:
        """Where each class starts in that order."""
        return np.concatenate([[0], np.cumsum(self.sizes)])

    @property
    def n_machines(self) -> int:
        """Machines, those of classes without points included."""
        k = self.n_classes
        return k * (k - 1) // 2 if self.pairwise else k

    @cached_property
    def pairs(self) -> list[Pair]:
        """The machines; classes without points have none."""
        k = self.n_classes
        if k == 2:
            return [Pair(0, 1, 0, self._rows, np.where(self._labels == 1, 1.0, -1.0))]
        if not self.pairwise:
            return [
                Pair(c, c, None, self._rows, np.where(self._labels == c, 1.0, -1.0))
                for c in range(k)
                if self.sizes[c]
            ]
        return [
            self._pair(place, i, j)
            for place, (i, j) in enumerate(pairs_of(k))
            if self.sizes[i] and self.sizes[j]
        ]

    def _pair(self, place: int, i: int, j: int) -> Pair:
        rows = np.concatenate([self.order[self._places(i)], self.order[self._places(j)]])
        return Pair(place, j, i, rows, np.repeat([-1.0, 1.0], [self.sizes[i], self.sizes[j]]))

    def _places(self, c: int) -> slice:
        return slice(int(self.starts[c]), int(self.starts[c + 1]))

    def coefficients(self, signed: Sequence[Floats]) -> Floats:
        """Return scikit-learn's layout over the rows in class order.

        A point of class c has in row r its coefficient in the machine against the r-th of the other
        classes, the first class of a pair positive; against the rest there is a row per machine.
        """
        k, by_class = self.n_classes, np.argsort(self._labels, kind="stable")
        if k == 2:
            return -signed[0][by_class][np.newaxis]
        layout = np.zeros((k - 1 if self.pairwise else k, len(self.order)))
        for pair, values in zip(self.pairs, signed, strict=True):
            i, j = pair.negative, pair.positive
            if i is None:
                layout[j] = values[by_class]
            else:
                layout[j - 1, self._places(i)] = -values[: self.sizes[i]]
                layout[i, self._places(j)] = -values[self.sizes[i] :]
        return layout

    def intercepts(self, found: Sequence[float]) -> Floats:
        """Return one intercept per machine in the same signs; an empty class always loses."""
        intercepts = np.full(self.n_machines, -1.0)
        if self.pairwise:
            for place, (i, j) in enumerate(pairs_of(self.n_classes)):
                intercepts[place] = float(self.sizes[i] > 0) - float(self.sizes[j] > 0)
        for pair, value in zip(self.pairs, found, strict=True):
            intercepts[pair.place] = -value if self.pairwise else value
        return intercepts

    def steps(self, found: Sequence[int]) -> Integers:
        """Return the steps of each machine."""
        steps: Integers = np.zeros(self.n_machines, dtype=np.int32)
        for pair, value in zip(self.pairs, found, strict=True):
            steps[pair.place] = min(value, np.iinfo(np.int32).max)
        return steps

    def n_support(self, support: Integers) -> Integers:
        """Count the support vectors of each class, given their places in class order."""
        owner = np.searchsorted(self.starts, support, side="right") - 1
        return np.bincount(owner, minlength=self.n_classes).astype(np.int32)


# Linear machines ------------------------------------------------------------------------------


def linear_bias(
    bias: Literal["free", "regularised"] | Bias, fit_intercept: bool, intercept_scaling: float
) -> Bias:
    """Return how the intercept is treated, from the parameters of a linear estimator."""
    if not fit_intercept:
        return Regularised(0.0)
    if isinstance(bias, Free | Regularised):
        return bias
    if bias == "free":
        return Free()
    return _REGULARISED if intercept_scaling == 1 else Regularised(float(intercept_scaling))


def seed_of(random_state: Any) -> int:
    """Return the seed of a solver; None gives the same order every time."""
    if random_state is None:
        return 0
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


@dataclass(frozen=True)
class LinearFamily:
    """What linear machines minimise.

    Attributes
    ----------
    penalty : {"l2", "l1"}
        Of the weights.
    loss : {"hinge", "squared_hinge"}
        Of the slack.
    multi_class : {"ovr", "crammer_singer"}
        One machine per class against the rest, or one of all classes.
    bias : Free or Regularised
        How b is treated.
    class_weight : dict, "balanced" or None
        Multiplies C class by class; against the rest, as in LIBLINEAR, for the class itself alone.
    """

    penalty: Literal["l1", "l2"]
    loss: Any
    multi_class: Literal["ovr", "crammer_singer"]
    bias: Bias
    class_weight: Any = None

    def __post_init__(self) -> None:
        if self.multi_class == "crammer_singer":
            if isinstance(self.bias, Free):
                raise InvalidInputError(
                    "multi_class='crammer_singer' penalises its intercepts: use bias='regularised' "
                    "with a large intercept_scaling, or multi_class='ovr'."
                )
        elif self.penalty == "l1" and self.loss == "hinge":
            raise InvalidInputError(
                "Unsupported set of arguments: The combination of penalty='l1' and loss='hinge' is "
                "not supported: use loss='squared_hinge', or penalty='l2'."
            )

    def pose(
        self, points: Points, classes: Any, labels: Integers, weight: Floats, C: float
    ) -> list[Problem]:
        """Return the problems; with two classes the second one is positive."""
        of_class = self._weights(classes, labels, weight)
        if self.multi_class == "crammer_singer":
            own = weight if of_class is None else times_class_weights(weight, of_class[labels])
            given = {"C": C, "bias": self.bias, "sample_weight": own}
            return [CrammerSinger.posed(points, classes=classes, label=labels, **given)]
        if len(classes) == 2:
            own = weight if of_class is None else times_class_weights(weight, of_class[labels])
            return [self._problem(points, np.where(labels == 1, 1.0, -1.0), own, C)]
        problems = []
        for c in range(len(classes)):
            is_own = labels == c
            own = weight
            if of_class is not None:
                own = times_class_weights(weight, np.where(is_own, of_class[c], 1.0))
            problems.append(self._problem(points, np.where(is_own, 1.0, -1.0), own, C))
        return problems

    def _problem(self, points: Points, sign: Floats, weight: Floats, C: float) -> Problem:
        given = {"y": sign, "C": C, "bias": self.bias, "sample_weight": weight}
        if self.penalty == "l1":
            return L1Margin.posed(points, **given)
        return SoftMargin.posed(points, loss=self.loss, **given)

    def _weights(self, classes: Any, labels: Integers, weight: Floats) -> Floats | None:
        """Return what multiplies C in each class; None for ones."""
        weighted = None if weight.strides == (0,) else weight
        found = class_weights(self.class_weight, classes, labels, weighted)
        held = np.bincount(labels, weighted, len(classes))
        counting = (held > 0) & (found > 0)
        if not counting.all():
            lost = plain(classes[int(np.argmin(counting))])
            raise InvalidInputError(
                f"No point of class {lost!r} has a positive weight: give it one in sample_weight "
                "or class_weight, or leave the class out of y."
            )
        return None if self.class_weight is None else found

    def machine_classes(self, classes: Any) -> list[tuple[Any, ...]]:
        """Return which classes each machine tells apart."""
        names = [plain(label) for label in classes]
        if self.multi_class == "crammer_singer" or len(names) == 2:
            return [tuple(names)]
        return [(name, None) for name in names]


def coefficients_of(solutions: Sequence[Solution]) -> tuple[Floats, Floats]:
    """Return weights and biases of linear machines, one row per machine.

    Crammer and Singer's machine has a row per class; for two classes it is their difference.
    """
    if isinstance(solutions[0].problem, CrammerSinger):
        weights, biases = solutions[0].w, solutions[0].offsets
        if len(weights) == 2:
            return weights[1:] - weights[:1], biases[1:] - biases[:1]
        return weights, biases.copy()
    weights = np.array([solution.w for solution in solutions])
    return weights, np.array([solution.b for solution in solutions])
