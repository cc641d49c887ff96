"""From any source to an iterable of chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os import PathLike, fspath
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.errors import InvalidInputError
from maxmargin.streams.arrays import ArrayChunks
from maxmargin.streams.base import Chunk, Chunks
from maxmargin.streams.libsvm import LibsvmChunks
from maxmargin.streams.parquet import ParquetChunks

__all__ = ["chunks"]

_PARQUET = (".parquet", ".pq")


def chunks(source: Any, y: Any = None, **options: Any) -> Chunks:
    """Return an iterable of chunks (X, y), or (X, y, weight), over a source.

    Parameters
    ----------
    source : array, pair, path, function or iterable
        An array, sparse matrix or frame X, a pair (X, y) of such, or a triple (X, y, weight); the
        path of a Parquet file (.parquet, .pq) or of a file in LIBSVM's format (any other name); a
        function without arguments that returns an iterator of chunks; an iterable of chunks. A
        chunk is a pair (X, y), a triple (X, y, weight), or X without labels. An iterator can be
        read once, all other sources again and again.
    y : array-like, optional
        Labels, if the source is an array.
    **options
        The options of `ArrayChunks` (weight, size, shuffle, random_state), `LibsvmChunks` (also
        n_features, zero_based, dtype) or `ParquetChunks` (also label, weight, features).

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.streams import chunks
    >>> [len(y) for X, y in chunks(np.eye(5), [0, 1, 0, 1, 0], size=3)]
    [3, 2]
    """
    if isinstance(source, Chunks):
        return _without(options, y, source, "a stream")
    if isinstance(source, str | PathLike):
        if y is not None:
            raise InvalidInputError("y must be None if the source is a file, which has labels.")
        kind = ParquetChunks if str(fspath(source)).endswith(_PARQUET) else LibsvmChunks
        return kind(source, **options)
    if isinstance(source, tuple):
        if len(source) not in (2, 3) or y is not None:
            raise InvalidInputError(
                "A tuple must be a pair (X, y) or a triple (X, y, weight), and y is then given "
                f"with it; got {len(source)} parts{'' if y is None else ' and y beside them'}."
            )
        return ArrayChunks(*source, **options)
    if sparse.issparse(source) or isinstance(source, np.ndarray) or _is_frame(source):
        return ArrayChunks(source, y, **options)
    if callable(source) or isinstance(source, Iterable):
        name = "a function" if callable(source) else "an iterable"
        return _without(options, y, _GivenChunks(source), name)
    raise InvalidInputError(
        "The source must be an array, a pair (X, y), a path, a function that returns an iterator, "
        f"or an iterable of chunks; got {type(source).__name__}."
    )


def _is_frame(source: Any) -> bool:
    return isinstance(getattr(source, "shape", None), tuple)


def _without(options: dict[str, Any], y: Any, stream: Chunks, name: str) -> Chunks:
    if options or y is not None:
        given = ", ".join([*options, *([] if y is None else ["y"])])
        raise InvalidInputError(
            f"The source is {name} of chunks that are taken as they come: leave out {given}."
        )
    return stream


class _GivenChunks(Chunks):
    """Chunks as an iterable holds them, or as a function makes them anew for each iteration."""

    def __init__(self, source: Any) -> None:
        self.source = source
        self.rereadable = callable(source) or not isinstance(source, Iterator)
        self.was_read = False

    def __iter__(self) -> Iterator[Chunk]:
        """Iterate over the source."""
        if self.was_read and not self.rereadable:
            raise InvalidInputError(
                "The source is an iterator, which can be read once: give a function that makes "
                "one, or a list, to read it again."
            )
        self.was_read = True
        return map(_chunk, self.source() if callable(self.source) else self.source)


def _chunk(item: Any) -> Chunk:
    if isinstance(item, tuple):
        if len(item) not in (2, 3):
            raise InvalidInputError(
                "A chunk must be a pair (X, y), a triple (X, y, weight) or X alone; "
                f"got a tuple of {len(item)}."
            )
        return item
    return item, None
