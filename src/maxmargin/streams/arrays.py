"""Chunks of arrays, in memory or memory-mapped, dense or sparse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.errors import InvalidInputError
from maxmargin.streams.base import SIZE, Chunk, Chunks, generator_of, positive_whole, regrouped

__all__ = ["ArrayChunks"]

# Rows that stay together in a shuffled stream: few enough to mix, enough to read at once.
_BLOCK = 64


class ArrayChunks(Chunks):
    """Rows of an array, chunk by chunk.

    Parameters
    ----------
    X : array, memory map, sparse matrix or frame of shape (n, d)
        The points.
    y : array-like of shape (n,), optional
        Their labels.
    weight : array-like of shape (n,), optional
        How many rows each row counts for; chunks are then (X, y, weight).
    size : int
        Rows per chunk.
    shuffle : bool
        Whether a chunk gathers short runs of rows from all over the array, in a new order each
        time, instead of the next rows.
    random_state : int, Generator or None
        Seed of the order.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.streams import ArrayChunks
    >>> [X.shape for X, y in ArrayChunks(np.eye(5), [0, 1, 0, 1, 0], size=2)]
    [(2, 5), (2, 5), (1, 5)]
    """

    def __init__(
        self,
        X: Any,
        y: Any = None,
        weight: Any = None,
        *,
        size: int = SIZE,
        shuffle: bool = False,
        random_state: Any = None,
    ) -> None:
        self.X = X.tocsr() if sparse.issparse(X) else np.asanyarray(X)
        if len(self.X.shape) != 2:
            raise InvalidInputError(
                f"X must have two dimensions, rows and features; got shape {self.X.shape}."
            )
        self.y = self._by_row(y, "y", "label")
        self.weight = self._by_row(weight, "weight", "number")
        self.size = positive_whole(size, "size")
        self.shuffle = shuffle
        self._generator = generator_of(random_state)

    def __iter__(self) -> Iterator[Chunk]:
        """Read the array from its start, or in a new order."""
        n = self.X.shape[0]
        if not self.shuffle:
            for begin in range(0, n, self.size):
                yield self._rows(slice(begin, begin + self.size))
            return
        block = min(_BLOCK, max(1, self.size // 16))
        starts = self._generator.permutation(-(-n // block)) * block
        runs = ((np.arange(start, min(start + block, n)),) for start in starts)
        for (rows,) in regrouped(runs, self.size):
            yield self._rows(rows)

    def _by_row(self, values: Any, name: str, what: str) -> Any:
        if values is None:
            return None
        array, n = np.asarray(values), self.X.shape[0]
        if array.shape[:1] != (n,):
            raise InvalidInputError(
                f"{name} must have one {what} per row: "
                f"X has {n} rows, {name} has shape {array.shape}."
            )
        return array

    def _rows(self, rows: Any) -> Chunk:
        chunk = self.X[rows], None if self.y is None else self.y[rows]
        return chunk if self.weight is None else (*chunk, self.weight[rows])
