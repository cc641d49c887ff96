"""What a stream is: an iterable of chunks (X, y) that holds one or two of them at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.errors import InvalidInputError

__all__ = ["SIZE", "Chunk", "Chunks", "generator_of", "positive_whole", "regrouped"]

#: Rows of a chunk.
SIZE = 10_000

#: Some rows and their labels, or None for the latter.
Chunk = tuple[Any, Any]


class Chunks(ABC):
    """An iterable of chunks (X, y); y is None where there are no labels.

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
    for X, y in pieces:
        begin = 0
        while X.shape[0] - begin >= size - n_held:
            end = begin + size - n_held
            held.append((X[begin:end], None if y is None else y[begin:end]))
            yield _joined(held)
            held, n_held, begin = [], 0, end
        if begin < X.shape[0]:
            held.append((X[begin:], None if y is None else y[begin:]))
            n_held += X.shape[0] - begin
    if held:
        yield _joined(held)


def _joined(pieces: list[Chunk]) -> Chunk:
    if len(pieces) == 1:
        return pieces[0]
    parts = [X for X, _ in pieces]
    X = sparse.vstack(parts, format="csr") if sparse.issparse(parts[0]) else np.concatenate(parts)
    return X, None if pieces[0][1] is None else np.concatenate([y for _, y in pieces])


def generator_of(random_state: Any) -> np.random.Generator:
    """Return a generator from a seed, a generator, or fresh entropy for None."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise InvalidInputError(
            f"random_state must be a seed, a numpy Generator or None; got {random_state!r}."
        ) from None


def positive_whole(value: Any, name: str) -> int:
    """Return a count, or say what is wrong with it."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise InvalidInputError(f"{name} must be a whole number of at least 1; got {value!r}.")
    return int(value)
