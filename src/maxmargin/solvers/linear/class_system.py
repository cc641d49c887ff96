"""The linear system of Crammer and Singer's machine in an interior-point method.

The identity plus, for each point, x_i x_i' times the Laplacian of the complete graph over the
classes with weights D_im D_il / sum_m D_im. Its entries are formed as such, without differences of
large numbers, so that the end is as accurate at a cost of 1e10 as at 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.linalg import blas

from maxmargin.typing import Floats

__all__ = ["ClassSystem", "apart", "differences"]

_BLOCK_ROWS = 4096

# Entries up to which the blocks are made once and kept.
_MOST_HELD = 1 << 23

# Relative to the diagonal, added to it until rounding no longer makes the system indefinite.
_RIDGES = (0.0, 1e-14, 1e-12, 1e-10, 1e-8, 1e-6)


class ClassSystem:
    """The data of all classes, with the constant feature of a bias, and systems over them.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
        The data.
    n_classes : int
        Two or more.
    scale : float
        The constant feature; zero for none.
    checkpoint : callable
        Called every few rows; what it raises ends the work.
    """

    def __init__(
        self, X: Any, n_classes: int, scale: float, checkpoint: Callable[[], None]
    ) -> None:
        self.X, self.k, self.scale, self.checkpoint = X, n_classes, scale, checkpoint
        self.d: int = X.shape[1] + (1 if scale > 0 else 0)
        self._held: list[Any] = []
        if (X.nnz if sparse.issparse(X) else X.size) <= _MOST_HELD:
            self._held = [self._block(rows) for rows in self._slices()]

    def apply(self, D: Floats, W: Floats) -> Floats:
        """Return the system's product with weights."""
        return W + self.combination(D * apart(D, self.scores(W)))

    def factor(self, D: Floats) -> Any:
        """Return a Cholesky factor of the system; None if rounding makes it indefinite."""
        system = self._matrix(D)
        diagonal = np.einsum("ii->i", system)
        own = diagonal.copy()
        for ridge in _RIDGES:
            diagonal[:] = own * (1.0 + ridge)
            try:
                return linalg.cho_factor(system, lower=True, check_finite=False)
            except linalg.LinAlgError:
                continue
        return None

    def _matrix(self, D: Floats) -> Floats:
        k, d = self.k, self.d
        system = np.eye(k * d)
        total = D.sum(axis=1)
        for rows, block in self._blocks():
            own, share = D[rows], D[rows] / total[rows, np.newaxis]
            for m in range(k):
                self.checkpoint()
                others = np.delete(own, m, axis=1).sum(axis=1)
                for other in range(m + 1):
                    edge = share[:, m] * (others if other == m else -own[:, other])
                    place = slice(m * d, (m + 1) * d), slice(other * d, (other + 1) * d)
                    system[place] += _weighted(block, edge)
        return system

    # The data, with the constant feature of a bias ----------------------------------------------

    def _blocks(self) -> Iterator[tuple[slice, Any]]:
        for k, rows in enumerate(self._slices()):
            self.checkpoint()
            yield rows, self._held[k] if self._held else self._block(rows)

    def _slices(self) -> list[slice]:
        n = self.X.shape[0]
        starts = range(0, n, _BLOCK_ROWS)
        return [slice(first, min(first + _BLOCK_ROWS, n)) for first in starts]

    def _block(self, rows: slice) -> Any:
        block = self.X[rows].astype(np.float64)
        is_sparse = sparse.issparse(block)
        if self.scale > 0:
            constant = np.full((block.shape[0], 1), self.scale)
            block = (sparse.hstack if is_sparse else np.hstack)([block, constant])
        return sparse.csr_array(block) if is_sparse else np.ascontiguousarray(block)

    def scores(self, W: Floats) -> Floats:
        """Return w_m'x_i, one row per point."""
        return np.concatenate([_times(block, W) for _, block in self._blocks()])

    def combination(self, coefficients: Floats) -> Floats:
        """Return sum_i a_im x_i, one row per class."""
        combined = np.zeros((self.k, self.d))
        for rows, block in self._blocks():
            combined += _cross(coefficients[rows], block)
        return combined


def apart(D: Floats, values: Floats) -> Floats:
    """Return how far each value is above the mean of its row, weighed by D."""
    total = D.sum(axis=1)
    columns = [(D * (values[:, [m]] - values)).sum(axis=1) / total for m in range(D.shape[1])]
    return np.stack(columns, axis=1)


def differences(D: Floats, q: Floats) -> Floats:
    """Return q_m - D_m sum q / sum D, without the difference of large numbers."""
    total = D.sum(axis=1)
    columns = [(D * q[:, [m]] - D[:, [m]] * q).sum(axis=1) / total for m in range(D.shape[1])]
    return np.stack(columns, axis=1)


# SciPy's BLAS, which is kept to one thread, instead of NumPy's.


def _times(block: Any, W: Floats) -> Floats:
    """Return block W'."""
    if sparse.issparse(block):
        return np.asarray(block @ W.T)
    return np.asarray(blas.dgemm(1.0, block.T, np.ascontiguousarray(W).T, trans_a=True))


def _cross(A: Floats, block: Any) -> Floats:
    """Return A' block."""
    if sparse.issparse(block):
        return np.asarray((block.T @ A).T)
    return np.asarray(blas.dgemm(1.0, np.ascontiguousarray(A).T, block.T, trans_b=True))


def _weighted(block: Any, weight: Floats) -> Floats:
    """Return sum_i weight_i x_i x_i'."""
    if sparse.issparse(block):
        return np.asarray((block.T @ block.multiply(weight[:, np.newaxis]).tocsr()).toarray())
    return _cross(block * weight[:, np.newaxis], block)
