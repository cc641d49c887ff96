"""The l1 machine: the optimum of Clarabel and LIBLINEAR, and a gap that is true."""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import LinearSVC

import maxmargin._native as _native
from maxmargin.certify.linear import l1_measures
from maxmargin.interior_point import quadratic_program
from maxmargin.problems import Free, Regularised
from maxmargin.solvers.l1 import L1Engine, L1Program

BIASES = {
    "free": Free(),
    "regularised": Regularised(),
    "regularised, scale 10": Regularised(10.0),
    "none": Regularised(0.0),
}
by_bias = pytest.mark.parametrize("bias", BIASES.values(), ids=BIASES.keys())


def two_classes(rng, n=80, d=12):
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    sign = np.where(X[:, 0] - X[:, 1] + 0.7 * rng.normal(size=n) > 0.3, 1.0, -1.0)
    return X, sign


def solve(X, sign, C=1.0, bias=BIASES["free"], gap=1e-9, **options):
    n_threads = options.pop("n_threads", None)
    cost = np.broadcast_to(np.asarray(C, dtype=np.float64), sign.shape)
    (answer,) = L1Engine(X, n_threads).solve([L1Program(sign, cost, bias)], gap=gap, **options)
    return answer


def certificate(X, sign, C, bias, answer):
    cost = np.broadcast_to(np.asarray(C, dtype=np.float64), sign.shape)
    return l1_measures(X, sign, cost, bias, answer.weights, answer.bias)


def objective(X, sign, C, bias, w, b):
    """The primal value, from its definition."""
    scale = bias.scale if isinstance(bias, Regularised) else 0.0
    slack = np.maximum(0.0, 1.0 - sign * (X @ w + b))
    own = abs(b) / scale if scale > 0 else 0.0
    return np.abs(w).sum() + own + np.sum(C * slack**2)


def clarabels_optimum(X, sign, C, bias):
    """The primal over (w+, w-, b+, b-, slack)."""
    n, d = X.shape
    scale = bias.scale if isinstance(bias, Regularised) else 1.0
    prices = [0.0 if isinstance(bias, Free) else 1.0] if scale > 0 else []
    features = np.hstack([X, np.full((n, len(prices)), scale)])
    price = np.concatenate([np.ones(d), prices])
    m = len(price)
    cost = np.broadcast_to(np.asarray(C, dtype=np.float64), n)
    P = sparse.diags(np.concatenate([np.zeros(2 * m), 2 * cost]))
    q = np.concatenate([price, price, np.zeros(n)])
    margins = sign[:, None] * features
    G = np.vstack([np.hstack([-margins, margins, -np.eye(n)]), -np.eye(2 * m + n)])
    h = np.concatenate([-np.ones(n), np.zeros(2 * m + n)])
    # A free bias split in two has no least solution; one of its parts is enough.
    E = np.zeros((1, 2 * m + n))
    if isinstance(bias, Free):
        G = np.delete(G, [n + m - 1, n + 2 * m - 1], axis=0)
        h = np.delete(h, [n + m - 1, n + 2 * m - 1])
        E[0, 2 * m - 1] = 1.0
    x = quadratic_program(P, q, (E, np.zeros(1)), (G, h), tolerance=1e-11).x
    w = x[:m] - x[m : 2 * m]
    if m == d:
        return objective(X, sign, C, bias, w, 0.0)
    return objective(X, sign, C, bias, w[:d], scale * w[d])


@by_bias
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_the_optimum_is_clarabels(rng, bias, C):
    X, sign = two_classes(rng)
    answer = solve(X, sign, C, bias)
    assert answer.converged
    assert answer.primal == pytest.approx(
        objective(X, sign, C, bias, answer.weights, answer.bias), rel=1e-12
    )
    assert answer.primal == pytest.approx(clarabels_optimum(X, sign, C, bias), rel=1e-7)


@pytest.mark.parametrize("scale", [0.0, 1.0, 5.0])
@pytest.mark.parametrize("C", [0.05, 1.0, 20.0])
def test_the_optimum_is_scikit_learns(rng, scale, C):
    X, sign = two_classes(rng, n=300, d=30)
    theirs = LinearSVC(
        penalty="l1",
        dual=False,
        C=C,
        fit_intercept=scale > 0,
        intercept_scaling=scale or 1.0,
        tol=1e-7,
        max_iter=1_000_000,
        random_state=0,
    ).fit(X, sign)
    b = float(np.ravel(theirs.intercept_)[0]) if scale > 0 else 0.0
    expected = objective(X, sign, C, Regularised(scale), theirs.coef_[0], b)
    answer = solve(X, sign, C, Regularised(scale))
    assert answer.primal == pytest.approx(expected, rel=1e-6)
    assert answer.primal <= expected * (1 + 1e-9)
    np.testing.assert_allclose(answer.weights, theirs.coef_[0], atol=1e-3)


@by_bias
@pytest.mark.parametrize("gap", [1e-2, 1e-5, 1e-9])
def test_the_gap_is_true(rng, bias, gap):
    X, sign = two_classes(rng, n=200, d=40)
    answer = solve(X, sign, 3.0, bias, gap=gap)
    found = certificate(X, sign, 3.0, bias, answer)
    assert answer.converged
    assert found.primal == pytest.approx(answer.primal, rel=1e-12)
    optimum = solve(X, sign, 3.0, bias, gap=1e-11).primal
    assert answer.dual <= optimum * (1 + 1e-10)
    assert answer.primal - optimum <= gap * answer.primal


@by_bias
def test_the_multipliers_are_feasible_and_have_the_dual_value(rng, bias):
    X, sign = two_classes(rng, n=200, d=40)
    answer = solve(X, sign, 0.5, bias, gap=1e-6)
    a = answer.multipliers
    assert np.all(a >= 0)
    assert np.abs(X.T @ (sign * a)).max() <= 1 + 1e-12
    if isinstance(bias, Free):
        assert abs(sign @ a) <= 1e-10 * a.sum()
    elif bias.scale > 0:
        assert abs(sign @ a) <= 1 / bias.scale + 1e-12
    assert answer.dual == pytest.approx(a.sum() - np.sum(a**2) / (4 * 0.5), rel=1e-12)


@by_bias
def test_at_the_optimum_a_slope_is_the_sign_of_its_weight(rng, bias):
    X, sign = two_classes(rng)
    answer = solve(X, sign, 2.0, bias, gap=1e-13)
    slack = np.maximum(0.0, 1.0 - sign * (X @ answer.weights + answer.bias))
    slope = X.T @ (sign * 4.0 * slack)
    used = answer.weights != 0
    assert 0 < used.sum() < len(used)
    np.testing.assert_allclose(slope[used], np.sign(answer.weights[used]), atol=1e-5)
    assert np.all(np.abs(slope[~used]) <= 1 + 1e-5)
    if isinstance(bias, Free):
        assert abs(np.sum(sign * slack)) <= 1e-6


@by_bias
def test_a_weight_equals_repetition(rng, bias):
    X, sign = two_classes(rng)
    times = rng.integers(0, 4, len(sign))
    weighted = solve(X, sign, times, bias)
    repeated = solve(np.repeat(X, times, axis=0), np.repeat(sign, times), 1.0, bias)
    assert weighted.primal == pytest.approx(repeated.primal, rel=1e-8)
    np.testing.assert_allclose(weighted.weights, repeated.weights, atol=1e-4)


@by_bias
def test_a_label_flip_flips_the_machine(rng, bias):
    X, sign = two_classes(rng)
    one, other = solve(X, sign, 1.0, bias, gap=1e-11), solve(X, -sign, 1.0, bias, gap=1e-11)
    np.testing.assert_allclose(one.weights, -other.weights, atol=1e-5)
    assert one.bias == pytest.approx(-other.bias, abs=1e-5)


@by_bias
def test_duplicate_constant_and_empty_features_change_nothing(rng, bias):
    X, sign = two_classes(rng)
    odd = np.hstack([X, X[:, :3], np.zeros((len(X), 2)), X[:, :1]])
    expected = solve(X, sign, 5.0, bias)
    for data in (odd, sparse.csr_array(odd)):
        answer = solve(data, sign, 5.0, bias)
        assert answer.converged
        assert answer.primal == pytest.approx(expected.primal, rel=1e-8)
        assert np.all(answer.weights[-3:-1] == 0)
    constant = np.hstack([X, np.full((len(X), 2), 3.0)])
    answer = solve(constant, sign, 5.0, bias)
    assert answer.converged
    if isinstance(bias, Free):
        assert answer.primal == pytest.approx(expected.primal, rel=1e-8)
    assert answer.primal <= expected.primal * (1 + 1e-8)


@by_bias
def test_rows_of_zeros_pay_what_they_must(rng, bias):
    X, sign = two_classes(rng)
    X = np.vstack([X, np.zeros((5, X.shape[1]))])
    sign = np.append(sign, [1.0, 1.0, 1.0, -1.0, -1.0])
    for data in (X, sparse.csr_array(X)):
        answer = solve(data, sign, 1.0, bias)
        assert answer.converged
        assert answer.primal == pytest.approx(clarabels_optimum(X, sign, 1.0, bias), rel=1e-7)


@by_bias
def test_nothing_but_zeros(bias):
    sign = np.array([1.0, 1.0, -1.0])
    for data in (np.zeros((3, 4)), sparse.csr_array((3, 4))):
        answer = solve(data, sign, 0.1, bias)
        assert answer.converged
        assert np.all(answer.weights == 0)
        expected = clarabels_optimum(np.zeros((3, 4)), sign, 0.1, bias)
        assert answer.primal == pytest.approx(expected, rel=1e-7)


@by_bias
def test_one_point_a_class(bias):
    X, sign = np.array([[1.0, 0.2], [-1.0, 0.1]]), np.array([1.0, -1.0])
    answer = solve(X, sign, 10.0, bias)
    assert answer.converged
    assert answer.primal == pytest.approx(clarabels_optimum(X, sign, 10.0, bias), rel=1e-7)


@by_bias
@pytest.mark.parametrize("C", [1e-6, 1e-3, 1e3, 1e5, 1e8])
def test_any_cost(rng, bias, C):
    X, sign = two_classes(rng)
    answer = solve(X, sign, C, bias, gap=1e-7, max_iterations=20_000)
    assert answer.converged
    found = certificate(X, sign, C, bias, answer)
    # A slack of rounding's size has a multiplier 2 C times that.
    assert found.relative_gap <= 2e-7 + 1e-14 * C
    assert found.feasibility <= 1e-9


@by_bias
def test_any_layout(rng, bias):
    X, sign = two_classes(rng)
    X[rng.random(X.shape) < 0.5] = 0.0
    wide = np.zeros((2 * len(X), 3 * X.shape[1]))
    wide[::2, ::3] = X
    expected = solve(X, sign, 1.0, bias, gap=1e-11)
    for data in (np.asfortranarray(X), wide[::2, ::3], sparse.csr_array(X), sparse.csr_matrix(X)):
        answer = solve(data, sign, 1.0, bias, gap=1e-11)
        assert answer.primal == pytest.approx(expected.primal, rel=1e-10)
        np.testing.assert_allclose(answer.weights, expected.weights, atol=1e-5)


@by_bias
def test_single_precision_data_are_solved_as_they_are(rng, bias):
    X, sign = two_classes(rng)
    X[rng.random(X.shape) < 0.5] = 0.0
    single = X.astype(np.float32)
    expected = solve(single.astype(np.float64), sign, 1.0, bias)
    for data in (single, np.asfortranarray(single), sparse.csr_array(single)):
        answer = solve(data, sign, 1.0, bias)
        assert answer.converged
        assert answer.primal == pytest.approx(expected.primal, rel=1e-8)
    assert expected.primal == pytest.approx(solve(X, sign, 1.0, bias).primal, rel=1e-5)


@pytest.mark.parametrize("k", [2, 3, 20, 105])
def test_one_against_the_rest_for_any_number_of_threads(rng, k):
    n, d = 420, 50
    label = np.arange(n) % k
    X = sparse.csr_array(rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.3) + np.eye(k, d)[label])
    programs = [
        L1Program(np.where(label == m, 1.0, -1.0), np.ones(n), Regularised()) for m in range(k)
    ]
    found = [L1Engine(X, threads).solve(programs, gap=1e-6) for threads in (1, 2, 5)]
    for one, two, five in zip(*found, strict=True):
        assert one.converged
        assert np.array_equal(one.weights, two.weights)
        assert np.array_equal(one.weights, five.weights)
        assert one.bias == two.bias == five.bias
        assert np.array_equal(one.multipliers, five.multipliers)
    first = solve(X, programs[1].sign, 1.0, Regularised(), gap=1e-6)
    assert np.array_equal(first.weights, found[0][1].weights)


def test_the_seed_changes_the_way_not_the_end(rng):
    X, sign = two_classes(rng, n=300, d=60)
    one, same, other = (solve(X, sign, seed=seed, gap=1e-10) for seed in (1, 1, 2))
    assert np.array_equal(one.weights, same.weights)
    assert not np.array_equal(one.weights, other.weights)
    assert one.primal == pytest.approx(other.primal, rel=1e-9)


@by_bias
def test_a_start_at_the_optimum_needs_no_sweep(rng, bias):
    X, sign = two_classes(rng, n=300, d=60)
    cold = solve(X, sign, 1.0, bias)
    again = solve(X, sign, 1.0, bias, starts=[cold])
    assert again.converged
    assert again.iterations == 0
    near = solve(X, sign, 1.05, bias, starts=[cold])
    assert near.primal == pytest.approx(solve(X, sign, 1.05, bias).primal, rel=1e-8)


def test_a_start_of_nonsense_is_overcome(rng):
    X, sign = two_classes(rng)
    cold = solve(X, sign)
    wild = replace(cold, weights=1e6 * rng.normal(size=X.shape[1]), bias=-1e7)
    assert solve(X, sign, starts=[wild]).primal == pytest.approx(cold.primal, rel=1e-8)


def test_a_limit_on_sweeps_leaves_a_true_gap(rng):
    X, sign = two_classes(rng, n=300, d=60)
    answer = solve(X, sign, 100.0, gap=1e-12, max_iterations=2)
    found = certificate(X, sign, 100.0, Free(), answer)
    assert answer.ending == "steps"
    assert not answer.converged
    assert found.primal == pytest.approx(answer.primal)
    assert answer.dual <= solve(X, sign, 100.0).primal <= answer.primal


def large(rng):
    X = rng.normal(size=(6000, 1500))
    return X, np.where(X[:, 0] + rng.normal(size=6000) > 0, 1.0, -1.0)


def test_an_interrupt_ends_the_run_at_once(rng):
    X, sign = large(rng)
    engine = L1Engine(X)
    sent = []

    def interrupt():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.3, interrupt)
    timer.start()
    programs = [L1Program(sign, np.full(len(sign), 1e4))] * 6
    answers = engine.solve(programs, gap=0.0, max_iterations=10**9)
    assert time.monotonic() - sent[0] < 0.2
    timer.join()
    assert answers[0].ending == answers[-1].ending == "interrupt"
    assert answers[-1].weights.shape == (1500,)
    assert answers[-1].primal == pytest.approx(6000 * 1e4)
    primal = objective(X, sign, 1e4, Free(), answers[0].weights, answers[0].bias)
    assert answers[0].primal == pytest.approx(primal, rel=1e-6)


def test_a_time_limit_ends_the_run(rng):
    X, sign = large(rng)
    engine = L1Engine(X)
    began = time.monotonic()
    programs = [L1Program(sign, np.full(len(sign), 1e4))] * 6
    answers = engine.solve(programs, gap=0.0, max_iterations=10**9, seconds=0.3)
    assert 0.25 < time.monotonic() - began < 0.6
    assert answers[0].ending == "seconds"


def test_a_watcher_sees_the_gap_fall_and_may_end_the_run(rng):
    X, sign = large(rng)
    seen = []

    def watch(progress):
        seen.append(progress)
        return len(seen) == 3

    answer = solve(X, sign, 1e4, gap=0.0, max_iterations=10**9, watch=watch)
    assert answer.ending == "watch"
    assert [progress.n_programs for progress in seen] == [1, 1, 1]
    assert seen[-1].primal - seen[-1].dual <= seen[0].primal - seen[0].dual


def test_what_a_watcher_raises_is_raised(rng):
    X, sign = large(rng)

    def watch(progress):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        solve(X, sign, 1e4, gap=0.0, max_iterations=10**9, watch=watch)


def test_the_core_refuses_what_does_not_fit(rng):
    engine = L1Engine(rng.normal(size=(5, 2)))
    fits = L1Program(np.ones(5), np.ones(5))
    with pytest.raises(ValueError, match="does not fit"):
        engine.solve([L1Program(np.ones(4), np.ones(4))], gap=0.1)
    with pytest.raises(ValueError, match="differ in length"):
        engine.solve([L1Program(np.ones(5), np.ones(4))], gap=0.1)
    with pytest.raises(ValueError, match="as many starts"):
        engine.solve([fits], gap=0.1, starts=[None, None])
    with pytest.raises(ValueError, match="does not fit"):
        engine.solve([fits], gap=0.1, starts=[replace(solve(np.eye(5), np.ones(5)))])
    with pytest.raises(ValueError, match="price"):
        _native.L1Program(np.ones(2), np.ones(2), -1.0)


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
    sign = np.where(y == y.max(), 1.0, -1.0)
    for bias in (Free(), Regularised()):
        answer = solve(X, sign, C, bias, gap=1e-6)
        assert answer.converged
        found = certificate(X, sign, C, bias, answer)
        assert found.relative_gap <= 1.1e-6
        assert found.feasibility <= 1e-9
