"""exp and tanh keep their digits everywhere, and distances survive data far from the origin."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from maxmargin.kernels import blocks

pytestmark = pytest.mark.usefixtures("simd_level")


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 3e-7), (np.float64, 1e-15)])
def test_exp_is_accurate_down_to_the_smallest_normal_number(dtype, tolerance):
    largest = 87.0 if dtype == np.float32 else 708.0
    u = np.concatenate([np.geomspace(1e-30, 1, 3000), np.linspace(0, largest, 40_000)])
    u = u.astype(dtype)
    K = blocks.block("laplacian", u[:, None], np.zeros((1, 1), dtype))[:, 0]
    expected = np.exp(-u.astype(np.longdouble))
    assert np.max(np.abs(K / expected - 1)) < tolerance


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_exp_underflows_to_zero(dtype):
    top = np.finfo(dtype).max
    u = np.array([[0.0], [100.0], [1e3], [1e10], [top], [np.inf]], dtype)
    K = blocks.block("laplacian", u, np.zeros((1, 1), dtype))[:, 0]
    expected = np.exp(-u[:, 0].astype(np.float64))
    np.testing.assert_allclose(K, expected, rtol=1e-5, atol=1e-37)
    assert np.all(K[2:] == 0 if dtype == np.float32 else K[3:] == 0)


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 1e-6), (np.float64, 2e-15)])
def test_tanh_is_accurate_near_zero_and_far_away(dtype, tolerance):
    size = np.concatenate([np.geomspace(1e-30, 1, 20_000), np.linspace(0.5, 100, 20_000)])
    x = np.concatenate([-size, [0.0], size]).astype(dtype)
    K = blocks.block("tanh", x[:, None], np.ones((1, 1), dtype))[:, 0]
    expected = np.tanh(x.astype(np.longdouble))
    assert K[len(size)] == 0
    np.testing.assert_array_less(np.abs(K - expected), tolerance * np.abs(expected) + 1e-300)
    assert np.abs(K).max() <= 1


@pytest.mark.parametrize("form", ["linear", "polynomial", "gaussian", "tanh", "laplacian", "chi2"])
@pytest.mark.parametrize("n", [3, 100])
def test_a_nan_stays_in_its_own_row(form, n):
    A, B = np.ones((n, 4)), np.full((n, 4), 2.0)
    A[1, 2] = np.nan
    for rows in (A, sparse.csr_array(A)):
        K = blocks.block(form, rows, B)
        assert np.isnan(K[1]).all()
        assert np.isfinite(np.delete(K, 1, axis=0)).all()


@pytest.mark.parametrize("n", [20, 300])
def test_the_gaussian_of_float32_data_far_from_the_origin_keeps_its_digits(n):
    rng = np.random.default_rng(0)
    A = (rng.normal(size=(n, 30)) + 1e4).astype(np.float32)
    B = (rng.normal(size=(n + 5, 30)) + 1e4).astype(np.float32)
    differences = A.astype(np.float64)[:, None, :] - B.astype(np.float64)[None, :, :]
    expected = np.exp(-0.05 * (differences**2).sum(axis=2))
    np.testing.assert_allclose(blocks.block("gaussian", A, B, gamma=0.05), expected, rtol=2e-5)


def test_the_gaussian_of_two_distant_clusters_keeps_its_digits():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(200, 10)).astype(np.float32)
    A[100:] += 1e4
    differences = A.astype(np.float64)[:, None, :] - A.astype(np.float64)[None, :, :]
    expected = np.exp(-0.05 * (differences**2).sum(axis=2))
    for other in (A, A.copy()):
        K = blocks.block("gaussian", A, other, gamma=0.05)
        np.testing.assert_allclose(K, expected, rtol=2e-5, atol=1e-30)
