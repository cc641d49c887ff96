"""What is measured of linear machines holds for any solution, good or bad."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from maxmargin.certify import linear
from maxmargin.certify.linear import crammer_singer_measures, l1_measures
from maxmargin.problems import Free, Regularised
from maxmargin.solvers.crammer_singer import ClassProgram, CrammerSingerEngine
from maxmargin.solvers.l1 import L1Engine, L1Program

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


def l1_answer(two, bias, gap=1e-10):
    X, sign, cost = two
    (answer,) = L1Engine(X).solve([L1Program(sign, cost, bias)], gap=gap)
    return answer


def class_answer(many, scale, gap=1e-10):
    X, label, cost = many
    program = ClassProgram(label, cost, 4, Regularised(scale))
    return CrammerSingerEngine(X).solve(program, gap=gap, max_iterations=100_000)


@by_bias
def test_an_optimum_has_neither_gap_nor_violation(two, bias):
    answer = l1_answer(two, bias)
    found = l1_measures(*two, bias, answer.weights, answer.bias)
    assert found.primal == pytest.approx(answer.primal, rel=1e-12)
    assert abs(found.relative_gap) <= 1e-9
    assert found.kkt_violation <= 1e-4
    assert found.feasibility <= 1e-10


@by_bias
def test_the_dual_is_below_the_optimum_whatever_the_weights(two, bias, rng):
    optimum = l1_answer(two, bias).primal
    for _ in range(20):
        w = rng.normal(size=7) * (rng.random(7) < 0.5)
        offset = 0.0 if bias == Regularised(0.0) else float(rng.normal())
        found = l1_measures(*two, bias, w, offset)
        assert found.dual <= optimum <= found.primal
        assert found.gap == found.primal - found.dual
        assert found.kkt_violation > 1e-2
        assert found.feasibility <= 1e-10


@by_bias
def test_a_weight_too_small_to_matter_is_no_violation(two, bias):
    answer = l1_answer(two, bias)
    nearly = answer.weights + 1e-9
    before = l1_measures(*two, bias, answer.weights, answer.bias).kkt_violation
    assert l1_measures(*two, bias, nearly, answer.bias).kkt_violation <= before + 1e-6


def test_a_weight_of_the_wrong_sign_is_a_violation_however_small(two):
    X, sign, cost = two
    w = np.zeros(7)
    w[0] = -1e-9
    found = l1_measures(X, sign, cost, Regularised(0.0), w, 0.0)
    slope = abs(X[:, 0] @ (2 * sign * cost))
    assert found.kkt_violation >= slope - 1 - 1e-6


@by_bias
def test_data_may_come_in_any_form_and_in_pieces(two, bias, monkeypatch):
    X, sign, cost = two
    X = X.astype(np.float32)
    answer = l1_answer((X, sign, cost), bias)
    exact = l1_measures(X.astype(np.float64), sign, cost, bias, answer.weights, answer.bias)
    monkeypatch.setattr(linear, "_BLOCK_ENTRIES", 50)
    for data in (X, np.asfortranarray(X), sparse.csr_array(X), sparse.csr_matrix(X)):
        found = l1_measures(data, sign, cost, bias, answer.weights, answer.bias)
        assert found.primal == pytest.approx(exact.primal, rel=1e-13)
        assert found.dual == pytest.approx(exact.dual, rel=1e-12)
        assert found.kkt_violation == pytest.approx(exact.kkt_violation, abs=1e-12)


@by_scale
def test_an_optimum_of_many_classes_has_neither_gap_nor_violation(many, scale):
    answer = class_answer(many, scale)
    found = crammer_singer_measures(
        *many, Regularised(scale), answer.weights, answer.bias, answer.multipliers
    )
    assert found.primal == pytest.approx(answer.primal, rel=1e-11)
    assert found.dual == pytest.approx(answer.dual, rel=1e-11)
    assert abs(found.relative_gap) <= 1.1e-10
    assert found.kkt_violation <= 1e-3
    assert found.feasibility <= 1e-12


@by_scale
def test_the_dual_is_below_the_optimum_whatever_the_multipliers(many, scale, rng):
    X, label, cost = many
    optimum = class_answer(many, scale).primal
    for size in (0.01, 0.1, 1.0, 10.0):
        a = size * rng.normal(size=(90, 4))
        W, b = a.T @ X, scale**2 * a.sum(axis=0)
        found = crammer_singer_measures(X, label, cost, Regularised(scale), W, b, a)
        assert found.dual <= optimum <= found.primal
        assert found.kkt_violation > 1e-2
        assert found.feasibility > 1e-3


def test_weights_that_are_not_the_multipliers_are_a_violation(many):
    answer = class_answer(many, 1.0)
    W = answer.weights.copy()
    W[0] += 0.1
    found = crammer_singer_measures(*many, Regularised(), W, answer.bias, answer.multipliers)
    assert found.kkt_violation >= 0.05
    assert found.gap > 0


def test_classes_may_come_in_any_form_and_in_pieces(many, monkeypatch):
    X, label, cost = many
    X = X.astype(np.float32)
    answer = class_answer((X, label, cost), 1.0)
    solution = (answer.weights, answer.bias, answer.multipliers)
    exact = crammer_singer_measures(X.astype(np.float64), label, cost, Regularised(), *solution)
    monkeypatch.setattr(linear, "_BLOCK_ENTRIES", 50)
    for data in (X, np.asfortranarray(X), sparse.csr_array(X), sparse.csr_matrix(X)):
        found = crammer_singer_measures(data, label, cost, Regularised(), *solution)
        assert found.primal == pytest.approx(exact.primal, rel=1e-13)
        assert found.dual == pytest.approx(exact.dual, rel=1e-12)
        assert found.kkt_violation == pytest.approx(exact.kkt_violation, abs=1e-10)


def test_points_without_cost_or_features_prove_what_they_can(many):
    X, label, cost = many
    X, cost = X.copy(), cost.copy()
    X[:3], cost[3:6] = 0.0, 0.0
    answer = class_answer((X, label, cost), 0.0)
    found = crammer_singer_measures(
        X, label, cost, Regularised(0.0), answer.weights, answer.bias, answer.multipliers
    )
    assert abs(found.relative_gap) <= 1.1e-10
    assert found.kkt_violation <= 1e-3
