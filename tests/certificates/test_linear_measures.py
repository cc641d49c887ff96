"""What is measured of linear machines holds for any solution, good or bad."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from maxmargin import Stop, solve
from maxmargin.certificates import measure_crammer_singer, measure_l1
from maxmargin.problems import CrammerSinger, Free, L1Margin, Regularised, points

BIASES = [Free(), Regularised(), Regularised(4.0), Regularised(0.0)]
by_bias = pytest.mark.parametrize("bias", BIASES, ids=repr)
by_scale = pytest.mark.parametrize("scale", [0.0, 1.0, 4.0])


@pytest.fixture
def two(rng):
    X = rng.normal(size=(90, 7))
    sign = np.where(X[:, 0] + 0.5 * rng.normal(size=90) > 0.2, 1.0, -1.0)
    return X, sign, rng.uniform(0.1, 3.0, 90)


@pytest.fixture
def many(rng):
    label = np.arange(90) % 4
    X = rng.normal(size=(4, 7))[label] + rng.normal(size=(90, 7))
    return X, label, rng.uniform(0.1, 3.0, 90)


def l1_problem(two, bias):
    X, sign, cost = two
    return L1Margin(X, sign, bias=bias, sample_weight=cost)


def class_problem(many, scale):
    X, label, cost = many
    return CrammerSinger(X, label, bias=Regularised(scale), sample_weight=cost)


def optimum(problem):
    solution = solve(problem, stop=Stop(gap=1e-10))
    assert solution.converged
    return solution


@by_bias
def test_an_optimum_has_neither_gap_nor_violation(two, bias):
    problem = l1_problem(two, bias)
    solution = optimum(problem)
    found = measure_l1(problem, solution.w, solution.b)
    assert found.primal == pytest.approx(solution.estimate.primal, rel=1e-12)
    assert abs(found.relative_gap) <= 1e-9
    assert found.kkt_violation <= 1e-4
    assert found.feasibility <= 1e-10
    assert found == solution.certificate.measures


@by_bias
def test_the_dual_is_below_the_optimum_whatever_the_weights(two, bias, rng):
    problem = l1_problem(two, bias)
    least = optimum(problem).estimate.primal
    for _ in range(20):
        w = rng.normal(size=7) * (rng.random(7) < 0.5)
        offset = 0.0 if bias == Regularised(0.0) else float(rng.normal())
        found = measure_l1(problem, w, offset)
        assert found.dual <= least <= found.primal
        assert found.gap == found.primal - found.dual
        assert found.kkt_violation > 1e-2
        assert found.feasibility <= 1e-10


@by_bias
def test_a_weight_too_small_to_matter_is_no_violation(two, bias):
    problem = l1_problem(two, bias)
    solution = optimum(problem)
    before = measure_l1(problem, solution.w, solution.b).kkt_violation
    nearly = measure_l1(problem, solution.w + 1e-9, solution.b).kkt_violation
    assert nearly <= before + 1e-6


def test_a_weight_of_the_wrong_sign_is_a_violation_however_small(two):
    X, sign, cost = two
    w = np.zeros(7)
    w[0] = -1e-9
    found = measure_l1(l1_problem(two, Regularised(0.0)), w, 0.0)
    slope = abs(X[:, 0] @ (2 * sign * cost))
    assert found.kkt_violation >= slope - 1 - 1e-6


@by_bias
def test_data_may_come_in_any_form_and_in_pieces(two, bias, monkeypatch):
    X, *others = two
    X = X.astype(np.float32)
    solution = optimum(l1_problem((X, *others), bias))
    machine = (solution.w, solution.b)
    exact = measure_l1(l1_problem((X.astype(np.float64), *others), bias), *machine)
    monkeypatch.setattr(points, "_SLICE_ENTRIES", 50)
    for data in (X, np.asfortranarray(X), sparse.csr_array(X), sparse.csr_matrix(X)):
        found = measure_l1(l1_problem((data, *others), bias), *machine)
        assert found.primal == pytest.approx(exact.primal, rel=1e-13)
        assert found.dual == pytest.approx(exact.dual, rel=1e-12)
        assert found.kkt_violation == pytest.approx(exact.kkt_violation, abs=1e-12)


@by_scale
def test_an_optimum_of_many_classes_has_neither_gap_nor_violation(many, scale):
    problem = class_problem(many, scale)
    solution = optimum(problem)
    found = measure_crammer_singer(problem, solution.w, solution.offsets, solution.dual)
    assert found.primal == pytest.approx(solution.estimate.primal, rel=1e-9)
    assert found.dual == pytest.approx(solution.estimate.dual, rel=1e-9)
    assert 0 <= found.gap - found.rounding <= 1.1e-10 * found.primal
    assert found.kkt_violation <= 1e-3
    assert found.feasibility <= 1e-12
    assert found == solution.certificate.measures


@by_scale
def test_the_dual_is_below_the_optimum_whatever_the_multipliers(many, scale, rng):
    problem = class_problem(many, scale)
    least = optimum(problem).estimate.primal
    for size in (0.01, 0.1, 1.0, 10.0):
        a = size * rng.normal(size=(90, 4))
        W, b = a.T @ problem.X, scale**2 * a.sum(axis=0)
        found = measure_crammer_singer(problem, W, b, a)
        assert found.dual <= least <= found.primal
        assert found.kkt_violation > 1e-2
        assert found.feasibility > 1e-3


def test_weights_that_are_not_the_multipliers_are_a_violation(many):
    problem = class_problem(many, 1.0)
    solution = optimum(problem)
    W = solution.w.copy()
    W[0] += 0.1
    found = measure_crammer_singer(problem, W, solution.offsets, solution.dual)
    assert found.kkt_violation >= 0.05
    assert found.gap > 0


def test_classes_may_come_in_any_form_and_in_pieces(many, monkeypatch):
    X, *others = many
    X = X.astype(np.float32)
    solution = optimum(class_problem((X, *others), 1.0))
    machine = (solution.w, solution.offsets, solution.dual)
    exact = measure_crammer_singer(class_problem((X.astype(np.float64), *others), 1.0), *machine)
    monkeypatch.setattr(points, "_SLICE_ENTRIES", 50)
    for data in (X, np.asfortranarray(X), sparse.csr_array(X), sparse.csr_matrix(X)):
        found = measure_crammer_singer(class_problem((data, *others), 1.0), *machine)
        assert found.primal == pytest.approx(exact.primal, rel=1e-13)
        assert found.dual == pytest.approx(exact.dual, rel=1e-12)
        assert found.kkt_violation == pytest.approx(exact.kkt_violation, abs=1e-10)


def test_points_without_cost_or_features_prove_what_they_can(many):
    X, label, cost = many
    X, cost = X.copy(), cost.copy()
    X[:3], cost[3:6] = 0.0, 0.0
    problem = class_problem((X, label, cost), 0.0)
    solution = optimum(problem)
    found = measure_crammer_singer(problem, solution.w, solution.offsets, solution.dual)
    assert abs(found.relative_gap) <= 1.1e-10
    assert found.kkt_violation <= 1e-3
