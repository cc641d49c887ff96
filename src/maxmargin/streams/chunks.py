"""From any source to an iterable of chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
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
        chunk is a pair (X, y), a triple (X, y, weight), or X where there are no labels. An
        iterator can be read once, all others again and again.
    y : array-like, optional
        Labels, where the source is an array.
    **options
        Those of `ArrayChunks` (weight, size, shuffle, random_state), of `LibsvmChunks` (also
        n_features, zero_based, dtype) or of `ParquetChunks` (also label, weight, features).

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
            raise InvalidInputError("y must be None where the source is a file, which has labels.")
        kind = ParquetChunks if str(fspath(source)).endswith(_PARQUET) else LibsvmChunks
        return kind(source, **options)
    if isinstance(source, tuple):
        if len(source) not in (2, 3) or y is not None:
            raise InvalidInputError(
                "A tuple must be a pair (X, y) or a triple (X, y, weight), and y is then given "
                "with it; "
                f"got {len(source)} parts{'' if y is None else ' and y beside them'}."
            )
        return ArrayChunks(*source, **options)
    if sparse.issparse(source) or isinstance(source, np.ndarray) or _is_frame(source):
        return ArrayChunks(source, y, **options)
    if callable(source):
        return _without(options, y, _FunctionChunks(source), "a function")
    if isinstance(source, Iterable):
        return _without(options, y, _IterableChunks(source), "an iterable")
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


class _FunctionChunks(Chunks):
    """Chunks from an iterator that a function makes anew each time."""

    def __init__(self, make: Callable[[], Iterable[Any]]) -> None:
        self.make = make

    def __iter__(self) -> Iterator[Chunk]:
        """Call the function."""
        return map(_chunk, self.make())


class _IterableChunks(Chunks):
    """Chunks of an iterable; those of an iterator once."""

    def __init__(self, source: Iterable[Any]) -> None:
        self.source = source
        self.rereadable = not isinstance(source, Iterator)
        self.was_read = False

    def __iter__(self) -> Iterator[Chunk]:
        """Iterate over the source."""
        if self.was_read and not self.rereadable:
            raise InvalidInputError(
                "The source is an iterator, which can be read once: give a function that makes "
                "one, or a list, to read it again."
            )
        self.was_read = True
        return map(_chunk, self.source)


def _chunk(item: Any) -> Chunk:
    if isinstance(item, tuple):
        if len(item) not in (2, 3):
            raise InvalidInputError(
                "A chunk must be a pair (X, y), a triple (X, y, weight) or X alone; "
                f"got a tuple of {len(item)}."
            )
        return item
    return item, None
