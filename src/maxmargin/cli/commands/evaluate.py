"""``maxmargin evaluate``: how good a model is on data with a known target."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import metrics
from sklearn.base import is_classifier, is_outlier_detector

from maxmargin import CalibratedSVC
from maxmargin.cli.machines import split
from maxmargin.cli.models import load_model
from maxmargin.cli.options import Costs, DataOptions
from maxmargin.cli.output import Session, as_lines
from maxmargin.errors import InvalidInputError
from maxmargin.metrics import act_dcf, cllr, dcf, eer, min_dcf

__all__ = ["run"]


def run(session: Session, model: str, source: DataOptions, costs: Costs) -> None:
    """Evaluate a model."""
    fitted, data = load_model(model).read(source, with_target=not source.no_target)
    measures = _measures(fitted, data.X, data.y, costs)
    session.say(f"{source.data}: {data.n_rows} rows")
    for name, value in measures.items():
        if name == "confusion":
            labels = [str(label) for label in value["labels"]]
            rows = [
                {"": label, **dict(zip(labels, counts, strict=True))}
                for label, counts in zip(labels, value["counts"], strict=True)
            ]
            session.say("confusion matrix, one row per true class and one column per prediction:")
            session.say(*as_lines(rows, indent="  "))
        else:
            shown = f"{value:.6g}" if isinstance(value, float) else str(value)
            session.say(f"{name.replace('_', ' '):<20} {shown}")
    session.answer(rows=data.n_rows, **measures)


def _measures(fitted: Any, X: Any, y: Any, costs: Costs) -> dict[str, Any]:
    """Return measures by name, the confusion matrix last; only outliers need no target."""
    if is_outlier_detector(fitted):
        return _of_outliers(fitted, X, y)
    if y is None:
        raise InvalidInputError("The data have no target to compare with: leave out --no-target.")
    return _of_classes(fitted, X, y, costs) if is_classifier(fitted) else _of_numbers(fitted, X, y)


def _of_numbers(fitted: Any, X: Any, y: Any) -> dict[str, Any]:
    if y.dtype.kind not in "iufb":
        raise InvalidInputError("The target holds text where the model predicts numbers.")
    found = fitted.predict(X)
    return {
        "rmse": metrics.root_mean_squared_error(y, found),
        "mean_absolute_error": metrics.mean_absolute_error(y, found),
        "median_absolute_error": metrics.median_absolute_error(y, found),
        "r2": metrics.r2_score(y, found) if len(y) > 1 else float("nan"),
    }


def _of_outliers(fitted: Any, X: Any, y: Any) -> dict[str, Any]:
    found = fitted.predict(X)
    n_outliers = int((found == -1).sum())
    measures: dict[str, Any] = {
        "outliers": n_outliers,
        "fraction_of_outliers": n_outliers / len(found),
    }
    if y is None:
        return measures
    if not np.isin(y, [-1, 1]).all():
        raise InvalidInputError(
            "The target of a one-class machine must be 1 inside and -1 for outliers: give "
            "--no-target to count outliers only."
        )
    measures["accuracy"] = metrics.accuracy_score(y, found)
    if len(np.unique(y)) == 2:
        measures["auc"] = metrics.roc_auc_score(y, fitted.decision_function(X))
    return measures


def _of_classes(fitted: Any, X: Any, y: Any, costs: Costs) -> dict[str, Any]:
    found, classes = fitted.predict(X), fitted.classes_
    unknown = ~np.isin(y, classes)
    if unknown.any():
        raise InvalidInputError(
            f"The target holds {y[unknown][0]!s}, which is not a class of the model: it knows "
            f"{', '.join(map(str, classes))}."
        )
    there = np.unique(y)
    measures: dict[str, Any] = {
        "accuracy": metrics.accuracy_score(y, found),
        "balanced_accuracy": metrics.recall_score(y, found, labels=there, average="macro"),
    }
    if len(classes) == 2:
        measures.update(_of_two(fitted, X, y, found, costs))
    else:
        measures["f1_macro"] = metrics.f1_score(y, found, labels=there, average="macro")
        scores = np.asarray(fitted.decision_function(X))
        # The classes against the rest, if each has a score.
        if scores.shape == (len(y), len(classes)) and len(there) > 1:
            scores = scores[:, np.isin(classes, y)]
            measures["auc_macro"] = metrics.roc_auc_score(y[:, None] == there, scores)
    counts = metrics.confusion_matrix(y, found, labels=classes)
    measures["confusion"] = {"labels": classes.tolist(), "counts": counts.tolist()}
    return measures


def _of_two(fitted: Any, X: Any, y: Any, found: Any, costs: Costs) -> dict[str, Any]:
    """Return how well scores rank two classes, and the costs of decisions by them."""
    positive = costs.positive_class(fitted.classes_)
    f1 = metrics.f1_score(y, found, pos_label=positive, zero_division=0.0)
    if len(np.unique(y)) < 2:
        return {"f1": f1}
    sign = -1.0 if positive == fitted.classes_[0] else 1.0
    scores, ratios = sign * fitted.decision_function(X), sign * _log_ratios(fitted, X)
    return {
        "f1": f1,
        "auc": metrics.roc_auc_score(y == positive, scores),
        "eer": eer(y, scores, pos_label=positive),
        "dcf_of_predictions": dcf(y, found, **costs.numbers, pos_label=positive),
        "min_dcf": min_dcf(y, scores, **costs.numbers, pos_label=positive),
        "act_dcf": act_dcf(y, ratios, **costs.numbers, pos_label=positive),
        "cllr": cllr(y, ratios, pos_label=positive),
    }


def _log_ratios(fitted: Any, X: Any) -> Any:
    """Return log-likelihood ratios of a calibrated model, decision values of another."""
    steps, machine = split(fitted)
    if not isinstance(machine, CalibratedSVC):
        return fitted.decision_function(X)
    return machine.log_likelihood_ratio(X if steps is None else steps.transform(X))
