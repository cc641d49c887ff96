"""A classifier fitted to all rows, and the values that it has at rows it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from maxmargin.errors import InvalidInputError
from maxmargin.estimators.callbacks import has_callbacks
from maxmargin.estimators.classifier import KernelClassifier
from maxmargin.estimators.held_out import HeldOut, held_out_values
from maxmargin.estimators.plan import ClassFit
from maxmargin.estimators.run import STOPPED
from maxmargin.typing import Bools, Floats, Integers

__all__ = ["can_cross_fit", "cross_fit"]


def can_cross_fit(estimator: Any) -> bool:
    """Say whether this is a machine whose fits nothing but the accuracy ends."""
    if (
        not isinstance(estimator, KernelClassifier)
        or type(estimator).fit is not KernelClassifier.fit
    ):
        return False
    unlimited = estimator.max_iter == -1 and estimator.time_limit is None
    plain = estimator.probability == "deprecated" and not has_callbacks(estimator)
    return unlimited and plain and type(estimator).fit is KernelClassifier.fit


def cross_fit(
    machine: KernelClassifier,
    X: Any,
    y: Any,
    sample_weight: Any,
    tests: Sequence[Integers],
    scale_C: bool,
) -> Floats:
    """Fit a machine to all rows; return what machines say of rows that they were not trained on.

    All folds run on the engine of the fit, with its kernel: a gamma that is a rule is that of all
    rows. Each starts from the solution for all rows.

    Parameters
    ----------
    machine : KernelClassifier
        Fitted in place.
    X, y, sample_weight
        As for its `fit`.
    tests : sequence of ndarray of int
        The rows of each fold that are held out; the others train it.
    scale_C : bool
        Whether a fold's C is raised as its training rows weigh less. That brings its solution close
        to the one for all rows.

    Returns
    -------
    ndarray of shape (n, n_machines)
        Values of each machine, the first class of a pair positive; NaN for rows that a machine is
        not about, because of their class or a weight of zero.
    """
    machine._validate_params()
    part_of_row = np.zeros(sum(map(len, tests)), dtype=np.int64)
    for number, test in enumerate(tests):
        part_of_row[test] = number
    fit = machine._solve(X, y, sample_weight, part_of_row)
    if any(found.answer.ending in STOPPED for found in fit.outcomes):
        raise KeyboardInterrupt
    folds = [
        fold
        for number, test in enumerate(tests)
        for fold in _machines_of(machine, fit, test, number, scale_C)
    ]
    plan = fit.plan
    fit.engine.part_of_point = None
    found = held_out_values(fit.engine, plan, machine._limits(fit.training), folds, fit.outcomes)
    if found is None:
        raise KeyboardInterrupt
    decomposition = plan.layout.decomposition
    values = np.full((fit.training.n_points, decomposition.n_machines), np.nan)
    for fold, held in zip(folds, found, strict=True):
        contest = decomposition.contests[fold.machine]
        values[plan.order[contest.point[fold.points]], contest.machine] = held
    machine._finish(fit.training, fit.tasks, fit.kept.machines)
    return values


def _machines_of(
    machine: KernelClassifier, fit: ClassFit, test: Integers, number: int, scale_C: bool
) -> list[HeldOut]:
    """Return a fold of each machine that has points in it."""
    layout = fit.plan.layout
    is_test = np.zeros(fit.training.n_points, dtype=np.bool_)
    is_test[test] = True
    held = is_test[fit.plan.order]
    weight = np.where(held, 0.0, _training_weight(machine, fit, is_test))
    if scale_C:
        weight *= layout.given_weight.sum() / layout.given_weight[~held].sum()
    folds = []
    for k, contest in enumerate(layout.decomposition.contests):
        points = np.flatnonzero(held[contest.point])
        fold = HeldOut(k, points, weight[contest.point], number)
        if not fold.has_both_sides(contest):
            raise InvalidInputError(
                f"Fold {number} of cv leaves {contest.name(machine.classes_)} with training rows "
                "of one class only: stratify the folds, or use fewer."
            )
        if len(points):
            folds.append(fold)
    return folds


def _training_weight(machine: KernelClassifier, fit: ClassFit, is_test: Bools) -> Floats:
    """Return the weights by place; balanced classes are balanced in the fold's training rows."""
    layout, training = fit.plan.layout, fit.training
    if machine.class_weight != "balanced":
        return layout.weight
    labels = np.searchsorted(machine.classes_, np.ravel(training.y))
    given = training.sample_weight
    kept = ~is_test
    balanced = machine._class_weights(labels[kept], None if given is None else given[kept])
    return np.asarray(layout.given_weight * balanced[labels[fit.plan.order]])
