"""Scores of all rows by machines that were not trained on them, and the machine for all rows.

The folds of a kernel classifier of this library start from the solution for all rows and share the
kernel and its rows with that fit: a gamma that is a rule, such as "scale", is that of all rows. Any
other classifier is fitted once per fold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from maxmargin.interrupts import heed
from maxmargin.machines.classes import class_weights
from maxmargin.machines.family import ClassifierFamily, Posed
from maxmargin.machines.folds import Fold, leave_out
from maxmargin.machines.machine import HasMachines
from maxmargin.machines.training import Training
from maxmargin.solvers.stop import Keeping
from maxmargin.typing import Bools, Floats, Integers

__all__ = ["can_share_rows", "out_of_fold"]

Split = tuple[Integers, Integers]

#: Machines of scikit-learn that minimise 1/2 |w|^2 + C times a sum over the rows.
_PENALISED = (svm.SVC, svm.LinearSVC)


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
    """Return the estimator fitted to all rows, and held-out scores of each row.

    The scores have shape (n, n_columns). They are NaN if a column does not compare the row's class,
    or an interrupt came before the fold was fitted. Each row must be in one test set of the splits.
    `scale_C` raises the penalty C of a fold as its training rows weigh less, which keeps its
    solution close to the one for all rows.
    """
    n_rows = _num_samples(X)
    parts = _checked(splits, n_rows)
    fitted = clone(estimator)
    if can_share_rows(fitted) and all(_is_complement(split, n_rows) for split in parts):
        tests = [test for _, test in parts]
        values = _fit_with_folds(fitted, X, y, sample_weight, tests, scale_C)
        return fitted, -values if columns.n_classes == 2 else values
    weight = np.ones(n_rows) if sample_weight is None else sample_weight
    name = None if sample_weight is None else _weight_name(estimator)
    values = np.full((n_rows, len(columns.sides)), np.nan)
    with Keeping() as work:
        fitted.fit(X, y, **({} if name is None else {name: weight}))

        def fits() -> Iterator[Any]:
            for split in parts:
                if work.was_interrupted:
                    return
                held = weight[split[0]]
                machine = _with_penalty(estimator, weight.sum() / held.sum() if scale_C else 1.0)
                given = {} if name is None else {name: held}
                yield delayed(_fit_and_score)(machine, X, y, given, split, columns)

        done = Parallel(n_jobs=n_jobs)(fits())
        if len(done) < len(parts) or any(scores is None for scores in done):
            heed()
    for (_, test), scores in zip(parts, done, strict=False):
        if scores is not None:
            values[test] = scores
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


def _is_complement(split: Split, n_rows: int) -> bool:
    """Say whether a fold trains on exactly the rows that it does not hold out."""
    return np.array_equal(np.sort(np.concatenate(split)), np.arange(n_rows))


# Folds that share kernel rows --------------------------------------------------------------------


def can_share_rows(estimator: Any) -> bool:
    """Say whether this is a kernel classifier whose fit ends by its tolerance alone."""
    if not isinstance(estimator, ClassifierFamily):
        return False
    return estimator._is_plain and estimator.probability == "deprecated"


def _fit_with_folds(
    machine: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    tests: Sequence[Integers],
    scale_C: bool,
) -> Floats:
    """Fit a kernel classifier to all rows; return the values of held-out rows by each machine.

    They are positive for the first class of a pair, and NaN for rows that do not belong to a
    machine because of their class or a weight of zero.
    """
    machine._validate_params()
    training: Training = machine._train(X, y, sample_weight)
    posed: Posed = machine._pose(training)
    folds = [
        fold
        for number, test in enumerate(tests)
        for fold in _folds(machine, training, posed, test, number, scale_C)
    ]
    found = machine._cross_fit(training, posed, folds)
    machines = posed.machines
    assert machines is not None
    values = np.full((training.points.n_points, machines.n_machines), np.nan)
    for fold, held in zip(folds, found, strict=True):
        if held is None:
            continue
        rows = posed.rows[fold.machine]
        where = fold.points if rows is None else rows[fold.points]
        flip = -1.0 if machines.pairwise else 1.0
        values[where, machines.pairs[fold.machine].place] = flip * held
    return values


def _folds(
    machine: Any, training: Training, posed: Posed, test: Integers, number: int, scale_C: bool
) -> list[Fold]:
    """Return the fold of each machine that has held-out points."""
    is_test = np.zeros(training.points.n_points, dtype=np.bool_)
    is_test[test] = True
    given = np.maximum(training.weight, 0.0)
    weight = given * _class_factor(machine, training, is_test)
    if scale_C:
        weight = weight * (given.sum() / given[~is_test].sum())
    folds = []
    for k, rows in enumerate(posed.rows):
        held = is_test if rows is None else is_test[rows]
        points = np.flatnonzero(held)
        fold = leave_out(posed, k, points, weight if rows is None else weight[rows])
        if fold.problem is None:
            raise InvalidInputError(
                f"Fold {number} of cv leaves {posed.names[k]} with training rows of one class "
                "only: stratify the folds, or use fewer."
            )
        if len(points):
            folds.append(fold)
    return folds


def _class_factor(machine: Any, training: Training, is_test: Bools) -> Floats:
    """Return the class weight of each row; "balanced" is by the fold's training rows."""
    labels = np.searchsorted(machine.classes_, np.ravel(training.y))
    if machine.class_weight != "balanced":
        return np.asarray(machine.class_weight_[labels])
    kept, given = ~is_test, training.sample_weight
    balanced = class_weights(
        "balanced", machine.classes_, labels[kept], None if given is None else given[kept]
    )
    return np.asarray(balanced[labels])


# Folds that are fitted alone ---------------------------------------------------------------------


def _fit_and_score(
    machine: Any, X: Any, y: Any, weight: dict[str, Floats], split: Split, columns: Columns
) -> Floats | None:
    """Return the scores of the rows held out; None if the fit was interrupted."""
    train, test = split
    X_train, y_train = _safe_split(machine, X, y, train)
    X_test, _ = _safe_split(machine, X, y, test, train)
    n_missing = columns.n_classes - len(np.unique(y_train))
    if n_missing:
        raise InvalidInputError(
            f"A fold of cv leaves no training row of {n_missing} of the {columns.n_classes} "
            "classes: stratify the folds, or use fewer."
        )
    with Keeping() as work:
        machine.fit(X_train, y_train, **weight)
    return None if work.was_interrupted else columns.scores(machine, X_test)


def _with_penalty(estimator: Any, factor: float) -> Any:
    """Return a clone; if it is or ends in a machine with a penalty C, with C times this factor."""
    fresh = clone(estimator)
    last = fresh.steps[-1][1] if isinstance(fresh, Pipeline) else fresh
    ours = isinstance(last, HasMachines) and last.get_params(deep=False).get("C") is not None
    if ours or isinstance(last, _PENALISED):
        last.set_params(C=factor * last.C)
    return fresh


def _weight_name(estimator: Any) -> str:
    """Return the name of the weights of the rows in an estimator's fit."""
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
