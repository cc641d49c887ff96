"""Runs over l1 machines: threads, seeds, starts, and ends from outside."""

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
from l1_zoo import by_bias, certificate, objective, solve, two_classes
from maxmargin.problems import Free, Regularised
from maxmargin.solvers.l1 import L1Engine, L1Program


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
