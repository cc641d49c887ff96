"""The values of all machines at once: k(x, support vectors) times the coefficients, in blocks."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from scipy import sparse
from threadpoolctl import ThreadpoolController

from maxmargin.kernels import Kernel
from maxmargin.kernels.data import count, largest_entry
from maxmargin.machines.classes import pairs_of
from maxmargin.typing import Floats, Integers

__all__ = ["decision_values", "pair_coefficients", "votes_of"]

_BLOCK_ENTRIES = 1 << 22

# Beyond these the squares and products in a distance may leave the range of float32.
_LARGEST_IN_FLOAT32 = 1e15
_GAMMA_IN_FLOAT32 = (1e-30, 1e30)


def decision_values(
    kernel: Kernel,
    X: Any,
    vectors: Any,
    coefficients: Floats,
    intercept: Floats,
    n_support: Integers | None = None,
) -> Floats:
    """Return the value of each machine at each row of X.

    Parameters
    ----------
    kernel : Kernel
        With numbers for its parameters.
    X : data
        New points; with a precomputed kernel their similarities to the support vectors.
    vectors : data
        The support vectors.
    coefficients : ndarray of shape (n_machines, n_vectors) or (n_classes - 1, n_vectors)
        One row per machine. With `n_support`, the layout of one machine per pair of classes: a
        vector of class c has in row r its coefficient against the r-th of the other classes.
    intercept : ndarray of shape (n_machines,)
        Added to the values.
    n_support : ndarray of shape (n_classes,), optional
        Vectors of each class, which lie in this order; for the second layout.

    Returns
    -------
    ndarray of shape (n, n_machines)
    """
    n_points, n_vectors = count(X), coefficients.shape[1]
    values = np.tile(intercept, (n_points, 1))
    if n_vectors == 0:
        return values
    columns = np.ascontiguousarray(coefficients.T)
    step = max(1, _BLOCK_ENTRIES // n_vectors)
    coarse = kernel.compares_similarities or _float32_does(kernel, X, vectors)
    vectors = vectors if coarse else _float64(vectors)
    formula = kernel.formula
    if formula is not None and len(coefficients) == 1:
        points = X if coarse else _float64(X)
        values[:, 0] += formula.weighted(points, vectors, coefficients[0])
        return values
    for start in range(0, n_points, step):
        part = slice(start, start + step)
        rows = X[part] if coarse else _float64(X[part])
        others = range(n_vectors) if kernel.compares_similarities else vectors
        block = kernel.block(rows, others)
        if n_support is None:
            values[part] += block @ columns
        else:
            # Many small products, for which a second thread of BLAS costs more than it saves.
            with _blas().limit(limits=1, user_api="blas"):
                _add_by_class(values[part], block, columns, n_support)
    return values


def _float32_does(kernel: Kernel, X: Any, vectors: Any) -> bool:
    """Say whether points in float32 may be compared in it: a value at most one, none too large."""
    formula = kernel.formula
    if formula is None or formula.form != "gaussian":
        return False
    if X.dtype != np.float32 or vectors.dtype != np.float32:
        return True
    low, high = _GAMMA_IN_FLOAT32
    small = max(largest_entry(X), largest_entry(vectors)) <= _LARGEST_IN_FLOAT32
    return small and low <= formula.gamma <= high


def _float64(X: Any) -> Any:
    return X.astype(np.float64) if getattr(X, "dtype", None) == np.float32 else X


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()


def _add_by_class(values: Floats, block: Floats, columns: Floats, n_support: Integers) -> None:
    ends = np.cumsum(n_support)
    pair_of = _pair_table(len(n_support))
    for c, (end, size) in enumerate(zip(ends, n_support, strict=True)):
        mine = slice(end - size, end)
        values[:, np.delete(pair_of[c], c)] += block[:, mine] @ columns[mine]


def votes_of(values: Floats, n_classes: int) -> Integers:
    """Return the votes for each class; at zero a pair votes for its second one."""
    votes = np.zeros((len(values), n_classes), dtype=np.int64)
    for machine, (i, j) in enumerate(pairs_of(n_classes)):
        first = values[:, machine] > 0
        votes[:, i] += first
        votes[:, j] += ~first
    return votes


def _pair_table(n_classes: int) -> Integers:
    table = np.zeros((n_classes, n_classes), dtype=np.int64)
    for machine, (i, j) in enumerate(pairs_of(n_classes)):
        table[i, j] = table[j, i] = machine
    return table


def pair_coefficients(coefficients: Floats, n_support: Integers) -> sparse.csr_array:
    """Return one row per pair of classes from the layout by other classes."""
    n_classes = len(n_support)
    owner = np.repeat(np.arange(n_classes), n_support)
    other = np.arange(n_classes - 1)[:, None]
    other = other + (other >= owner)
    machine = _pair_table(n_classes)[owner, other]
    vector = np.broadcast_to(np.arange(len(owner)), machine.shape)
    return sparse.csr_array(
        (coefficients.ravel(), (machine.ravel(), vector.ravel())),
        shape=(n_classes * (n_classes - 1) // 2, len(owner)),
    )
