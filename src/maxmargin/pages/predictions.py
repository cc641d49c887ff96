"""What a model predicts: for given rows, or for its training rows by copies fitted on folds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils.metaestimators import _safe_split

from maxmargin.errors import InvalidInputError
from maxmargin.kernels.data import count
from maxmargin.pages.subject import Subject, Task
from maxmargin.typing import Floats

__all__ = ["Predictions", "out_of_fold", "predictions_of"]


@dataclass(frozen=True, eq=False)
class Predictions:
    """Predictions, scores and probabilities, as far as the task has them.

    `scores` are those of a novelty detector or of two classes, `probabilities` those of more than
    two classes by a calibrated model. `n_folds` is zero if the model itself made them.
    """

    predicted: NDArray[Any]
    scores: Floats | None
    probabilities: Floats | None
    seconds: float
    n_folds: int = 0


def predictions_of(subject: Subject, X: Any) -> Predictions:
    """Return what the model predicts."""
    started = perf_counter()
    model, calibrated = subject.predictor, subject.calibrated
    predicted: NDArray[Any] = _asked(model.predict, X)
    scores: Floats | None = None
    probabilities: Floats | None = None
    if subject.task in (Task.TWO_CLASSES, Task.NOVELTY):
        scores = np.asarray(_asked(model.decision_function, X), dtype=np.float64)
        if calibrated is not None and calibrated.method != "logistic":
            # The other methods give log-odds at a prior.
            scores = scores - float(logit(calibrated.priors_[1]))
    elif calibrated is not None:
        probabilities = _asked(model.predict_proba, X)
    return Predictions(predicted, scores, probabilities, perf_counter() - started)


def out_of_fold(subject: Subject, X: Any, y: Any) -> Predictions:
    """Return what copies of the model, each fitted without one fold, predict for that fold.

    The folds are those of the search that chose the model or of its calibration, else five.
    """
    if subject.solution is not None:
        raise InvalidInputError(
            'evaluation="out-of-fold" fits copies of the model, but a Solution cannot be fitted '
            "again: report on an estimator."
        )
    started = perf_counter()
    n_rows = count(X)
    parts: list[tuple[Any, Predictions]] = []
    splits = _splits(subject, y, n_rows)
    for train, test in splits:
        copy = clone(subject.predictor)
        rows, targets = _safe_split(copy, X, y, train)
        copy.fit(*((rows,) if targets is None else (rows, targets)))
        left_out, _ = _safe_split(copy, X, y, test, train)
        parts.append((test, predictions_of(Subject(copy), left_out)))
    order = np.argsort(np.concatenate([test for test, _ in parts]))

    def joined(name: str) -> Any:
        values = [getattr(part, name) for _, part in parts]
        return None if values[0] is None else np.concatenate(values)[order]

    return Predictions(
        predicted=joined("predicted"),
        scores=joined("scores"),
        probabilities=joined("probabilities"),
        seconds=perf_counter() - started,
        n_folds=len(splits),
    )


def _splits(subject: Subject, y: Any, n_rows: int) -> list[tuple[Any, Any]]:
    cv = None
    if subject.search is not None:
        cv = subject.search.cv
    elif subject.calibrated is not None:
        cv = subject.calibrated.cv
    classifies = subject.task in (Task.TWO_CLASSES, Task.CLASSES)
    try:
        found = list(check_cv(cv, y, classifier=classifies).split(np.zeros((n_rows, 1)), y))
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"The rows cannot be split into the folds of {cv!r}: {error} Give "
            'evaluation="training" instead.'
        ) from error
    tested = np.concatenate([test for _, test in found])
    if not np.array_equal(np.sort(tested), np.arange(n_rows)):
        raise InvalidInputError(
            'evaluation="out-of-fold" needs folds that leave out each row once; those of '
            f"{cv!r} do not."
        )
    return found


def _asked(method: Callable[[Any], Any], X: Any) -> Any:
    """Ask the model; turn its complaint about X into one sentence."""
    try:
        return method(X)
    except (TypeError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0].rstrip(".:")
        raise InvalidInputError(
            f"The model cannot predict X: {reason}. Give rows like those it was trained on."
        ) from error
