"""What a kernel accepts as data: rows of numbers, checked once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.errors import InvalidInputError

__all__ = ["as_float64", "as_vectors", "count", "holds_numbers", "largest_entry", "take"]

# float32 holds every integer up to this size exactly.
_EXACT_IN_FLOAT32 = 1 << 24


def as_vectors(X: Any, name: str = "X") -> NDArray[Any] | sparse.csr_array:
    """Return rows of finite numbers as a two-dimensional array or CSR matrix.

    float32 stays float32. Integers of at most 32 bits become float32 if it holds them exactly;
    everything else becomes float64. The data are copied only if necessary; messages call them by
    the given name.
    """
    if sparse.issparse(X):
        return _as_csr(X, name)
    if isinstance(X, np.ma.MaskedArray) and X.mask.any():
        raise InvalidInputError(f"{name} has masked entries: remove or impute them first.")
    try:
        rows = np.asarray(X)
    except ValueError as error:
        raise InvalidInputError(
            f"{name} is not a rectangular array: {error}. Give every row the same length."
        ) from error
    if rows.ndim != 2:
        advice = (
            "use reshape(-1, 1) for one feature or reshape(1, -1) for one row"
            if rows.ndim == 1
            else "give one row per point and one column per feature"
        )
        raise InvalidInputError(f"{name} has {rows.ndim} dimensions where 2 are needed: {advice}.")
    rows = _to_floats(rows, name)
    _require_rows_and_columns(rows.shape, name)
    _require_finite(rows, name)
    return rows


def count(X: Any) -> int:
    """Return the number of points in an array, a sparse matrix or a list."""
    if isinstance(X, np.ndarray) or sparse.issparse(X):
        return int(X.shape[0]) if X.ndim else 1
    try:
        return len(X)
    except TypeError:
        raise InvalidInputError(f"X must hold points; got {type(X).__name__}.") from None


def take(X: Any, points: Any) -> Any:
    """Return some of the points of an array, a sparse matrix or a list."""
    return [X[i] for i in points] if isinstance(X, list) else X[points]


def holds_numbers(X: Any) -> bool:
    """Say whether X is a dense or sparse array of numbers."""
    return X.dtype.kind != "O" if isinstance(X, np.ndarray) else bool(sparse.issparse(X))


def as_float64(X: Any) -> Any:
    """Return an array of numbers in float64 and other data unchanged."""
    return X.astype(np.float64, copy=False) if holds_numbers(X) else X


def largest_entry(X: Any) -> float:
    """Return the largest absolute value in an array of numbers, and zero for other data."""
    if not holds_numbers(X):
        return 0.0
    values = X.data if sparse.issparse(X) else X
    return max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))


def _as_csr(X: Any, name: str) -> sparse.csr_array:
    if X.ndim != 2:
        raise InvalidInputError(f"{name} has {X.ndim} dimensions where 2 are needed.")
    rows = sparse.csr_array(X)
    if rows.dtype != np.float32:
        rows = sparse.csr_array(
            (_to_floats(rows.data, name), rows.indices, rows.indptr), shape=rows.shape
        )
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    _require_rows_and_columns(rows.shape, name)
    _require_finite(rows.data, name)
    return rows


def _to_floats(values: NDArray[Any], name: str) -> NDArray[Any]:
    if values.dtype == np.float32:
        return values
    if values.dtype.kind in "iu" and values.dtype.itemsize <= 4:
        largest = max(int(values.max(initial=0)), -int(values.min(initial=0)))
        return values.astype(np.float32 if largest <= _EXACT_IN_FLOAT32 else np.float64)
    if values.dtype.kind in "mM":
        raise InvalidInputError(
            f"{name} holds dates or time differences: turn them into numbers of your choice."
        )
    if np.iscomplexobj(values):
        raise InvalidInputError(f"{name} holds complex numbers: give real ones.")
    try:
        return values.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"{name} holds values that are not numbers ({error}): encode them as numbers, "
            "or use a kernel on objects such as kernels.Function."
        ) from error


def _require_rows_and_columns(shape: tuple[int, ...], name: str) -> None:
    if shape[0] == 0:
        raise InvalidInputError(f"{name} has no rows: at least one point is needed.")
    if shape[1] == 0:
        raise InvalidInputError(f"{name} has no columns: at least one feature is needed.")


def _require_finite(values: NDArray[Any], name: str) -> None:
    finite = np.isfinite(values)
    if finite.all():
        return
    kind = "NaN" if np.isnan(values).any() else "infinity"
    first = int(np.argwhere(~finite)[0][0])
    position = f"row {first}" if values.ndim == 2 else f"stored entry {first}"
    raise InvalidInputError(
        f"{name} contains {kind} (first at {position}): remove or impute such rows."
    )
