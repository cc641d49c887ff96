"""Many problems in one call of a linear solver: their limits, records and warm starts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np
import pytest

from linear_zoo import METHODS, solver_of
from maxmargin import Stop, solve, solve_all
from maxmargin.problems import CrammerSinger, L1Margin, Points, Problem, Regularised, SoftMargin
from maxmargin.solvers import Ending, Progress
from maxmargin.typing import Floats

Draw = Callable[..., list[Problem]]


def labels(X: Floats) -> Floats:
    return np.where(X[:, 0] + np.random.default_rng(1).normal(size=len(X)) > 0, 1.0, -1.0)


def points(n: int, d: int) -> Points:
    return Points(np.random.default_rng(0).normal(size=(n, d)))


def margins(n: int = 300, d: int = 5, C: Sequence[float] = (1.0, 2.0, 3.0)) -> list[Problem]:
    """Problems that leave out different points, so that no two are solved in one call."""
    shared = points(n, d)
    y, left_out = labels(shared.X), np.arange(n)
    return [
        SoftMargin(
            shared, y, C=c, bias=Regularised(1.0), sample_weight=np.where(left_out == k, 0.0, 1.0)
        )
        for k, c in enumerate(C)
    ]


def same_rows(n: int = 300, d: int = 5, C: Sequence[float] = (1.0, 2.0, 3.0)) -> list[Problem]:
    shared = points(n, d)
    y = labels(shared.X)
    return [SoftMargin(shared, y, C=c, bias=Regularised(1.0)) for c in C]


def sparse_weights(n: int = 300, d: int = 5, C: Sequence[float] = (1.0, 2.0, 3.0)) -> list[Problem]:
    shared = points(n, d)
    y = labels(shared.X)
    return [L1Margin(shared, y, C=c) for c in C]


def all_classes(n: int = 300, d: int = 5, C: Sequence[float] = (1.0, 2.0, 3.0)) -> list[Problem]:
    shared = points(n, d)
    label = np.random.default_rng(2).integers(0, 4, n)
    return [CrammerSinger(shared, label, C=c) for c in C]


DRAWS: dict[str, tuple[Draw, str]] = {
    "other rows": (margins, "coordinate-descent"),
    "same rows": (same_rows, "coordinate-descent"),
    "other rows, interior points": (margins, "linear-interior-point"),
    "l1": (sparse_weights, "l1-descent"),
    "classes": (all_classes, "crammer-singer-descent"),
    "classes, interior points": (all_classes, "crammer-singer-interior-point"),
}
each_draw = pytest.mark.parametrize(("draw", "solver"), DRAWS.values(), ids=DRAWS)


@each_draw
def test_together_they_have_the_solutions_that_each_has_alone(draw: Draw, solver: str) -> None:
    stop = Stop(gap=1e-6)
    for problem, together in zip(draw(), solve_all(draw(), solver, stop=stop), strict=True):
        alone = solve(problem, solver, stop=stop)
        np.testing.assert_array_equal(together.w, alone.w)
        np.testing.assert_array_equal(together.offsets, alone.offsets)
        np.testing.assert_array_equal(together.dual, alone.dual)
        assert together.iterations == alone.iterations


@each_draw
def test_a_record_is_of_the_problem_that_it_names(draw: Draw, solver: str) -> None:
    seen: list[Progress] = []
    solutions = solve_all(draw(), solver, stop=Stop(gap=1e-6), callback=seen.append, trace=True)
    assert {progress.problem for progress in seen} == {0, 1, 2}
    assert {progress.n_problems for progress in seen} == {3}
    for k, solution in enumerate(solutions):
        assert [progress for progress in seen if progress.problem == k] == list(solution.trace)
        assert solution.trace[-1].iteration == solution.iterations
        assert solution.trace[-1].primal == solution.estimate.primal
        assert solution.trace[-1].dual == solution.estimate.dual


#: What takes seconds in all, for the fastest of the solvers too.
SLOW = {"n": 20_000, "d": 60, "C": tuple(np.geomspace(1e4, 1e5, 40))}


@each_draw
def test_a_time_limit_is_for_all_of_them(draw: Draw, solver: str) -> None:
    problems = draw(**SLOW)
    began = perf_counter()
    solutions = solve_all(problems, solver, stop=Stop(gap=1e-15, time_limit=0.3))
    assert perf_counter() - began < 60
    assert solutions[-1].ending is Ending.TIME_LIMIT
    assert {one.ending for one in solutions if one.ending.is_stop} == {Ending.TIME_LIMIT}


@each_draw
def test_a_callback_ends_all_of_them(draw: Draw, solver: str) -> None:
    began = perf_counter()
    solutions = solve_all(
        draw(**SLOW), solver, stop=Stop(gap=1e-15, time_limit=120), callback=lambda progress: True
    )
    assert perf_counter() - began < 60
    assert {solution.ending for solution in solutions} == {Ending.CALLBACK}


@each_draw
def test_an_interrupt_ends_all_of_them(
    draw: Draw, solver: str, interrupted: Callable[..., Any]
) -> None:
    problems = draw(**SLOW)
    solutions, delay = interrupted(
        lambda: solve_all(problems, solver, stop=Stop(gap=1e-15, time_limit=120))
    )
    assert delay < 20
    assert solutions[-1].ending is Ending.INTERRUPT
    assert {one.ending for one in solutions if one.ending.is_stop} == {Ending.INTERRUPT}


@each_draw
def test_each_may_start_from_the_one_before(draw: Draw, solver: str) -> None:
    C, stop = (1.0, 1.01, 1.02), Stop(gap=1e-6)
    cold = solve_all(draw(d=20, C=C), solver, stop=stop)
    warm = solve_all(draw(d=20, C=C), solver, stop=stop, warm=[None, 0, 1])
    for one, other in zip(warm, cold, strict=True):
        assert one.converged
        assert one.estimate.primal == pytest.approx(other.estimate.primal, rel=3e-6)
    # A start that lacks a point, or interior points, need not save anything.
    if draw is not margins and "interior" not in solver:
        assert sum(one.iterations for one in warm) < sum(one.iterations for one in cold)


def test_a_start_may_be_a_problem_over_other_points() -> None:
    first, second = same_rows(C=(1.0,)), same_rows(C=(1.0, 1.01))
    (cold,) = solve_all(second[1:], "coordinate-descent", stop=Stop(gap=1e-6))
    # The second and the last are over the same points, but the last starts from the third.
    problems = [second[0], first[0], second[1]]
    *_, warm = solve_all(problems, "coordinate-descent", stop=Stop(gap=1e-6), warm=[None, None, 1])
    assert warm.converged
    assert warm.iterations < cold.iterations


class TestViolation:
    """With Stop(kkt=...) runs become finer until the measured violation is small enough."""

    stop = Stop(gap=1e-2, kkt=1e-7)

    @pytest.mark.parametrize("method", METHODS[:2])
    def test_the_violation_is_the_one_asked_for(self, method: Any) -> None:
        for solution in solve_all(same_rows(n=1000), solver_of(method), stop=self.stop):
            assert solution.converged
            assert solution.certificate.kkt_violation <= 1e-7

    def test_a_callback_ends_the_finer_runs(self) -> None:
        seen: list[Progress] = []

        def callback(progress: Progress) -> bool:
            seen.append(progress)
            return True

        solutions = solve_all(
            same_rows(n=1000), solver_of("coordinate-descent"), stop=self.stop, callback=callback
        )
        assert {solution.ending for solution in solutions} == {Ending.CALLBACK}
        assert len(seen) <= len(solutions)

    def test_time_that_runs_out_leaves_what_was_found(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # The clock jumps once the first run is over and measured.
        problem = same_rows(n=1000, C=(1.0,))[0]
        now = [perf_counter()]
        monkeypatch.setattr("maxmargin.solvers.stop.perf_counter", lambda: now[0])

        def callback(progress: Progress) -> None:
            now[0] += 100.0

        stop = Stop(gap=1e-2, kkt=1e-9, time_limit=50)
        solution = solve(problem, "coordinate-descent", stop=stop, callback=callback)
        assert solution.ending is Ending.TIME_LIMIT
        assert "50 seconds" in solution.status
        assert solution.certificate.relative_gap <= 1.01e-2
