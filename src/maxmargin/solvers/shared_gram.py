"""One Gram matrix for a whole search, and what the matrices of its kernels share.

Kernels that differ in gamma, degree or coef0 are functions of the same dot products or distances.
These are found once, in float64; each kernel's matrix is an elementwise function of them. All
machines of a search whose kernel is the same then read one matrix.
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
from maxmargin.kernels.data import count
from maxmargin.problems.gram import Gram, as_float64
from maxmargin.solvers.whole_gram import fill_symmetric
from maxmargin.typing import Floats, Integers

__all__ = ["PairSums", "SharedGram", "can_share"]

# Entries that one call of the core computes, and of distances those that one thread finds at once.
_BLOCK_ENTRIES = 1 << 22
_FEW_ENTRIES = 1 << 19
_CACHE_LINE = 64
_PAGE = 4096
_LARGE = 1 << 23

# Beyond these, squares and products leave the range of float32.
_LARGEST = 1e15

# Rows that tell how far float32 is off: spread evenly, and those far from the centre.
_EVENLY = 48
_FAR = 16


class PairSums:
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


def can_share(kernel: Kernel, X: Any) -> bool:
    """Say whether the search's matrix can hold the kernel's values in float32.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernels import RBF
    >>> from maxmargin.solvers.shared_gram import can_share
    >>> can_share(RBF(1.0), np.eye(2)), can_share(RBF(1.0), 1e20 * np.eye(2))
    (True, False)
    """
    formula = kernel.formula
    if formula is None or not formula.is_product_form:
        return True
    values = X.data if sparse.issparse(X) else X
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    return largest <= _LARGEST and 1 / _LARGEST < formula.gamma < _LARGEST


class SharedGram:
    """A kernel's matrix over all points of a search, with room behind it.

    Parameters
    ----------
    n_points : int
        Points of the search.
    dtype : float32 or float64
        Of the values.
    """

    def __init__(self, n_points: int, dtype: type[np.float32] | type[np.float64]) -> None:
        self.n_points = n_points
        self.dtype = dtype
        lanes = _CACHE_LINE // np.dtype(dtype).itemsize
        stride = (n_points // lanes + 2) * lanes
        # Rows a page apart would share a few cache sets.
        stride += lanes * (stride * np.dtype(dtype).itemsize % _PAGE == 0)
        memory = _large_array((n_points + 1) * stride + lanes, dtype)
        skipped = (-memory.ctypes.data % _CACHE_LINE) // memory.itemsize
        end = skipped + (n_points + 1) * stride
        self.values: NDArray[Any] = memory[skipped:end].reshape(n_points + 1, stride)
        self.gram: Gram | None = None

    def fill(
        self,
        kernel: Kernel,
        sums: PairSums,
        constant: float,
        stop: Callable[[], bool] | None = None,
    ) -> bool:
        """Compute the matrix of a kernel with numbers for its parameters, plus a constant.

        Returns whether it is complete: `stop` is asked now and then, and True ends it.
        """
        # Until all values are there it is the matrix of nothing.
        self.gram = None
        self.__dict__.pop("_rounding", None)
        gram, formula = Gram(kernel, sums.X, constant), kernel.formula
        if formula is not None and self._is_function_of_sums(formula):
            found = sums.distances if formula.form == "gaussian" else sums.products
            _native.map_gram(
                formula.native_form,
                found.astype(self.dtype, copy=False),
                self.values,
                formula.gamma,
                formula.coef0,
                formula.degree,
                formula.factor,
                constant,
                sums.n_threads,
            )
            self.gram = gram
            return True
        asked = stop if stop is not None else lambda: False
        dear = kernel.compares_sequences or kernel.compares_columns
        fill = self._fill_by_stripes if dear else self._fill_by_blocks
        with threads_at_most(sums.n_threads):
            complete = fill(gram, asked)
        if complete:
            self.gram = gram
        return complete

    def _is_function_of_sums(self, formula: Formula) -> bool:
        # Distances were rounded to float32, which a matrix in float64 would not get over.
        return formula.is_product_form and (formula.form != "gaussian" or self.dtype is np.float32)

    def _fill_by_blocks(self, gram: Gram, stop: Callable[[], bool]) -> bool:
        n = self.n_points
        step = max(1, _BLOCK_ENTRIES // max(n, 1))
        everything = np.arange(n)
        for start in range(0, n, step):
            if stop():
                return False
            rows = everything[start : start + step]
            self.values[rows, :n] = gram.block(rows, everything) + gram.constant
        return True

    def _fill_by_stripes(self, gram: Gram, stop: Callable[[], bool]) -> bool:
        n = self.n_points
        within = gram.kernel.within(gram.X)

        def block(rows: Integers, columns: Integers | None) -> Floats:
            return np.asarray(within(rows, columns) + gram.constant)

        return fill_symmetric(self.values[:n, :n], block, lambda _: stop() or None) is None

    def holds(self, wanted: Gram) -> bool:
        """Say whether this is the matrix of that kernel at these points."""
        gram = self.gram
        if gram is None or gram.X is not wanted.X:
            return False
        return gram.kernel == wanted.kernel and gram.constant == wanted.constant

    def take(self, points: Integers) -> Floats:
        """Return the rows and columns of some points in float64."""
        return np.ascontiguousarray(self.values[np.ix_(points, points)], dtype=np.float64)

    def weigh(self, points: Integers, coefficients: Floats, at: Integers) -> Floats:
        """Return sum_j coefficient_j k(x_j, x) at some points x, given the points x_j."""
        used = np.flatnonzero(coefficients)
        rows = self.values[np.ix_(points[used], at)]
        return np.asarray(coefficients[used] @ rows, dtype=np.float64)

    def exact(self, points: Integers, coefficients: Floats) -> Floats:
        """Return the same at every point from the kernel itself, in float64."""
        assert self.gram is not None
        everywhere = np.zeros(self.n_points)
        np.add.at(everywhere, points, coefficients)
        return self.gram.products(np.arange(self.n_points), everywhere)

    @property
    def rounding(self) -> Floats | None:
        """What the matrix has more than the kernel's float64 values, in a sample of rows.

        None for a matrix in float64.
        """
        if self.dtype is np.float64:
            return None
        if "_rounding" not in self.__dict__:
            self._rounding = self._measured_rounding()
        return self._rounding

    def _measured_rounding(self) -> Floats:
        assert self.gram is not None
        n = self.n_points
        sample = np.linspace(0, n - 1, min(n, _EVENLY)).astype(np.int64)
        if self.gram.kernel.formula is not None:
            norms = PairSums(self.gram.X, 1).norms
            sample = np.concatenate([sample, np.argsort(-norms, kind="stable")[:_FAR]])
        sample = np.unique(sample)
        exact = self.gram.block(sample, np.arange(n)) + self.gram.constant
        return np.asarray(self.values[sample, :n] - exact)


def _large_array(size: int, dtype: type[np.float32] | type[np.float64]) -> NDArray[Any]:
    """Return zeros in large pages where the system has them: to touch small ones takes longer."""
    n_bytes = size * np.dtype(dtype).itemsize
    if n_bytes < _LARGE or sys.platform != "linux":
        return np.zeros(size, dtype=dtype)
    memory = mmap.mmap(-1, n_bytes)
    memory.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(memory, dtype=dtype)
