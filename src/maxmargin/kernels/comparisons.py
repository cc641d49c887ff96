"""Blocks of sequence kernels from the native core."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import maxmargin._native as _native
from maxmargin.kernels.blocks import default_threads
from maxmargin.kernels.encoding import Strings, encode
from maxmargin.typing import Floats, Integers

__all__ = ["Comparison", "shared_words", "threads_at_most"]

_MOST_THREADS: ContextVar[int | None] = ContextVar("most threads", default=None)


@contextmanager
def threads_at_most(n_threads: int) -> Iterator[None]:
    """Let comparisons made by the current Python thread use at most this many threads."""
    token = _MOST_THREADS.set(n_threads)
    try:
        yield
    finally:
        _MOST_THREADS.reset(token)


def _threads() -> int:
    most = _MOST_THREADS.get()
    return default_threads() if most is None else most


class Comparison:
    """A kernel between two collections A and B of sequences, prepared once for all blocks.

    `make`, such as ``_native.spectrum``, is called with both collections, encoded, and the
    parameters. If A and B are the same object, it is encoded once.
    """

    def __init__(
        self, make: Callable[..., _native.Comparison], A: Strings, B: Strings, *parameters: Any
    ) -> None:
        collections = (A,) if B is A else (A, B)
        encoded = [_native.Sequences.of(*codes) for codes in encode(*collections)]
        self._native = make(encoded[0], encoded[-1], *parameters)

    def block(self, rows: Integers | None = None, columns: Integers | None = None) -> Floats:
        """Return the values between some sequences of A (rows) and of B (columns)."""
        shape = (
            self._native.n_left if rows is None else len(rows),
            self._native.n_right if columns is None else len(columns),
        )
        out = np.empty(shape)
        self._native.fill(_as_int64(rows), _as_int64(columns), out, _threads())
        return out

    def diagonal(self) -> Floats:
        """Return k(a, a) for each sequence of a collection compared with itself."""
        out = np.empty(self._native.n_left)
        self._native.fill_diagonal(out, _threads())
        return out


@cache
def shared_words(k: int, m: int, alphabet: int) -> tuple[int, ...]:
    """Count the words of length k within m mismatches of both of two given words.

    Entry d is the count for two words that differ in d places. There, a counted word agrees with
    the first, with the second, or with neither; elsewhere it agrees with both or with neither.
    """
    counts = []
    for distance in range(min(2 * m, k) + 1):
        total = 0
        for missed in range(min(m, k - distance) + 1):
            ways = math.comb(k - distance, missed) * (alphabet - 1) ** missed
            least = max(distance - (m - missed), 0)
            for first in range(least, distance + 1):
                for second in range(least, distance - first + 1):
                    total += (
                        ways
                        * math.comb(distance, first)
                        * math.comb(distance - first, second)
                        * max(alphabet - 2, 0) ** (distance - first - second)
                    )
        counts.append(total)
    return tuple(counts)


def _as_int64(places: Integers | None) -> NDArray[np.int64] | None:
    return None if places is None else np.ascontiguousarray(places, dtype=np.int64)
