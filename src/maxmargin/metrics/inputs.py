"""Checks of labels, scores and weights; each error says what is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInputError
from maxmargin.problems.checks import weights
from maxmargin.typing import Bools, Floats

__all__ = ["Labelled", "Scored", "labelled", "labels_of", "numbers", "scored"]


@dataclass(frozen=True, eq=False)
class Labelled:
    """Points of two classes and their weights.

    Attributes
    ----------
    positive : ndarray of bool
        Which points belong to the positive class.
    weight : ndarray
        Zero for points that do not count; each class has a point that does.
    labels : tuple
        The negative and the positive label.
    """

    positive: Bools
    weight: Floats
    labels: tuple[Any, Any]

    def require_one_each(self, values: NDArray[Any], name: str) -> None:
        """Raise an error unless there is one value per point."""
        if len(values) != len(self.positive):
            raise InvalidInputError(
                f"{name} has {len(values)} values for {len(self.positive)} labels in y: give "
                "exactly one per point."
            )


@dataclass(frozen=True, eq=False)
class Scored(Labelled):
    """Points of positive weight and their scores."""

    score: Floats


def scored(y: Any, scores: Any, *, pos_label: Any, sample_weight: Any) -> Scored:
    """Return the points of positive weight, checked."""
    points = labelled(y, pos_label=pos_label, sample_weight=sample_weight)
    score = numbers(scores, "scores")
    points.require_one_each(score, "scores")
    counts = points.weight > 0
    return Scored(points.positive[counts], points.weight[counts], points.labels, score[counts])


def labelled(y: Any, *, pos_label: Any, sample_weight: Any) -> Labelled:
    """Return which points are positive, by scikit-learn's rule for `pos_label`."""
    values, found = labels_of(y, "y")
    weight = weights(sample_weight, len(values))
    listed = _listed(found)
    if len(found) > 2:
        raise InvalidInputError(
            f"y holds {len(found)} labels ({listed}): errors of two kinds need two classes. Set "
            "one against the rest, for example y == label."
        )
    if len(found) < 2:
        raise InvalidInputError(
            f"y holds one class only, {listed}: error rates need points of both."
        )
    if pos_label is None:
        if not _has_customary_labels(found):
            raise InvalidInputError(
                f"y holds the labels {listed}: say with pos_label which of them is positive."
            )
        pos_label = 1
    elif pos_label not in found.tolist():
        raise InvalidInputError(
            f"pos_label is {pos_label!r}, which is not among the labels of y: {listed}."
        )
    positive: Bools = np.asarray(values == pos_label, dtype=np.bool_)
    negative_label, positive_label = sorted(found.tolist(), key=lambda label: label == pos_label)
    for side, label in ((~positive, negative_label), (positive, positive_label)):
        if not (weight[side] > 0).any():
            raise InvalidInputError(
                f"sample_weight is zero for every point with the label {label!r}: error rates "
                "need points of both classes."
            )
    return Labelled(positive, weight, (negative_label, positive_label))


def labels_of(y: Any, name: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return y as an array, and the labels in it in ascending order."""
    try:
        values = np.asarray(y)
    except ValueError as error:
        raise InvalidInputError(f"{name} must hold one label per point: {error}.") from error
    if values.ndim != 1:
        raise InvalidInputError(
            f"{name} must be one-dimensional, one label per point; got shape {values.shape}."
        )
    if len(values) == 0:
        raise InvalidInputError(f"{name} is empty: give at least one point of each class.")
    if values.dtype.kind in "fc" and np.isnan(values).any():
        raise InvalidInputError(f"{name} contains NaN: remove or label those points.")
    try:
        return values, np.unique(values)
    except TypeError as error:
        raise InvalidInputError(
            f"{name} must hold labels of one kind, all numbers or all strings: {error}."
        ) from error


def numbers(values: Any, name: str) -> Floats:
    """Return a vector of real numbers, which may be infinite."""
    try:
        given = np.asarray(values)
        if given.dtype.kind not in "biufO":
            raise TypeError(f"their type is {given.dtype}")
        vector: Floats = given.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{name} must hold real numbers: {error}.") from error
    if vector.ndim != 1:
        raise InvalidInputError(
            f"{name} must be one-dimensional, one value per point; got shape {vector.shape}. "
            "From predict_proba take the column of the positive class."
        )
    if np.isnan(vector).any():
        raise InvalidInputError(f"{name} contains NaN: remove or repair those points.")
    return vector


def _has_customary_labels(found: NDArray[Any]) -> bool:
    if found.dtype.kind not in "biuf":
        return False
    return bool(np.isin(found, (0, 1)).all() or np.isin(found, (-1, 1)).all())


def _listed(found: NDArray[Any]) -> str:
    shown = [repr(label) for label in found[:5].tolist()]
    return ", ".join(shown + ["..."] * (len(found) > 5))
