"""Scores of a fitted classifier or outlier detector, for displays that judge them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_outlier_detector
from sklearn.utils.validation import check_is_fitted

from maxmargin.errors import InvalidInputError
from maxmargin.typing import Floats

__all__ = ["decision_scores"]


def decision_scores(estimator: Any, X: Any, pos_label: Any) -> tuple[Floats, Any]:
    """Return decision values that are higher for the positive class, and its label."""
    name = type(estimator).__name__
    if is_classifier(estimator):
        check_is_fitted(estimator)
        classes = np.asarray(estimator.classes_).tolist()
    elif is_outlier_detector(estimator):
        classes = [-1, 1]
    else:
        raise InvalidInputError(
            f"estimator must be a classifier or an outlier detector; got {name}."
        )
    if len(classes) != 2:
        raise InvalidInputError(
            f"estimator knows {len(classes)} classes: errors of two kinds need two. Give "
            "from_predictions the scores of one class against the rest."
        )
    if pos_label is not None and pos_label not in classes:
        raise InvalidInputError(
            f"pos_label is {pos_label!r}, which is not among the classes of the estimator: "
            f"{classes[0]!r}, {classes[1]!r}."
        )
    decide = getattr(estimator, "decision_function", None)
    if decide is None:
        raise InvalidInputError(
            f"{name} has no decision_function: give from_predictions its scores, for example "
            "metrics.log_likelihood_ratio(estimator.predict_proba(X)[:, 1], prior)."
        )
    scores: Floats = np.asarray(decide(X), dtype=np.float64)
    if pos_label is not None and pos_label == classes[0]:
        return -scores, pos_label
    return scores, classes[1]
