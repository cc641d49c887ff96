"""Runs of the linear solvers: the same answer for any threads, starts, and early ends."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from linear_zoo import (
    BIASES,
    METHODS,
    PAIRS,
    draw,
    program_of,
    relative_gap,
    run,
    values,
)
from maxmargin import Solution
from maxmargin.errors import InvalidInputError
from maxmargin.problems import Bias, Free, Problem, Regularised
from maxmargin.solvers.answers import Progress
from maxmargin.solvers.linear_engine import LinearAnswer, LinearEngine, LinearProgram, Method

each_pair = pytest.mark.parametrize(("kind", "method"), PAIRS)
each_bias = pytest.mark.parametrize("bias", BIASES.values(), ids=BIASES)
free_and_not = pytest.mark.parametrize("bias", [Free(), Regularised(1.0)], ids=repr)


def proved(X: Any, program: LinearProgram, answer: LinearAnswer, gap: float) -> bool:
    """Say whether the gap holds, but for the rounding of the sums it is made of."""
    return relative_gap(X, program, answer) <= 1.01 * gap + 1e-12


def solution_of(problem: Problem, answer: LinearAnswer) -> Solution:
    qp = problem.dual()
    signed = qp.project(qp.sign * answer.multipliers)
    return Solution(problem, qp.sign * signed, [-answer.bias] * len(qp.total))


class TestSameAnswer:
    @each_pair
    @free_and_not
    def test_for_any_number_of_threads(self, kind: str, method: Method, bias: Bias) -> None:
        X, y = draw(kind, n=6000)
        program = program_of(kind, X, y, bias=bias)
        alone = run(X, program, method, n_threads=1, gap=1e-5)
        for n_threads in (2, 5):
            assert_same_bits(run(X, program, method, n_threads=n_threads, gap=1e-5), alone)

    @pytest.mark.parametrize("method", METHODS)
    def test_for_many_programs_and_any_number_of_threads(self, method: Method) -> None:
        X, programs = one_against_rest(2000)
        alone = [run(X, program, method, gap=1e-6) for program in programs]
        for n_threads in (1, 2, 5):
            together = LinearEngine(X, n_threads).solve(
                programs, method, gap=1e-6, max_iterations=200_000
            )
            for one, other in zip(together, alone, strict=True):
                assert_same_bits(one, other)

    @each_pair
    def test_for_the_same_seed(self, kind: str, method: Method) -> None:
        X, y = draw(kind, n=500)
        program = program_of(kind, X, y)
        first, again, other = (run(X, program, method, seed=seed) for seed in (3, 3, 4))
        assert_same_bits(first, again)
        assert other.primal == pytest.approx(first.primal, rel=1e-7)

    @pytest.mark.parametrize("method", METHODS)
    def test_for_fits_at_once(self, method: Method) -> None:
        X, programs = one_against_rest(1500, k=8)
        one_by_one = [run(X, program, method, gap=1e-6) for program in programs]
        engine = LinearEngine(X)
        with ThreadPoolExecutor(8) as pool:
            at_once = list(
                pool.map(
                    lambda program: engine.solve(
                        [program], method, gap=1e-6, max_iterations=200_000
                    ),
                    programs,
                )
            )
        for (one,), other in zip(at_once, one_by_one, strict=True):
            assert_same_bits(one, other)

    @each_pair
    def test_for_an_engine_used_again(self, kind: str, method: Method) -> None:
        X, y = draw(kind, n=300)
        program, engine = program_of(kind, X, y), LinearEngine(X)
        first, second = (engine.solve([program], method, gap=1e-6)[0] for _ in range(2))
        assert_same_bits(first, second)


def one_against_rest(n: int, k: int = 5) -> tuple[np.ndarray, list[LinearProgram]]:
    rng = np.random.default_rng(0)
    X, label = rng.normal(size=(n, 6)), rng.integers(k, size=n)
    X[:, 0] += label
    return X, [
        program_of("squared hinge", X, np.where(label == c, 1.0, -1.0), bias=Regularised(1.0))
        for c in range(k)
    ]


def assert_same_bits(one: LinearAnswer, other: LinearAnswer) -> None:
    np.testing.assert_array_equal(one.weights, other.weights)
    np.testing.assert_array_equal(one.multipliers, other.multipliers)
    assert (one.bias, one.iterations, one.ending) == (other.bias, other.iterations, other.ending)
    assert (one.primal, one.dual) == (other.primal, other.dual)


class TestStart:
    @pytest.mark.parametrize(
        ("kind", "method"), [pair for pair in PAIRS if pair[1] != "interior-point"]
    )
    @each_bias
    def test_a_near_optimum_saves_iterations(self, kind: str, method: Method, bias: Bias) -> None:
        X, y = draw(kind, n=1000)
        before = run(X, program_of(kind, X, y, C=1.0, bias=bias), method, gap=1e-6)
        program = program_of(kind, X, y, C=1.01, bias=bias)
        cold = run(X, program, method, gap=1e-6)
        warm = run(X, program, method, gap=1e-6, starts=[before])
        assert warm.converged
        assert proved(X, program, warm, 1e-6)
        assert warm.iterations < cold.iterations

    @pytest.mark.parametrize(
        ("kind", "method"), [pair for pair in PAIRS if pair[1] != "interior-point"]
    )
    def test_the_optimum_itself_needs_next_to_none(self, kind: str, method: Method) -> None:
        X, y = draw(kind, n=1000)
        program = program_of(kind, X, y, bias=Regularised(1.0))
        answer = run(X, program, method, gap=1e-7)
        assert run(X, program, method, gap=1e-6, starts=[answer]).iterations <= 1

    @each_pair
    def test_any_start_leads_to_the_optimum(self, kind: str, method: Method) -> None:
        X, y = draw(kind)
        program = program_of(kind, X, y)
        rng = np.random.default_rng(2)
        away = LinearAnswer(
            100 * rng.normal(size=X.shape[1]),
            -50.0,
            10 * rng.normal(size=len(program.sign)),
            0,
            0.0,
            0.0,
            "steps",
        )
        answer = run(X, program, method, starts=[away])
        assert answer.converged
        assert proved(X, program, answer, 1e-8)


class TestEarlyEnds:
    @each_pair
    @each_bias
    def test_after_a_few_iterations_the_values_enclose_the_optimum(
        self, kind: str, method: Method, bias: Bias
    ) -> None:
        X, y = draw(kind, n=200)
        program = program_of(kind, X, y, bias=bias)
        best = run(X, program, method).primal
        for most in range(5):
            answer = run(X, program, method, max_iterations=most, gap=1e-12)
            primal, dual = values(X, program, answer)
            assert answer.ending in ("steps", "converged")
            assert answer.iterations <= most
            assert primal >= best * (1 - 1e-7)
            assert dual <= best * (1 + 1e-7)

    @pytest.mark.parametrize("bias", [BIASES["regularised"], BIASES["none"]], ids=repr)
    @pytest.mark.parametrize(
        ("kind", "method"), [pair for pair in PAIRS if pair[1] != "coordinate-descent"]
    )
    def test_the_best_so_far_gets_no_worse(self, kind: str, method: Method, bias: Bias) -> None:
        X, y = draw(kind, n=200)
        program = program_of(kind, X, y, bias=bias)
        gaps = [
            relative_gap(X, program, run(X, program, method, max_iterations=most, gap=1e-12))
            for most in range(8)
        ]
        assert np.all(np.diff(gaps) <= 1e-12)

    def test_the_values_are_those_of_the_best_machine(self) -> None:
        X, y = draw("squared tube", n=200)
        program = program_of("squared tube", X, y, bias=Regularised(1.0))
        answer = run(X, program, "coordinate-descent", max_iterations=5, gap=1e-12)
        assert answer.primal == pytest.approx(values(X, program, answer)[0])

    def test_programs_that_never_began_answer_with_zeros(self) -> None:
        X, programs = one_against_rest(2000)
        answers = LinearEngine(X, 1).solve(programs, "coordinate-descent", gap=1e-12, seconds=0.0)
        assert {answer.ending for answer in answers} == {"seconds"}
        for answer in answers:
            assert answer.weights.shape == (6,)
            assert answer.multipliers.shape == (2000,)


@pytest.fixture(scope="module")
def large() -> tuple[np.ndarray, dict[str, LinearProgram]]:
    """So many rows that every solver takes seconds."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((150_000, 100), dtype=np.float32)
    y = np.where(X[:, 0] + 2 * rng.normal(size=len(X)) > 0, 1.0, -1.0)
    few = X[:, :1].astype(np.float64)
    return X, {
        "interior-point": program_of("hinge", few, y, C=1e3, bias=Regularised(1.0)),
        "newton": program_of("squared hinge", few, y, C=1e3, bias=Regularised(1.0)),
        "coordinate-descent": program_of("hinge", few, y, C=1e3, bias=Regularised(1.0)),
    }


def soonest(attempt: Callable[[], float], within: float = 0.2) -> None:
    """Pass if one of three attempts was in time: others may have kept the processor busy."""
    delays: list[float] = []
    while len(delays) < 3 and (not delays or min(delays) > within):
        delays.append(attempt())
    assert min(delays) <= within, f"late by {delays} seconds"


LONG = {"gap": 1e-15, "max_iterations": 10**9}


class TestEndsFromOutside:
    @pytest.mark.parametrize("method", METHODS)
    def test_a_time_limit(self, large: Any, method: Method) -> None:
        X, programs = large
        engine = LinearEngine(X)

        def attempt() -> float:
            start = perf_counter()
            (answer,) = engine.solve([programs[method]], method, seconds=0.05, **LONG)
            assert answer.ending == "seconds"
            assert answer.weights.shape == (100,)
            return perf_counter() - start - 0.05

        soonest(attempt)

    @pytest.mark.parametrize("method", METHODS)
    def test_an_interrupt(self, large: Any, method: Method) -> None:
        X, programs = large
        engine = LinearEngine(X)

        def attempt() -> float:
            sent: list[float] = []

            def interrupt() -> None:
                sent.append(perf_counter())
                os.kill(os.getpid(), signal.SIGINT)

            timer = threading.Timer(0.1, interrupt)
            timer.start()
            try:
                (answer,) = engine.solve([programs[method]], method, seconds=20.0, **LONG)
                ended = perf_counter()
            except KeyboardInterrupt:
                pytest.fail("the run had ended before the interrupt came")
            finally:
                timer.cancel()
            assert answer.ending == "interrupt"
            return ended - sent[0]

        soonest(attempt)

    @pytest.mark.parametrize("method", METHODS)
    def test_a_watcher(self, large: Any, method: Method) -> None:
        X, programs = large
        seen: list[Progress] = []

        def watch(progress: Progress) -> bool:
            seen.append(progress)
            return len(seen) == 2

        (answer,) = LinearEngine(X).solve(
            [programs[method]], method, watch=watch, seconds=20.0, **LONG
        )
        assert answer.ending == "watch"
        assert len(seen) == 2
        assert seen[0].n_programs == 1
        assert seen[1].primal >= seen[1].dual

    @pytest.mark.parametrize("method", METHODS)
    def test_what_a_watcher_raises_reaches_the_caller(self, large: Any, method: Method) -> None:
        X, programs = large

        def broken(progress: Progress) -> bool:
            raise KeyError("mine")

        with pytest.raises(KeyError, match="mine"):
            LinearEngine(X).solve([programs[method]], method, watch=broken, seconds=20.0, **LONG)

    @pytest.mark.parametrize("method", METHODS)
    def test_the_answer_of_a_run_that_was_ended_has_a_gap(self, large: Any, method: Method) -> None:
        X, programs = large
        (answer,) = LinearEngine(X).solve([programs[method]], method, seconds=0.6, **LONG)
        primal, dual = values(X, programs[method], answer)
        assert dual <= primal * (1 + 1e-12)


class TestBadInput:
    def test_programs_and_starts_must_fit_the_data(self) -> None:
        X, y = draw("squared hinge")
        program = program_of("squared hinge", X[:50], y[:50])
        with pytest.raises(ValueError, match=r"variables|fit"):
            run(X, program, "interior-point")
        answer = run(X[:50], program, "interior-point")
        with pytest.raises(ValueError, match="does not fit"):
            run(X, program_of("squared hinge", X, y), "newton", starts=[answer])
        with pytest.raises(ValueError, match="as many starts"):
            run(X, program_of("squared hinge", X, y), "coordinate-descent", starts=[])

    def test_newton_needs_a_squared_loss(self) -> None:
        X, y = draw("hinge")
        with pytest.raises(InvalidInputError, match="needs a squared loss"):
            run(X, program_of("hinge", X, y), "newton")

    def test_a_sparse_matrix_must_not_point_outside_itself(self) -> None:
        X, _ = draw("hinge")
        wrong = sparse.csr_array(X)
        wrong.indices = wrong.indices.copy()
        wrong.indices[3] = 99
        with pytest.raises(ValueError, match="outside"):
            LinearEngine(wrong)
