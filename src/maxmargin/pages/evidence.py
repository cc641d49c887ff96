"""All that the sections of a report draw on: the rows, checked, and what the model predicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import metrics

from maxmargin.errors import InvalidInputError
from maxmargin.kernels.data import count
from maxmargin.metrics import act_dcf, min_dcf
from maxmargin.metrics.inputs import labels_of, numbers
from maxmargin.pages.costs import Setting
from maxmargin.pages.optimality import optimality_of
from maxmargin.pages.origin import origin_of
from maxmargin.pages.predictions import out_of_fold, predictions_of
from maxmargin.pages.subject import SolvedModel, Subject, Task
from maxmargin.pages.words import cost, measured, percent, thousands
from maxmargin.typing import Bools

__all__ = ["Evidence"]


class Evidence:
    """A fitted model, the rows that it is judged on, and its predictions.

    Attributes
    ----------
    X, y : data
        The rows. y is None for a novelty detector whose rows are not labelled 1 and -1.
    names : list of str
        The columns' names.
    scores : ndarray or None
        Those of a novelty detector or of two classes, higher for the second one: log-likelihood
        ratios if the model is calibrated, else decision values.
    positive : ndarray of bool or None
        Which rows are of the second class, if there are rows of both.
    probabilities : ndarray or None
        Those of more than two classes, if the model is calibrated.
    seconds : float
        How long the predictions took.
    n_folds : int
        How many copies of the model made them, each for the rows that it was not fitted on; zero if
        the model itself made them.
    measures : dict
        How good they are, as texts by the names of the measures.
    arguments, command
        What the report was asked for: arguments that differ from their defaults, a command line.
    """

    def __init__(
        self,
        subject: Subject,
        X: Any,
        y: Any,
        setting: Setting,
        arguments: dict[str, Any],
        command: str | None,
    ) -> None:
        self.subject, self.task, self.setting = subject, subject.task, setting
        self.arguments, self.command = arguments, command
        X, y = _given(subject, X, y)
        self.X, self.y = X, _targets(subject, y)
        _check_rows(subject, X, self.y)
        self.names = _names(X, arguments.get("feature_names"))
        is_refitted = arguments.get("evaluation") == "out-of-fold"
        found = out_of_fold(subject, X, y) if is_refitted else predictions_of(subject, X)
        self.predicted, self.scores = found.predicted, found.scores
        self.probabilities, self.seconds = found.probabilities, found.seconds
        self.n_folds = found.n_folds
        self.positive: Bools | None = None
        if self.scores is not None and self.y is not None:
            positive = np.asarray(self.y == subject.classes[1], dtype=np.bool_)
            self.positive = positive if positive.any() and not positive.all() else None
        self.origin = origin_of(subject, X, arguments.get("evaluation"))
        self.optimality = optimality_of(subject.machine)
        self.measures = _measures(self)


def _given(subject: Subject, X: Any, y: Any) -> tuple[Any, Any]:
    """Return the rows, lists of numbers as arrays; a solution knows its own."""
    machine = subject.machine
    if X is None and isinstance(machine, SolvedModel) and y is None:
        return machine.problem.X, machine.targets
    if X is None:
        raise InvalidInputError(
            "X is missing: give the rows to judge the model on. Only a Solution has its own, which "
            "come with their y."
        )
    if isinstance(X, list | tuple) and (subject.compares_rows_of_numbers or subject.preparation):
        try:
            return np.asarray(X), y
        except ValueError:
            raise InvalidInputError(
                "X is not a rectangular array: give every row the same length."
            ) from None
    return X, y


def _targets(subject: Subject, y: Any) -> NDArray[Any] | None:
    """Return the labels or targets; None if they do not say which rows are usual."""
    task = subject.task
    if y is None:
        if task is Task.NOVELTY:
            return None
        what = "targets" if task is Task.REGRESSION else "labels"
        raise InvalidInputError(
            f"y is None, but the report compares predictions with it: give the {what} of the rows."
        )
    if task is Task.REGRESSION:
        targets = numbers(y, "y")
        if not np.isfinite(targets).all():
            raise InvalidInputError("y contains infinity: remove or repair those rows.")
        return targets
    labels, found = labels_of(y, "y")
    if task is Task.NOVELTY:
        return labels if found.dtype.kind in "iuf" and np.isin(found, (-1, 1)).all() else None
    classes = subject.classes.tolist()
    strange = [label for label in found.tolist() if label not in classes]
    if strange:
        known = ", ".join(map(repr, classes[:5])) + (", ..." if len(classes) > 5 else "")
        raise InvalidInputError(
            f"y holds the label {strange[0]!r}, which the model does not know: it was trained on "
            f"{known}."
        )
    return labels


def _check_rows(subject: Subject, X: Any, y: NDArray[Any] | None) -> None:
    n_rows = count(X)
    if n_rows == 0:
        raise InvalidInputError("X has no rows: give at least one.")
    if y is not None and len(y) != n_rows:
        raise InvalidInputError(
            f"X has {n_rows} rows and y {len(y)} values: give exactly one per row."
        )
    trained = getattr(subject.predictor, "feature_names_in_", ())
    pairs = zip(getattr(X, "columns", ()), trained, strict=False)
    for place, (ours, theirs) in enumerate(pairs, 1):
        if ours != theirs:
            raise InvalidInputError(
                f"Column {place} of X is {ours!r} where the model was trained on {theirs!r}: give "
                "the same columns in the same order."
            )


def _names(X: Any, names: Sequence[str] | None) -> list[str]:
    shape: tuple[int, ...] = getattr(X, "shape", ())
    n_columns = int(shape[1]) if len(shape) == 2 else 0
    if names is not None and len(names) != n_columns:
        raise InvalidInputError(
            f"feature_names has {len(names)} names for {n_columns} columns of X: give exactly one "
            "per column."
        )
    known = getattr(X, "columns", None) if names is None else names
    if known is None:
        known = [f"column {k}" for k in range(1, n_columns + 1)]
    return [str(name) for name in known]


def _measures(evidence: Evidence) -> dict[str, str]:
    """Return how good the predictions are, by the names of the measures."""
    y, predicted = evidence.y, evidence.predicted
    positive, scores = evidence.positive, evidence.scores
    found: dict[str, str] = {}
    if evidence.task is Task.REGRESSION and y is not None:
        if len(y) > 1:
            found["R²"] = cost(metrics.r2_score(y, predicted))
        found["mean absolute error"] = measured(metrics.mean_absolute_error(y, predicted))
        found["root mean squared error"] = measured(metrics.root_mean_squared_error(y, predicted))
        return found
    if evidence.task is Task.NOVELTY:
        found["rows outside"] = thousands(np.count_nonzero(predicted == -1))
        found["share outside"] = percent(np.mean(predicted == -1))
    if y is not None:
        found["accuracy"] = percent(metrics.accuracy_score(y, predicted))
        # A class without rows has no recall.
        if set(np.unique(predicted).tolist()) <= set(np.unique(y).tolist()):
            found["balanced accuracy"] = percent(metrics.balanced_accuracy_score(y, predicted))
    if positive is not None and scores is not None:
        found["area under the ROC"] = cost(metrics.roc_auc_score(positive, scores))
        found["minDCF"] = cost(min_dcf(positive, scores, *evidence.setting))
        found["actDCF"] = cost(act_dcf(positive, scores, *evidence.setting))
    return found
