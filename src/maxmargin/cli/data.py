"""From a data file to X and y: to train on, or in the columns that a model expects."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.cli.options import DataOptions
from maxmargin.errors import InvalidInputError
from maxmargin.streams import read_libsvm
from maxmargin.streams.damage import refusing_damage

__all__ = ["CSR_PARTS", "Data", "Layout", "labels_of", "read_data", "read_training"]

#: A sparse matrix with at least this fraction of nonzero entries is stored as a dense one.
_DENSE_FROM = 0.25

_TABLES = ("csv", "tsv", "parquet")

#: The arrays that make up a sparse matrix in a .npz file.
CSR_PARTS = ("data", "indices", "indptr", "shape")


@dataclass(frozen=True)
class Data:
    """Points X (a frame, array, csr_array or array of str), target y if any, and its name.

    Whole numbers in the target are integers.
    """

    X: Any
    y: Any = None
    target: str = ""

    @property
    def n_rows(self) -> int:
        """Number of points."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of columns; text is one."""
        return int(self.X.shape[1]) if self.X.ndim == 2 else 1

    @property
    def names(self) -> list[str] | None:
        """Names of the columns, None if they have none."""
        columns = getattr(self.X, "columns", None)
        return None if columns is None else [str(name) for name in columns]

    def required_y(self) -> Any:
        """Return the target, or raise an error if there is none."""
        if self.y is None:
            raise InvalidInputError("The data have no target: name it with --target.")
        return self.y


@dataclass(frozen=True)
class Layout:
    """The columns that a model expects: their names, their number, whether they hold text."""

    names: list[str] | None = None
    n_features: int | None = None
    text: bool = False


def read_training(wanted: DataOptions, *, text: bool = False) -> Data:
    """Read data to train on; text for kernels that compare strings."""
    data = read_data(wanted, Layout(text=text), with_target=True)
    X, dense = data.X, wanted.dense
    if wanted.kind in _TABLES:
        return data
    if dense is None:
        dense = not sparse.issparse(X) or X.nnz >= _DENSE_FROM * X.shape[0] * X.shape[1]
    if not dense:
        return replace(data, X=sparse.csr_array(X))
    return replace(data, X=X.toarray()) if sparse.issparse(X) else data


def read_data(wanted: DataOptions, layout: Layout, *, with_target: bool) -> Data:
    """Read data in a model's columns, and the target if it is needed or named."""
    if wanted.kind in _TABLES:
        from maxmargin.cli.tables import read_table

        with refusing_damage(wanted.name, wanted.kind):
            return read_table(wanted, layout, with_target=with_target)
    if layout.text:
        raise InvalidInputError(
            f"A kernel on text needs a column of a CSV or Parquet file; {wanted.name} has the "
            f"format {wanted.kind}."
        )
    if wanted.features or wanted.drop:
        raise InvalidInputError(
            f"--features and --drop choose columns of CSV and Parquet files; {wanted.name} has "
            f"the format {wanted.kind}."
        )
    if wanted.kind == "npz":
        X, y = _read_arrays(wanted)
    elif wanted.target is not None:
        raise InvalidInputError("A LIBSVM file has its target first in each line, not --target.")
    else:
        X, y = read_libsvm(
            wanted.content(), n_features=layout.n_features, zero_based=wanted.zero_based
        )
    return Data(X, None if wanted.no_target else labels_of(y), wanted.target or "")


def _read_arrays(wanted: DataOptions) -> tuple[Any, Any]:
    """Return X, and the target or None if the file has none."""
    with refusing_damage(wanted.name, ".npz"):
        with np.load(wanted.content(), allow_pickle=False) as file:
            arrays = dict(file)
        X, target = _points(arrays, wanted.name), wanted.target or "y"
        y = arrays.get(target)
        if y is None and wanted.target is not None:
            raise InvalidInputError(
                f"--target is {target!r}, but {wanted.name} holds {', '.join(sorted(arrays))}."
            )
        if y is not None and y.shape != (X.shape[0],):
            raise InvalidInputError(
                f"{wanted.name} holds {target} of shape {y.shape} for {X.shape[0]} rows: it needs "
                "one value per row."
            )
        return X, y


def _points(arrays: dict[str, Any], name: str) -> Any:
    X = arrays.get("X")
    for prefix in ("X_", ""):
        if X is None and all(prefix + part in arrays for part in CSR_PARTS):
            *parts, shape = (arrays[prefix + part] for part in CSR_PARTS)
            X = sparse.csr_array(tuple(parts), shape=tuple(shape))
    if X is None:
        raise InvalidInputError(
            f"{name} holds {', '.join(sorted(arrays)) or 'nothing'}, but no X: save the points as "
            "X and the target as y."
        )
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise InvalidInputError(
            f"{name} holds X as {X.dtype} in {X.ndim} dimension(s): it needs rows of numbers."
        )
    wrong = np.argwhere(~np.isfinite(X.data if sparse.issparse(X) else X))
    if len(wrong):
        place = "" if sparse.issparse(X) else f" in row {wrong[0][0] + 1}, column {wrong[0][1]}"
        raise InvalidInputError(
            f"{name} has a missing or infinite value{place}: replace it, or leave out the row."
        )
    return X


def labels_of(y: Any) -> Any:
    """Return whole numbers as integers, and anything but numbers as strings."""
    if y is None:
        return None
    values = np.asarray(y)
    if values.dtype.kind == "f":
        infinite = np.flatnonzero(~np.isfinite(values))
        if len(infinite):
            raise InvalidInputError(
                f"The target has no finite value in row {infinite[0] + 1}: fill it in."
            )
        if (values == np.floor(values)).all() and (np.abs(values) < 2**53).all():
            return values.astype(np.int64)
    if values.dtype.kind in "SO":
        values = np.array([v.decode() if isinstance(v, bytes) else str(v) for v in values])
    return values
