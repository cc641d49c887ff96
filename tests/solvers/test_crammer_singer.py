"""Crammer and Singer's machine: the optimum of Clarabel and LIBLINEAR, and a gap that is true."""

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
from maxmargin.certify.linear import crammer_singer_measures
from maxmargin.interior_point import quadratic_program
from maxmargin.problems import Regularised
from maxmargin.solvers.crammer_singer import ClassProgram, CrammerSingerEngine

SCALES = [0.0, 1.0, 5.0]
by_scale = pytest.mark.parametrize("scale", SCALES)


def classes(rng, n=60, d=6, k=4, spread=1.0):
    label = np.arange(n) % k
    centres = rng.normal(size=(k, d))
    return centres[label] + spread * rng.normal(size=(n, d)), label


def solve(X, label, C=1.0, scale=1.0, gap=1e-9, k=None, **options):
    n_threads = options.pop("n_threads", None)
    options.setdefault("max_iterations", 100_000)
    program = make_program(label, C, scale, k)
    return CrammerSingerEngine(X, n_threads).solve(program, gap=gap, **options)


def make_program(label, C=1.0, scale=1.0, k=None):
    cost = np.array(np.broadcast_to(np.asarray(C, dtype=np.float64), label.shape))
    return ClassProgram(label, cost, k or int(label.max()) + 1, Regularised(scale))


def certificate(X, label, C, scale, answer):
    program = make_program(label, C, scale, len(answer.bias))
    return crammer_singer_measures(
        X,
        label,
        program.cost,
        program.bias,
        answer.weights,
        answer.bias,
        answer.multipliers,
    )


def objective(X, label, C, scale, W, b):
    """The primal value, from its definition."""
    levels = X @ W.T + b + 1.0
    at = np.arange(len(label))
    levels[at, label] -= 1.0
    own = np.sum((b / scale) ** 2) if scale > 0 else 0.0
    return 0.5 * (np.sum(W**2) + own) + np.sum(C * (levels.max(axis=1) - levels[at, label]))


def clarabels_optimum(X, label, C, scale, k):
    """The primal over (W, slack), one constraint for each point and other class."""
    if scale > 0:
        X = np.hstack([X, np.full((len(X), 1), scale)])
    n, d = X.shape
    rows = []
    for i in range(n):
        for m in range(k):
            if m == label[i]:
                continue
            row = np.zeros(k * d + n)
            row[m * d : (m + 1) * d] += X[i]
            row[label[i] * d : (label[i] + 1) * d] -= X[i]
            row[k * d + i] = -1.0
            rows.append(row)
    slacks = np.hstack([np.zeros((n, k * d)), -np.eye(n)])
    G, h = np.vstack([*rows, slacks]), np.concatenate([-np.ones(n * (k - 1)), np.zeros(n)])
    P = sparse.diags(np.concatenate([np.ones(k * d), np.zeros(n)]))
    q = np.concatenate([np.zeros(k * d), np.broadcast_to(C, n)])
    nothing = np.zeros((0, k * d + n))
    x = quadratic_program(P, q, (nothing, np.zeros(0)), (G, h), tolerance=1e-11).x
    W = x[: k * d].reshape(k, d)
    return objective(X, label, C, 0.0, W, np.zeros(k))


@by_scale
@pytest.mark.parametrize("C", [0.01, 1.0, 10.0])
@pytest.mark.parametrize("k", [2, 3, 5, 9])
def test_the_optimum_is_clarabels(rng, scale, C, k):
    X, label = classes(rng, n=45, d=4, k=k)
    answer = solve(X, label, C, scale)
    assert answer.converged
    expected = clarabels_optimum(X, label, C, scale, k)
    assert answer.primal == pytest.approx(expected, rel=1e-7)
    found = objective(X, label, C, scale, answer.weights, answer.bias)
    assert answer.primal == pytest.approx(found, rel=1e-10)


@by_scale
@pytest.mark.parametrize("C", [0.05, 1.0, 3.0])
def test_the_optimum_is_scikit_learns(rng, scale, C):
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
    answer = solve(X, label, C, scale)
    assert answer.primal == pytest.approx(expected, rel=1e-6)
    np.testing.assert_allclose(answer.weights, theirs.coef_, atol=1e-3)


@by_scale
@pytest.mark.parametrize("gap", [1e-2, 1e-5, 1e-9])
def test_the_gap_is_true(rng, scale, gap):
    X, label = classes(rng, n=200, d=10, k=6)
    answer = solve(X, label, 1.0, scale, gap=gap)
    found = certificate(X, label, 1.0, scale, answer)
    assert answer.converged
    assert found.relative_gap <= gap * (1 + 1e-6) + 1e-13
    assert found.primal == pytest.approx(answer.primal, rel=1e-11)
    assert found.dual == pytest.approx(answer.dual, rel=1e-11)
    assert found.feasibility <= 1e-12


def test_the_weights_are_the_multipliers_combination(rng):
    X, label = classes(rng, k=5)
    answer = solve(X, label, 2.0, 3.0)
    a = answer.multipliers
    np.testing.assert_allclose(answer.weights, a.T @ X, atol=1e-12)
    np.testing.assert_allclose(answer.bias, 9.0 * a.sum(axis=0), atol=1e-12)
    np.testing.assert_allclose(a.sum(axis=1), 0.0, atol=1e-12)
    at = np.arange(len(label))
    assert np.all(a[at, label] <= 2.0)
    others = np.delete(a, 0, axis=1)[label == 0]
    assert np.all(others <= 0)


def test_two_classes_are_the_hinge_machine_of_their_difference(rng):
    X, label = classes(rng, k=2)
    answer = solve(X, label, 1.0, 0.0)
    np.testing.assert_allclose(answer.weights[0], -answer.weights[1], atol=1e-12)
    # With w = w_1 - w_0 the slack is that of half the margin: |w|^2 / 4, C max(0, 1 - y w'x).
    y = 2.0 * label - 1
    w = answer.weights[1] - answer.weights[0]
    value = 0.25 * w @ w + np.maximum(0.0, 1.0 - y * (X @ w)).sum()
    assert answer.primal == pytest.approx(value, rel=1e-10)


@by_scale
def test_a_weight_equals_repetition(rng, scale):
    X, label = classes(rng)
    times = rng.integers(0, 4, len(label))
    weighted = solve(X, label, times, scale)
    repeated = solve(np.repeat(X, times, axis=0), np.repeat(label, times), 1.0, scale)
    assert weighted.primal == pytest.approx(repeated.primal, rel=1e-8)
    np.testing.assert_allclose(weighted.weights, repeated.weights, atol=1e-4)


@by_scale
def test_renamed_classes_have_each_others_weights(rng, scale):
    X, label = classes(rng)
    order = np.array([2, 0, 3, 1])
    one, other = solve(X, label, 1.0, scale), solve(X, order[label], 1.0, scale)
    np.testing.assert_allclose(one.weights, other.weights[order], atol=1e-4)


@by_scale
def test_a_class_without_points_pushes_nobody_more_than_it_must(rng, scale):
    X, label = classes(rng, n=40, k=3)
    answer = solve(X, label, 1.0, scale, k=4)
    assert answer.converged
    assert answer.primal == pytest.approx(clarabels_optimum(X, label, 1.0, scale, 4), rel=1e-7)


@by_scale
def test_rows_of_zeros_pay_what_they_must(rng, scale):
    X, label = classes(rng, n=40, k=3)
    X[:5] = 0.0
    X = np.hstack([X, np.zeros((40, 2)), X[:, :1], np.full((40, 1), 2.0)])
    for data in (X, sparse.csr_array(X)):
        answer = solve(data, label, 1.0, scale)
        assert answer.converged
        assert answer.primal == pytest.approx(clarabels_optimum(X, label, 1.0, scale, 3), rel=1e-7)
        assert certificate(data, label, 1.0, scale, answer).relative_gap <= 1.01e-9
        assert np.all(answer.weights[:, 6:8] == 0)


@by_scale
def test_nothing_but_zeros(scale):
    label = np.array([0, 1, 1, 2])
    for data in (np.zeros((4, 3)), sparse.csr_array((4, 3))):
        answer = solve(data, label, 0.2, scale)
        assert answer.converged
        expected = clarabels_optimum(np.zeros((4, 3)), label, 0.2, scale, 3)
        assert answer.primal == pytest.approx(expected, rel=1e-7)


@by_scale
@pytest.mark.parametrize("k", [2, 3, 20, 105])
def test_one_point_a_class(rng, scale, k):
    X = np.eye(k, k + 3) + 0.1 * rng.normal(size=(k, k + 3))
    answer = solve(X, np.arange(k), 10.0, scale)
    assert answer.converged
    assert np.array_equal(np.argmax(X @ answer.weights.T + answer.bias, axis=1), np.arange(k))
    assert certificate(X, np.arange(k), 10.0, scale, answer).relative_gap <= 1.01e-9


@by_scale
@pytest.mark.parametrize("C", [1e-6, 1e-3, 1e3])
def test_any_cost(rng, scale, C):
    X, label = classes(rng, n=30, d=3, k=3)
    answer = solve(X, label, C, scale, gap=1e-6, max_iterations=10**7)
    assert answer.converged
    assert certificate(X, label, C, scale, answer).relative_gap <= 1.01e-6


@by_scale
@pytest.mark.parametrize("C", [1e5, 1e8])
def test_separable_classes_have_an_end_to_cost(rng, scale, C):
    X, label = classes(rng, n=30, d=10, k=3, spread=0.1)
    answer = solve(X, label, C, scale, gap=1e-7)
    assert answer.converged
    assert answer.primal == pytest.approx(solve(X, label, 1e3, scale, gap=1e-7).primal, rel=1e-6)


@by_scale
def test_any_layout_and_precision(rng, scale):
    X, label = classes(rng)
    X[rng.random(X.shape) < 0.4] = 0.0
    X = X.astype(np.float32).astype(np.float64)
    wide = np.zeros((2 * len(X), 3 * X.shape[1]))
    wide[::2, ::3] = X
    expected = solve(X, label, 1.0, scale)
    single = X.astype(np.float32)
    for data in (
        np.asfortranarray(X),
        wide[::2, ::3],
        sparse.csr_array(X),
        single,
        np.asfortranarray(single),
        sparse.csr_array(single),
    ):
        answer = solve(data, label, 1.0, scale)
        assert answer.converged
        assert answer.primal == pytest.approx(expected.primal, rel=1e-8)
        np.testing.assert_allclose(answer.weights, expected.weights, atol=1e-4)


@pytest.mark.parametrize("k", [2, 3, 20, 105])
def test_any_number_of_threads_and_classes(rng, k):
    n, d = 1260, 150
    label = np.arange(n) % k
    X = sparse.csr_array(rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.2) + np.eye(k, d)[label])
    one, two, five = (solve(X, label, gap=1e-4, n_threads=threads) for threads in (1, 2, 5))
    assert one.converged
    for other in (two, five):
        assert np.array_equal(one.weights, other.weights)
        assert np.array_equal(one.multipliers, other.multipliers)
    assert certificate(X, label, 1.0, 1.0, one).relative_gap <= 1e-4


def test_the_seed_changes_the_way_not_the_end(rng):
    X, label = classes(rng)
    one, same, other = (solve(X, label, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(one.weights, same.weights)
    assert not np.array_equal(one.weights, other.weights)
    assert one.primal == pytest.approx(other.primal, rel=1e-8)


@by_scale
def test_a_start_at_the_optimum_needs_no_sweep(rng, scale):
    X, label = classes(rng, n=100)
    cold = solve(X, label, 1.0, scale)
    again = solve(X, label, 1.0, scale, start=cold)
    assert again.converged
    assert again.iterations == 0
    for C in (0.5, 2.0):
        warm = solve(X, label, C, scale, start=cold)
        assert warm.primal == pytest.approx(solve(X, label, C, scale).primal, rel=1e-8)


def test_a_start_of_nonsense_is_made_feasible(rng):
    X, label = classes(rng)
    cold = solve(X, label)
    wild = replace(cold, multipliers=100 * rng.normal(size=cold.multipliers.shape))
    warm = solve(X, label, start=wild)
    assert warm.primal == pytest.approx(cold.primal, rel=1e-8)
    assert certificate(X, label, 1.0, 1.0, warm).feasibility <= 1e-12


def test_a_limit_on_sweeps_leaves_a_true_gap(rng):
    X, label = classes(rng, n=200)
    answer = solve(X, label, 10.0, gap=1e-12, max_iterations=3)
    found = certificate(X, label, 10.0, 1.0, answer)
    assert answer.ending == "steps"
    assert found.primal == pytest.approx(answer.primal)
    assert found.dual == pytest.approx(answer.dual)


def large(rng):
    return classes(rng, n=20_000, d=60, k=12, spread=2.0)


def test_an_interrupt_ends_the_run_at_once(rng):
    X, label = large(rng)
    engine = CrammerSingerEngine(X)
    sent = []

    def interrupt():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.3, interrupt)
    timer.start()
    answer = engine.solve(make_program(label, 100.0), gap=0.0, max_iterations=10**9)
    assert time.monotonic() - sent[0] < 0.2
    timer.join()
    assert answer.ending == "interrupt"
    found = certificate(X, label, 100.0, 1.0, answer)
    assert found.feasibility <= 1e-9
    assert found.dual > 0


def test_a_time_limit_ends_the_run(rng):
    X, label = large(rng)
    engine = CrammerSingerEngine(X)
    began = time.monotonic()
    answer = engine.solve(make_program(label, 100.0), gap=0.0, max_iterations=10**9, seconds=0.3)
    assert 0.25 < time.monotonic() - began < 0.6
    assert answer.ending == "seconds"


def test_no_time_at_all_leaves_the_zero_machine(rng):
    X, label = large(rng)
    answer = solve(X, label, gap=0.0, seconds=0.0)
    assert answer.ending == "seconds"
    assert answer.weights.shape == (12, 60)


def test_a_watcher_may_end_the_run(rng):
    X, label = large(rng)
    seen = []

    def watch(progress):
        seen.append(progress)
        return len(seen) == 3

    answer = solve(X, label, 100.0, gap=0.0, max_iterations=10**9, watch=watch)
    assert answer.ending == "watch"
    assert len(seen) == 3


def test_the_core_refuses_what_does_not_fit(rng):
    X = rng.normal(size=(4, 2))
    label, cost = np.array([0, 1, 2, 1]), np.ones(4)
    engine = CrammerSingerEngine(X)
    with pytest.raises(ValueError, match="does not fit"):
        engine.solve(ClassProgram(label[:3], cost[:3], 3), gap=0.1)
    with pytest.raises(ValueError, match="not one of the classes"):
        engine.solve(ClassProgram(label, cost, 2), gap=0.1)
    with pytest.raises(ValueError, match="not one of the classes"):
        engine.solve(ClassProgram(label - 1, cost, 3), gap=0.1)
    with pytest.raises(ValueError, match="two classes"):
        engine.solve(ClassProgram(0 * label, cost, 1), gap=0.1)
    start = engine.solve(ClassProgram(label, cost, 3), gap=0.1)
    with pytest.raises(ValueError, match="does not fit"):
        engine.solve(ClassProgram(label, cost, 4), gap=0.1, start=start)
    with pytest.raises(ValueError, match="differ in length"):
        _native.ClassProgram(label.astype(np.int32), cost[:3], 3, 1.0)


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
        answer = solve(X, label, C, gap=1e-3)
        assert answer.converged
        assert certificate(X, label, C, 1.0, answer).relative_gap <= 1.01e-3
