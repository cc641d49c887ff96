"""A stream is an iterable of chunks that holds one or two of them in memory at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.errors import InvalidInputError

__all__ = ["SIZE", "Chunk", "Chunks", "generator_of", "parts_of", "positive_whole", "regrouped"]

#: Rows per chunk by default.
SIZE = 10_000

#: Some rows, their labels or None, and their weights if there are any.
Chunk = tuple[Any, ...]


class Chunks(ABC):
    """An iterable of chunks (X, y) or (X, y, weight); y is None without labels.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.streams import Chunks, chunks
    >>> isinstance(chunks(np.eye(3)), Chunks)
    True
    """

    #: Whether a second iteration finds the data again.
    rereadable: bool = True

    @abstractmethod
    def __iter__(self) -> Iterator[Chunk]:
        """Read the data from the start."""


def regrouped(pieces: Iterable[Chunk], size: int) -> Iterator[Chunk]:
    """Cut and join pieces to chunks of `size` rows; only the last may be smaller."""
    held: list[Chunk] = []
    n_held = 0
    for piece in pieces:
        n, begin = piece[0].shape[0], 0
        while n - begin >= size - n_held:
            end = begin + size - n_held
            held.append(_cut(piece, slice(begin, end)))
            yield _joined(held)
            held, n_held, begin = [], 0, end
        if begin < n:
            held.append(_cut(piece, slice(begin, n)))
            n_held += n - begin
    if held:
        yield _joined(held)


def parts_of(chunk: Chunk) -> tuple[Any, Any, Any]:
    """Return the rows, labels and weights of a chunk; None for what it does not have."""
    X, y, *weight = chunk
    return X, y, weight[0] if weight else None


def _cut(piece: Chunk, rows: slice) -> Chunk:
    return tuple(None if part is None else part[rows] for part in piece)


def _joined(pieces: list[Chunk]) -> Chunk:
    return tuple(_stacked(parts) for parts in zip(*pieces, strict=True))


def _stacked(parts: tuple[Any, ...]) -> Any:
    if len(parts) == 1 or parts[0] is None:
        return parts[0]
    if sparse.issparse(parts[0]):
        return sparse.vstack(parts, format="csr")
    return np.concatenate(parts)


def generator_of(random_state: Any) -> np.random.Generator:
    """Return a generator from a seed or a generator; None means fresh entropy."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise InvalidInputError(
            f"random_state must be a seed, a numpy Generator or None; got {random_state!r}."
        ) from None


def positive_whole(value: Any, name: str) -> int:
    """Return a whole number of at least 1, or raise an error that names the argument."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise InvalidInputError(f"{name} must be a whole number of at least 1; got {value!r}.")
    return int(value)
