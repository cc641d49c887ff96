"""Rows of data and the kernel that compares them, shared by problems.

Pairs of classes, folds and values of C are problems over rows of the same `Points`. Whatever is
computed from the data (distinct rows, norms, the Gram matrix) is computed once for all of them.
"""

from __future__ import annotations

from functools import cached_property
from threading import Lock
from typing import Any, Self
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.errors import InvalidInputError
from maxmargin.kernels import (
    RBF,
    FeatureMap,
    Kernel,
    Linear,
    Semidefiniteness,
    feature_map,
    has_feature_map,
    is_positive_semidefinite,
)
from maxmargin.kernels.data import as_float64, count, largest_entry, take
from maxmargin.kernels.rounding import Bounds
from maxmargin.typing import Floats, Integers

__all__ = ["Points"]

# The largest Gram matrix, in bytes, that is computed as a whole, and the largest one that is kept
# because its kernel is expensive.
_WHOLE_MATRIX_BYTES = 1 << 30
_KEPT_MATRIX_BYTES = 1 << 27

# Entries of the data, or of the Gram matrix, that are held in float64 at one time.
_SLICE_ENTRIES = 1 << 24

# Entries of the data up to which weights are summed in extended precision: some milliseconds.
_EXTENDED_UP_TO = 1 << 20
_HAS_EXTENDED_PRECISION = bool(np.finfo(np.longdouble).eps < 2.0**-60)

# The number of points from which the spread is estimated.
_SAMPLE = 100

# With larger kernel values, float64 has no digits left for the rest of the objective.
_LARGEST_VALUE = 1e100

# Protects the table of the same points with other kernels.
_LOCK = Lock()


class Points:
    """Rows of data and a kernel, shared by problems about all or some of the rows.

    Parameters
    ----------
    X : array-like of shape (n, d), CSR matrix, or whatever the kernel takes
        The points. They are not copied and must not be changed while the object is in use.
    kernel : Kernel
        Linear by default. Parameters such as ``gamma="scale"`` are computed from X.

    Attributes
    ----------
    base : Points
        The points from which `take` selected these; otherwise the object itself.
    rows : ndarray of int or None
        The rows of the base that were selected; None for all of them.

    Examples
    --------
    >>> from maxmargin import solve_all
    >>> from maxmargin.kernels import RBF
    >>> from maxmargin.problems import Points, SoftMargin
    >>> points = Points([[0.0], [1.0], [2.0], [3.0]], RBF(1.0))
    >>> first, second = points.take([0, 1]), points.take([1, 2, 3])
    >>> problems = [SoftMargin(first, [-1, 1]), SoftMargin(second, [-1, 1, 1])]
    >>> [solution.converged for solution in solve_all(problems)]
    [True, True]
    """

    def __init__(self, X: Any, kernel: Kernel | None = None) -> None:
        kernel = Linear() if kernel is None else kernel
        if not isinstance(kernel, Kernel):
            raise InvalidInputError(
                f"kernel must be one of maxmargin.kernels, such as RBF(1.0); got {kernel!r}. "
                "Wrap a function as kernels.Function(f), a Gram matrix as kernels.Precomputed()."
            )
        checked = kernel.validate(X)
        self._set(checked, kernel.resolve(checked))

    @classmethod
    def checked(cls, X: Any, kernel: Kernel) -> Self:
        """Return points from data and a kernel that are validated and resolved already."""
        points = cls.__new__(cls)
        points._set(X, kernel)
        return points

    def _set(self, X: Any, kernel: Kernel) -> None:
        self._X = X
        self.kernel = kernel
        self.base: Points = self
        self.rows: Integers | None = None
        self.n_points = X.shape[0] if isinstance(X, np.ndarray) else count(X)
        #: Gram matrices in memory, from which solvers read rows, by the constant added to them.
        self.residents: dict[float, Any] = {}
        self._others: WeakValueDictionary[Kernel, Points] = WeakValueDictionary()

    def take(self, rows: Any) -> Points:
        """Return some of the points, by index or by a mask; they share what is known of all."""
        chosen = self._checked_rows(np.asarray(rows))
        view = Points.__new__(Points)
        view._X = None
        view.kernel = self.kernel
        view.base = self.base
        view.rows = chosen if self.rows is None else self.rows[chosen]
        view.n_points = len(chosen)
        view.residents = self.base.residents
        return view

    def _checked_rows(self, rows: NDArray[Any]) -> Integers:
        """Return rows as indices that exist."""
        if rows.dtype == bool and rows.shape == (self.n_points,):
            return np.flatnonzero(rows)
        is_list = rows.ndim == 1 and (rows.dtype.kind in "iu" or rows.size == 0)
        if not is_list or (rows.size and not 0 <= rows.min() <= rows.max() < self.n_points):
            raise InvalidInputError(
                f"rows must be indices from 0 to {self.n_points - 1}, or a mask of "
                f"{self.n_points} truth values."
            )
        return rows.astype(np.int64, copy=False)

    def compared_by(self, kernel: Kernel) -> Points:
        """Return the same points with another kernel, which is checked and resolved on them."""
        if kernel.compares_vectors and self.kernel.compares_vectors:
            return self.with_kernel(kernel.resolve(self.X))
        return Points(self.X, kernel)

    def with_kernel(self, kernel: Kernel) -> Points:
        """Return the same points with another kernel, whose parameters must be numbers."""
        if kernel == self.kernel:
            return self
        with _LOCK:
            other = self.base._others.get(kernel)
            if other is None:
                other = self.base._others[kernel] = Points.checked(self.base.X, kernel)
                if "largest" in self.base.__dict__:
                    other.__dict__["largest"] = self.base.largest
        return other if self.rows is None else other.take(self.rows)

    @property
    def X(self) -> Any:
        """The data."""
        if self._X is None:
            assert self.rows is not None
            rows, X = self.rows, self.base.X
            if self.kernel.compares_similarities:
                self._X = X[np.ix_(rows, rows)]
            else:
                self._X = X[rows] if isinstance(X, np.ndarray) else take(X, rows)
        return self._X

    def _rows_of(self, points: Integers) -> Any:
        """Return the data of some points, numbers in float64."""
        X, rows = self.base.X, self.places(points)
        if isinstance(X, np.ndarray) and X.dtype == np.float64:
            return X[rows]
        return as_float64(take(X, rows))

    def places(self, points: Integers) -> Integers:
        """Return the rows of the base that some of these points are."""
        return points if self.rows is None else self.rows[points]

    def __getstate__(self) -> dict[str, Any]:
        return {"X": self.X, "kernel": self.kernel}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._set(state["X"], state["kernel"])

    def __len__(self) -> int:
        return self.n_points

    def __repr__(self) -> str:
        return f"<Points: {self.n_points} compared by {self.kernel!r}>"

    # The data -----------------------------------------------------------------------------------

    @cached_property
    def largest(self) -> float:
        """The largest absolute value in rows of numbers (NaN if there is one), else zero."""
        if self.rows is not None:
            return self.base.largest
        X = self.X
        if isinstance(X, np.ndarray) and X.dtype.kind == "f":  # the usual case, without checks
            return float(max(X.max(initial=0.0), -X.min(initial=0.0)))
        return largest_entry(X)

    @cached_property
    def n_features(self) -> int | None:
        """The length of phi(x); None without a finite feature map."""
        if isinstance(self.kernel, RBF) or not has_feature_map(self.kernel):
            return None
        return FeatureMap(self.kernel).dimension(self.base.X.shape[1])

    @cached_property
    def features(self) -> Any:
        """Rows phi(x_i), for kernels that have a finite feature map."""
        return feature_map(self.kernel)(as_float64(self.X))

    @property
    def has_few_features(self) -> bool:
        """Whether products with the features cost no more than products with the Gram matrix."""
        return self.n_features is not None and self.n_features <= self.n_points

    # The Gram matrix ----------------------------------------------------------------------------

    @property
    def fits(self) -> bool:
        """Whether the Gram matrix is small enough to be computed as a whole."""
        return 8 * self.n_points**2 <= _WHOLE_MATRIX_BYTES

    @cached_property
    def matrix(self) -> Floats:
        """The Gram matrix in float64, kept for methods that need it again and again."""
        return self.gram()

    def gram(self) -> Floats:
        """Return the Gram matrix in float64; it is computed anew unless it is kept."""
        if "matrix" in self.__dict__:
            return self.matrix
        if self.rows is not None and "matrix" in self.base.__dict__:
            return self.base.matrix[np.ix_(self.rows, self.rows)]
        X = as_float64(self.X)
        values = self._require_moderate(self.kernel.block(X, X).astype(np.float64, copy=False))
        if self.kernel.positive_semidefinite is None:
            values = _symmetric(values, self.kernel)
        return values

    def keep_matrix(self, matrix: Floats | None = None) -> None:
        """Keep the Gram matrix, given or computed here if it is small enough."""
        if matrix is not None:
            self.__dict__["matrix"] = matrix
        elif self.fits and not self.has_few_features:
            _ = self.matrix

    @cached_property
    def semidefiniteness(self) -> Semidefiniteness:
        """Whether the Gram matrix is positive semidefinite, by its eigenvalues."""
        return is_positive_semidefinite(self.gram())

    @cached_property
    def diagonal(self) -> Floats:
        """k(x, x) of each point."""
        if self.rows is not None:
            return self.base.diagonal[self.rows]
        # Kernels with a formula compute the diagonal in float64 from any type of numbers.
        X = self.X if self.kernel.formula is not None else as_float64(self.X)
        with np.errstate(over="ignore", invalid="ignore"):
            values = self.kernel.diag(X)
        return self._require_moderate(values)

    @cached_property
    def bounds(self) -> Bounds:
        """Bounds on kernel values and their rounding errors, point by point."""
        if self.rows is not None:
            whole = self.base.bounds
            return Bounds(whole.size[self.rows], whole.error[self.rows])
        _ = self.diagonal  # raises an error if the kernel values are too large
        X = self.X if self.kernel.formula is not None else as_float64(self.X)
        with np.errstate(over="ignore", invalid="ignore"):
            return self.kernel.bounds(X)

    @cached_property
    def spread(self) -> float:
        """The mean squared distance of a sample of points from their mean, in feature space.

        It is zero if an indefinite kernel would make it negative.
        """
        sample = np.unique(np.linspace(0, self.n_points - 1, _SAMPLE).astype(np.int64))
        values = self.block(sample, sample)
        return max(float(values.diagonal().mean() - values.mean()), 0.0)

    def block(self, rows: Integers, columns: Integers) -> Floats:
        """Return kernel values between some of the points."""
        if self.kernel.compares_similarities:
            values = self.base.X[np.ix_(self.places(rows), self.places(columns))]
            return self.kernel.block(values, range(len(columns)))
        return self.kernel.block(self._rows_of(rows), self._rows_of(columns))

    def gram_rows(self, points: Integers) -> Floats:
        """Return rows of the Gram matrix."""
        if self.fits:
            return self.matrix[points]
        return self.block(points, np.arange(self.n_points))

    # Kernel expansions: sum_j coefficient_j k(x_j, x) -------------------------------------------

    #: The last coefficients expanded without the matrix, and their expansion.
    _last: tuple[Floats, Floats] | None = None

    def expansion(self, coefficients: Floats) -> Floats:
        """Return the kernel expansion at every point: the Gram matrix times the coefficients."""
        if not coefficients.any():
            return np.zeros(self.n_points)
        if type(self.kernel) is Linear:
            return self.scores(self.weights(coefficients))
        if self.has_few_features:
            return np.asarray(self.features @ (self.features.T @ coefficients))
        if self._keeps_matrix:
            return np.asarray(self.matrix @ coefficients)
        last = self._last
        if last is not None and np.array_equal(last[0], coefficients):
            return last[1].copy()
        _ = self.diagonal  # raises an error if the kernel values are too large
        values = self.expansion_at(self.X, coefficients)
        self._last = (np.array(coefficients), values.copy())
        return values

    @property
    def _keeps_matrix(self) -> bool:
        """Whether the matrix is kept, as it should be if the kernel is no formula of numbers."""
        is_expensive = self.kernel.formula is None and not self.kernel.compares_similarities
        is_small = 8 * self.n_points**2 <= _KEPT_MATRIX_BYTES
        return "matrix" in self.__dict__ or (is_expensive and is_small)

    def expansion_of(self, points: Integers, coefficients: Floats) -> Floats:
        """Return the kernel expansion at some of the points."""
        if self.kernel.formula is None and "matrix" in self.__dict__:
            return np.asarray(self.matrix[points] @ coefficients)
        if self.kernel.compares_similarities:
            support = np.flatnonzero(coefficients)
            return np.asarray(self.block(points, support) @ coefficients[support])
        return self.expansion_at(self._rows_of(points), coefficients)

    def expansion_at(self, X: Any, coefficients: Floats) -> Floats:
        """Return the kernel expansion at new points."""
        if type(self.kernel) is Linear:
            return _times(X, self.weights(coefficients))
        support = np.flatnonzero(coefficients)
        if len(support) == 0:
            return np.zeros(count(X))
        weights = coefficients[support]
        if self.kernel.compares_similarities:
            return np.asarray(self.kernel.block(X, self.X)[:, support] @ weights)
        vectors = self._rows_of(support)
        if self.kernel.formula is not None:
            new = X if X.dtype == np.float64 else as_float64(X)
            return self.kernel.formula.weighted(new, vectors, weights)
        step = max(1, _SLICE_ENTRIES // len(support))
        slices = [
            self.kernel.block(as_float64(X[start : start + step]), vectors) @ weights
            for start in range(0, count(X), step)
        ]
        return np.concatenate(slices)

    def weights(self, coefficients: Floats) -> Floats:
        """Return w = sum_j coefficient_j x_j of a linear kernel, per column of coefficients."""
        if self.has_extended_weights:
            wide = self.X.astype(np.longdouble).T @ coefficients.astype(np.longdouble)
            return np.asarray(wide, dtype=np.float64)
        total = np.zeros((self.X.shape[1], *coefficients.shape[1:]))
        for part in _slices(self.X):
            total += as_float64(self.X[part]).T @ coefficients[part]
        return total

    @property
    def has_extended_weights(self) -> bool:
        """Whether `weights` sums in extended precision: w is small where its terms are large."""
        if type(self.kernel) is not Linear or not _HAS_EXTENDED_PRECISION:
            return False
        X = self.X
        return bool((X.nnz if sparse.issparse(X) else X.size) <= _EXTENDED_UP_TO)

    def scores(self, weights: Floats) -> Floats:
        """Return w'x at every point, for a linear kernel, per column of weights."""
        return _times(self.X, weights)

    def _require_moderate(self, values: Floats) -> Floats:
        largest = float(np.abs(values).max(initial=0.0))
        if not largest <= _LARGEST_VALUE:
            raise InvalidInputError(
                f"{self.kernel!r} is too large on this data: it reaches {largest:.3g}. Scale the "
                "features, or choose other parameters of the kernel."
            )
        return values


def _slices(X: Any) -> list[slice]:
    """Divide the rows into slices that take little memory in float64."""
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
