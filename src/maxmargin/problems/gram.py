"""The Gram matrix of a problem's points, in float64, whole or in slices."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.kernels import Kernel, feature_map, has_feature_map
from maxmargin.kernels.data import count
from maxmargin.typing import Floats, Integers

__all__ = ["Gram"]

_WHOLE_MATRIX_BYTES = 1 << 30
_SLICE_ENTRIES = 1 << 24


class Gram:
    """K(X, X) + constant, as a matrix that is formed only when asked for.

    Parameters
    ----------
    kernel : Kernel
        With numbers for its parameters.
    X : data
        Validated by the kernel.
    constant : float
        Added to every entry: the squared scale of a regularised bias.
    """

    def __init__(self, kernel: Kernel, X: Any, constant: float = 0.0) -> None:
        self.kernel = kernel
        self.X = X
        self.constant = constant
        self.n_points = count(X)

    @cached_property
    def features(self) -> Any:
        """Rows phi(x_i), including the constant feature, or None without a finite map."""
        if not has_feature_map(self.kernel):
            return None
        mapped = feature_map(self.kernel)(_float64(self.X))
        if self.constant == 0:
            return mapped
        column = np.full((self.n_points, 1), np.sqrt(self.constant))
        if sparse.issparse(mapped):
            return sparse.hstack([mapped, column]).tocsr()
        return np.hstack([mapped, column])

    @cached_property
    def matrix(self) -> Floats:
        """The whole matrix."""
        X = _float64(self.X)
        return self.kernel.block(X, X).astype(np.float64, copy=False) + self.constant

    @cached_property
    def diagonal(self) -> Floats:
        """The diagonal."""
        return self.kernel.diag(_float64(self.X)) + self.constant

    def rows(self, points: Integers) -> Floats:
        """Return the rows of the given points."""
        if self._fits:
            return self.matrix[points]
        return self._block(points, np.arange(self.n_points)) + self.constant

    def __matmul__(self, coefficients: Floats) -> Floats:
        if self._has_small_features:
            return np.asarray(self.features @ (self.features.T @ coefficients))
        if self._fits:
            return self.matrix @ coefficients
        support = np.flatnonzero(coefficients)
        values = np.full(self.n_points, self.constant * coefficients.sum())
        step = max(1, _SLICE_ENTRIES // max(1, len(support)))
        for start in range(0, self.n_points, step):
            points = np.arange(start, min(start + step, self.n_points))
            values[points] += self._block(points, support) @ coefficients[support]
        return values

    def _block(self, rows: Integers, columns: Integers) -> Floats:
        if self.kernel.compares_similarities:
            return self.kernel.block(_take(self.X, rows), self.X)[:, columns].astype(np.float64)
        return self.kernel.block(_float64(_take(self.X, rows)), _float64(_take(self.X, columns)))

    @property
    def _fits(self) -> bool:
        return 8 * self.n_points**2 <= _WHOLE_MATRIX_BYTES

    @cached_property
    def _has_small_features(self) -> bool:
        if not has_feature_map(self.kernel):
            return False
        return feature_map(self.kernel).dimension(self.X.shape[1]) <= self.n_points


def _take(X: Any, points: Integers) -> Any:
    return [X[i] for i in points] if isinstance(X, list) else X[points]


def _float64(X: Any) -> Any:
    return X if isinstance(X, list) else X.astype(np.float64, copy=False)
