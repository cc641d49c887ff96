"""Chunks of a Parquet file, by pyarrow (extra "parquet")."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike, fspath
from typing import Any

import numpy as np

from maxmargin.errors import InvalidInputError, MissingDependencyError
from maxmargin.streams.base import SIZE, Chunk, Chunks, generator_of, positive_whole, regrouped
from maxmargin.streams.damage import refusing_damage

__all__ = ["ParquetChunks"]


class ParquetChunks(Chunks):
    """Rows of a Parquet file, chunk by chunk.

    Parameters
    ----------
    path : str or path
        The file.
    label : str, optional
        The column of labels; none by default.
    weight : str, optional
        The column of the rows' weights; chunks are then (X, y, weight).
    features : sequence of str, optional
        The columns of features, in this order; by default all others.
    size : int
        Rows per chunk.
    shuffle : bool
        Whether the row groups come in a new order each time.
    random_state : int, Generator or None
        Seed of that order.

    Examples
    --------
    >>> from maxmargin.streams import ParquetChunks
    >>> stream = ParquetChunks("train.parquet", label="y", size=1000)
    >>> stream.label, stream.size
    ('y', 1000)
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        label: str | None = None,
        weight: str | None = None,
        features: Sequence[str] | None = None,
        size: int = SIZE,
        shuffle: bool = False,
        random_state: Any = None,
    ) -> None:
        self.path = fspath(path)
        self.label = label
        self.weight = weight
        self.features = None if features is None else list(features)
        self.size = positive_whole(size, "size")
        self.shuffle = shuffle
        self._generator = generator_of(random_state)

    def __iter__(self) -> Iterator[Chunk]:
        """Read the file from its start, or its row groups in a new order."""
        return regrouped(self._batches(), self.size)

    def _batches(self) -> Iterator[Chunk]:
        parquet = _parquet_module()
        with refusing_damage(self.path, "Parquet"), parquet.ParquetFile(self.path) as file:
            features = self._features(list(file.schema_arrow.names))
            wanted = [*features, *self._others()]
            groups = np.arange(file.num_row_groups)
            if self.shuffle:
                groups = self._generator.permutation(groups)
            for group in groups.tolist():
                for batch in file.iter_batches(self.size, row_groups=[group], columns=wanted):
                    chunk = _matrix(batch, features), _column(batch, self.label)
                    yield chunk if self.weight is None else (*chunk, _column(batch, self.weight))

    def _others(self) -> list[str]:
        return [name for name in (self.label, self.weight) if name is not None]

    def _features(self, names: list[str]) -> list[str]:
        chosen = self.features
        if chosen is None:
            chosen = [name for name in names if name not in self._others()]
        missing = [name for name in [*chosen, *self._others()] if name not in names]
        if missing:
            raise InvalidInputError(
                f"{self.path} has no column {missing[0]!r}; its columns are {', '.join(names)}."
            )
        if not chosen:
            raise InvalidInputError(f"{self.path} has no column of features: give features.")
        return chosen


def _parquet_module() -> Any:
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        raise MissingDependencyError(
            "Parquet files need pyarrow: install it with pip install 'maxmargin[parquet]'."
        ) from None
    return parquet


def _matrix(batch: Any, features: list[str]) -> Any:
    columns = [batch.column(name).to_numpy(zero_copy_only=False) for name in features]
    for name, column in zip(features, columns, strict=True):
        if column.dtype.kind not in "fiub":
            raise InvalidInputError(
                f"The column {name!r} must hold numbers; it holds {batch.schema.field(name).type}."
            )
    narrow = all(column.dtype == np.float32 for column in columns)
    return np.column_stack(columns).astype(np.float32 if narrow else np.float64, copy=False)


def _column(batch: Any, name: str | None) -> Any:
    return None if name is None else batch.column(name).to_numpy(zero_copy_only=False)
