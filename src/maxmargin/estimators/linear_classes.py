"""How classes become linear machines: signs, weights and names of one machine or of many."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from maxmargin.errors import InvalidInputError
from maxmargin.typing import Floats, Integers

__all__ = [
    "Contest",
    "are_one",
    "class_weights",
    "contests_of",
    "encoded",
    "machine_names",
    "plain",
]

#: Signs and weights of one machine's points.
Contest = tuple[Floats, Floats]


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


def contests_of(
    labels: Integers, n_classes: int, class_weight: Floats, weight: Floats
) -> list[Contest]:
    """Return signs and weights of each machine: the second class positive, or each against all."""
    if n_classes == 2:
        is_plain = bool((class_weight == 1).all())
        own = weight if is_plain else weight * class_weight[labels]
        return [(np.where(labels == 1, 1.0, -1.0), own)]
    contests = []
    for c in range(n_classes):
        own = labels == c
        factor = np.where(own, class_weight[c], 1.0)
        contests.append((np.where(own, 1.0, -1.0), weight * factor))
    return contests


def are_one(weight: Floats) -> bool:
    """Whether all weights are the same number one in memory, as those of points without any."""
    return weight.strides == (0,) and bool((weight[:1] == 1).all())


def class_weights(given: Any, names: Any, labels: Integers, weight: Floats) -> Floats:
    """Return what multiplies C in each class; "balanced" weights count each point by its own."""
    counts = None if are_one(weight) else weight
    held = np.bincount(labels, counts, len(names))
    if given is None:
        found = np.ones(len(names))
    elif isinstance(given, str):
        found = np.zeros(len(names))
        np.divide(held.sum() / len(names), held, out=found, where=held > 0)
    else:
        found = compute_class_weight(given, classes=names, y=names[labels])
    counting = (held > 0) & (found > 0)
    if not counting.all():
        lost = plain(names[int(np.argmin(counting))])
        raise InvalidInputError(
            f"No point of class {lost!r} has a positive weight: give it one in sample_weight "
            "or class_weight, or leave the class out of y."
        )
    return np.asarray(found, dtype=np.float64)


def plain(label: Any) -> Any:
    """Return a label as a plain Python value."""
    return label.item() if isinstance(label, np.generic) else label


def machine_names(classes: Any) -> list[tuple[Any, ...]]:
    """Return which classes each machine tells apart."""
    names = [plain(label) for label in classes]
    return [(names[0], names[1])] if len(names) == 2 else [(label, None) for label in names]
