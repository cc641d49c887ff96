"""A matrix filled in stripes is the kernel's, each pair compared once, and may be given up."""

import numpy as np
import pytest

from maxmargin.kernels import Spectrum, Subsequence
from maxmargin.solvers.kernel import stripes
from maxmargin.solvers.kernel.memory import has_room_for_whole
from maxmargin.solvers.kernel.stripes import fill_symmetric


def go_on(share):
    return None


@pytest.fixture
def texts(rng):
    return np.array(["".join(rng.choice(list("ACGT"), rng.integers(0, 12))) for _ in range(300)])


@pytest.mark.parametrize("n", [1, 2, 16, 17, 100, 300])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_stripes_make_up_the_block(texts, n, dtype):
    kernel, out = Spectrum(2), np.full((n, n), np.nan, dtype=dtype)
    assert fill_symmetric(out, kernel.within(texts[:n]), go_on) is None
    np.testing.assert_array_equal(out, kernel.block(texts[:n], texts[:n]))


def test_few_pairs_are_compared_twice(texts, monkeypatch):
    monkeypatch.setattr(stripes, "_MOST_GROWTH", 1)
    compared, shares = [], []

    def block(rows, columns):
        compared.append(len(rows) * len(columns))
        return np.zeros((len(rows), len(columns)))

    fill_symmetric(np.empty((300, 300)), block, shares.append)
    assert sum(compared) <= 0.53 * 300**2
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_a_slow_kernel_gets_pauses(texts, monkeypatch):
    monkeypatch.setattr(stripes, "_SECONDS", 1e-9)
    pauses = []
    fill_symmetric(np.empty((50, 50)), Subsequence(2).within(texts[:50]), pauses.append)
    assert len(pauses) == 1 + 50 - 16


def test_the_reason_to_give_up_comes_back(texts):
    asked = []

    def pause(share):
        asked.append(share)
        return "enough"

    assert fill_symmetric(np.empty((300, 300)), Spectrum(2).within(texts), pause) == "enough"
    assert len(asked) == 1
    # Once the matrix is complete nobody gives it up.
    assert fill_symmetric(np.empty((2, 2)), Spectrum(2).within(texts[:2]), pause) is None


def test_room_is_what_was_told():
    assert has_room_for_whole(1024, 8.0)
    assert not has_room_for_whole(1025, 8.0)
    assert has_room_for_whole(100, None)
    assert not has_room_for_whole(10**8, None)
