"""Every kernel agrees with its formula, for each type, layout, shape and instruction set."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import pairwise

from maxmargin.kernels import blocks

from .formulas import FORMS, LAYOUTS, PARAMETERS, TOLERANCE, draw_rows, reference

SHAPES = [(1, 1), (1, 257), (7, 63), (63, 7), (64, 65), (65, 64), (257, 65), (257, 257)]
DEPTHS = [0, 1, 3, 16, 54, 300]


def assert_agrees(form, A, B, K, dtype, expected=None):
    __tracebackhide__ = True
    if expected is None:
        expected = reference(form, A, B, **PARAMETERS)
    assert K.dtype == dtype
    assert K.shape == expected.shape
    scale = np.maximum(np.abs(expected), 1e-3)
    np.testing.assert_array_less(np.abs(K - expected), TOLERANCE[np.dtype(dtype)] * scale)


@cache
def drawn_reference(form, n_a, n_b, d, dtype):
    A, B = draw_rows(0, n_a, d, dtype), draw_rows(1, n_b, d, dtype)
    return reference(form, A, B, **PARAMETERS)


@pytest.mark.usefixtures("simd_level")
@pytest.mark.parametrize("layout_b", LAYOUTS)
@pytest.mark.parametrize("layout_a", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", FORMS)
def test_values_are_those_of_the_formula(form, dtype, layout_a, layout_b):
    for n_a, n_b in SHAPES:
        for d in DEPTHS:
            A, B = draw_rows(0, n_a, d, dtype), draw_rows(1, n_b, d, dtype)
            K = blocks.block(form, LAYOUTS[layout_a](A), LAYOUTS[layout_b](B), **PARAMETERS)
            assert_agrees(form, A, B, K, dtype, drawn_reference(form, n_a, n_b, d, dtype))


@pytest.mark.usefixtures("simd_level")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", FORMS)
def test_a_block_of_rows_with_themselves_is_exactly_symmetric(form, dtype, layout):
    for n in (1, 7, 64, 300):
        A = draw_rows(2, n, 20, dtype)
        rows = LAYOUTS[layout](A)
        K = blocks.block(form, rows, rows, **PARAMETERS)
        np.testing.assert_array_equal(K, K.T)
        assert_agrees(form, A, A, K, dtype)
        if form in ("gaussian", "laplacian", "chi2"):
            np.testing.assert_array_equal(np.diag(K), 1)


def test_values_are_those_of_scikit_learn():
    A, B = draw_rows(3, 40, 30), draw_rows(4, 50, 30)
    rivals = {
        "linear": pairwise.linear_kernel(A, B),
        "polynomial": pairwise.polynomial_kernel(A, B, degree=3, gamma=0.3, coef0=0.2),
        "gaussian": pairwise.rbf_kernel(A, B, gamma=0.3),
        "tanh": pairwise.sigmoid_kernel(A, B, gamma=0.3, coef0=0.2),
        "laplacian": pairwise.laplacian_kernel(A, B, gamma=0.3),
        "chi2": pairwise.chi2_kernel(A, B, gamma=0.3),
    }
    for form, expected in rivals.items():
        np.testing.assert_allclose(blocks.block(form, A, B, **PARAMETERS), expected, rtol=1e-12)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_blocks_of_many_tiles_agree_with_the_formula(layout):
    A, B = draw_rows(5, 2100, 9, np.float32), draw_rows(6, 2050, 9, np.float32)
    for form in FORMS:
        K = blocks.block(form, LAYOUTS[layout](A), LAYOUTS[layout](B), **PARAMETERS)
        assert_agrees(form, A, B, K, np.float32)
    rows = LAYOUTS[layout](A)
    K = blocks.block("gaussian", rows, rows, **PARAMETERS)
    np.testing.assert_array_equal(K, K.T)
    assert_agrees("gaussian", A, A, K, np.float32)


@pytest.mark.parametrize("form", FORMS)
def test_rows_longer_than_one_piece_agree_with_the_formula(form):
    A, B = draw_rows(7, 40, 2500) / 50, draw_rows(8, 50, 2500) / 50
    for as_a in LAYOUTS.values():
        for as_b in LAYOUTS.values():
            K = blocks.block(form, as_a(A), as_b(B), **PARAMETERS)
            assert_agrees(form, A, B, K, np.float64)


@pytest.mark.usefixtures("simd_level")
@pytest.mark.parametrize("form", FORMS)
def test_sparse_rows_wider_than_the_cache_agree_with_the_formula(form):
    A, B = draw_rows(13, 20, 5000) / 50, draw_rows(14, 30, 5000) / 50
    A[:, 1000:4000] = 0
    B[3] = 0
    for dtype in (np.float32, np.float64):
        left, right = A.astype(dtype), B.astype(dtype)
        K = blocks.block(form, sparse.csr_array(left), sparse.csr_array(right), **PARAMETERS)
        assert_agrees(form, left, right, K, dtype)


@pytest.mark.parametrize("degree", [0, 1, 2, 5, 8])
def test_any_whole_degree_is_a_power(degree):
    A, B = draw_rows(9, 20, 5) - 0.5, draw_rows(10, 30, 5)
    K = blocks.block("polynomial", A, B, gamma=0.7, coef0=-0.1, degree=degree)
    np.testing.assert_allclose(K, (0.7 * (A @ B.T) - 0.1) ** degree, rtol=1e-12, atol=1e-14)


def test_a_very_wide_sparse_block_costs_what_it_stores():
    A = sparse.random_array((50, 1_300_000), density=1e-4, format="csr", rng=0)
    B = A[:40] + sparse.random_array((40, 1_300_000), density=1e-4, format="csr", rng=1)
    products = (A @ B.T).toarray()
    norms = [np.asarray(X.multiply(X).sum(axis=1)).ravel() for X in (A, B)]
    distances = norms[0][:, None] + norms[1] - 2 * products
    np.testing.assert_allclose(blocks.block("linear", A, B), products, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(
        blocks.block("gaussian", A, B, gamma=0.1), np.exp(-0.1 * distances), rtol=1e-11
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", FORMS)
def test_without_a_blas_the_values_are_the_same(form, dtype):
    A, B = draw_rows(11, 130, 70, dtype), draw_rows(12, 90, 70, dtype)
    connected = blocks.connect_blas(blocks.cython_blas.__pyx_capi__)
    assert connected
    try:
        assert not blocks.connect_blas({})
        K = blocks.block(form, A, B, **PARAMETERS)
        symmetric = blocks.block(form, A, A, **PARAMETERS)
    finally:
        blocks.connect_blas(blocks.cython_blas.__pyx_capi__)
    assert_agrees(form, A, B, K, dtype)
    np.testing.assert_array_equal(symmetric, symmetric.T)


def test_a_blas_with_another_signature_is_not_used():
    functions = blocks.cython_blas.__pyx_capi__
    try:
        assert not blocks.connect_blas({"sgemm": functions["dgemm"], "dgemm": functions["sgemm"]})
        assert not blocks.connect_blas({"sgemm": functions["sgemv"], "dgemm": functions["dgemv"]})
        assert not blocks.connect_blas({"sgemm": 1, "dgemm": "dgemm"})
    finally:
        assert blocks.connect_blas(functions)
