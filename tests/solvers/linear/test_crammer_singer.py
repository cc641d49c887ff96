"""Crammer and Singer's machine: the optimum of Clarabel and LIBLINEAR, and a gap that is true."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import LinearSVC

from class_zoo import (
    by_method,
    by_scale,
    clarabels_optimum,
    classes,
    objective,
    solve_classes,
)


@by_method
@by_scale
@pytest.mark.parametrize("C", [0.01, 1.0, 10.0])
@pytest.mark.parametrize("k", [2, 3, 5, 9])
def test_the_optimum_is_clarabels(rng, scale, C, k, method):
    X, label = classes(rng, n=45, d=4, k=k)
    solution = solve_classes(X, label, C, scale, method=method)
    assert solution.converged
    expected = clarabels_optimum(X, label, C, scale, k)
    assert solution.estimate.primal == pytest.approx(expected, rel=1e-7)
    found = objective(X, label, C, scale, solution.w, solution.offsets)
    assert solution.estimate.primal == pytest.approx(found, rel=1e-10)


@by_method
@by_scale
@pytest.mark.parametrize("C", [0.05, 1.0, 3.0])
def test_the_optimum_is_scikit_learns(rng, scale, C, method):
    X, label = classes(rng, n=200, d=8, k=5)
    theirs = LinearSVC(
        multi_class="crammer_singer",
        C=C,
        fit_intercept=scale > 0,
        intercept_scaling=scale or 1.0,
        tol=1e-8,
        max_iter=1_000_000,
        random_state=0,
    ).fit(X, label)
    b = theirs.intercept_ if scale > 0 else np.zeros(5)
    expected = objective(X, label, C, scale, theirs.coef_, b)
    solution = solve_classes(X, label, C, scale, method=method)
    assert solution.estimate.primal == pytest.approx(expected, rel=1e-6)
    np.testing.assert_allclose(solution.w, theirs.coef_, atol=1e-3)


@by_method
@by_scale
@pytest.mark.parametrize("gap", [1e-2, 1e-5, 1e-9])
def test_the_gap_is_true(rng, scale, gap, method):
    X, label = classes(rng, n=300, d=10, k=6)
    solution = solve_classes(X, label, 1.0, scale, gap=gap, method=method)
    found = solution.certificate
    assert solution.converged
    assert found.relative_gap <= gap * (1 + 1e-6) + 1e-13
    assert found.primal == pytest.approx(solution.estimate.primal, rel=1e-11)
    assert found.dual == pytest.approx(solution.estimate.dual, rel=1e-11)
    assert found.feasibility <= 1e-12


def test_the_weights_are_the_multipliers_combination(rng):
    X, label = classes(rng, k=5)
    solution = solve_classes(X, label, 2.0, 3.0)
    a = solution.dual
    np.testing.assert_allclose(solution.w, a.T @ X, atol=1e-12)
    np.testing.assert_allclose(solution.offsets, 9.0 * a.sum(axis=0), atol=1e-12)
    np.testing.assert_allclose(a.sum(axis=1), 0.0, atol=1e-12)
    at = np.arange(len(label))
    assert np.all(a[at, label] <= 2.0)
    others = np.delete(a, 0, axis=1)[label == 0]
    assert np.all(others <= 0)


@by_method
def test_two_classes_are_the_hinge_machine_of_their_difference(rng, method):
    X, label = classes(rng, k=2)
    solution = solve_classes(X, label, 1.0, 0.0, method=method)
    np.testing.assert_allclose(solution.w[0], -solution.w[1], atol=1e-12)
    # With w = w_1 - w_0 the slack is that of half the margin: |w|^2 / 4, C max(0, 1 - y w'x).
    y = 2.0 * label - 1
    w = solution.w[1] - solution.w[0]
    value = 0.25 * w @ w + np.maximum(0.0, 1.0 - y * (X @ w)).sum()
    assert solution.estimate.primal == pytest.approx(value, rel=1e-10)


@by_method
@by_scale
def test_a_weight_equals_repetition(rng, scale, method):
    X, label = classes(rng)
    times = rng.integers(0, 4, len(label))
    weighted = solve_classes(X, label, times, scale, method=method)
    rows = np.repeat(np.arange(len(label)), times)
    repeated = solve_classes(X[rows], label[rows], 1.0, scale, method=method)
    assert weighted.estimate.primal == pytest.approx(repeated.estimate.primal, rel=1e-8)
    np.testing.assert_allclose(weighted.w, repeated.w, atol=1e-4)


@by_method
@by_scale
def test_renamed_classes_have_each_others_weights(rng, scale, method):
    X, label = classes(rng)
    order = np.array([2, 0, 3, 1])
    one, other = (
        solve_classes(X, names, 1.0, scale, method=method) for names in (label, order[label])
    )
    np.testing.assert_allclose(one.w, other.w[order], atol=1e-4)


@by_method
@by_scale
def test_a_class_without_points_pushes_nobody_more_than_it_must(rng, scale, method):
    X, label = classes(rng, n=40, k=3)
    solution = solve_classes(X, label, 1.0, scale, k=4, method=method)
    assert solution.converged
    assert solution.estimate.primal == pytest.approx(
        clarabels_optimum(X, label, 1.0, scale, 4), rel=1e-7
    )


@by_method
@by_scale
def test_rows_of_zeros_pay_what_they_must(rng, scale, method):
    X, label = classes(rng, n=40, k=3)
    X[:5] = 0.0
    X = np.hstack([X, np.zeros((40, 2)), X[:, :1], np.full((40, 1), 2.0)])
    for data in (X, sparse.csr_array(X)):
        solution = solve_classes(data, label, 1.0, scale, method=method)
        assert solution.converged
        assert solution.estimate.primal == pytest.approx(
            clarabels_optimum(X, label, 1.0, scale, 3), rel=1e-7
        )
        assert solution.certificate.relative_gap <= 1.01e-9
        assert np.all(solution.w[:, 6:8] == 0)


@by_method
@by_scale
def test_nothing_but_zeros(scale, method):
    label = np.array([0, 1, 1, 2])
    for data in (np.zeros((4, 3)), sparse.csr_array((4, 3))):
        solution = solve_classes(data, label, 0.2, scale, method=method)
        assert solution.converged
        expected = clarabels_optimum(np.zeros((4, 3)), label, 0.2, scale, 3)
        assert solution.estimate.primal == pytest.approx(expected, rel=1e-7)


@by_scale
@pytest.mark.parametrize("k", [2, 3, 20, 105])
def test_one_point_per_class(rng, scale, k):
    X = np.eye(k, k + 3) + 0.1 * rng.normal(size=(k, k + 3))
    solution = solve_classes(X, np.arange(k), 10.0, scale)
    assert solution.converged
    assert np.array_equal(np.argmax(X @ solution.w.T + solution.offsets, axis=1), np.arange(k))
    assert solution.certificate.relative_gap <= 1.01e-9


@by_method
@by_scale
@pytest.mark.parametrize("C", [1e-6, 1e-3, 1e3])
def test_any_cost(rng, scale, C, method):
    X, label = classes(rng, n=30, d=3, k=3)
    solution = solve_classes(X, label, C, scale, gap=1e-6, max_iter=10**7, method=method)
    assert solution.converged
    assert solution.certificate.relative_gap <= 1.01e-6


@by_method
@by_scale
@pytest.mark.parametrize("C", [1e5, 1e8])
def test_separable_classes_need_no_more_than_some_cost(rng, scale, C, method):
    X, label = classes(rng, n=30, d=10, k=3, spread=0.1)
    solution = solve_classes(X, label, C, scale, gap=1e-7, method=method)
    assert solution.converged
    cheaper = solve_classes(X, label, 1e3, scale, gap=1e-7, method=method)
    assert solution.estimate.primal == pytest.approx(cheaper.estimate.primal, rel=1e-6)


@by_scale
@pytest.mark.parametrize("C", [1e2, 1e4, 1e6, 1e10])
def test_expensive_slack_where_classes_overlap(rng, scale, C):
    X, label = classes(rng, n=150, d=4, k=3, spread=2.0)
    solution = solve_classes(X, label, C, scale, gap=1e-6, max_iter=100, method="interior-point")
    assert solution.converged
    assert solution.certificate.relative_gap <= 1.01e-6


@by_scale
def test_interior_points_go_to_the_end_of_rounding(rng, scale):
    X, label = classes(rng, n=120, d=5, k=4)
    solution = solve_classes(X, label, 1.0, scale, gap=1e-15, method="interior-point")
    found = solution.certificate
    assert solution.iterations < 60
    assert found.gap - found.rounding <= 1e-13 * found.primal
    assert found.kkt_violation <= 1e-7


@by_method
@by_scale
def test_any_layout_and_precision(rng, scale, method):
    X, label = classes(rng)
    X[rng.random(X.shape) < 0.4] = 0.0
    X = X.astype(np.float32).astype(np.float64)
    wide = np.zeros((2 * len(X), 3 * X.shape[1]))
    wide[::2, ::3] = X
    expected = solve_classes(X, label, 1.0, scale, method=method)
    single = X.astype(np.float32)
    for data in (
        np.asfortranarray(X),
        wide[::2, ::3],
        sparse.csr_array(X),
        single,
        np.asfortranarray(single),
        sparse.csr_array(single),
    ):
        solution = solve_classes(data, label, 1.0, scale, method=method)
        assert solution.converged
        assert solution.estimate.primal == pytest.approx(expected.estimate.primal, rel=1e-8)
        np.testing.assert_allclose(solution.w, expected.w, atol=1e-4)


@pytest.mark.data
@pytest.mark.parametrize("name", ["dna", "glass", "satimage", "vehicle", "vowel"])
def test_real_data(name, data_directory):
    path = data_directory / "classification" / f"{name}.npz"
    if not path.exists():
        pytest.skip(f"{path.name} is not there")
    with np.load(path) as file:
        if "X_shape" in file:
            parts = (file["X_data"], file["X_indices"], file["X_indptr"])
            X = sparse.csr_array(parts, shape=tuple(file["X_shape"])).astype(np.float64)
        else:
            X = file["X"].astype(np.float64)
            X = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-12)
        label = np.unique(file["y"], return_inverse=True)[1]
    for C in (0.1, 1.0):
        solution = solve_classes(X, label, C, gap=1e-3)
        assert solution.converged
        assert solution.certificate.relative_gap <= 1.01e-3
    rows = np.random.default_rng(0).permutation(len(label))[:800]
    for C in (1.0, 1e4):
        solution = solve_classes(
            X[rows], label[rows], C, gap=1e-6, k=label.max() + 1, method="interior-point"
        )
        assert solution.converged
        found = solution.certificate
        assert found.gap - found.rounding <= 1.01e-6 * found.primal
