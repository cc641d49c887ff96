"""Blocks of kernel values from the native core: K[i, j] = k(a_i, b_j).

This file turns arrays of any layout and sparse matrices of any format into what the core reads
(C-contiguous or canonical CSR rows of one floating type), lends the core SciPy's BLAS and LAPACK,
and chooses the number of threads.
"""

from __future__ import annotations

import ctypes
import math
import os
import re
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse
from scipy.linalg import cython_blas, cython_lapack

import maxmargin._native as _native
from maxmargin.errors import InvalidInputError
from maxmargin.kernels.blas_threads import single_threaded_blas

__all__ = [
    "Form",
    "Formula",
    "as_rows",
    "block",
    "connect_blas",
    "connect_lapack",
    "default_threads",
    "simd_level",
    "simd_levels",
    "use_simd_level",
]

Form = Literal["linear", "polynomial", "gaussian", "tanh", "laplacian", "chi2"]

_FORMS: dict[str, _native.Form] = {name: _native.Form[name] for name in get_args(Form)}
_RADIAL = frozenset({"gaussian", "laplacian", "chi2"})
_LARGEST_DEGREE = 2**31 - 1
_MOST_THREADS = 1024

# Kernel values that `Formula.weighted` holds at one time.
_SLICE_ENTRIES = 1 << 24

# In float32 the core computes gamma |a - b|^2 as a difference of terms. Beyond this size of the
# terms, too few digits of the difference are left.
_LARGEST_EXPONENT = 256.0

# With fewer multiplications than this a second thread costs more than it saves; OpenBLAS, too,
# then uses one.
_WORK_FOR_ONE_THREAD = 4 * 65536

_NO_LIMIT = nullcontext()


@dataclass(frozen=True)
class Formula:
    """A kernel that the native core computes: factor times a form with its parameters."""

    form: Form
    gamma: float = 1.0
    coef0: float = 0.0
    degree: int = 3
    factor: float = 1.0

    def block(self, A: Any, B: Any) -> NDArray[Any]:
        """Return the kernel values between the rows of A and the rows of B."""
        values = block(self.form, A, B, gamma=self.gamma, coef0=self.coef0, degree=self.degree)
        return values if self.factor == 1.0 else np.multiply(self.factor, values)

    def weighted(self, A: Any, B: Any, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return sum_j weight_j k(a, b_j) for each row a of A, without the block if possible."""
        left, right = _as_matrix("A", A), _as_matrix("B", B)
        _require_equal_columns(left, right)
        given = np.ascontiguousarray(weights, dtype=np.float64)
        if self.is_product_form:
            common = np.result_type(left.dtype, right.dtype)
            if common == np.float32 and self.form == "gaussian" and not sparse.issparse(right):
                far = self._is_far(right)
                if far.any() and not far.all():
                    distant = right[far].astype(np.float64)
                    rest = self.weighted(left.astype(np.float64), distant, given[far])
                    return self.weighted(left, right[~far], given[~far]) + rest
            # If distances cancel too much in float32, float64 is faster than exact differences.
            for dtype in dict.fromkeys((common, np.dtype(np.float64))):
                values = self._weighted_by_panels(left, right, given, dtype)
                if values is not None:
                    return values
        values = np.empty(left.shape[0])
        step = max(1, _SLICE_ENTRIES // max(right.shape[0], 1))
        for start in range(0, left.shape[0], step):
            part = slice(start, start + step)
            values[part] = self.block(left[part], right) @ given
        return values

    def _is_far(self, rows: Any) -> NDArray[np.bool_]:
        """Say which rows are so far from their mean that float32 loses the digits of distances."""
        if len(rows) == 0:
            return np.zeros(0, dtype=np.bool_)
        centred = rows - rows.mean(axis=0, dtype=np.float64).astype(np.float32)
        norms = np.einsum("ij,ij->i", centred, centred)
        return np.asarray(~(2 * self.gamma * norms <= 0.9 * _LARGEST_EXPONENT))

    def _weighted_by_panels(
        self, left: Any, right: Any, weights: NDArray[np.float64], dtype: DTypeLike
    ) -> NDArray[np.float64] | None:
        """Return the weighted sums, or None if the core has no panels for these data and dtype."""
        values = np.empty(left.shape[0])
        done = _native.weigh(
            self.native_form,
            as_rows(left, dtype),
            as_rows(right, dtype),
            weights,
            values,
            self.gamma,
            self.coef0,
            self.degree,
            default_threads(),
        )
        return self.factor * values if done else None

    @property
    def is_product_form(self) -> bool:
        """Whether the values are functions of dot products (and norms)."""
        return self.form in ("linear", "polynomial", "gaussian", "tanh")

    @property
    def native_form(self) -> _native.Form:
        """The form as the core names it."""
        return _FORMS[self.form]


def block(
    form: Form,
    A: Any,
    B: Any,
    *,
    gamma: float = 1.0,
    coef0: float = 0.0,
    degree: int = 3,
    n_threads: int | None = None,
) -> NDArray[Any]:
    """Return kernel values between the rows of A and the rows of B.

    The forms are::

        linear      a'b
        polynomial  (gamma a'b + coef0)^degree
        tanh        tanh(gamma a'b + coef0)
        gaussian    exp(-gamma |a - b|^2)
        laplacian   exp(-gamma sum_j |a_j - b_j|)
        chi2        exp(-gamma sum_j (a_j - b_j)^2 / (a_j + b_j)), with 0 / 0 = 0

    If A and B are float32 so is the result; otherwise it is computed in float64. If they are the
    same object the result is exactly symmetric, at half the cost. The number of threads does not
    change the result.
    """
    _check_parameters(form, gamma, coef0, degree)
    threads = default_threads() if n_threads is None else _positive_count("n_threads", n_threads)
    left = _as_matrix("A", A)
    right = left if A is B else _as_matrix("B", B)
    _require_equal_columns(left, right)
    dtype = np.result_type(left.dtype, right.dtype)
    rows = as_rows(left, dtype)
    other_rows = rows if right is left else as_rows(right, dtype)
    out = np.empty((left.shape[0], right.shape[0]), dtype)
    work = out.size * min(_entries_per_row(left), _entries_per_row(right))
    light = work <= _WORK_FOR_ONE_THREAD
    with _NO_LIMIT if light else single_threaded_blas:
        _native.fill(
            _FORMS[form], rows, other_rows, out, gamma, coef0, degree, 1 if light else threads
        )
    return out


def simd_levels() -> tuple[str, ...]:
    """Return the instruction sets that the loops can use on this machine, the best last."""
    return tuple(_native.simd_levels())


def simd_level() -> str:
    """Return the instruction set in use."""
    return _native.simd_level()


def use_simd_level(level: str) -> None:
    """Use another of this machine's instruction sets, for tests and comparisons."""
    if level not in simd_levels():
        raise InvalidInputError(
            f"The SIMD level must be one of {', '.join(simd_levels())} on this machine; "
            f"got {level!r}."
        )
    _native.use_simd_level(level)


def default_threads() -> int:
    """Return the default number of threads.

    That is MAXMARGIN_NUM_THREADS, else OMP_NUM_THREADS, else the number of CPUs that this process
    may run on.
    """
    own = os.environ.get("MAXMARGIN_NUM_THREADS")
    if own:
        return _positive_count("MAXMARGIN_NUM_THREADS", own)
    shared = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if shared.isdecimal() and float(shared) > 0:
        return int(min(float(shared), _MOST_THREADS))
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def connect_blas(functions: Mapping[str, object]) -> bool:
    """Lend the core the matrix products of `scipy.linalg.cython_blas`.

    They are used only if the names of their capsules are the C signatures that the core calls.
    Returns whether they are; otherwise the core uses its own loops.
    """
    sgemm = functions.get("sgemm")
    dgemm = functions.get("dgemm")
    gemm = "char char int int int number number int number int number number int"
    usable = _has_signature(sgemm, gemm, "s|float") and _has_signature(dgemm, gemm, "d|double")
    _native.connect_blas(sgemm if usable else None, dgemm if usable else None)
    return usable


def connect_lapack(functions: Mapping[str, object]) -> bool:
    """Lend the core the Cholesky factorisation of `scipy.linalg.cython_lapack` in the same way."""
    dpotrf = functions.get("dpotrf")
    usable = _has_signature(dpotrf, "char int number int int", "d|double")
    _native.connect_lapack(dpotrf if usable else None)
    return usable


def _has_signature(capsule: object, arguments: str, scalar: str) -> bool:
    """Say whether the name of a capsule is a function of pointers to these types."""
    if type(capsule).__name__ != "PyCapsule":
        return False
    name_of = ctypes.pythonapi.PyCapsule_GetName
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    number = rf"(?:\w*_)?(?:{scalar})"
    pointers = [f"{number if name == 'number' else name} [*]" for name in arguments.split()]
    signature = f"void [(]{', '.join(pointers)}[)]"
    return re.fullmatch(signature, (name_of(capsule) or b"").decode()) is not None


def _as_matrix(name: str, X: Any) -> Any:
    """Return X as a two-dimensional array or CSR matrix of float32 or float64."""
    matrix: Any = sparse.csr_array(X) if sparse.issparse(X) else np.asarray(X)
    if matrix.ndim != 2:
        raise InvalidInputError(
            f"{name} must have two dimensions (rows and columns); it has {matrix.ndim}."
        )
    is_float32 = matrix.dtype.kind == "f" and matrix.dtype.itemsize == 4
    try:
        if matrix.dtype.kind not in "fiubO":
            raise TypeError
        return matrix.astype(np.float32 if is_float32 else np.float64, copy=False)
    except (TypeError, ValueError):
        raise InvalidInputError(
            f"{name} must hold real numbers; its dtype is {matrix.dtype}."
        ) from None


def _require_equal_columns(left: Any, right: Any) -> None:
    if left.shape[1] != right.shape[1]:
        raise InvalidInputError(
            f"A has {left.shape[1]} columns and B has {right.shape[1]}; "
            "a kernel compares rows with the same number of columns."
        )


def as_rows(matrix: Any, dtype: DTypeLike) -> Any:
    """Return the rows of an array or CSR matrix as the core reads them."""
    kind = _native.Rows32 if dtype == np.float32 else _native.Rows64
    if not sparse.issparse(matrix):
        return kind.dense(np.ascontiguousarray(matrix, dtype))
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    if matrix.shape[1] > np.iinfo(np.int32).max:
        raise InvalidInputError(
            f"A sparse matrix may have at most {np.iinfo(np.int32).max} columns; "
            f"this one has {matrix.shape[1]}."
        )
    try:
        return kind.csr(
            np.ascontiguousarray(matrix.data, dtype),
            np.ascontiguousarray(matrix.indices, np.int32),
            np.ascontiguousarray(matrix.indptr, np.int64),
            matrix.shape[1],
        )
    except ValueError as error:
        raise InvalidInputError(
            "A sparse matrix has column indices or row pointers outside its shape; "
            "its check_format() says where."
        ) from error


def _entries_per_row(matrix: Any) -> float:
    stored = matrix.nnz if sparse.issparse(matrix) else matrix.size
    return 1.0 + float(stored) / max(int(matrix.shape[0]), 1)


def _positive_count(name: str, value: Any) -> int:
    try:
        count = int(value) if float(value).is_integer() else 0
    except (TypeError, ValueError):
        count = 0
    if count < 1:
        raise InvalidInputError(f"{name} must be a whole number of at least 1; got {value!r}.")
    return min(count, _MOST_THREADS)


def _check_parameters(form: str, gamma: float, coef0: float, degree: int) -> None:
    if form not in _FORMS:
        raise InvalidInputError(f"form must be one of {', '.join(_FORMS)}; got {form!r}.")
    for name, value in (("gamma", gamma), ("coef0", coef0)):
        if not math.isfinite(value):
            raise InvalidInputError(f"{name} must be finite; got {value!r}.")
    if form in _RADIAL and gamma < 0:
        raise InvalidInputError(f"gamma must not be negative in the {form} form; got {gamma!r}.")
    if degree != int(degree) or not 0 <= degree <= _LARGEST_DEGREE:
        raise InvalidInputError(f"degree must be a whole number of at least 0; got {degree!r}.")


connect_blas(cython_blas.__pyx_capi__)
connect_lapack(cython_lapack.__pyx_capi__)
if "MAXMARGIN_SIMD" in os.environ:
    use_simd_level(os.environ["MAXMARGIN_SIMD"])
