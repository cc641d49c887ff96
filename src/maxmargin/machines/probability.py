"""Probabilities from decision values: a sigmoid per machine, then coupling over pairs.

Platt 2000 (sigmoid); Wu, Lin, Weng 2004 (coupling, second method).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from maxmargin.machines.classes import pairs_of
from maxmargin.machines.family import Posed
from maxmargin.machines.folds import Fold
from maxmargin.machines.logistic import fit_log_odds, platt_targets
from maxmargin.typing import Floats

__all__ = ["SMALLEST", "against_rest", "couple", "sigmoids"]

#: No probability is closer to 0 or 1 than this.
SMALLEST = 1e-7


def sigmoids(posed: Posed, folds: Sequence[Fold], values: Sequence[Floats]) -> Floats:
    """Return (A, B) of each machine, fitted to values of points that were held out.

    Parameters
    ----------
    posed : Posed
        The problems of a classifier.
    folds : sequence of Fold
        Of each machine; together they hold out each point once.
    values : sequence of ndarray
        What each fold says of the points that it leaves out.

    Returns
    -------
    ndarray of shape (2, n_machines)
        The probability of the positive side of a machine's values is 1 / (1 + exp(A f + B)).
    """
    machines = posed.machines
    assert machines is not None
    found = np.zeros((2, machines.n_machines))
    held = [np.zeros(problem.n_points) for problem in posed.problems]
    for fold, decision in zip(folds, values, strict=True):
        held[fold.machine][fold.points] = decision
    for pair, problem, decision in zip(machines.pairs, posed.problems, held, strict=True):
        y, weight = problem.y, problem.sample_weight  # type: ignore[attr-defined]
        flip = -1.0 if machines.pairwise else 1.0
        positive = flip * y > 0
        slope, shift = fit_log_odds(flip * decision, platt_targets(positive, weight), weight)
        found[:, pair.place] = -slope, -shift
    return found


def couple(of_first: Floats, n_classes: int) -> Floats:
    """Return class probabilities from those of the first class of each pair against the other."""
    of_first = np.clip(of_first, SMALLEST, 1 - SMALLEST)
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
    positive: Floats = np.maximum(probability, SMALLEST)
    total: Floats = positive.sum(axis=1, keepdims=True)
    return positive / total
