"""The rows of a report, checked, and what the model says about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import logit

from maxmargin.errors import InvalidInputError, MaxMarginError
from maxmargin.kernels.data import count
from maxmargin.metrics.inputs import labels_of, numbers
from maxmargin.report.subject import Subject, Task
from maxmargin.typing import Bools, Floats

__all__ = ["Judged", "judge"]


@dataclass(frozen=True, eq=False)
class Judged:
    """Rows and predictions.

    Attributes
    ----------
    X : data
        The rows.
    y : ndarray or None
        Labels or targets. None for a novelty detector whose rows are not labelled 1 and -1.
    names : list of str
        Of the columns, where there are any.
    predicted : ndarray
        What the model says.
    scores : ndarray or None
        Of two classes, higher for the second one: log-likelihood ratios if the model is
        calibrated, else decision values. Of a novelty detector its decision values.
    probabilities : ndarray or None
        Of more classes, if the model is calibrated.
    seconds : float
        What the predictions took.
    """

    X: Any
    y: NDArray[Any] | None
    names: list[str]
    predicted: NDArray[Any]
    scores: Floats | None
    probabilities: Floats | None
    seconds: float

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.predicted)

    def positive(self, subject: Subject) -> Bools | None:
        """Return which rows are of the second class, None unless both classes are there."""
        if self.y is None:
            return None
        found: Bools = np.asarray(self.y == subject.classes[1], dtype=np.bool_)
        return found if found.any() and not found.all() else None


def judge(subject: Subject, X: Any, y: Any, names: Sequence[str] | None) -> Judged:
    """Check the rows and let the model predict them."""
    X = _as_rows(subject, X)
    labels = _targets(subject, y)
    n_rows = count(X)
    if n_rows == 0:
        raise InvalidInputError("X has no rows: give at least one.")
    if labels is not None and len(labels) != n_rows:
        raise InvalidInputError(
            f"X has {n_rows} rows and y {len(labels)} values: give exactly one a row."
        )
    _require_columns(subject, X)
    known = _names(X, names)
    started = perf_counter()
    predicted = _asked(subject.predictor.predict, X)
    scores = _scores(subject, X)
    probabilities = None
    if subject.calibrated is not None and subject.task is Task.CLASSES:
        probabilities = _asked(subject.predictor.predict_proba, X)
    seconds = perf_counter() - started
    return Judged(X, labels, known, predicted, scores, probabilities, seconds)


def _as_rows(subject: Subject, X: Any) -> Any:
    """Return lists of numbers as an array, and anything else as it is."""
    given_to_the_machine = not subject.preparation
    if isinstance(X, list | tuple) and (
        subject.compares_rows_of_numbers or not given_to_the_machine
    ):
        try:
            return np.asarray(X)
        except ValueError:
            raise InvalidInputError(
                "X is not a rectangular array: give every row the same length."
            ) from None
    return X


def _targets(subject: Subject, y: Any) -> NDArray[Any] | None:
    if subject.task is Task.REGRESSION:
        if y is None:
            raise InvalidInputError(_without("targets"))
        targets = numbers(y, "y")
        if not np.isfinite(targets).all():
            raise InvalidInputError("y contains infinity: remove or repair those rows.")
        return targets
    if subject.task is Task.NOVELTY:
        if y is None:
            return None
        labels, found = labels_of(y, "y")
        # Whatever else such a file's labels are, they do not say what is usual.
        return labels if found.dtype.kind in "iuf" and np.isin(found, (-1, 1)).all() else None
    if y is None:
        raise InvalidInputError(_without("labels"))
    labels, found = labels_of(y, "y")
    classes = subject.classes.tolist()
    strange = [label for label in found.tolist() if label not in classes]
    if strange:
        known = ", ".join(repr(label) for label in classes[:5])
        more = ", ..." if len(classes) > 5 else ""
        raise InvalidInputError(
            f"y holds the label {strange[0]!r}, which the model does not know: it was trained on "
            f"{known}{more}."
        )
    return labels


def _without(what: str) -> str:
    return f"y is None, but the report compares predictions with it: give the {what} of the rows."


def _require_columns(subject: Subject, X: Any) -> None:
    expected = getattr(subject.predictor, "n_features_in_", None)
    shape = np.shape(X) if isinstance(X, np.ndarray) else getattr(X, "shape", ())
    if expected is None or len(shape) != 2:
        return
    if shape[1] != expected:
        raise InvalidInputError(
            f"X has {shape[1]} columns where the model was trained on {expected}: give the same "
            "columns in the same order."
        )
    trained = getattr(subject.predictor, "feature_names_in_", None)
    columns = getattr(X, "columns", None)
    if trained is not None and columns is not None and list(columns) != list(trained):
        pairs = zip(columns, trained, strict=True)
        place, (ours, theirs) = next((k, p) for k, p in enumerate(pairs, 1) if p[0] != p[1])
        raise InvalidInputError(
            f"Column {place} of X is {ours!r} where the model was trained on {theirs!r}: give the "
            "same columns in the same order."
        )


def _names(X: Any, names: Sequence[str] | None) -> list[str]:
    shape = np.shape(X) if isinstance(X, np.ndarray) else getattr(X, "shape", ())
    n_columns = int(shape[1]) if len(shape) == 2 else 0
    if names is not None:
        given = [str(name) for name in names]
        if len(given) != n_columns:
            raise InvalidInputError(
                f"feature_names has {len(given)} names for {n_columns} columns of X: give exactly "
                "one a column."
            )
        return given
    columns = None if sparse.issparse(X) else getattr(X, "columns", None)
    if columns is not None:
        return [str(name) for name in columns]
    return [f"column {k}" for k in range(1, n_columns + 1)]


def _scores(subject: Subject, X: Any) -> Floats | None:
    if subject.task not in (Task.TWO_CLASSES, Task.NOVELTY):
        return None
    scores = np.asarray(_asked(subject.predictor.decision_function, X), dtype=np.float64)
    calibrated = subject.calibrated
    if calibrated is not None and calibrated.method != "logistic":
        # Those are log-odds at a prior.
        scores = scores - float(logit(calibrated.priors_[1]))
    return scores


def _asked(method: Callable[[Any], Any], X: Any) -> Any:
    """Ask the model, whose complaints about X are given in one sentence."""
    try:
        return method(X)
    except MaxMarginError:
        raise
    except (TypeError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0].rstrip(".:")
        raise InvalidInputError(
            f"The model cannot predict X: {reason}. Give rows like those it was trained on."
        ) from error
