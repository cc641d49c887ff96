"""Where the engine's kernel rows come from, and in which precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

import maxmargin._native as _native
from maxmargin.kernels import Kernel, Precomputed
from maxmargin.kernels.blocks import Formula, as_rows
from maxmargin.kernels.comparisons import threads_at_most
from maxmargin.kernels.data import count
from maxmargin.solvers.memory import has_room_for_whole
from maxmargin.solvers.whole_gram import Pause, UnfinishedGramError, fill_symmetric
from maxmargin.typing import Integers

__all__ = ["RowSources", "first_alike"]

# An exponent found as a difference of sums this large loses its digits, in either precision.
_LARGEST_EXPONENT = {np.float32: 256.0, np.float64: 1e5}

# Squares and products of more than this leave the range of float32.
_LARGEST_SAFE = 1e15

# Wide sparse points take more memory side by side than this many bytes an entry; then in blocks.
_MOST_BYTES_PER_ENTRY = 256
_ALWAYS_FINE = 1 << 28


class RowSources:
    """Rows of one kernel on one data set, in float32 or float64.

    Parameters
    ----------
    kernel : Kernel
        With numbers for its parameters.
    X : data
        Validated by the kernel.
    constant : float
        Added to every value.
    n_threads : int
        For laying out the data, and comparing sequences.
    cache_mb : float, optional
        Memory for rows, as `maxmargin.solvers.engine.Engine` takes it.
    """

    #: Asked now and then while a matrix is computed; returns what ends that, if anything does.
    pause: Pause = staticmethod(lambda _: None)

    def __init__(
        self,
        kernel: Kernel,
        X: Any,
        constant: float,
        n_threads: int,
        cache_mb: float | None = None,
    ) -> None:
        self.kernel = kernel
        self.X = X
        self.constant = constant
        self.n_threads = n_threads
        self.cache_mb = cache_mb
        self.n_points = count(X)
        #: The whole matrix in float64, once it was computed.
        self.whole: NDArray[np.float64] | None = None

    @property
    def prefers_float64(self) -> bool:
        """Whether float32 rows are known to be too coarse, or no cheaper."""
        if isinstance(self.kernel, Precomputed):
            return bool(self.X.dtype == np.float64)
        formula = self.kernel.formula
        if formula is None:
            return True
        if formula.form != "gaussian":
            # Values that grow with the data lose digits, or overflow, before the tolerance is met.
            if self.X.dtype == np.float64:
                return True
            with np.errstate(over="ignore", invalid="ignore"):
                largest = float(np.abs(self.kernel.diag(self.X)).max(initial=0.0))
            return not largest <= _LARGEST_SAFE
        values = self.X.data if sparse.issparse(self.X) else self.X
        largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
        return largest > _LARGEST_SAFE or not 1 / _LARGEST_SAFE < formula.gamma < _LARGEST_SAFE

    def source(self, dtype: type[np.float32] | type[np.float64], boundaries: Integers) -> Any:
        """Return the native source of rows, or None where this precision cannot hold the values."""
        native = _native.Source32 if dtype is np.float32 else _native.Source64
        if isinstance(self.kernel, Precomputed):
            return native.of_matrix(np.ascontiguousarray(self.X), 1.0, self.constant)
        formula = self.kernel.formula
        if formula is None:
            if self._pays_whole:
                self.whole = self._whole() if self.whole is None else self.whole
                return native.of_matrix(self.whole, 1.0, 0.0)
            return native.of_function(self.n_points, self._blocks(dtype))
        if formula.is_product_form and self._has_room_for_panels():
            made = native.by_products(
                as_rows(self.X, self.X.dtype),
                boundaries,
                *_arguments(formula, self.constant),
                self.n_threads,
            )
            radial = formula.form == "gaussian"
            if not radial or 2 * made.exponent_scale <= _LARGEST_EXPONENT[dtype]:
                return made
            if dtype is np.float32 and self.X.dtype == np.float64:
                return None
        return native.by_blocks(as_rows(self.X, dtype), *_arguments(formula, self.constant))

    def _has_room_for_panels(self) -> bool:
        n_bytes = 4 * self.X.shape[0] * self.X.shape[1]
        if not sparse.issparse(self.X) or n_bytes <= _ALWAYS_FINE:
            return True
        return bool(n_bytes <= _MOST_BYTES_PER_ENTRY * self.X.nnz)

    @property
    def _pays_whole(self) -> bool:
        """Whether pairs are dear, so that each is compared once, and there is room for all."""
        dear = self.kernel.compares_sequences or self.kernel.compares_columns
        symmetric = self.kernel.positive_semidefinite is True
        return dear and symmetric and has_room_for_whole(self.n_points, self.cache_mb)

    def _whole(self) -> NDArray[np.float64]:
        """Return the whole matrix; raise `UnfinishedGramError` where the pause ends it before."""
        matrix = np.empty((self.n_points, self.n_points))
        try:
            ending = fill_symmetric(matrix, self._blocks(np.float64), self.pause)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                "The fit was interrupted before its kernel matrix was complete: there is no model "
                "yet."
            ) from None
        if ending is not None:
            raise UnfinishedGramError(ending)
        return matrix

    def _blocks(self, dtype: type) -> Callable[[Integers, Integers | None], NDArray[Any]]:
        with threads_at_most(self.n_threads):
            within = self.kernel.within(self.X)

        def block(rows: Integers, columns: Integers | None) -> NDArray[Any]:
            with threads_at_most(self.n_threads):
                values = within(rows, columns) + self.constant
            return np.ascontiguousarray(values, dtype=dtype)

        return block


def first_alike(X: Any) -> Integers:
    """Return for each row of numbers the first one that equals it."""
    return np.asarray(_native.first_alike(as_rows(X, X.dtype)))


def _arguments(formula: Formula, constant: float) -> tuple[Any, ...]:
    return (
        formula.native_form,
        formula.gamma,
        formula.coef0,
        formula.degree,
        formula.factor,
        constant,
    )
