"""Which solver suits a linear machine: from the shape of the data, its sparsity and the loss."""

from __future__ import annotations

from typing import Any, Literal

from scipy import sparse

from maxmargin.problems import CrammerSinger, L1Margin, Problem
from maxmargin.solvers.base import Solver
from maxmargin.solvers.linear.class_interior_point import ClassInteriorPoint
from maxmargin.solvers.linear.crammer_singer import ClassDescent
from maxmargin.solvers.linear.engine import Method
from maxmargin.solvers.linear.l1 import L1Descent
from maxmargin.solvers.linear.margin import (
    MOST_FEATURES,
    MOST_PASSES,
    entries_per_row,
    margin_solver,
)

__all__ = ["linear_solver"]

# Unknowns up to which a system costs next to nothing, however few the entries of the data.
_FEW = 200


def linear_solver(
    problem: Problem,
    method: Literal["auto"] | Method = "auto",
    *,
    n_jobs: int | None = None,
    seed: int = 0,
) -> Solver:
    """Return the solver of a linear machine, by method or, with "auto", the one that suits it.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solvers.linear.choice import linear_solver
    >>> linear_solver(SoftMargin(np.eye(1000, 10), np.resize([-1, 1], 1000))).name
    'linear-interior-point'
    >>> linear_solver(SoftMargin(np.eye(10, 5000), np.resize([-1, 1], 10))).name
    'coordinate-descent'
    """
    if isinstance(problem, L1Margin):
        return L1Descent(n_jobs, seed)
    if isinstance(problem, CrammerSinger):
        if method == "auto":
            method = _method_of_classes(problem.X, problem.n_classes)
        descends = method == "coordinate-descent"
        return ClassDescent(n_jobs, seed) if descends else ClassInteriorPoint(n_jobs, seed)
    return margin_solver(problem, method, n_jobs=n_jobs, seed=seed)


def _method_of_classes(X: Any, n_classes: int) -> Method:
    """Return the same for all classes at once: as many unknowns as features times classes."""
    entries = max(X.nnz if sparse.issparse(X) else X.size, 1)
    unknowns = X.shape[1] * n_classes
    passes = entries_per_row(X, entries) * n_classes + unknowns**3 / (3 * entries * n_classes)
    fits = unknowns <= _FEW or (unknowns <= MOST_FEATURES and passes <= MOST_PASSES)
    return "interior-point" if fits else "coordinate-descent"
