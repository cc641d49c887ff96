"""What a kernel accepts as data: rows of numbers, checked once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.errors import InvalidInputError

__all__ = ["as_vectors", "count", "holds_numbers", "take"]

_EXACT_IN_FLOAT32 = 1 << 24


def as_vectors(X: Any, name: str = "X") -> NDArray[Any] | sparse.csr_array:
    """Return rows of finite numbers in float64, or in float32 where that is exact and smaller.

    float32 stays float32, and so do integers of at most 32 bits that float32 can hold.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        The rows to check.
    name : str
        How the message calls the argument.

    Returns
    -------
    ndarray or csr_array
        Two-dimensional, finite, without a copy where none is needed.
    """
    if sparse.issparse(X):
        return _as_csr(X, name)
    if isinstance(X, np.ma.MaskedArray) and X.mask.any():
        raise InvalidInputError(f"{name} has masked entries: remove or impute them before.")
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
    """Return the number of points in X, whatever X is made of."""
    if sparse.issparse(X) or isinstance(X, np.ndarray):
        return int(X.shape[0]) if X.ndim else 1
    try:
        return len(X)
    except TypeError:
        raise InvalidInputError(f"X must hold points; got {type(X).__name__}.") from None


def take(X: Any, points: Any) -> Any:
    """Return some points of X, whatever X is made of."""
    return [X[i] for i in points] if isinstance(X, list) else X[points]


def holds_numbers(X: Any) -> bool:
    """Say whether X is a dense or sparse array of numbers."""
    return bool(sparse.issparse(X)) or (isinstance(X, np.ndarray) and X.dtype.kind != "O")


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
    if _fits_float32(values):
        return values.astype(np.float32)
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


def _fits_float32(values: NDArray[Any]) -> bool:
    """Say whether these are integers of at most 32 bits, all of them exact in float32."""
    if values.dtype.kind not in "iu" or values.dtype.itemsize > 4:
        return False
    largest = max(int(values.max(initial=0)), -int(values.min(initial=0)))
    return largest <= _EXACT_IN_FLOAT32


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
    where = int(np.argwhere(~finite)[0][0])
    position = f"row {where}" if values.ndim == 2 else f"stored entry {where}"
    raise InvalidInputError(
        f"{name} contains {kind} (first at {position}): remove or impute such rows."
    )
