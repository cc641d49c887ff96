"""Decomposition with every instruction set, in both precisions, over points by rows or entries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from engine_zoo import run
from maxmargin.kernels import RBF, Kernel, Laplacian, Linear, Polynomial, Sigmoid
from maxmargin.problems import SoftMargin

KERNELS = [Linear(), Polynomial(0.1, 1.0, 3), RBF(0.2), Sigmoid(0.01, 0.1), Laplacian(0.1)]


def data(n: int, d: int, share: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n + d)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < share)
    return X, np.where(X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=n) > 0, 1.0, -1.0)


def violation(kernel: Kernel, X: Any, y: np.ndarray, C: float, b: np.ndarray) -> float:
    exact = X.astype(np.float64)
    score = y - kernel.block(exact, exact) @ b
    lower, upper = np.where(y > 0, 0.0, -C), np.where(y > 0, C, 0.0)
    return float(score[b < upper].max() - score[b > lower].min())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize(
    ("n", "d", "share"), [(3, 2, 1.0), (70, 1, 1.0), (333, 13, 1.0), (333, 200, 0.05)]
)
def test_every_level_reaches_the_optimum(
    simd_level: str, dtype: type, kernel: Kernel, n: int, d: int, share: float
) -> None:
    X, y = data(n, max(d, 2), share)
    X = X[:, :d].astype(dtype)
    y[:2] = 1.0, -1.0
    for hold in (np.asarray, sparse.csr_array):
        found = run(SoftMargin(hold(X), y, C=1.0, kernel=kernel), 1e-4)
        assert found.converged
        assert violation(kernel, hold(X), y, 1.0, found.signed) <= 1e-4


@pytest.mark.parametrize("share", [1.0, 0.05])
def test_every_level_takes_wide_working_sets(simd_level: str, share: float) -> None:
    X, y = data(4500, 20, share)
    for cache_size in (1.0, None):
        found = run(SoftMargin(X, y, C=1.0, kernel=RBF(0.1)), 1e-3, cache_size=cache_size)
        assert found.converged
        assert violation(RBF(0.1), X, y, 1.0, found.signed) <= 1e-3


@pytest.mark.parametrize("hold", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_points_without_an_entry_are_points(kernel: Kernel, hold: Any) -> None:
    y = np.repeat([1.0, -1.0], [12, 8])
    found = run(SoftMargin(hold(np.zeros((20, 3))), y, C=1.0, kernel=kernel), 1e-6)
    assert found.converged
    assert np.abs(found.signed).sum() == pytest.approx(16.0)
