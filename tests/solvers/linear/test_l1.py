"""The l1 machine: the optimum of Clarabel and LIBLINEAR, and a gap that is true."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import LinearSVC, l1_min_c

from l1_zoo import by_bias, clarabels_optimum, objective, solve_l1, two_classes
from maxmargin.problems import Free, Regularised


@by_bias
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_the_optimum_is_clarabels(rng, bias, C):
    X, y = two_classes(rng)
    solution = solve_l1(X, y, C, bias)
    assert solution.converged
    assert solution.estimate.primal == pytest.approx(
        objective(X, y, C, bias, solution.w, solution.b), rel=1e-12
    )
    assert solution.estimate.primal == pytest.approx(clarabels_optimum(X, y, C, bias), rel=1e-7)


@pytest.mark.parametrize("scale", [0.0, 1.0, 5.0])
@pytest.mark.parametrize("C", [0.05, 1.0, 20.0])
def test_the_optimum_is_scikit_learns(rng, scale, C):
    X, y = two_classes(rng, n=300, d=30)
    theirs = LinearSVC(
        penalty="l1",
        dual=False,
        C=C,
        fit_intercept=scale > 0,
        intercept_scaling=scale or 1.0,
        tol=1e-7,
        max_iter=1_000_000,
        random_state=0,
    ).fit(X, y)
    b = float(np.ravel(theirs.intercept_)[0]) if scale > 0 else 0.0
    expected = objective(X, y, C, Regularised(scale), theirs.coef_[0], b)
    solution = solve_l1(X, y, C, Regularised(scale))
    assert solution.estimate.primal == pytest.approx(expected, rel=1e-6)
    assert solution.estimate.primal <= expected * (1 + 1e-9)
    np.testing.assert_allclose(solution.w, theirs.coef_[0], atol=1e-3)


@by_bias
@pytest.mark.parametrize("gap", [1e-2, 1e-5, 1e-9])
def test_the_gap_is_true(rng, bias, gap):
    X, y = two_classes(rng, n=200, d=40)
    solution = solve_l1(X, y, 3.0, bias, gap=gap)
    found = solution.certificate
    assert solution.converged
    assert found.primal == pytest.approx(solution.estimate.primal, rel=1e-12)
    optimum = solve_l1(X, y, 3.0, bias, gap=1e-11).estimate.primal
    assert solution.estimate.dual <= optimum * (1 + 1e-10)
    assert solution.estimate.primal - optimum <= gap * solution.estimate.primal


@by_bias
def test_the_multipliers_are_feasible_and_have_the_dual_value(rng, bias):
    X, y = two_classes(rng, n=200, d=40)
    solution = solve_l1(X, y, 0.5, bias, gap=1e-6)
    a = solution.dual
    assert np.all(a >= 0)
    assert np.abs(X.T @ (y * a)).max() <= 1 + 1e-12
    if isinstance(bias, Free):
        assert abs(y @ a) <= 1e-10 * a.sum()
    elif bias.scale > 0:
        assert abs(y @ a) <= 1 / bias.scale + 1e-12
    assert solution.estimate.dual == pytest.approx(a.sum() - np.sum(a**2) / (4 * 0.5), rel=1e-12)


@by_bias
def test_at_the_optimum_a_slope_is_the_sign_of_its_weight(rng, bias):
    X, y = two_classes(rng)
    solution = solve_l1(X, y, 2.0, bias, gap=1e-13)
    slack = np.maximum(0.0, 1.0 - y * (X @ solution.w + solution.b))
    slope = X.T @ (y * 4.0 * slack)
    used = solution.w != 0
    assert 0 < used.sum() < len(used)
    np.testing.assert_allclose(slope[used], np.sign(solution.w[used]), atol=1e-5)
    assert np.all(np.abs(slope[~used]) <= 1 + 1e-5)
    if isinstance(bias, Free):
        assert abs(np.sum(y * slack)) <= 1e-6


@by_bias
def test_a_weight_equals_repetition(rng, bias):
    X, y = two_classes(rng)
    times = rng.integers(0, 4, len(y))
    weighted = solve_l1(X, y, times, bias)
    repeated = solve_l1(np.repeat(X, times, axis=0), np.repeat(y, times), 1.0, bias)
    assert weighted.estimate.primal == pytest.approx(repeated.estimate.primal, rel=1e-8)
    np.testing.assert_allclose(weighted.w, repeated.w, atol=1e-4)


@by_bias
def test_a_label_flip_flips_the_machine(rng, bias):
    X, y = two_classes(rng)
    one, other = solve_l1(X, y, 1.0, bias, gap=1e-11), solve_l1(X, -y, 1.0, bias, gap=1e-11)
    np.testing.assert_allclose(one.w, -other.w, atol=1e-5)
    assert one.b == pytest.approx(-other.b, abs=1e-5)


@by_bias
def test_duplicate_constant_and_empty_features_change_nothing(rng, bias):
    X, y = two_classes(rng)
    odd = np.hstack([X, X[:, :3], np.zeros((len(X), 2)), X[:, :1]])
    expected = solve_l1(X, y, 5.0, bias)
    for data in (odd, sparse.csr_array(odd)):
        solution = solve_l1(data, y, 5.0, bias)
        assert solution.converged
        assert solution.estimate.primal == pytest.approx(expected.estimate.primal, rel=1e-8)
        assert np.all(solution.w[-3:-1] == 0)
    constant = np.hstack([X, np.full((len(X), 2), 3.0)])
    solution = solve_l1(constant, y, 5.0, bias)
    assert solution.converged
    if isinstance(bias, Free):
        assert solution.estimate.primal == pytest.approx(expected.estimate.primal, rel=1e-8)
    assert solution.estimate.primal <= expected.estimate.primal * (1 + 1e-8)


@by_bias
def test_rows_of_zeros_pay_what_they_must(rng, bias):
    X, y = two_classes(rng)
    X = np.vstack([X, np.zeros((5, X.shape[1]))])
    y = np.append(y, [1.0, 1.0, 1.0, -1.0, -1.0])
    for data in (X, sparse.csr_array(X)):
        solution = solve_l1(data, y, 1.0, bias)
        assert solution.converged
        assert solution.estimate.primal == pytest.approx(
            clarabels_optimum(X, y, 1.0, bias), rel=1e-7
        )


@by_bias
def test_nothing_but_zeros(bias):
    y = np.array([1.0, 1.0, -1.0])
    for data in (np.zeros((3, 4)), sparse.csr_array((3, 4))):
        solution = solve_l1(data, y, 0.1, bias)
        assert solution.converged
        assert np.all(solution.w == 0)
        expected = clarabels_optimum(np.zeros((3, 4)), y, 0.1, bias)
        assert solution.estimate.primal == pytest.approx(expected, rel=1e-7)


@by_bias
def test_one_point_per_class(bias):
    X, y = np.array([[1.0, 0.2], [-1.0, 0.1]]), np.array([1.0, -1.0])
    solution = solve_l1(X, y, 10.0, bias)
    assert solution.converged
    assert solution.estimate.primal == pytest.approx(clarabels_optimum(X, y, 10.0, bias), rel=1e-7)


@by_bias
@pytest.mark.parametrize("C", [1e-6, 1e-3, 1e3, 1e5, 1e8])
def test_any_cost(rng, bias, C):
    X, y = two_classes(rng)
    solution = solve_l1(X, y, C, bias, gap=1e-7, max_iter=20_000)
    assert solution.converged
    found = solution.certificate
    # A slack of rounding's size (some 1e-14) has a multiplier 2 C times that.
    assert found.relative_gap <= 2e-7 + 4e-14 * C
    assert found.feasibility <= 1e-9


@by_bias
def test_any_layout(rng, bias):
    X, y = two_classes(rng)
    X[rng.random(X.shape) < 0.5] = 0.0
    wide = np.zeros((2 * len(X), 3 * X.shape[1]))
    wide[::2, ::3] = X
    expected = solve_l1(X, y, 1.0, bias, gap=1e-11)
    for data in (np.asfortranarray(X), wide[::2, ::3], sparse.csr_array(X), sparse.csr_matrix(X)):
        solution = solve_l1(data, y, 1.0, bias, gap=1e-11)
        assert solution.estimate.primal == pytest.approx(expected.estimate.primal, rel=1e-10)
        np.testing.assert_allclose(solution.w, expected.w, atol=1e-5)


@by_bias
def test_single_precision_data_are_solved_as_they_are(rng, bias):
    X, y = two_classes(rng)
    X[rng.random(X.shape) < 0.5] = 0.0
    single = X.astype(np.float32)
    expected = solve_l1(single.astype(np.float64), y, 1.0, bias)
    for data in (single, np.asfortranarray(single), sparse.csr_array(single)):
        solution = solve_l1(data, y, 1.0, bias)
        assert solution.converged
        assert solution.estimate.primal == pytest.approx(expected.estimate.primal, rel=1e-8)
    assert expected.estimate.primal == pytest.approx(
        solve_l1(X, y, 1.0, bias).estimate.primal, rel=1e-5
    )


@pytest.mark.data
@pytest.mark.parametrize("name", ["a9a", "australian", "ionosphere", "madelon", "sonar", "w8a"])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_real_data(name, C, data_directory):
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
        y = file["y"]
    y = np.where(y == y.max(), 1.0, -1.0)
    for bias in (Free(), Regularised()):
        solution = solve_l1(X, y, C, bias, gap=1e-6)
        assert solution.converged
        found = solution.certificate
        assert found.relative_gap <= 1.1e-6
        assert found.feasibility <= 1e-9


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_weights_appear_where_the_least_cost_is_passed(seed, fit_intercept):
    rng = np.random.default_rng(seed)
    X, y = two_classes(rng)
    least = l1_min_c(X, y, loss="squared_hinge", fit_intercept=fit_intercept)
    bias = Regularised(1.0 if fit_intercept else 0.0)
    for gap in (1e-2, 1e-4, 1e-7):
        below = solve_l1(X, y, least, bias, gap=gap)
        assert not below.w.any()
        assert below.b == 0
        above = solve_l1(X, y, 1.01 * least, bias, gap=gap)
        assert above.converged
        assert above.w.any() or above.b != 0
