"""Runs over Crammer and Singer's machine: threads, seeds, warm starts, and ends from outside."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import maxmargin._native as _native
from class_zoo import SOLVERS, by_method, by_scale, class_problem, classes, solve_classes
from maxmargin import Stop, solve
from maxmargin.kernels.blocks import as_rows
from maxmargin.solvers import ClassDescent, ClassInteriorPoint, Ending
from maxmargin.solvers.linear.engine import RunOptions


@pytest.mark.parametrize("k", [2, 3, 20, 105])
def test_any_number_of_threads_and_classes(rng, k):
    n, d = 1260, 150
    label = np.arange(n) % k
    X = sparse.csr_array(rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.2) + np.eye(k, d)[label])
    one, two, five = (solve_classes(X, label, gap=1e-4, n_jobs=n_jobs) for n_jobs in (1, 2, 5))
    assert one.converged
    for other in (two, five):
        assert np.array_equal(one.w, other.w)
        assert np.array_equal(one.dual, other.dual)
    assert one.certificate.relative_gap <= 1e-4


def test_the_seed_changes_the_way_not_the_end(rng):
    X, label = classes(rng)
    one, same, other = (solve_classes(X, label, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(one.w, same.w)
    assert not np.array_equal(one.w, other.w)
    assert one.estimate.primal == pytest.approx(other.estimate.primal, rel=1e-8)


@by_scale
def test_a_start_at_the_optimum_needs_no_sweep(rng, scale):
    X, label = classes(rng, n=100)
    cold = solve_classes(X, label, 1.0, scale)
    again = solve_classes(X, label, 1.0, scale, warm=cold)
    assert again.converged
    assert again.iterations == 0
    for C in (0.5, 2.0):
        warm = solve_classes(X, label, C, scale, warm=cold)
        expected = solve_classes(X, label, C, scale).estimate.primal
        assert warm.estimate.primal == pytest.approx(expected, rel=1e-8)


def test_a_start_of_nonsense_is_made_feasible(rng):
    X, label = classes(rng)
    cold = solve_classes(X, label)
    wild = replace(cold, dual=100 * rng.normal(size=cold.dual.shape))
    warm = solve_classes(X, label, warm=wild)
    assert warm.estimate.primal == pytest.approx(cold.estimate.primal, rel=1e-8)
    assert warm.certificate.feasibility <= 1e-12


def test_a_limit_on_sweeps_leaves_a_true_gap(rng):
    X, label = classes(rng, n=200)
    solution = solve_classes(X, label, 10.0, gap=1e-12, max_iter=3)
    assert solution.ending is Ending.MAX_ITER
    assert solution.certificate.primal == pytest.approx(solution.estimate.primal)
    assert solution.certificate.dual == pytest.approx(solution.estimate.dual)


@pytest.fixture
def large(rng):
    """A problem that takes minutes."""
    return class_problem(*classes(rng, n=20_000, d=60, k=12, spread=2.0), 100.0)


def long(time_limit=120.0):
    """Go on until the time is over."""
    return Stop(gap=1e-300, max_iter=10**9, time_limit=time_limit)


def test_an_interrupt_ends_the_run_at_once(large, interrupted):
    solution, delay = interrupted(lambda: solve(large, ClassDescent(), stop=long()))
    assert delay < 10
    assert solution.ending is Ending.INTERRUPT
    assert solution.certificate.feasibility <= 1e-9
    assert solution.certificate.dual > 0


@by_method
def test_a_time_limit_ends_the_run(large, method):
    began = time.monotonic()
    solution = solve(large, SOLVERS[method](), stop=long(0.3))
    assert 0.25 < time.monotonic() - began < 20
    assert solution.ending is Ending.TIME_LIMIT


@by_method
def test_no_time_at_all_leaves_the_zero_machine(large, method):
    solution = solve(large, SOLVERS[method](), stop=long(1e-9))
    assert solution.ending is Ending.TIME_LIMIT
    np.testing.assert_array_equal(solution.w, np.zeros((12, 60)))


def test_a_callback_may_end_the_run(large):
    seen = []

    def callback(progress):
        seen.append(progress)
        return len(seen) == 3

    solution = solve(large, ClassDescent(), stop=long(), callback=callback)
    assert solution.ending is Ending.CALLBACK
    # After its answer the callback sees no more than the point that is returned.
    assert 3 <= len(seen) <= 4


def test_a_callback_sees_every_interior_point(rng):
    X, label = classes(rng)
    problem, stop, seen = class_problem(X, label), Stop(gap=1e-9), []
    solution = solve(problem, ClassInteriorPoint(), stop=stop, callback=seen.append)
    assert solution.converged
    assert [progress.iteration for progress in seen] == list(range(solution.iterations + 1))
    assert np.all(np.diff([progress.gap for progress in seen]) <= 0)
    ended = solve(problem, ClassInteriorPoint(), stop=stop, callback=lambda progress: True)
    assert ended.ending is Ending.CALLBACK
    assert ended.iterations == 0


def test_the_core_refuses_what_does_not_fit(rng):
    rows = as_rows(rng.normal(size=(4, 2)), np.float64)
    label, cost = np.array([0, 1, 2, 1], dtype=np.int32), np.ones(4)

    def run(label, cost, k, start=()):
        problem = _native.ClassProblem(label, cost, k, 1.0)
        options = RunOptions(0.1, 1000).native
        return _native.solve_crammer_singer(rows, problem, np.array(start, float), *options)

    found = run(label, cost, 3)
    run(label, cost, 3, found[2])
    with pytest.raises(ValueError, match="does not fit"):
        run(label[:3], cost[:3], 3)
    with pytest.raises(ValueError, match="not one of the classes"):
        run(label, cost, 2)
    with pytest.raises(ValueError, match="not one of the classes"):
        run(label - 1, cost, 3)
    with pytest.raises(ValueError, match="two classes"):
        run(0 * label, cost, 1)
    with pytest.raises(ValueError, match="does not fit"):
        run(label, cost, 4, found[2])
    with pytest.raises(ValueError, match="differ in length"):
        run(label, cost[:3], 3)
