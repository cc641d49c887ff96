"""The sequence kernels as their definitions read, by enumeration; slow and obvious."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np


def substrings(x: Sequence[Any], length: int) -> list[tuple[Any, ...]]:
    return [tuple(x[i : i + length]) for i in range(len(x) - length + 1)]


def occurrence_pairs(x: Any, z: Any, shortest: int = 1, longest: int | None = None) -> float:
    most = min(len(x), len(z)) if longest is None else longest
    return sum(
        a == b
        for length in range(shortest, most + 1)
        for a in substrings(x, length)
        for b in substrings(z, length)
    )


def distinct_substrings(x: Any, z: Any, shortest: int = 1, longest: int | None = None) -> float:
    most = min(len(x), len(z)) if longest is None else longest
    return sum(
        len(set(substrings(x, length)) & set(substrings(z, length)))
        for length in range(shortest, most + 1)
    )


def spectrum(x: Any, z: Any, k: int) -> float:
    mine, others = Counter(substrings(x, k)), Counter(substrings(z, k))
    return sum(times * others[word] for word, times in mine.items())


def spectra_up_to(x: Any, z: Any, k: int) -> float:
    return sum(spectrum(x, z, length) for length in range(1, k + 1))


def mismatch(x: Any, z: Any, k: int, m: int, alphabet: Sequence[Any]) -> float:
    def near(word: tuple[Any, ...], sequence: Any) -> int:
        return sum(
            sum(a != b for a, b in zip(word, other, strict=True)) <= m
            for other in substrings(sequence, k)
        )

    return sum(near(word, x) * near(word, z) for word in product(alphabet, repeat=k))


def weighted_degree(x: Any, z: Any, degree: int, shift: int = 0) -> float:
    total = 0.0
    for d in range(1, degree + 1):
        weight = 2 * (degree - d + 1) / (degree * (degree + 1))
        mine, others = substrings(x, d), substrings(z, d)
        for s in range(shift + 1):
            apart = sum(a == b for a, b in zip(mine[s:], others, strict=False))
            apart += sum(a == b for a, b in zip(mine, others[s:], strict=False))
            total += weight * apart / (2 * (s + 1))
    return total


def subsequence(x: Any, z: Any, length: int, decay: float) -> float:
    def spans(sequence: Any) -> list[tuple[tuple[Any, ...], int]]:
        return [
            (tuple(sequence[i] for i in places), places[-1] - places[0] + 1)
            for places in combinations(range(len(sequence)), length)
        ]

    return sum(
        decay ** (mine + others)
        for word, mine in spans(x)
        for other, others in spans(z)
        if word == other
    )


def suffix_lengths(x: Sequence[Any], z: Sequence[Any]) -> np.ndarray:
    """The matrix A of longest common suffixes, cell by cell."""
    A = np.zeros((len(x) + 1, len(z) + 1), dtype=np.int64)
    for i, a in enumerate(x):
        for j, b in enumerate(z):
            A[i + 1, j + 1] = A[i, j] + 1 if a == b else 0
    return A[1:, 1:]


def gram(value: Callable[[Any, Any], float], A: Sequence[Any], B: Sequence[Any]) -> np.ndarray:
    return np.array([[float(value(a, b)) for b in B] for a in A]).reshape(len(A), len(B))
