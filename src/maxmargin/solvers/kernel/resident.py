"""Gram matrices in memory, for many problems over the same points.

Kernels that differ in gamma, degree or coef0 are functions of the same dot products or squared
distances. These are computed once, in float64; each kernel's matrix is an elementwise function of
them. Problems over `Points` with such a matrix read its rows instead of computing them.
"""

from __future__ import annotations

import mmap
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

import maxmargin._native as _native
from maxmargin.kernels import Kernel
from maxmargin.kernels.blocks import Formula, block
from maxmargin.kernels.comparisons import threads_at_most
from maxmargin.kernels.data import as_float64, count, largest_entry
from maxmargin.problems import Points
from maxmargin.solvers.kernel.rows import KernelRows
from maxmargin.solvers.kernel.stripes import Pause, fill_symmetric
from maxmargin.typing import Floats, Integers

__all__ = ["PairTerms", "ResidentGram", "can_be_resident"]

# Entries that one call of the core computes, and distances that one thread computes at a time.
_BLOCK_ENTRIES = 1 << 22
_FEW_ENTRIES = 1 << 19

# Bytes. Rows begin on a cache line, and are not a whole page apart; matrices of at least _LARGE
# bytes use large pages.
_CACHE_LINE = 64
_PAGE = 4096
_LARGE = 1 << 23

# Beyond these, squares and products leave the range of float32.
_LARGEST = 1e15

# Rows sampled to measure the rounding of float32: evenly spread ones, and those farthest from the
# centre.
_EVENLY = 48
_FAR = 16

_NO_ERRORS = np.zeros((0, 0))
_EVERYTHING = 9216


class PairTerms:
    """Squared distances and dot products of all points, each computed when first asked for.

    Parameters
    ----------
    X : data
        Validated by a kernel.
    n_threads : int
        At most this many.
    """

    def __init__(self, X: Any, n_threads: int) -> None:
        self.X = X
        self.n_threads = n_threads
        self.n_points = count(X)

    @cached_property
    def norms(self) -> Floats:
        """Squared norms of the points."""
        X = as_float64(self.X)
        if sparse.issparse(X):
            return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
        return np.asarray(np.einsum("ij,ij->i", X, X))

    @cached_property
    def distances(self) -> NDArray[np.float32]:
        """Squared distances, rounded once: found in float64."""
        X, norms, n = as_float64(self.X), self.norms, self.n_points
        found: NDArray[np.float32] = _large_array(n * n, np.float32).reshape(n, n)
        step = max(1, _FEW_ENTRIES // max(n, 1))

        def find(start: int) -> None:
            rows = slice(start, start + step)
            values = block("linear", X[rows], X, n_threads=1)
            np.multiply(values, -2.0, out=values)
            values += norms[rows, None]
            values += norms
            np.maximum(values, 0.0, out=found[rows])

        with ThreadPoolExecutor(self.n_threads) as pool:
            list(pool.map(find, range(0, n, step)))
        return found

    @cached_property
    def products(self) -> Floats:
        """Dot products."""
        X = as_float64(self.X)
        return block("linear", X, X, n_threads=self.n_threads)


def can_be_resident(kernel: Kernel, X: Any) -> bool:
    """Say whether a matrix in float32 can hold the kernel's values.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernels import RBF
    >>> from maxmargin.solvers.kernel.resident import can_be_resident
    >>> can_be_resident(RBF(1.0), np.eye(2)), can_be_resident(RBF(1.0), 1e20 * np.eye(2))
    (True, False)
    """
    formula = kernel.formula
    if formula is None or not formula.is_product_form:
        return True
    return largest_entry(X) <= _LARGEST and 1 / _LARGEST < formula.gamma < _LARGEST


class ResidentGram:
    """The Gram matrix of one kernel after the other over the same points.

    Parameters
    ----------
    n_points : int
        The number of points.
    dtype : float32 or float64
        Of the values.
    """

    def __init__(self, n_points: int, dtype: type[np.float32] | type[np.float64]) -> None:
        self.n_points = n_points
        self.dtype = dtype
        lanes = _CACHE_LINE // np.dtype(dtype).itemsize
        stride = (n_points // lanes + 2) * lanes
        # Rows a page apart would compete for a few cache sets.
        stride += lanes * (stride * np.dtype(dtype).itemsize % _PAGE == 0)
        memory = _large_array((n_points + 1) * stride + lanes, dtype)
        skipped = (-memory.ctypes.data % _CACHE_LINE) // memory.itemsize
        end = skipped + (n_points + 1) * stride
        self.values: NDArray[Any] = memory[skipped:end].reshape(n_points + 1, stride)
        #: The points whose matrix this is, with their kernel; None while it is empty.
        self.points: Points | None = None
        self.constant = 0.0

    def fill(
        self,
        points: Points,
        terms: PairTerms,
        constant: float,
        stop: Callable[[], bool] | None = None,
    ) -> bool:
        """Compute the matrix of points, plus a constant, and lend it to them.

        Returns whether it is complete: `stop` is asked now and then, and True ends it.
        """
        self.release()
        self.__dict__.pop("row_errors", None)
        formula = points.kernel.formula
        if formula is not None and self._is_function_of_terms(formula):
            found = terms.distances if formula.form == "gaussian" else terms.products
            _native.map_gram(
                formula.native_form,
                found.astype(self.dtype, copy=False),
                self.values,
                formula.gamma,
                formula.coef0,
                formula.degree,
                formula.factor,
                constant,
                terms.n_threads,
            )
            complete = True
        else:
            asked = stop if stop is not None else lambda: False
            kernel = points.kernel
            expensive = kernel.compares_sequences or kernel.compares_columns
            fill = self._fill_by_stripes if expensive else self._fill_by_blocks
            with threads_at_most(terms.n_threads):
                complete = fill(points, constant, asked)
        if complete:
            self.points, self.constant = points, constant
            points.base.residents[constant] = self
        return complete

    def release(self) -> None:
        """Take the matrix back from the points that it was lent to."""
        if self.points is not None and self.points.base.residents.get(self.constant) is self:
            del self.points.base.residents[self.constant]
        self.points = None

    def _is_function_of_terms(self, formula: Formula) -> bool:
        # Distances are float32, too coarse for a matrix in float64.
        return formula.is_product_form and (formula.form != "gaussian" or self.dtype is np.float32)

    def _fill_by_blocks(self, points: Points, constant: float, stop: Callable[[], bool]) -> bool:
        n = self.n_points
        step = max(1, _BLOCK_ENTRIES // max(n, 1))
        everything = np.arange(n)
        for start in range(0, n, step):
            if stop():
                return False
            rows = everything[start : start + step]
            self.values[rows, :n] = points.block(rows, everything) + constant
        return True

    def _fill_by_stripes(self, points: Points, constant: float, stop: Callable[[], bool]) -> bool:
        n = self.n_points
        within = points.kernel.within(points.X)

        def values(rows: Integers, columns: Integers | None) -> Floats:
            return np.asarray(within(rows, columns) + constant)

        return fill_symmetric(self.values[:n, :n], values, lambda _: stop() or None) is None

    def holds(self, points: Points, constant: float) -> bool:
        """Say whether this is the matrix of these points and their kernel."""
        own = self.points
        if own is None or own.base.X is not points.base.X:
            return False
        return own.kernel == points.kernel and self.constant == constant

    def rows(self, n_threads: int) -> ResidentRows:
        """Return the matrix as the rows of a run."""
        assert self.points is not None
        return ResidentRows(self, self.points, n_threads)

    def expand(self, coefficients: Floats, at: Integers, n_threads: int) -> Floats:
        """Return the expansions of coefficients, a vector per row, at some points."""
        found = _native.expand(
            self.values, self.n_points, np.ascontiguousarray(coefficients), at, n_threads
        )
        return np.asarray(found).reshape(len(coefficients), len(at))

    @cached_property
    def row_errors(self) -> Floats:
        """The rounding errors of a sample of rows; empty if the matrix is float64."""
        if self.dtype is np.float64:
            return _NO_ERRORS
        assert self.points is not None
        n, points = self.n_points, self.points
        sample = np.linspace(0, n - 1, min(n, _EVENLY)).astype(np.int64)
        if points.kernel.formula is not None:
            norms = PairTerms(points.X, 1).norms
            sample = np.concatenate([sample, np.argsort(-norms, kind="stable")[:_FAR]])
        sample = np.unique(sample)
        exact = points.block(sample, np.arange(n)) + self.constant
        return np.ascontiguousarray(self.values[sample, :n] - exact, dtype=np.float64)


class ResidentRows(KernelRows):
    """The rows of a resident matrix, which a run reads instead of computing them."""

    is_resident = True

    def __init__(self, gram: ResidentGram, points: Points, n_threads: int) -> None:
        boundaries = np.array([0, gram.n_points], dtype=np.int64)
        super().__init__(points, gram.constant, boundaries, None, n_threads)
        self.gram = gram

    def store(self, pause: Pause) -> Any:
        """Return the matrix as a store."""
        del pause
        values, n = self.gram.values, self.gram.n_points
        if self.gram.dtype is np.float32:
            return _native.Store32(_native.Source32.of_resident(values, n), self.boundaries, 0)
        return _native.Store64(_native.Source64.of_resident(values, n), self.boundaries, 0)

    def widest(self, store: Any) -> int:
        """Return the most variables that may be worked on together."""
        del store
        return _EVERYTHING

    @property
    def exact(self) -> Callable[[Integers, Floats], Floats] | None:
        """Expansions in float64; None if the matrix is exact."""
        return None if self.gram.dtype is np.float64 else self.expansion

    @property
    def row_errors(self) -> Floats:
        """The rounding errors of a sample of rows."""
        return self.gram.row_errors


def _large_array(size: int, dtype: type[np.float32] | type[np.float64]) -> NDArray[Any]:
    """Return zeros, in large pages if the system has them, because those are faster to touch."""
    n_bytes = size * np.dtype(dtype).itemsize
    if n_bytes < _LARGE or sys.platform != "linux":
        return np.zeros(size, dtype=dtype)
    memory = mmap.mmap(-1, n_bytes)
    memory.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(memory, dtype=dtype)
