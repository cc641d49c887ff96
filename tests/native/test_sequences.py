"""The compiled comparisons of sequences: every instruction set, width and way; threads."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np
import pytest

from maxmargin.kernels import (
    CommonSubstrings,
    Mismatch,
    SequenceKernel,
    Spectrum,
    Subsequence,
    WeightedDegree,
)

KERNELS: list[SequenceKernel] = [
    CommonSubstrings(),
    CommonSubstrings("pairs", 2, 9),
    CommonSubstrings("distinct"),
    CommonSubstrings("distinct", 2, 9),
    Spectrum(4),
    Spectrum(40),
    Spectrum(7, up_to=True),
    Mismatch(5, 1, alphabet=4),
    Mismatch(6, 2, alphabet=4),
    WeightedDegree(6),
    WeightedDegree(4, shift=3),
    Subsequence(3, decay=0.8),
]
every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=repr)


def runs(x: Any, z: Any) -> np.ndarray:
    """The suffix matrix, a row at a time."""
    if len(x) > len(z):
        return runs(z, x).T
    left, right = np.asarray(list(x)), np.asarray(list(z))
    A = np.zeros((len(left) + 1, len(right) + 1), dtype=np.int64)
    for i in range(len(left)):
        A[i + 1, 1:] = np.where(right == left[i], A[i, :-1] + 1, 0)
    return A[1:, 1:]


def pairs(x: Any, z: Any, shortest: int, longest: int) -> float:
    return np.maximum(np.minimum(runs(x, z), longest) - shortest + 1, 0).sum()


def distinct(x: Any, z: Any, shortest: int, longest: int) -> float:
    longest_here = runs(x, z).max(axis=0, initial=0)
    repeated = np.triu(runs(z, z), 1).max(axis=0, initial=0)
    new = np.minimum(longest_here, longest) - np.maximum(repeated, shortest - 1)
    return np.maximum(new, 0).sum()


def texts(n: int, low: int, high: int, letters: str = "ACGT", seed: int = 0) -> list[str]:
    random = np.random.default_rng(seed)
    return ["".join(random.choice(list(letters), random.integers(low, high))) for _ in range(n)]


@every_kernel
def test_every_instruction_set_finds_the_same(kernel: SequenceKernel, simd_level: str) -> None:
    A, B = texts(70, 0, 30), texts(150, 0, 90, seed=1)
    one_by_one = np.array([[kernel.block([a], [b]).item() for b in B[::7]] for a in A[::7]])
    np.testing.assert_allclose(kernel.block(A, B)[::7, ::7], one_by_one, rtol=1e-13)
    np.testing.assert_allclose(kernel.block(B, A), kernel.block(A, B).T, rtol=1e-13)
    np.testing.assert_allclose(kernel.diag(B), np.diag(kernel.block(B, B)), rtol=1e-13)


@pytest.mark.parametrize(("shortest", "longest"), [(1, None), (2, 50), (3, 300)])
@pytest.mark.parametrize(
    "collection",
    [
        texts(6, 50, 70),
        texts(6, 100, 300, "ab"),
        ["a" * 100, "a" * 64, "a" * 63, "ab" * 60, "a" * 255 + "b", "a" * 300],
        texts(5, 700, 2000, "ab"),
        ["ab" * 600, "a" * 1500, "ba" * 900, "b"],
        [list(range(300)), list(range(150, 500)), [7, 7, 8], []],
        [list(range(70_000)), list(range(69_990, 70_010)), [5, 6, 7]],
    ],
    ids=["bytes", "shorts", "at the edges", "long", "long and periodic", "words", "many words"],
)
def test_common_substrings_of_every_size(
    collection: Sequence[Any], shortest: int, longest: int | None, simd_level: str
) -> None:
    most = 10**9 if longest is None else longest
    few = collection[:3] if len(collection[0]) > 10_000 else collection
    others = few[1:] if len(collection[0]) > 10_000 else few
    for count, value in (("pairs", pairs), ("distinct", distinct)):
        expected = [[value(x, z, shortest, most) for z in others] for x in few]
        kernel = CommonSubstrings(count, shortest, longest)
        np.testing.assert_array_equal(kernel.block(few, others), expected)
        np.testing.assert_array_equal(kernel.block(few, few)[:, len(few) - len(others) :], expected)


def test_equal_letters_have_as_many_pairs_as_the_formula_says(simd_level: str) -> None:
    sizes = [1, 2, 63, 64, 255, 256, 400, 5000, 40_000]
    n = np.array(sizes, dtype=np.float64)
    np.testing.assert_array_equal(
        CommonSubstrings().diag(["x" * size for size in sizes]), n * (n + 1) * (2 * n + 1) / 6
    )
    np.testing.assert_array_equal(
        CommonSubstrings("distinct").diag(["x" * size for size in sizes]), n
    )


@pytest.mark.parametrize("k", [1, 5, 31, 32, 64, 200])
def test_substrings_of_any_length_get_names(k: int) -> None:
    A = [*texts(5, 150, 400, "ab"), "ab" * 150, "a" * 220]
    few = A[-3:]
    expected = [[(runs(x, z) >= k).sum() for z in few] for x in few]
    np.testing.assert_array_equal(Spectrum(k).block(A, A)[-3:, -3:], expected)


def test_long_windows_are_compared_in_wider_lanes(simd_level: str) -> None:
    x, z = texts(2, 600, 601, "ab")
    z = x[:280] + z[280:]
    assert Mismatch(260, 0, alphabet=2).block([x], [z]).item() == (runs(x, z) >= 260).sum() > 0


@every_kernel
def test_the_number_of_threads_does_not_matter(
    kernel: SequenceKernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    A = texts(200, 0, 70)
    blocks = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("MAXMARGIN_NUM_THREADS", threads)
        blocks.append((kernel.block(A, A), kernel.block(A, A[:50]), kernel.diag(A)))
    for other in blocks[1:]:
        for one, same in zip(blocks[0], other, strict=True):
            np.testing.assert_array_equal(one, same)


def test_threads_may_compare_at_once() -> None:
    A = texts(150, 20, 60)
    expected = CommonSubstrings().block(A, A)
    found: list[np.ndarray] = []
    workers = [
        threading.Thread(target=lambda: found.append(CommonSubstrings().block(A, A)))
        for _ in range(4)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(found) == 4
    for K in found:
        np.testing.assert_array_equal(K, expected)


@pytest.mark.parametrize("kernel", [CommonSubstrings(), Subsequence(4), Mismatch(5, 2)], ids=repr)
def test_a_block_can_be_interrupted(kernel: SequenceKernel) -> None:
    A = texts(3000, 400, 500)
    start = perf_counter()
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        kernel.block(A, A)
    timer.join()
    assert perf_counter() - start < 30
