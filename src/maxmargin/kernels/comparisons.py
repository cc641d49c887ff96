"""Blocks of sequence kernels from the native core, with all that is made ready once."""

from __future__ import annotations

import math
from collections.abc import Iterator
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

__all__ = [
    "Comparison",
    "common_substrings",
    "longest_common",
    "mismatch",
    "shared_words",
    "spectrum",
    "subsequence",
    "threads_at_most",
    "weighted_degree",
]

_NO_LIMIT = 2**62
_MOST_THREADS: ContextVar[int | None] = ContextVar("most threads", default=None)


@contextmanager
def threads_at_most(n_threads: int) -> Iterator[None]:
    """Compare sequences with at most so many threads, in what this thread does meanwhile."""
    token = _MOST_THREADS.set(n_threads)
    try:
        yield
    finally:
        _MOST_THREADS.reset(token)


def _threads() -> int:
    most = _MOST_THREADS.get()
    return default_threads() if most is None else most


class Comparison:
    """A kernel between two collections of sequences; the same one twice is compared with itself."""

    def __init__(self, native: _native.Comparison) -> None:
        self._native = native

    def block(self, rows: Integers | None = None, columns: Integers | None = None) -> Floats:
        """Return the values between some sequences of the first and of the second collection."""
        shape = (
            self._native.n_left if rows is None else len(rows),
            self._native.n_right if columns is None else len(columns),
        )
        out = np.empty(shape)
        self._native.fill(_places(rows), _places(columns), out, _threads())
        return out

    def diagonal(self) -> Floats:
        """Return the value of each sequence with itself, in a collection compared with itself."""
        out = np.empty(self._native.n_left)
        self._native.fill_diagonal(out, _threads())
        return out


def common_substrings(
    A: Strings, B: Strings, *, distinct: bool, shortest: int, longest: int | None
) -> Comparison:
    """Compare by all pairs of occurrences of common substrings, or by the different ones."""
    most = _NO_LIMIT if longest is None else longest
    return Comparison(_native.common_substrings(*_native_pair(A, B), distinct, shortest, most))


def spectrum(A: Strings, B: Strings, *, shortest: int, longest: int) -> Comparison:
    """Compare by products of the counts of substrings."""
    return Comparison(_native.spectrum(*_native_pair(A, B), shortest, longest))


def mismatch(A: Strings, B: Strings, *, k: int, m: int, alphabet: int) -> Comparison:
    """Compare by the words within m mismatches of both."""
    weights = np.array(shared_words(k, m, alphabet), dtype=np.float64)
    return Comparison(_native.mismatch(*_native_pair(A, B), k, weights))


def weighted_degree(A: Strings, B: Strings, *, degree: int, shift: int) -> Comparison:
    """Compare by equal substrings at about the same place."""
    return Comparison(_native.weighted_degree(*_native_pair(A, B), degree, shift))


def subsequence(A: Strings, B: Strings, *, length: int, decay: float) -> Comparison:
    """Compare by common subsequences, weighed by what they span."""
    return Comparison(_native.subsequence(*_native_pair(A, B), length, decay))


def longest_common(A: Strings, B: Strings) -> tuple[int, int]:
    """Return where in the only sequence of A its longest substring in that of B begins and ends."""
    left, right = encode(A, B)
    begin, length = _native.longest_common_substring(left.codes, right.codes)
    return begin, begin + length


@cache
def shared_words(k: int, m: int, alphabet: int) -> tuple[int, ...]:
    """Return how many words of length k are within m mismatches of two that differ in 0, 1, ....

    Where the two agree, a word may differ from both; where they do not, it may agree with either.

    Examples
    --------
    >>> from maxmargin.kernels.comparisons import shared_words
    >>> shared_words(2, 1, 2)
    (3, 2, 2)
    """
    counts = []
    for distance in range(min(2 * m, k) + 1):
        total = 0
        for both in range(min(m, k - distance) + 1):
            ways = math.comb(k - distance, both) * (alphabet - 1) ** both
            allowed = m - both
            for first in range(max(distance - allowed, 0), distance + 1):
                for second in range(max(distance - allowed, 0), distance - first + 1):
                    neither = distance - first - second
                    total += (
                        ways
                        * math.comb(distance, first)
                        * math.comb(distance - first, second)
                        * max(alphabet - 2, 0) ** neither
                    )
        counts.append(total)
    return tuple(counts)


def _native_pair(A: Strings, B: Strings) -> tuple[_native.Sequences, _native.Sequences]:
    collections = (A,) if B is A else (A, B)
    made = [_native.Sequences.of(*codes) for codes in encode(*collections)]
    return made[0], made[-1]


def _places(places: Integers | None) -> NDArray[Any] | None:
    return None if places is None else np.ascontiguousarray(places, dtype=np.int64)
