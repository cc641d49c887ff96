"""Probabilities from decision values: a sigmoid a machine, then coupling over pairs.

Platt 2000; Lin, Lin, Weng 2007 (sigmoid); Wu, Lin, Weng 2004 (coupling, second method).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from maxmargin.estimators.decision import decision_values, pairs_of
from maxmargin.estimators.pairs import Decomposition, bias_of
from maxmargin.estimators.programs import MarginForm
from maxmargin.estimators.run import STOPPED, Limits, Outcome, run
from maxmargin.kernels import Kernel
from maxmargin.kernels.data import take
from maxmargin.problems import Bias
from maxmargin.problems.gram import Gram
from maxmargin.solvers.engine import Engine
from maxmargin.typing import Bools, Floats, Integers

__all__ = ["against_rest", "couple", "cross_validated_sigmoids"]

_FOLDS = 5
_SMALLEST = 1e-7


def cross_validated_sigmoids(
    engine: Engine,
    gram: Gram,
    decomposition: Decomposition,
    forms: Sequence[MarginForm],
    weight: Floats,
    bias: Bias,
    limits: Limits,
    generator: Any,
    whole: Sequence[Outcome],
) -> Floats | None:
    """Return (A, B) of each machine, fitted to values of points that were held out.

    All folds of all machines are programs of one engine, so the rows are computed once.

    Returns
    -------
    ndarray of shape (2, n_machines), or None
        The probability of the positive class is 1 / (1 + exp(A f + B)). None, after a warning, if
        the fit on all points (`whole`) or that of a fold was stopped.
    """
    if _was_stopped(whole):
        return None
    values = [np.zeros(len(contest.point)) for contest in decomposition.contests]
    held_out, qps = [], []
    for k, (contest, form) in enumerate(zip(decomposition.contests, forms, strict=True)):
        for fold in np.array_split(generator.permutation(len(contest.point)), _FOLDS):
            if len(fold) == 0:
                continue
            rest = decomposition.without(k, fold)
            if len(np.unique(rest.sign)) < 2:
                values[k][fold] = rest.sign[0] if len(rest.sign) else 0.0
                continue
            mild = form.without_infeasibility(rest.sign, weight[rest.point], bias)
            qps.append(mild.dual(gram, rest.point, rest.sign, weight[rest.point], bias))
            held_out.append((k, fold, rest.point, mild))
    outcomes = run(engine, qps, limits)
    if _was_stopped(outcomes):
        return None
    short = sum(not found.answer.converged for found in outcomes)
    if short:
        _warn(f"{short} of the {len(qps)} fits behind predict_proba did not converge.")
    for (k, fold, others, mild), found in zip(held_out, outcomes, strict=True):
        offsets = found.offsets()
        points = decomposition.contests[k].point[fold]
        level = _scale(mild.level(offsets))
        intercept = bias_of(bias, found.signed, offsets)
        values[k][fold] = _values(gram, points, others, found.signed, intercept) / level
    sigmoids = np.zeros((2, decomposition.n_machines))
    for contest, decision in zip(decomposition.contests, values, strict=True):
        sigmoids[:, contest.machine] = _sigmoid(decision, contest.sign > 0, weight[contest.point])
    return sigmoids


def _was_stopped(outcomes: Sequence[Outcome]) -> bool:
    """Say whether a run was stopped, with a warning that there are no probabilities then."""
    stopped = any(found.answer.ending in STOPPED for found in outcomes)
    if stopped:
        _warn("The fit was stopped before its probabilities: predict_proba is not available.")
    return stopped


def _warn(message: str) -> None:
    warnings.warn(message, ConvergenceWarning, stacklevel=5)


def _scale(level: float) -> float:
    return level if level > 0 else 1.0


def _values(
    gram: Gram, points: Integers, others: Integers, signed: Floats, intercept: float
) -> Floats:
    used = np.flatnonzero(signed)
    kernel: Kernel = gram.kernel
    if kernel.compares_similarities:
        new, vectors = gram.X[np.ix_(points, others[used])], None
    else:
        new, vectors = take(gram.X, points), take(gram.X, others[used])
    return decision_values(kernel, new, vectors, signed[None, used], np.array([intercept]))[:, 0]


def _sigmoid(decision: Floats, positive: Bools, weight: Floats) -> Floats:
    """Fit P(positive) = 1 / (1 + exp(A f + B)) to targets drawn in a little from 0 and 1."""
    n_positive = float(weight[positive].sum())
    n_negative = float(weight[~positive].sum())
    target = np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))
    unit = float(np.abs(decision).max(initial=0.0)) or 1.0
    f = decision / unit

    def loss(parameters: Floats) -> tuple[float, Floats]:
        z = parameters[0] * f + parameters[1]
        value = weight @ (np.logaddexp(0.0, z) - (1 - target) * z)
        slope = weight * (expit(z) - (1 - target))
        return float(value), np.array([slope @ f, slope.sum()])

    start = np.array([0.0, np.log((n_negative + 1) / (n_positive + 1))])
    found = minimize(loss, start, jac=True, method="BFGS", options={"gtol": 1e-9})
    return np.array([found.x[0] / unit, found.x[1]])


def couple(decision: Floats, sigmoids: Floats, n_classes: int) -> Floats:
    """Return class probabilities from the values of all pairs."""
    of_first = np.clip(expit(-(decision * sigmoids[0] + sigmoids[1])), _SMALLEST, 1 - _SMALLEST)
    if n_classes == 2:
        return np.hstack([of_first, 1 - of_first])
    n = len(decision)
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
    return _normalise(solved[:, :-1, 0])


def _normalise(values: Floats) -> Floats:
    """Return rows of probabilities from values that are nearly or proportionally so."""
    positive: Floats = np.maximum(values, _SMALLEST)
    total: Floats = positive.sum(axis=1, keepdims=True)
    return positive / total


def against_rest(decision: Floats, sigmoids: Floats) -> Floats:
    """Return class probabilities from one machine a class."""
    return _normalise(expit(-(decision * sigmoids[0] + sigmoids[1])))
