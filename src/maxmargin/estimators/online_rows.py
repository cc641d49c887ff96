"""The rows that online machines learn, and what has to be known of a stream of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.errors import InvalidInputError
from maxmargin.streams import Chunks
from maxmargin.streams.base import parts_of, positive_whole
from maxmargin.typing import Floats, Integers

__all__ = ["UNLABELLED", "Rows", "checked_passes", "survey"]

#: Said of a stream that has points only.
UNLABELLED = (
    "The stream must have labels: its chunks are pairs (X, y), or triples with the weights of the "
    "rows."
)


@dataclass(frozen=True, eq=False)
class Rows:
    """Checked rows with what they count for."""

    X: Any
    labels: Integers
    weight: Floats
    prices: Floats

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.X.shape[0])

    def counting(self) -> Rows:
        """Return the rows of positive weight."""
        return self.take(np.flatnonzero(self.weight > 0))

    def take(self, rows: Integers) -> Rows:
        """Return some of the rows."""
        if len(rows) == self.n_rows:
            return self
        return Rows(self.X[rows], self.labels[rows], self.weight[rows], self.prices)

    def merged(self) -> Rows:
        """Return equal rows as one, with the sum of their weights, in an order of their own."""
        keys = [_key(self.X, i, int(self.labels[i])) for i in range(self.n_rows)]
        first: dict[tuple[Any, ...], int] = {}
        total: dict[tuple[Any, ...], float] = {}
        for i, key in enumerate(keys):
            first.setdefault(key, i)
            total[key] = total.get(key, 0.0) + float(self.weight[i])
        ordered = sorted(first)
        rows = np.array([first[key] for key in ordered])
        weight = np.array([total[key] for key in ordered])
        return Rows(self.X[rows], self.labels[rows], weight, self.prices)


def _key(X: Any, i: int, label: int) -> tuple[Any, ...]:
    """Return what tells a row from others, alike for dense and sparse data."""
    if sparse.issparse(X):
        places = slice(X.indptr[i], X.indptr[i + 1])
        sequence = np.argsort(X.indices[places], kind="stable")
        columns, values = X.indices[places][sequence], X.data[places][sequence]
    else:
        columns, values = np.arange(X.shape[1]), X[i]
    there = np.flatnonzero(values)
    columns, values = columns[there].astype(np.int64), values[there]
    # Rounded first, for the sake of data that differ in precision alone.
    with np.errstate(over="ignore"):
        narrow = values.astype(np.float32).tobytes()
    return label, columns.tobytes(), narrow, values.astype(np.float64).tobytes()


def checked_passes(stream: Chunks, n_passes: Any) -> int:
    """Return a number of passes that the stream allows."""
    passes = positive_whole(n_passes, "epochs")
    if passes > 1 and not stream.rereadable:
        raise InvalidInputError(
            "The source is an iterator, which can be read once: give epochs=1, or a function that "
            "makes an iterator."
        )
    return passes


def survey(stream: Chunks) -> tuple[Any, float]:
    """Return the labels of a stream that can be read again, and the weight of its rows."""
    if not stream.rereadable:
        raise InvalidInputError(
            "The source is an iterator, which can be read once: give classes, and n_samples where "
            "C is given; or a function that makes an iterator."
        )
    labels: Any = None
    n_rows = 0.0
    for chunk in stream:
        X, y, weight = parts_of(chunk)
        if y is None:
            raise InvalidInputError(UNLABELLED)
        new = np.unique(np.asarray(y))
        labels = new if labels is None else np.union1d(labels, new)
        n_rows += X.shape[0] if weight is None else np.maximum(np.asarray(weight), 0.0).sum()
    if labels is None:
        raise InvalidInputError("The stream has no rows: give one with at least a chunk.")
    return labels, float(n_rows)
