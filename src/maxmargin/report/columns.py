"""What the rows of a data set hold: ranges of columns, lengths of sequences, missing values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import _safe_indexing

__all__ = ["Column", "Contents", "contents_of"]

# Of very wide data the first columns are described.
_MOST = 200


@dataclass(frozen=True)
class Column:
    """A column in numbers, or how many different values it has if these are no numbers."""

    name: str
    n_missing: int
    low: float | None = None
    mean: float | None = None
    high: float | None = None
    n_different: int | None = None


@dataclass(frozen=True)
class Contents:
    """What rows hold.

    Attributes
    ----------
    facts : dict
        A few words or numbers about all of it.
    columns : list of Column
        At most 200; none where the rows have no columns worth a name.
    n_left_out : int
        Columns beyond these.
    n_missing : int
        Missing values.
    """

    facts: dict[str, str]
    columns: list[Column]
    n_left_out: int
    n_missing: int


def contents_of(X: Any, names: Sequence[str], *, similarities: bool) -> Contents:
    """Describe rows of numbers or of anything else."""
    if sparse.issparse(X):
        return _sparse(sparse.csr_array(X))
    if getattr(X, "columns", None) is not None:
        return _listed(names, lambda k: np.asarray(_safe_indexing(X, k, axis=1)))
    if isinstance(X, np.ndarray) and X.ndim == 2:
        if similarities:
            facts = {"similarities": f"{float(X.min()):.4g} to {float(X.max()):.4g}"}
            return Contents(facts, [], 0, 0)
        return _listed(names, lambda k: X[:, k])
    lengths = [len(value) for value in X]
    middle = f"{float(np.median(lengths)):g}"
    facts = {"lengths": f"{min(lengths)} to {max(lengths)}, half of them up to {middle}"}
    return Contents(facts, [], 0, 0)


def _listed(names: Sequence[str], column: Callable[[int], NDArray[Any]]) -> Contents:
    described = [_column(name, column(k)) for k, name in enumerate(names[:_MOST])]
    beyond = range(len(described), len(names))
    n_missing = sum(each.n_missing for each in described)
    n_missing += sum(int(_missing(column(k)).sum()) for k in beyond)
    return Contents({}, described, len(beyond), n_missing)


def _column(name: str, values: NDArray[Any]) -> Column:
    missing = _missing(values)
    n_missing, there = int(missing.sum()), values[~missing]
    if values.dtype.kind not in "biuf":
        return Column(name, n_missing, n_different=len(set(there.tolist())))
    if len(there) == 0:
        return Column(name, n_missing)
    there = there.astype(np.float64)
    return Column(name, n_missing, float(there.min()), float(there.mean()), float(there.max()))


def _missing(values: NDArray[Any]) -> NDArray[np.bool_]:
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    if values.dtype.kind != "O":
        return np.zeros(len(values), dtype=np.bool_)
    return np.array([_is_missing(value) for value in values.tolist()], dtype=np.bool_)


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):
        # pandas' NA says of nothing whether it is true.
        return True


def _sparse(X: sparse.csr_array) -> Contents:
    n_rows, n_columns = X.shape
    share = X.nnz / (n_rows * n_columns)
    facts = {"stored": f"{share:.2%} of the entries"}
    n_missing = int(np.isnan(X.data).sum())
    there = X.data[~np.isnan(X.data)]
    if len(there):
        facts["stored values"] = f"{float(there.min()):.4g} to {float(there.max()):.4g}"
    used = np.zeros(n_columns, dtype=np.bool_)
    used[X.indices] = True
    facts["empty columns"] = f"{int((~used).sum()):,}"
    return Contents(facts, [], 0, n_missing)
