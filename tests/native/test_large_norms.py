"""Distances between rows far from the origin keep their digits in every layout."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from maxmargin.kernels import blocks

from .formulas import LAYOUTS, reference

GAMMAS = {"gaussian": 0.05, "laplacian": 0.3, "chi2": 1.0}
OFFSETS = [(np.float64, 1e4), (np.float64, 1e6), (np.float32, 30.0), (np.float32, 300.0)]
TOLERANCE = {np.float32: 2e-5, np.float64: 1e-10}

pytestmark = pytest.mark.usefixtures("simd_level")


def draw_far_rows(seed, n, d, dtype, offset):
    """Rows near `offset`; every fifth of them stores few entries and every eleventh none."""
    rng = np.random.default_rng(seed)
    rows = offset + rng.random((n, d))
    rows[::5] = rng.random(d) * (rng.random(d) < 0.2)
    rows[::7] *= rng.random(d) < 0.3
    rows[::11] = 0
    return rows.astype(dtype)


def expected_block(form, A, B):
    return reference(form, A, B, gamma=GAMMAS[form], coef0=0.0, degree=0)


def assert_keeps_its_digits(form, A, B, K, dtype):
    __tracebackhide__ = True
    np.testing.assert_allclose(K, expected_block(form, A, B), rtol=0, atol=TOLERANCE[dtype])


@pytest.mark.parametrize("layout_b", LAYOUTS)
@pytest.mark.parametrize("layout_a", LAYOUTS)
@pytest.mark.parametrize(("dtype", "offset"), OFFSETS)
@pytest.mark.parametrize("form", GAMMAS)
def test_rows_far_from_the_origin_keep_their_digits(form, dtype, offset, layout_a, layout_b):
    for n_a, n_b, d in ((1, 40, 20), (40, 1, 20), (37, 53, 20), (150, 90, 20), (20, 30, 700)):
        A, B = (draw_far_rows(seed, n, d, dtype, offset) for seed, n in ((0, n_a), (1, n_b)))
        K = blocks.block(form, LAYOUTS[layout_a](A), LAYOUTS[layout_b](B), gamma=GAMMAS[form])
        assert_keeps_its_digits(form, A, B, K, dtype)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("dtype", "offset"), OFFSETS)
@pytest.mark.parametrize("form", GAMMAS)
def test_far_rows_with_themselves_keep_their_digits_and_symmetry(form, dtype, offset, layout):
    for n in (7, 300):
        A = draw_far_rows(2, n, 20, dtype, offset)
        rows = LAYOUTS[layout](A)
        K = blocks.block(form, rows, rows, gamma=GAMMAS[form])
        assert_keeps_its_digits(form, A, A, K, dtype)
        np.testing.assert_array_equal(K, K.T)
        np.testing.assert_array_equal(np.diag(K), 1)


@pytest.mark.parametrize(("dtype", "offset"), [(np.float64, 1e6), (np.float32, 300.0)])
@pytest.mark.parametrize("form", GAMMAS)
def test_far_rows_wider_than_the_cache_keep_their_digits(form, dtype, offset):
    A, B = (np.zeros((n, 9000), dtype) for n in (30, 40))
    A[:, 2000:2020] = draw_far_rows(3, 30, 20, dtype, offset)
    B[:, 2000:2020] = draw_far_rows(4, 40, 20, dtype, offset)
    A[::4, 7000], B[::3, 8000] = 0.5, 0.25
    for left in (A, sparse.csr_array(A)):
        K = blocks.block(form, left, sparse.csr_array(B), gamma=GAMMAS[form])
        assert_keeps_its_digits(form, A, B, K, dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", GAMMAS)
def test_norms_of_every_size_in_one_block_keep_their_digits(form, dtype):
    rng = np.random.default_rng(5)
    sizes = np.repeat(np.geomspace(1e-3, 1e4, 30), 4)
    A = (sizes[:, None] * (1 + rng.random((120, 15)) / sizes[:, None])).astype(dtype)
    order = rng.permutation(120)
    for rows in (A, A[order]):
        K = blocks.block(form, sparse.csr_array(rows), sparse.csr_array(A), gamma=GAMMAS[form])
        assert_keeps_its_digits(form, rows, A, K, dtype)


def test_explicit_zeros_and_empty_rows_are_zeros():
    A = sparse.csr_array(np.full((9, 6), 1e6) + np.arange(54).reshape(9, 6) / 60)
    A.data[::5] = 0
    B = sparse.csr_array((4, 6))
    for left, right in ((A, A.copy()), (A, B), (B, A)):
        for form in GAMMAS:
            K = blocks.block(form, left, right, gamma=GAMMAS[form])
            assert_keeps_its_digits(form, left.toarray(), right.toarray(), K, np.float64)


@pytest.mark.parametrize("form", GAMMAS)
def test_a_nan_among_far_rows_stays_in_its_own_row(form):
    A = draw_far_rows(6, 20, 8, np.float64, 1e6)
    B = draw_far_rows(7, 30, 8, np.float64, 1e6)
    expected = expected_block(form, A, B)
    A[1, 2] = np.nan
    for as_a in LAYOUTS.values():
        for left, right, K0 in ((A, B, expected), (B, A, expected.T)):
            K = blocks.block(form, as_a(left), sparse.csr_array(right), gamma=GAMMAS[form])
            K, K0 = (K, K0) if left is A else (K.T, K0.T)
            assert np.isnan(K[1]).all()
            others = np.arange(20) != 1
            np.testing.assert_allclose(K[others], K0[others], rtol=0, atol=1e-10)
