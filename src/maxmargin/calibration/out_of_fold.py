"""Scores of all rows by machines that were not trained on them, and the machine for all rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn import svm
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples, has_fit_parameter

from maxmargin.calibration.columns import Columns
from maxmargin.errors import InvalidInputError
from maxmargin.estimators.cross_fit import can_cross_fit, cross_fit
from maxmargin.estimators.linear_svc import LinearSVC
from maxmargin.estimators.svc import SVC
from maxmargin.typing import Floats, Integers

__all__ = ["out_of_fold"]

Split = tuple[Integers, Integers]

#: Machines that minimise 1/2 |w|^2 + C times a sum over the rows.
_PRICED = (SVC, LinearSVC, svm.SVC, svm.LinearSVC)


def out_of_fold(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Floats | None,
    splits: Sequence[tuple[Any, Any]],
    columns: Columns,
    *,
    scale_C: bool,
    n_jobs: int | None,
) -> tuple[Any, Floats]:
    """Return the estimator fitted to all rows, and scores of each row from another fit.

    Parameters
    ----------
    estimator : classifier
        Left as it is.
    X, y, sample_weight
        All rows.
    splits : sequence of (train, test)
        Each row is in exactly one test set.
    columns : Columns
        Of the scores.
    scale_C : bool
        Whether the price of a machine is raised in a fold as its training rows weigh less.
    n_jobs : int, optional
        Processes for fits that share nothing.

    Returns
    -------
    estimator, ndarray of shape (n, n_columns)
        Scores may be NaN where a column is not about a row.
    """
    parts = _checked(splits, _num_samples(X))
    fitted = clone(estimator)
    if can_cross_fit(fitted) and all(_is_complement(*split) for split in parts):
        tests = [test for _, test in parts]
        values = cross_fit(fitted, X, y, sample_weight, tests, scale_C)
        return fitted, -values if columns.n_classes == 2 else values
    name = _weight_name(estimator) if sample_weight is not None else ""
    weight = np.ones(_num_samples(X)) if sample_weight is None else sample_weight
    machines = [
        _with_price(estimator, weight.sum() / weight[train].sum() if scale_C else 1.0)
        for train, _ in parts
    ]
    weights = [_named(name, sample_weight, train) for train, _ in parts]
    found = Parallel(n_jobs=n_jobs)(
        delayed(_fit_and_score)(machine, X, y, given, split, columns)
        for machine, given, split in zip(machines, weights, parts, strict=True)
    )
    values = np.full((_num_samples(X), len(columns.sides)), np.nan)
    for (_, test), held in zip(parts, found, strict=True):
        values[test] = held
    fitted.fit(X, y, **_named(name, sample_weight, slice(None)))
    return fitted, values


def _checked(splits: Sequence[tuple[Any, Any]], n_rows: int) -> list[Split]:
    rows = np.arange(n_rows)
    parts = [(rows[np.asarray(train)], rows[np.asarray(test)]) for train, test in splits]
    held = np.concatenate([test for _, test in parts]) if parts else rows[:0]
    if not np.array_equal(np.sort(held), rows):
        raise InvalidInputError(
            "cv must hold out each row exactly once, as KFold and StratifiedKFold do; it holds "
            f"out {len(np.unique(held))} of {n_rows} rows, {len(held)} times in all."
        )
    return parts


def _is_complement(train: Integers, test: Integers) -> bool:
    n_rows = len(train) + len(test)
    is_there = np.zeros(n_rows, dtype=np.bool_)
    both = np.concatenate([train, test])
    is_there[both[both < n_rows]] = True
    return bool(is_there.all())


def _fit_and_score(
    machine: Any, X: Any, y: Any, weight: dict[str, Floats], split: Split, columns: Columns
) -> Floats:
    train, test = split
    X_train, y_train = _safe_split(machine, X, y, train)
    X_test, _ = _safe_split(machine, X, y, test, train)
    n_missing = columns.n_classes - len(np.unique(y_train))
    if n_missing:
        raise InvalidInputError(
            f"A fold of cv leaves no training row of {n_missing} of the {columns.n_classes} "
            "classes: stratify the folds, or use fewer."
        )
    machine.fit(X_train, y_train, **weight)
    return columns.scores(machine, X_test)


def _with_price(estimator: Any, factor: float) -> Any:
    """Return a fresh estimator, with so many times the price if it is, or ends in, a machine."""
    fresh = clone(estimator)
    last = fresh.steps[-1][1] if isinstance(fresh, Pipeline) else fresh
    if isinstance(last, _PRICED):
        last.set_params(C=factor * last.C)
    return fresh


def _weight_name(estimator: Any) -> str:
    """Return what an estimator's fit calls the weights of the rows."""
    if has_fit_parameter(estimator, "sample_weight"):
        return "sample_weight"
    if isinstance(estimator, Pipeline):
        last, machine = estimator.steps[-1]
        if has_fit_parameter(machine, "sample_weight"):
            return f"{last}__sample_weight"
    raise InvalidInputError(
        f"sample_weight was given, but the fit of {type(estimator).__name__} takes none: leave it "
        "out, or calibrate a classifier that can use it."
    )


def _named(name: str, sample_weight: Floats | None, rows: Any) -> dict[str, Floats]:
    return {} if sample_weight is None else {name: sample_weight[rows]}
