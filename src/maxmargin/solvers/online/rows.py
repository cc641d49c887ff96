"""Rows that online machines learn from, with their labels and weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.typing import Floats, Integers

__all__ = ["Rows"]


@dataclass(frozen=True, eq=False)
class Rows:
    """Checked rows.

    Attributes
    ----------
    X : array or CSR matrix of shape (n, d)
        In float32 or float64, in any layout.
    labels : ndarray of shape (n,)
        From zero on.
    weight : ndarray of shape (n,)
        How many rows each row counts for.
    class_weight : ndarray of shape (n_labels,)
        What multiplies the loss of each label.
    """

    X: Any
    labels: Integers
    weight: Floats
    class_weight: Floats

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.X.shape[0])

    def with_weight(self) -> Rows:
        """Return the rows of positive weight."""
        return self.take(np.flatnonzero(self.weight > 0))

    def take(self, rows: Integers) -> Rows:
        """Return some of the rows."""
        if len(rows) == self.n_rows:
            return self
        return Rows(self.X[rows], self.labels[rows], self.weight[rows], self.class_weight)

    def merged(self) -> Rows:
        """Return equal rows as one, with the sum of their weights, sorted by their contents."""
        keys = [_key(self.X, i, int(self.labels[i])) for i in range(self.n_rows)]
        first: dict[tuple[Any, ...], int] = {}
        total: dict[tuple[Any, ...], float] = {}
        for i, key in enumerate(keys):
            first.setdefault(key, i)
            total[key] = total.get(key, 0.0) + float(self.weight[i])
        ordered = sorted(first)
        rows = np.array([first[key] for key in ordered])
        weight = np.array([total[key] for key in ordered])
        return Rows(self.X[rows], self.labels[rows], weight, self.class_weight)


def _key(X: Any, i: int, label: int) -> tuple[Any, ...]:
    """Return what tells a row from others: the same for dense and sparse data."""
    if sparse.issparse(X):
        places = slice(X.indptr[i], X.indptr[i + 1])
        sequence = np.argsort(X.indices[places], kind="stable")
        columns, values = X.indices[places][sequence], X.data[places][sequence]
    else:
        columns, values = np.arange(X.shape[1]), X[i]
    there = np.flatnonzero(values)
    columns, values = columns[there].astype(np.int64), values[there]
    # Rounded values come first, so that data of either precision are sorted alike.
    with np.errstate(over="ignore"):
        narrow = values.astype(np.float32).tobytes()
    return label, columns.tobytes(), narrow, values.astype(np.float64).tobytes()
