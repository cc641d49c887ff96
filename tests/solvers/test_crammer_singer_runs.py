"""Runs over Crammer and Singer's machine: threads, seeds, starts, and ends from outside."""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import maxmargin._native as _native
from class_zoo import ENGINES, by_engine, by_scale, certificate, classes, make_program, solve
from maxmargin.solvers.crammer_singer import ClassProgram, CrammerSingerEngine


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


@by_engine
def test_a_time_limit_ends_the_run(rng, engine):
    X, label = large(rng)
    solver = ENGINES[engine](X)
    began = time.monotonic()
    answer = solver.solve(make_program(label, 100.0), gap=0.0, max_iterations=10**9, seconds=0.3)
    assert 0.25 < time.monotonic() - began < 0.6
    assert answer.ending == "seconds"


@by_engine
def test_no_time_at_all_leaves_the_zero_machine(rng, engine):
    X, label = large(rng)
    answer = solve(X, label, gap=0.0, seconds=0.0, engine=engine)
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


def test_a_watcher_sees_every_interior_point(rng):
    X, label = classes(rng)
    seen = []
    answer = solve(X, label, gap=1e-9, watch=seen.append, engine="interior-point")
    assert answer.converged
    assert [progress.steps for progress in seen] == list(range(answer.iterations))
    gaps = [progress.primal - progress.dual for progress in seen]
    assert np.all(np.diff(gaps) <= 0)
    ended = solve(X, label, gap=1e-9, watch=lambda progress: True, engine="interior-point")
    assert ended.ending == "watch"


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
