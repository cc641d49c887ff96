"""How good predictions are: of classes, of numbers, of outliers."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.cli.options import Costs
from maxmargin.cli.scoring import positive_class
from maxmargin.errors import InvalidInputError

__all__ = ["measures_of"]


def measures_of(fitted: Any, X: Any, y: Any, costs: Costs) -> dict[str, Any]:
    """Return measures by name; the confusion matrix of classes comes last.

    Parameters
    ----------
    fitted : estimator
        The model.
    X, y : data
        Points, and their target where it is known.
    costs : Costs
        Of decisions between two classes.
    """
    from sklearn.base import is_classifier, is_outlier_detector

    if is_outlier_detector(fitted):
        return _of_outliers(fitted, X, y)
    if y is None:
        raise InvalidInputError("The data have no target to compare with: leave out --no-target.")
    if is_classifier(fitted):
        return _of_classes(fitted, X, y, costs)
    return _of_numbers(fitted, X, y)


def _of_numbers(fitted: Any, X: Any, y: Any) -> dict[str, Any]:
    from sklearn import metrics

    if y.dtype.kind not in "iufb":
        raise InvalidInputError("The target holds text where the model predicts numbers.")
    found = fitted.predict(X)
    return {
        "rmse": float(metrics.root_mean_squared_error(y, found)),
        "mean_absolute_error": float(metrics.mean_absolute_error(y, found)),
        "median_absolute_error": float(metrics.median_absolute_error(y, found)),
        "r2": float(metrics.r2_score(y, found)) if len(y) > 1 else float("nan"),
    }


def _of_outliers(fitted: Any, X: Any, y: Any) -> dict[str, Any]:
    from sklearn import metrics

    found = fitted.predict(X)
    measures: dict[str, Any] = {"outliers": int((found == -1).sum())}
    measures["fraction_of_outliers"] = measures["outliers"] / len(found)
    if y is None:
        return measures
    if not np.isin(y, [-1, 1]).all():
        raise InvalidInputError(
            "The target of a one-class machine must be 1 inside and -1 for outliers: give "
            "--no-target to count outliers only."
        )
    measures["accuracy"] = float(metrics.accuracy_score(y, found))
    if len(np.unique(y)) == 2:
        measures["auc"] = float(metrics.roc_auc_score(y, fitted.decision_function(X)))
    return measures


def _of_classes(fitted: Any, X: Any, y: Any, costs: Costs) -> dict[str, Any]:
    from sklearn import metrics

    found, classes = fitted.predict(X), fitted.classes_
    unknown = ~np.isin(y, classes)
    if unknown.any():
        raise InvalidInputError(
            f"The target holds {y[unknown][0]!s}, which is no class of the model: it knows "
            f"{', '.join(map(str, classes))}."
        )
    there = np.unique(y)
    measures: dict[str, Any] = {
        "accuracy": float(metrics.accuracy_score(y, found)),
        "balanced_accuracy": float(np.mean([(found[y == c] == c).mean() for c in there])),
    }
    if len(classes) == 2:
        measures.update(_of_two(fitted, X, y, found, costs))
    else:
        measures["f1_macro"] = float(metrics.f1_score(y, found, average="macro", labels=there))
        measures.update(_auc_of_many(fitted, X, y))
    counts = metrics.confusion_matrix(y, found, labels=classes)
    measures["confusion"] = {"labels": classes.tolist(), "counts": counts.tolist()}
    return measures


def _of_two(fitted: Any, X: Any, y: Any, found: Any, costs: Costs) -> dict[str, Any]:
    """Return what the order of scores is worth, and what decisions by them cost."""
    from sklearn import metrics

    from maxmargin.metrics import act_dcf, cllr, dcf, eer, min_dcf

    positive = positive_class(fitted.classes_, costs)
    measures: dict[str, Any] = {
        "f1": float(metrics.f1_score(y, found, pos_label=positive, zero_division=0.0))
    }
    if len(np.unique(y)) < 2:
        return measures
    scores, ratios = _scores(fitted, X), _log_ratios(fitted, X)
    if positive == fitted.classes_[0]:
        scores, ratios = -scores, -ratios
    prices = (costs.prior, costs.cost_fn, costs.cost_fp)
    measures["auc"] = float(metrics.roc_auc_score(y == positive, scores))
    measures["eer"] = eer(y, scores, pos_label=positive)
    measures["dcf_of_predictions"] = dcf(y, found, *prices, pos_label=positive)
    measures["min_dcf"] = min_dcf(y, scores, *prices, pos_label=positive)
    measures["act_dcf"] = act_dcf(y, ratios, *prices, pos_label=positive)
    measures["cllr"] = cllr(y, ratios, pos_label=positive)
    return measures


def _scores(fitted: Any, X: Any) -> Any:
    return np.asarray(fitted.decision_function(X))


def _log_ratios(fitted: Any, X: Any) -> Any:
    """Return log-likelihood ratios where the model has them, decision values where not."""
    from sklearn.pipeline import Pipeline

    from maxmargin import CalibratedSVC

    if isinstance(fitted, Pipeline) and isinstance(fitted[-1], CalibratedSVC):
        return fitted[-1].log_likelihood_ratio(fitted[:-1].transform(X))
    if isinstance(fitted, CalibratedSVC):
        return fitted.log_likelihood_ratio(X)
    return _scores(fitted, X)


def _auc_of_many(fitted: Any, X: Any, y: Any) -> dict[str, float]:
    """Return the mean area over classes against the rest, where each has a score."""
    from sklearn.metrics import roc_auc_score

    scores = _scores(fitted, X)
    if scores.ndim != 2 or scores.shape[1] != len(fitted.classes_):
        return {}
    areas = [
        roc_auc_score(y == label, column)
        for label, column in zip(fitted.classes_, scores.T, strict=True)
        if 0 < np.count_nonzero(y == label) < len(y)
    ]
    return {"auc_macro": float(np.mean(areas))} if areas else {}
