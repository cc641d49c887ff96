"""Files of numpy arrays: X and y, dense or in the parts of a sparse matrix."""

from __future__ import annotations

from io import BytesIO
from typing import Any
from zipfile import BadZipFile

import numpy as np
from scipy import sparse

from maxmargin.cli.formats import STDIN
from maxmargin.errors import InvalidInputError

__all__ = ["read_arrays"]

_PARTS = ("data", "indices", "indptr", "shape")


def read_arrays(path: str, content: bytes | None, target: str | None) -> tuple[Any, Any]:
    """Return X, and the target or None where the file has none.

    Parameters
    ----------
    path : str
        The file.
    content : bytes, optional
        What to read instead, from standard input.
    target : str, optional
        The target's name, y by default.
    """
    name = "Standard input" if path == STDIN else path
    try:
        with np.load(path if content is None else BytesIO(content), allow_pickle=False) as held:
            arrays = {key: held[key] for key in held.files}
    except (ValueError, BadZipFile, EOFError, AttributeError, TypeError) as error:
        raise InvalidInputError(f"{name} cannot be read as .npz: {error}") from None
    X = _points(arrays, name)
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise InvalidInputError(
            f"{name} holds X as {X.dtype} in {X.ndim} dimension(s): it needs rows of numbers."
        )
    _require_finite(X, name)
    wanted = "y" if target is None else target
    if wanted not in arrays:
        if target is None:
            return X, None
        raise InvalidInputError(
            f"--target is {target!r}, but {name} holds {', '.join(sorted(arrays))}."
        )
    y = arrays[wanted]
    if y.shape != (X.shape[0],):
        raise InvalidInputError(
            f"{name} holds {wanted} of shape {y.shape} for {X.shape[0]} rows: it needs one a row."
        )
    return X, y


def _points(arrays: dict[str, Any], name: str) -> Any:
    if "X" in arrays:
        return arrays["X"]
    for prefix in ("X_", ""):
        names = [prefix + part for part in _PARTS]
        if all(name in arrays for name in names):
            data, indices, starts, shape = (arrays[name] for name in names)
            return sparse.csr_array((data, indices, starts), shape=tuple(shape))
    raise InvalidInputError(
        f"{name} holds {', '.join(sorted(arrays)) or 'nothing'}, but no X: save the points as X "
        "and the target as y."
    )


def _require_finite(X: Any, name: str) -> None:
    values = X.data if sparse.issparse(X) else X
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        place = ""
        if not sparse.issparse(X):
            row, column = np.argwhere(~np.isfinite(X))[0]
            place = f" in row {row + 1} of the column {column}"
        raise InvalidInputError(
            f"{name} has a missing or infinite value{place}: replace it, or leave out the row."
        )
