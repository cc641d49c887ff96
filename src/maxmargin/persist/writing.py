"""What a description is written with: JSON values, and arrays beside them under the same names."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.errors import ModelFileError
from maxmargin.persist.values import encoded

__all__ = ["Writer"]

_KINDS = (np.float64, np.float32, np.int64, np.int32, np.uint8)


class Writer:
    """One object of a description; its arrays are named by its place and theirs in it."""

    def __init__(
        self,
        arrays: dict[str, NDArray[Any]] | None = None,
        prefix: str = "",
        *,
        with_proof: bool = True,
    ) -> None:
        self.document: dict[str, Any] = {}
        self.arrays: dict[str, NDArray[Any]] = {} if arrays is None else arrays
        self.prefix = prefix
        self.with_proof = with_proof

    def value(self, name: str, value: Any) -> None:
        """Put a plain value."""
        self.document[name] = encoded(value, name)

    def json(self, name: str, value: Any) -> None:
        """Put what is JSON already."""
        self.document[name] = value

    def array(self, name: str, values: Any, dtype: Any = None, *, finite: bool = True) -> None:
        """Put an array of at most two dimensions."""
        found = np.asarray(values, dtype)
        if found.dtype not in _KINDS or not 1 <= found.ndim <= 2:
            raise ModelFileError(
                f"{self.prefix}{name} is an array of {found.dtype} in {found.ndim} dimension(s), "
                "which a model file cannot hold."
            )
        if finite and not np.isfinite(found).all():
            raise ModelFileError(f"{self.prefix}{name} contains NaN or infinity.")
        self.arrays[self.prefix + name] = found

    def matrix(self, name: str, matrix: Any) -> None:
        """Put a matrix of floats, dense or sparse."""
        if not sparse.issparse(matrix):
            self.json(name, {"sparse": False})
            self.array(name, matrix)
            return
        rows = sparse.csr_array(matrix)
        if not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
        self.json(name, {"sparse": True, "n_columns": int(rows.shape[1])})
        self.array(f"{name}.values", rows.data)
        self.array(f"{name}.columns", rows.indices, np.int32)
        self.array(f"{name}.starts", rows.indptr, np.int64)

    def child(self, name: str) -> Writer:
        """Return the writer of an object inside this one."""
        inner = Writer(self.arrays, f"{self.prefix}{name}.", with_proof=self.with_proof)
        self.document[name] = inner.document
        return inner
