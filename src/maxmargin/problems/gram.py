"""The Gram matrix of a problem's points, in float64, whole or in slices."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.errors import InvalidInputError
from maxmargin.kernels import (
    Kernel,
    Linear,
    Semidefiniteness,
    feature_map,
    has_feature_map,
    is_positive_semidefinite,
)
from maxmargin.kernels.data import count, holds_numbers, take
from maxmargin.typing import Floats, Integers

__all__ = ["Gram", "as_float64"]

_WHOLE_MATRIX_BYTES = 1 << 30
_SLICE_ENTRIES = 1 << 24
_SAMPLE = 256
_LARGEST_VALUE = 1e100


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

    #: The last product made in slices, with its coefficients; how many points all of them read.
    _last: tuple[Floats, Floats] | None = None
    _spent: int = 0

    def __getstate__(self) -> dict[str, Any]:
        kept = ("kernel", "X", "constant", "n_points")
        return {name: self.__dict__[name] for name in kept}

    @cached_property
    def n_features(self) -> int | None:
        """The length of phi(x), the constant feature included; None without a finite map."""
        if not has_feature_map(self.kernel):
            return None
        return feature_map(self.kernel).dimension(self.X.shape[1]) + (self.constant > 0)

    @cached_property
    def features(self) -> Any:
        """Rows phi(x_i), including the constant feature, for kernels that have a finite map."""
        mapped = feature_map(self.kernel)(as_float64(self.X))
        if self.constant == 0:
            return mapped
        column = np.full((self.n_points, 1), np.sqrt(self.constant))
        if sparse.issparse(mapped):
            return sparse.hstack([mapped, column]).tocsr()
        return np.hstack([mapped, column])

    @cached_property
    def matrix(self) -> Floats:
        """The whole matrix."""
        X = as_float64(self.X)
        values = self._moderate(self.kernel.block(X, X).astype(np.float64, copy=False))
        if self.kernel.positive_semidefinite is None:
            values = _symmetric(values, self.kernel)
        return values + self.constant

    def keep(self, matrix: Floats) -> None:
        """Take the whole matrix, with the constant, from one who has computed it."""
        self.__dict__["matrix"] = matrix

    @cached_property
    def semidefiniteness(self) -> Semidefiniteness:
        """Whether the whole matrix is positive semidefinite, by its eigenvalues."""
        return is_positive_semidefinite(self.matrix)

    @cached_property
    def diagonal(self) -> Floats:
        """The diagonal."""
        with np.errstate(over="ignore", invalid="ignore"):
            values = self.kernel.diag(as_float64(self.X)) + self.constant
        return self._moderate(values)

    @cached_property
    def spread(self) -> float:
        """The mean squared distance of a sample of points from their mean, in feature space."""
        sample = np.unique(np.linspace(0, self.n_points - 1, _SAMPLE).astype(np.int64))
        return float(self.diagonal[sample].mean() - self.block(sample, sample).mean())

    def _moderate(self, values: Floats) -> Floats:
        largest = float(np.abs(values).max(initial=0.0))
        if not largest <= _LARGEST_VALUE:
            raise InvalidInputError(
                f"{self.kernel!r} is too large on this data: it reaches {largest:.3g}. Scale the "
                "features, or choose other parameters."
            )
        return values

    def rows(self, points: Integers) -> Floats:
        """Return the rows of the given points."""
        if self.fits:
            return self.matrix[points]
        return self.block(points, np.arange(self.n_points)) + self.constant

    def __matmul__(self, coefficients: Floats) -> Floats:
        if type(self.kernel) is Linear and "matrix" not in self.__dict__:
            shift = self.constant * float(coefficients.sum())
            return self.times(self.weights(coefficients)) + shift
        if self.has_few_features:
            return np.asarray(self.features @ (self.features.T @ coefficients))
        last = self._last
        if last is not None and np.array_equal(last[0], coefficients):
            return last[1].copy()
        if self.fits and self._matrix_pays(coefficients):
            return np.asarray(self.matrix @ coefficients)
        shift = self.constant * float(coefficients.sum())
        product = np.asarray(self.at(self.X, coefficients) + shift)
        self._last = (np.array(coefficients), product.copy())
        return product

    def _matrix_pays(self, coefficients: Floats) -> bool:
        """Say whether the whole matrix is there, or costs no more than all products so far.

        It is symmetric, so that it costs as much as half of its columns. Where nobody knows that
        the kernel is semidefinite, the matrix is needed anyway, to see whether it is.
        """
        if "matrix" in self.__dict__ or not self.kernel.positive_semidefinite:
            return True
        _ = self.diagonal  # the largest values, refused if they are too large
        self._spent += int(np.count_nonzero(coefficients))
        return 2 * self._spent >= self.n_points

    def weights(self, coefficients: Floats) -> Floats:
        """Return w = sum_j coefficient_j x_j of a linear kernel."""
        total = np.zeros(self.X.shape[1])
        for part in _slices(self.X):
            total += as_float64(self.X[part]).T @ coefficients[part]
        return total

    def times(self, weights: Floats) -> Floats:
        """Return w'x at every point, for a linear kernel."""
        return _times(self.X, weights)

    def at(self, points: Any, coefficients: Floats) -> Floats:
        """Return sum_j coefficient_j k(x_j, x) for each of the given points, without constant."""
        if type(self.kernel) is Linear:
            return _times(points, self.weights(coefficients))
        support = np.flatnonzero(coefficients)
        if len(support) == 0:
            return np.zeros(count(points))
        weights = coefficients[support]
        if self.kernel.compares_similarities:
            return np.asarray(self.kernel.block(points, self.X)[:, support] @ weights)
        vectors = as_float64(take(self.X, support))
        formula = self.kernel.formula
        if formula is not None and formula.is_product_form:
            return formula.weighted(as_float64(points), vectors, weights)
        step = max(1, _SLICE_ENTRIES // len(support))
        slices = [
            self.kernel.block(as_float64(points[start : start + step]), vectors) @ weights
            for start in range(0, count(points), step)
        ]
        return np.concatenate(slices)

    def products(self, points: Integers, coefficients: Floats) -> Floats:
        """Return sum_j coefficient_j (k(x_j, x) + constant) at some of the points."""
        if self.fits and "matrix" in self.__dict__:
            return np.asarray(self.matrix[points] @ coefficients)
        shift = self.constant * float(coefficients.sum())
        if self.kernel.compares_similarities:
            support = np.flatnonzero(coefficients)
            return np.asarray(self.block(points, support) @ coefficients[support] + shift)
        return np.asarray(self.at(take(self.X, points), coefficients) + shift)

    def block(self, rows: Integers, columns: Integers) -> Floats:
        """Return the values, without the constant, between some of the points."""
        if self.kernel.compares_similarities:
            return self.kernel.block(self.X[np.ix_(rows, columns)], range(len(columns)))
        return self.kernel.block(as_float64(take(self.X, rows)), as_float64(take(self.X, columns)))

    @property
    def fits(self) -> bool:
        """Whether the whole matrix may be formed."""
        return 8 * self.n_points**2 <= _WHOLE_MATRIX_BYTES

    @property
    def has_few_features(self) -> bool:
        """Whether products with the features cost no more than products with the matrix."""
        return self.n_features is not None and self.n_features <= self.n_points


def as_float64(X: Any) -> Any:
    """Return numeric data in float64, anything else as it is."""
    return X.astype(np.float64, copy=False) if holds_numbers(X) else X


def _slices(X: Any) -> list[slice]:
    """Cut rows so that a few of them in float64 take little memory."""
    n, d = X.shape
    step = n if sparse.issparse(X) else max(1, _SLICE_ENTRIES // max(d, 1))
    return [slice(start, start + step) for start in range(0, n, max(step, 1))]


def _times(X: Any, weights: Floats) -> Floats:
    parts = [as_float64(X[part]) @ weights for part in _slices(X)]
    return np.concatenate(parts) if parts else np.zeros(0)


def _symmetric(values: Floats, kernel: Kernel) -> Floats:
    asymmetry = float(np.abs(values - values.T).max())
    if asymmetry > 1e-8 * float(np.abs(values).max()):
        raise InvalidInputError(
            f"{kernel!r} is not symmetric: k(a, b) and k(b, a) differ by up to {asymmetry:.3g}. "
            "A kernel must not depend on the order of its arguments."
        )
    return 0.5 * (values + values.T)
