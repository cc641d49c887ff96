"""`CalibratedSVC`: the classifier, and one calibrator a column of its scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.isotonic import IsotonicRegression
from sklearn.pipeline import Pipeline

from maxmargin.calibration import CalibratedSVC, IsotonicCalibrator, LogisticCalibrator
from maxmargin.calibration.calibrators import Calibrator
from maxmargin.calibration.columns import Columns
from maxmargin.persist.labels import describe_labels, restore_labels
from maxmargin.persist.parameters import (
    describe_parameters,
    require_fitted,
    restore_parameters,
)
from maxmargin.persist.reading import Reader
from maxmargin.persist.registry import Kind, describe_model, restore_model
from maxmargin.persist.writing import Writer

__all__ = ["KINDS"]

_SUMS_TO_ONE = 1e-6


def _describe(model: Any, out: Writer) -> None:
    require_fitted(model)
    describe_parameters(model, out)
    describe_labels(model.classes_, out)
    describe_model(model.estimator_, out.child("estimator"))
    out.array("priors", model.priors_, np.float64)
    for k, calibrator in enumerate(model.calibrators_):
        _describe_calibrator(calibrator, out.child(f"calibrator{k}"))
    if "oof_scores_" in vars(model):
        out.array("oof_scores", model.oof_scores_, np.float64, finite=False)


def _restore(held: Reader) -> Any:
    model = restore_parameters(CalibratedSVC, held)
    model.classes_ = restore_labels(held)
    k = len(model.classes_)
    model.estimator_ = restore_model(held.child("estimator"))
    model._columns = _columns(model.estimator_, model.classes_, held)
    model.priors_ = held.array("priors", "float64", (k,))
    proper = (model.priors_ > 0).all() and abs(model.priors_.sum() - 1) <= _SUMS_TO_ONE
    held.require(proper, "priors", "are not positive or do not sum to 1")
    model.calibrators_ = [
        _restore_calibrator(held.child(f"calibrator{column}"))
        for column in range(len(model._columns.sides))
    ]
    if held.holds("oof_scores"):
        model.oof_scores_ = _scores(held, len(model.calibrators_))
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(model.estimator_, name):
            setattr(model, name, getattr(model.estimator_, name))
    return model


def _columns(estimator: Any, classes: Any, held: Reader) -> Columns:
    """Return what the scores of a classifier are about, which must have the same classes."""
    held.require(_scores_classes(estimator), "estimator", "is no classifier with decision values")
    fits = np.array_equal(getattr(estimator, "classes_", ()), classes)
    held.require(fits, "estimator", "has other classes")
    columns = Columns.of(estimator, len(classes))
    last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    by_pairs = columns.n_classes > 2 and columns.are_pairs
    held.require(not by_pairs or last._pairwise, "estimator", "does not compare pairs of classes")
    return columns


def _scores_classes(estimator: Any) -> bool:
    return bool(is_classifier(estimator)) and hasattr(estimator, "decision_function")


def _scores(held: Reader, n_columns: int) -> Any:
    shape = (None,) if n_columns == 1 else (None, n_columns)
    return held.array("oof_scores", "float64", shape, finite=False)


def _describe_calibrator(calibrator: Calibrator, out: Writer) -> None:
    out.value("prior", float(calibrator.prior))
    if isinstance(calibrator, LogisticCalibrator):
        out.value("slope", float(calibrator.slope))
        out.value("shift", float(calibrator.shift))
        return
    out.value("smallest", float(calibrator.smallest))
    out.array("scores", calibrator.regression.X_thresholds_, np.float64)
    out.array("chances", calibrator.regression.y_thresholds_, np.float64)


def _restore_calibrator(held: Reader) -> Calibrator:
    prior = held.real("prior", least=0.0)
    held.require(0 < prior < 1, "prior", "is not between 0 and 1")
    if not held.holds("scores"):
        return LogisticCalibrator(held.real("slope"), held.real("shift"), prior)
    smallest = held.real("smallest")
    held.require(0 < smallest <= 0.5, "smallest", "is not from 0 to a half")
    return IsotonicCalibrator(_restore_steps(held), prior, smallest)


def _restore_steps(held: Reader) -> IsotonicRegression:
    scores = held.array("scores", "float64", (None,))
    chances = held.array("chances", "float64", scores.shape)
    held.require(len(scores), "scores", "are none")
    held.require((scores[1:] > scores[:-1]).all(), "scores", "do not ascend")
    rises = (chances[1:] >= chances[:-1]).all() and chances[0] >= 0 and chances[-1] <= 1
    held.require(rises, "chances", "are no probabilities that rise")
    # What rises already is its own fit, to the last bit.
    return IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(scores, chances)


KINDS = (Kind(CalibratedSVC, _describe, _restore),)
