"""Runs over l1 machines: threads, seeds, warm starts, and ends from outside."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import maxmargin._native as _native
from l1_zoo import by_bias, objective, solve_l1, two_classes
from maxmargin import Stop, solve, solve_all
from maxmargin.kernels.blocks import as_rows
from maxmargin.problems import Free, L1Margin, Points, Regularised
from maxmargin.solvers import Ending, L1Descent
from maxmargin.solvers.linear.engine import RunOptions


@pytest.mark.parametrize("k", [2, 3, 20, 105])
def test_one_against_the_rest_for_any_number_of_threads(rng, k):
    n, d = 420, 50
    label = np.arange(n) % k
    X = sparse.csr_array(rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.3) + np.eye(k, d)[label])
    points = Points(X)
    problems = [
        L1Margin(points, np.where(label == m, 1.0, -1.0), bias=Regularised()) for m in range(k)
    ]
    found = [solve_all(problems, L1Descent(n), stop=Stop(gap=1e-6)) for n in (1, 2, 5)]
    for one, two, five in zip(*found, strict=True):
        assert one.converged
        assert np.array_equal(one.w, two.w)
        assert np.array_equal(one.w, five.w)
        assert one.b == two.b == five.b
        assert np.array_equal(one.dual, five.dual)
    second = solve_l1(X, problems[1].y, 1.0, Regularised(), gap=1e-6)
    assert np.array_equal(second.w, found[0][1].w)


def test_the_seed_changes_the_way_not_the_end(rng):
    X, y = two_classes(rng, n=300, d=60)
    one, same, other = (solve_l1(X, y, seed=seed, gap=1e-10) for seed in (1, 1, 2))
    assert np.array_equal(one.w, same.w)
    assert not np.array_equal(one.w, other.w)
    assert one.estimate.primal == pytest.approx(other.estimate.primal, rel=1e-9)


@by_bias
def test_a_start_at_the_optimum_needs_no_sweep(rng, bias):
    X, y = two_classes(rng, n=300, d=60)
    cold = solve_l1(X, y, 1.0, bias)
    again = solve_l1(X, y, 1.0, bias, warm=cold)
    assert again.converged
    assert again.iterations == 0
    warm = solve_l1(X, y, 1.05, bias, warm=cold)
    expected = solve_l1(X, y, 1.05, bias).estimate.primal
    assert warm.estimate.primal == pytest.approx(expected, rel=1e-8)


def test_a_start_of_nonsense_is_overcome(rng):
    X, y = two_classes(rng)
    cold = solve_l1(X, y)
    wild = replace(cold, weights=1e6 * rng.normal(size=X.shape[1]), intercept=-1e7)
    found = solve_l1(X, y, warm=wild)
    assert found.estimate.primal == pytest.approx(cold.estimate.primal, rel=1e-8)


def test_a_limit_on_sweeps_leaves_a_true_gap(rng):
    X, y = two_classes(rng, n=300, d=60)
    solution = solve_l1(X, y, 100.0, gap=1e-12, max_iter=2)
    assert solution.ending is Ending.MAX_ITER
    assert not solution.converged
    assert solution.certificate.primal == pytest.approx(solution.estimate.primal)
    best = solve_l1(X, y, 100.0).estimate.primal
    assert solution.estimate.dual <= best <= solution.estimate.primal


@pytest.fixture
def large(rng):
    """A problem that takes minutes, with columns that are read as they are."""
    X = np.asfortranarray(rng.normal(size=(6000, 1500)))
    return L1Margin(X, np.where(X[:, 0] + rng.normal(size=6000) > 0, 1.0, -1.0), C=1e4)


def long(time_limit=120.0):
    """Go on until the time is over."""
    return Stop(gap=1e-300, max_iter=10**9, time_limit=time_limit)


def test_an_interrupt_ends_the_run_at_once(large, interrupted):
    solutions, delay = interrupted(lambda: solve_all([large] * 6, "l1-descent", stop=long()))
    assert delay < 10
    assert solutions[0].ending is solutions[-1].ending is Ending.INTERRUPT
    assert solutions[-1].w.shape == (1500,)
    assert solutions[-1].estimate.primal == pytest.approx(6000 * 1e4)
    primal = objective(large.X, large.y, 1e4, Free(), solutions[0].w, solutions[0].b)
    assert solutions[0].estimate.primal == pytest.approx(primal, rel=1e-6)


def test_a_time_limit_ends_the_run(large):
    began = time.monotonic()
    solutions = solve_all([large] * 6, "l1-descent", stop=long(0.3))
    assert 0.25 < time.monotonic() - began < 20
    assert solutions[0].ending is Ending.TIME_LIMIT


def test_a_callback_sees_the_gap_fall_and_may_end_the_run(large):
    seen = []

    def callback(progress):
        seen.append(progress)
        return len(seen) == 3

    solution = solve(large, "l1-descent", stop=long(), callback=callback)
    assert solution.ending is Ending.CALLBACK
    assert 3 <= len(seen) <= 4
    assert {progress.n_problems for progress in seen} == {1}
    assert seen[-1].gap <= seen[0].gap


def test_what_a_callback_raises_is_raised(large):
    def callback(progress):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        solve(large, "l1-descent", stop=long(), callback=callback)


def test_the_core_refuses_what_does_not_fit(rng):
    columns = as_rows(rng.normal(size=(2, 5)), np.float64)
    nothing = np.empty(0)

    def run(y, cost, starts=(nothing,)):
        problem = _native.L1Problem(y, cost, 0.0)
        _native.solve_l1(columns, [problem], list(starts), *RunOptions(0.1, 1000).native)

    run(np.ones(5), np.ones(5))
    run(np.ones(5), np.ones(5), [np.zeros(3)])
    with pytest.raises(ValueError, match="does not fit"):
        run(np.ones(4), np.ones(4))
    with pytest.raises(ValueError, match="differ in length"):
        run(np.ones(5), np.ones(4))
    with pytest.raises(ValueError, match="as many starts"):
        run(np.ones(5), np.ones(5), [nothing, nothing])
    with pytest.raises(ValueError, match="does not fit"):
        run(np.ones(5), np.ones(5), [np.zeros(6)])
    with pytest.raises(ValueError, match="penalty"):
        _native.L1Problem(np.ones(2), np.ones(2), -1.0)
