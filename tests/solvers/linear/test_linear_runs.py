"""Runs of the linear solvers: the same solution for any threads, warm starts, and early ends."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import Any

import numpy as np
import pytest

from linear_zoo import (
    BIASES,
    METHODS,
    PAIRS,
    Linear,
    draw,
    is_proved,
    linear_qp,
    problem_of,
    relative_gap,
    run,
    solve_by,
    solver_of,
    values,
)
from maxmargin import Solution, Stop, solve, solve_all
from maxmargin.errors import UnsupportedProblemError
from maxmargin.problems import Bias, Free, Points, Regularised
from maxmargin.solvers import Ending, Progress
from maxmargin.solvers.linear.engine import Method, Reached, RunOptions, solve_linear

each_pair = pytest.mark.parametrize(("kind", "method"), PAIRS)
each_method = pytest.mark.parametrize("method", METHODS)
each_bias = pytest.mark.parametrize("bias", BIASES.values(), ids=BIASES)
free_and_not = pytest.mark.parametrize("bias", [Free(), Regularised(1.0)], ids=repr)


def one_against_rest(n: int, k: int = 5) -> list[Linear]:
    rng = np.random.default_rng(0)
    X, label = rng.normal(size=(n, 6)), rng.integers(k, size=n)
    X[:, 0] += label
    points = Points(X)
    return [
        problem_of("squared hinge", points, np.where(label == c, 1.0, -1.0), bias=Regularised(1.0))
        for c in range(k)
    ]


def assert_same_bits(one: Solution, other: Solution) -> None:
    np.testing.assert_array_equal(one.w, other.w)
    np.testing.assert_array_equal(one.dual, other.dual)
    assert (one.b, one.iterations, one.ending) == (other.b, other.iterations, other.ending)
    assert one.estimate.primal == other.estimate.primal
    assert one.estimate.dual == other.estimate.dual


class TestSameSolution:
    @each_pair
    @free_and_not
    def test_for_any_number_of_threads(self, kind: str, method: Method, bias: Bias) -> None:
        X, y = draw(kind, n=6000)
        problem = problem_of(kind, X, y, bias=bias)
        alone = solve_by(method, problem, n_jobs=1, gap=1e-5)
        for n_jobs in (2, 5):
            assert_same_bits(solve_by(method, problem, n_jobs=n_jobs, gap=1e-5), alone)

    @each_method
    def test_for_many_problems_and_any_number_of_threads(self, method: Method) -> None:
        problems = one_against_rest(2000)
        alone = [solve_by(method, problem, gap=1e-6) for problem in problems]
        for n_jobs in (1, 2, 5):
            together = solve_all(problems, solver_of(method, n_jobs), stop=Stop(gap=1e-6))
            for one, other in zip(together, alone, strict=True):
                assert_same_bits(one, other)

    @each_pair
    def test_for_the_same_seed(self, kind: str, method: Method) -> None:
        X, y = draw(kind, n=500)
        problem = problem_of(kind, X, y)
        first, again, other = (solve_by(method, problem, seed=seed) for seed in (3, 3, 4))
        assert_same_bits(first, again)
        assert other.estimate.primal == pytest.approx(first.estimate.primal, rel=1e-7)

    @each_method
    def test_for_fits_at_once(self, method: Method) -> None:
        problems = one_against_rest(1500, k=8)
        one_by_one = [solve_by(method, problem, gap=1e-6) for problem in problems]
        with ThreadPoolExecutor(8) as pool:
            at_once = pool.map(lambda problem: solve_by(method, problem, gap=1e-6), problems)
            for one, other in zip(at_once, one_by_one, strict=True):
                assert_same_bits(one, other)

    @each_pair
    def test_for_a_problem_solved_again(self, kind: str, method: Method) -> None:
        X, y = draw(kind, n=300)
        problem = problem_of(kind, X, y)
        first, second = (solve_by(method, problem, gap=1e-6) for _ in range(2))
        assert_same_bits(first, second)


class TestWarmStart:
    @pytest.mark.parametrize(
        ("kind", "method"), [pair for pair in PAIRS if pair[1] != "interior-point"]
    )
    @each_bias
    def test_a_near_optimum_saves_iterations(self, kind: str, method: Method, bias: Bias) -> None:
        X, y = draw(kind, n=1000)
        before = solve_by(method, problem_of(kind, X, y, C=1.0, bias=bias), gap=1e-6)
        problem = problem_of(kind, X, y, C=1.01, bias=bias)
        cold = solve_by(method, problem, gap=1e-6)
        warm = solve_by(method, problem, gap=1e-6, warm=before)
        assert warm.converged
        assert is_proved(problem, warm, 1e-6)
        assert warm.iterations < cold.iterations

    @pytest.mark.parametrize(
        ("kind", "method"), [pair for pair in PAIRS if pair[1] != "interior-point"]
    )
    def test_the_optimum_itself_needs_next_to_none(self, kind: str, method: Method) -> None:
        X, y = draw(kind, n=1000)
        problem = problem_of(kind, X, y, bias=Regularised(1.0))
        solution = solve_by(method, problem, gap=1e-7)
        assert solve_by(method, problem, gap=1e-6, warm=solution).iterations <= 1

    @each_pair
    def test_any_start_leads_to_the_optimum(self, kind: str, method: Method) -> None:
        X, y = draw(kind)
        problem = problem_of(kind, X, y)
        rng = np.random.default_rng(2)
        multipliers = 10 * rng.normal(size=problem.dual().n_variables)
        weights = 100 * rng.normal(size=X.shape[1])
        away = Reached(weights, -50.0, multipliers, 0, 0.0, 0.0, Ending.MAX_ITER)
        found = run(X, problem, method, start=away)
        assert found.ending is Ending.CONVERGED
        assert is_proved(problem, found, 1e-8)
        offsets = np.zeros(len(problem.dual().total))
        wild = Solution(problem, multipliers, offsets, weights=weights, intercept=-50.0)
        solution = solve_by(method, problem, warm=wild)
        assert solution.converged
        assert is_proved(problem, solution, 1e-8)


class TestEarlyEnds:
    @each_pair
    @each_bias
    def test_after_a_few_iterations_the_values_enclose_the_optimum(
        self, kind: str, method: Method, bias: Bias
    ) -> None:
        X, y = draw(kind, n=200)
        problem = problem_of(kind, X, y, bias=bias)
        best = solve_by(method, problem).estimate.primal
        for max_iter in range(5):
            solution = solve_by(method, problem, max_iter=max_iter, gap=1e-12)
            primal, dual = values(problem, solution)
            assert solution.ending in (Ending.MAX_ITER, Ending.CONVERGED)
            assert solution.iterations <= max_iter
            assert primal >= best * (1 - 1e-7)
            assert dual <= best * (1 + 1e-7)

    @pytest.mark.parametrize("bias", [BIASES["regularised"], BIASES["none"]], ids=repr)
    @pytest.mark.parametrize(
        ("kind", "method"), [pair for pair in PAIRS if pair[1] != "coordinate-descent"]
    )
    def test_the_best_so_far_gets_no_worse(self, kind: str, method: Method, bias: Bias) -> None:
        X, y = draw(kind, n=200)
        problem = problem_of(kind, X, y, bias=bias)
        gaps = [
            relative_gap(problem, solve_by(method, problem, max_iter=max_iter, gap=1e-12))
            for max_iter in range(8)
        ]
        assert np.all(np.diff(gaps) <= 1e-12)

    def test_the_estimated_value_is_that_of_the_best_machine(self) -> None:
        X, y = draw("squared tube", n=200)
        problem = problem_of("squared tube", X, y, bias=Regularised(1.0))
        solution = solve_by("coordinate-descent", problem, max_iter=5, gap=1e-12)
        assert solution.estimate.primal == pytest.approx(values(problem, solution)[0])

    def test_problems_that_never_began_have_solutions_of_zeros(self) -> None:
        problems = one_against_rest(2000)
        stop = Stop(gap=1e-12, time_limit=1e-9)
        solutions = solve_all(problems, solver_of("coordinate-descent", n_jobs=1), stop=stop)
        assert {solution.ending for solution in solutions} == {Ending.TIME_LIMIT}
        for solution in solutions:
            np.testing.assert_array_equal(solution.w, np.zeros(6))
            np.testing.assert_array_equal(solution.dual, np.zeros(2000))

    def test_the_compiled_methods_begin_nothing_without_time(self) -> None:
        problems = one_against_rest(2000)
        qps = [linear_qp(problem) for problem in problems]
        options = RunOptions(1e-12, 1000, seconds=0.0, n_jobs=1)
        for found in solve_linear(problems[0].X, qps, "coordinate-descent", options):
            assert found.ending is Ending.TIME_LIMIT
            assert found.weights.shape == (6,)
            assert found.multipliers.shape == (2000,)


@pytest.fixture(scope="module")
def large() -> dict[str, Linear]:
    """So many rows that every solver takes seconds."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((150_000, 100), dtype=np.float32)
    y = np.where(X[:, 0] + 2 * rng.normal(size=len(X)) > 0, 1.0, -1.0)
    points = Points(X)
    return {
        "interior-point": problem_of("hinge", points, y, C=1e3, bias=Regularised(1.0)),
        "newton": problem_of("squared hinge", points, y, C=1e3, bias=Regularised(1.0)),
        "coordinate-descent": problem_of("hinge", points, y, C=1e3, bias=Regularised(1.0)),
    }


def soonest(attempt: Callable[[], float], within: float = 10.0) -> None:
    """Pass if one of three attempts was in time: others may have kept the processor busy."""
    delays: list[float] = []
    while len(delays) < 3 and (not delays or min(delays) > within):
        delays.append(attempt())
    assert min(delays) <= within, f"late by {delays} seconds"


def long(time_limit: float) -> Stop:
    """Go on until the time is over."""
    return Stop(gap=1e-15, max_iter=10**9, time_limit=time_limit)


class TestEndsFromOutside:
    @each_method
    def test_a_time_limit(self, large: dict[str, Linear], method: Method) -> None:
        def attempt() -> float:
            start = perf_counter()
            solution = solve(large[method], solver_of(method), stop=long(0.05))
            delay = perf_counter() - start - 0.05
            assert solution.ending is Ending.TIME_LIMIT
            assert solution.w.shape == (100,)
            return delay

        soonest(attempt)

    @each_method
    def test_an_interrupt(
        self, large: dict[str, Linear], method: Method, interrupted: Callable[..., Any]
    ) -> None:
        def attempt() -> float:
            solution, delay = interrupted(
                lambda: solve(large[method], solver_of(method), stop=long(120.0))
            )
            assert solution.ending is Ending.INTERRUPT
            return delay

        soonest(attempt)

    @each_method
    def test_a_callback(self, large: dict[str, Linear], method: Method) -> None:
        seen: list[Progress] = []

        def callback(progress: Progress) -> bool:
            seen.append(progress)
            return len(seen) == 2

        solution = solve(large[method], solver_of(method), stop=long(120.0), callback=callback)
        assert solution.ending is Ending.CALLBACK
        assert len(seen) == 2
        assert seen[0].n_problems == 1
        assert seen[1].primal >= seen[1].dual

    @each_method
    def test_what_a_callback_raises_reaches_the_caller(
        self, large: dict[str, Linear], method: Method
    ) -> None:
        def broken(progress: Progress) -> bool:
            raise KeyError("mine")

        with pytest.raises(KeyError, match="mine"):
            solve(large[method], solver_of(method), stop=long(120.0), callback=broken)

    @each_method
    def test_the_solution_of_a_run_that_was_ended_has_a_gap(
        self, large: dict[str, Linear], method: Method
    ) -> None:
        solution = solve(large[method], solver_of(method), stop=long(0.6))
        primal, dual = values(large[method], solution)
        assert dual <= primal * (1 + 1e-12)


class TestBadInput:
    def test_problems_and_starts_must_fit_the_data(self) -> None:
        X, y = draw("squared hinge")
        part, whole = (problem_of("squared hinge", X[:n], y[:n]) for n in (50, len(y)))
        with pytest.raises(ValueError, match=r"variables|fit"):
            run(X, part, "interior-point")
        found = run(X[:50], part, "interior-point")
        with pytest.raises(ValueError, match="does not fit"):
            run(X, whole, "newton", start=found)
        with pytest.raises(ValueError, match="as many starts"):
            solve_linear(X, [linear_qp(whole)], "coordinate-descent", RunOptions(1e-8, 1000), [])

    def test_newton_needs_a_squared_loss(self) -> None:
        for kind in ("hinge", "tube"):
            with pytest.raises(UnsupportedProblemError, match="its loss is not squared"):
                solve_by("newton", problem_of(kind, *draw(kind)))
