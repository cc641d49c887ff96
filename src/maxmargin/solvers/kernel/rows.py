"""Sources of kernel rows, their precision, and the stores that keep them.

Rows are float32 if that is accurate enough; multipliers and gradient are float64.
native/decomposition/rounding.h corrects the gradient for the rounding of the rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

import maxmargin._native as _native
from maxmargin.kernels import Kernel, Precomputed
from maxmargin.kernels.blocks import Formula, as_rows
from maxmargin.kernels.comparisons import threads_at_most
from maxmargin.problems import Points
from maxmargin.solvers.kernel.memory import ALWAYS_THERE, has_room_for_whole, row_budget
from maxmargin.solvers.kernel.stripes import Pause, UnfinishedGramError, fill_symmetric
from maxmargin.typing import Floats, Integers

__all__ = ["KernelRows", "first_alike", "widest"]

# An exponent found as a difference of sums this large loses its digits, in either precision.
_LARGEST_EXPONENT = {np.float32: 256.0, np.float64: 1e5}

# Squares and products of more than this leave the range of float32.
_LARGEST_SAFE = 1e15

# Sparse points are read in blocks instead of dense panels if panels would take more than this many
# bytes per stored entry, and more than the second number of bytes in all.
_MOST_BYTES_PER_ENTRY = 256
_ALWAYS_FINE = 1 << 28

# The largest working set; its matrix may take this share of the memory for rows.
_WIDEST = 9216
_SHARE_OF_WIDEST = 0.25

_NO_ERRORS = np.zeros((0, 0))


class KernelRows:
    """Gram rows of some points for one call of `solve_all`, in float32 or float64.

    Parameters
    ----------
    points : Points
        All different, in the order in which the rows lay them out.
    constant : float
        Added to every kernel value: that of a regularised bias.
    boundaries : ndarray of int
        Where a segment of the points begins; rows are kept by segment.
    cache_size : float, optional
        Memory for kept rows in MB; by default the whole matrix if it fits in a quarter of the
        available memory, else that quarter.
    n_threads : int
        At most this many.
    """

    def __init__(
        self,
        points: Points,
        constant: float,
        boundaries: Integers,
        cache_size: float | None,
        n_threads: int,
    ) -> None:
        self.points = points
        self.constant = constant
        self.boundaries = boundaries
        self.cache_size = cache_size
        self.n_threads = n_threads
        whole = 4 * points.n_points**2
        is_small = cache_size is None and whole <= ALWAYS_THERE
        self.budget = whole if is_small else row_budget(points.n_points, cache_size)
        self._whole: NDArray[np.float64] | None = None
        self._stores: dict[type, Any] = {}
        #: Points far from the centre, where distances in float32 lose most digits.
        self.farthest: list[int] = []

    # Stores -------------------------------------------------------------------------------------

    def store(self, pause: Pause) -> Any:
        """Return the store in the coarsest precision that will do.

        `pause` is asked now and then while a whole matrix is computed; it returns what ends that.
        """
        coarse = None if self._prefers_float64 else self._store(np.float32, pause)
        return self._store(np.float64, pause) if coarse is None else coarse

    def fine_store(self) -> Any:
        """Return the store in float64."""
        return self._store(np.float64, lambda _: None)

    def widest(self, store: Any) -> int:
        """Return the size of the largest working set for a store."""
        return widest(self.budget, 4 if isinstance(store, _native.Store32) else 8)

    def _store(self, dtype: type[np.float32] | type[np.float64], pause: Pause) -> Any:
        if dtype not in self._stores:
            source = self._source(dtype, pause)
            if source is None:
                return None
            self.farthest = list(source.farthest)
            kind = _native.Store32 if dtype is np.float32 else _native.Store64
            itemsize = np.dtype(dtype).itemsize
            taken = itemsize * widest(self.budget, itemsize) ** 2
            self._stores[dtype] = kind(source, self.boundaries, self.budget - taken)
        return self._stores[dtype]

    # Exact values -------------------------------------------------------------------------------

    @property
    def exact(self) -> Callable[[Integers, Floats], Floats] | None:
        """Expansions in float64, to measure rounding; None if the rows are exact."""
        return self.expansion if self.points.kernel.formula is not None else None

    @property
    def row_errors(self) -> Floats:
        """The rounding errors of a sample of rows, if they are known."""
        return _NO_ERRORS

    #: Whether all rows lie in memory.
    is_resident = False

    def expansion(self, points: Integers, coefficients: Floats) -> Floats:
        """Return the expansion of coefficients at some points, with the constant, in float64."""
        values = self.points.expansion_of(points, coefficients)
        return values + self.constant * float(coefficients.sum()) if self.constant else values

    # Sources ------------------------------------------------------------------------------------

    @property
    def _prefers_float64(self) -> bool:
        """Whether float32 rows are known to be too coarse, or no cheaper."""
        kernel, X = self.points.kernel, self.points.X
        if isinstance(kernel, Precomputed):
            return bool(X.dtype == np.float64)
        formula = kernel.formula
        if formula is None:
            return True
        if formula.form == "gaussian":
            in_range = 1 / _LARGEST_SAFE < formula.gamma < _LARGEST_SAFE
            return self.points.largest > _LARGEST_SAFE or not in_range
        # Values that grow with the data lose too many digits in float32, or overflow.
        if X.dtype == np.float64:
            return True
        with np.errstate(over="ignore", invalid="ignore"):
            largest = float(np.abs(kernel.diag(X)).max(initial=0.0))
        return not largest <= _LARGEST_SAFE

    def _source(self, dtype: type[np.float32] | type[np.float64], pause: Pause) -> Any:
        """Return the native source of rows; None if this precision cannot hold the values."""
        native = _native.Source32 if dtype is np.float32 else _native.Source64
        kernel, X = self.points.kernel, self.points.X
        if isinstance(kernel, Precomputed):
            return native.of_matrix(np.ascontiguousarray(X), 1.0, self.constant)
        formula = kernel.formula
        if formula is None:
            if self._pays_whole(kernel):
                return native.of_matrix(self._whole_matrix(pause), 1.0, self.constant)
            blocks = _blocks(self.points, self.constant, self.n_threads, dtype)
            return native.of_function(self.points.n_points, blocks)
        if formula.is_product_form and _has_room_for_panels(X):
            made = native.by_products(
                as_rows(X, X.dtype),
                self.boundaries,
                *_arguments(formula, self.constant),
                self.n_threads,
            )
            radial = formula.form == "gaussian"
            if not radial or 2 * made.exponent_scale <= _LARGEST_EXPONENT[dtype]:
                return made
            if dtype is np.float32 and X.dtype == np.float64:
                return None
        return native.by_blocks(as_rows(X, dtype), *_arguments(formula, self.constant))

    def _pays_whole(self, kernel: Kernel) -> bool:
        """Say whether the kernel is expensive and its whole matrix fits in memory."""
        expensive = kernel.compares_sequences or kernel.compares_columns
        symmetric = kernel.positive_semidefinite is True
        return expensive and symmetric and has_room_for_whole(self.points.n_points, self.cache_size)

    def _whole_matrix(self, pause: Pause) -> NDArray[np.float64]:
        """Return the Gram matrix; raise `UnfinishedGramError` if the pause ends its computation."""
        if self._whole is not None:
            return self._whole
        matrix = np.empty((self.points.n_points, self.points.n_points))
        blocks = _blocks(self.points, 0.0, self.n_threads, np.float64)
        ending = fill_symmetric(matrix, blocks, pause)
        if ending is not None:
            raise UnfinishedGramError(ending)
        self.points.keep_matrix(matrix)
        self._whole = matrix
        return matrix


def _blocks(
    points: Points, constant: float, n_threads: int, dtype: type
) -> Callable[[Integers, Integers | None], NDArray[Any]]:
    """Return a function of rows and columns that gives kernel values between the points."""
    with threads_at_most(n_threads):
        within = points.kernel.within(points.X)

    def block(rows: Integers, columns: Integers | None) -> NDArray[Any]:
        with threads_at_most(n_threads):
            values = within(rows, columns) + constant
        return np.ascontiguousarray(values, dtype=dtype)

    return block


def widest(budget: int, itemsize: int) -> int:
    """Return the size of the largest working set whose matrix fits in the memory for rows.

    Examples
    --------
    >>> from maxmargin.solvers.kernel.rows import widest
    >>> widest(1 << 20, itemsize=4), widest(1 << 40, itemsize=4)
    (256, 9216)
    """
    return min(_WIDEST, math.isqrt(int(_SHARE_OF_WIDEST * budget) // itemsize))


def first_alike(X: Any) -> Integers:
    """Return for each row of numbers the first one that equals it."""
    return np.asarray(_native.first_alike(as_rows(X, X.dtype)))


def _has_room_for_panels(X: Any) -> bool:
    n_bytes = 4 * X.shape[0] * X.shape[1]
    if not sparse.issparse(X) or n_bytes <= _ALWAYS_FINE:
        return True
    return bool(n_bytes <= _MOST_BYTES_PER_ENTRY * X.nnz)


def _arguments(
    formula: Formula, constant: float
) -> tuple[_native.Form, float, float, int, float, float]:
    return (
        formula.native_form,
        formula.gamma,
        formula.coef0,
        formula.degree,
        formula.factor,
        constant,
    )
