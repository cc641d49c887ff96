"""Probabilities from decision values: a sigmoid a machine, then coupling over pairs.

Platt 2000 (sigmoid); Wu, Lin, Weng 2004 (coupling, second method).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from maxmargin.estimators.decision import pairs_of
from maxmargin.estimators.held_out import HeldOut, held_out_values
from maxmargin.estimators.logistic import fit_log_odds, platt_targets
from maxmargin.estimators.plan import ClassPlan
from maxmargin.estimators.run import STOPPED, Limits, Outcome
from maxmargin.solvers.engine import Engine
from maxmargin.typing import Floats

__all__ = ["against_rest", "couple", "cross_validated_sigmoids"]

_FOLDS = 5
_SMALLEST = 1e-7


def cross_validated_sigmoids(
    engine: Engine, plan: ClassPlan, limits: Limits, generator: Any, whole: Sequence[Outcome]
) -> Floats | None:
    """Return (A, B) of each machine, fitted to values of points that were held out.

    Parameters
    ----------
    engine, plan, limits, whole
        As in `held_out_values`.
    generator : RandomState
        Draws the folds.

    Returns
    -------
    ndarray of shape (2, n_machines), or None
        The probability of the positive class is 1 / (1 + exp(A f + B)). None, after a warning, if
        the fit on all points (`whole`) or that of a fold was stopped.
    """
    decomposition, weight = plan.layout.decomposition, plan.layout.weight
    values = [np.zeros(len(contest.point)) for contest in decomposition.contests]
    folds: list[HeldOut] = []
    for k, contest in enumerate(decomposition.contests):
        for points in np.array_split(generator.permutation(len(contest.point)), _FOLDS):
            kept = weight[contest.point].copy()
            kept[points] = 0.0
            fold = HeldOut(k, points, kept)
            if fold.has_both_sides(contest):
                folds.append(fold)
            elif len(points):
                left = contest.sign[kept > 0]
                values[k][points] = left[0] if len(left) else 0.0
    stopped = any(found.answer.ending in STOPPED for found in whole)
    found = None if stopped else held_out_values(engine, plan, limits, folds, whole)
    if found is None:
        warnings.warn(
            "The fit was stopped before its probabilities: predict_proba is not available.",
            ConvergenceWarning,
            stacklevel=4,
        )
        return None
    for fold, held in zip(folds, found, strict=True):
        values[fold.machine][fold.points] = held
    sigmoids = np.zeros((2, decomposition.n_machines))
    for contest, decision in zip(decomposition.contests, values, strict=True):
        sides = contest.sign > 0, weight[contest.point]
        slope, shift = fit_log_odds(decision, platt_targets(*sides), sides[1])
        sigmoids[:, contest.machine] = -slope, -shift
    return sigmoids


def couple(of_first: Floats, n_classes: int) -> Floats:
    """Return class probabilities from those of the first class of each pair against the other."""
    of_first = np.clip(of_first, _SMALLEST, 1 - _SMALLEST)
    if n_classes == 2:
        return np.hstack([of_first, 1 - of_first])
    n = len(of_first)
    r = np.zeros((n, n_classes, n_classes))
    for machine, (i, j) in enumerate(pairs_of(n_classes)):
        r[:, i, j], r[:, j, i] = of_first[:, machine], 1 - of_first[:, machine]
    # min sum_ij (r_ji p_i - r_ij p_j)^2 subject to sum(p) = 1: a linear system
    system = np.zeros((n, n_classes + 1, n_classes + 1))
    system[:, :-1, :-1] = -r * r.transpose(0, 2, 1)
    diagonal = np.arange(n_classes)
    system[:, diagonal, diagonal] = np.square(r).sum(axis=1)
    system[:, -1, :-1] = system[:, :-1, -1] = 1.0
    right = np.zeros((n, n_classes + 1, 1))
    right[:, -1] = 1.0
    solved: Floats = np.linalg.solve(system, right).astype(np.float64, copy=False)
    return against_rest(solved[:, :-1, 0])


def against_rest(probability: Floats) -> Floats:
    """Return class probabilities from those of each class against the rest, scaled to sum to 1."""
    positive: Floats = np.maximum(probability, _SMALLEST)
    total: Floats = positive.sum(axis=1, keepdims=True)
    return positive / total
