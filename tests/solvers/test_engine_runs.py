"""Runs of the engine over many programs, equal points and any threads, and early ends."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from engine_zoo import classes, engine_for, objective, run, violation
from maxmargin import certify, solve
from maxmargin.kernels import (
    RBF,
    Function,
)
from maxmargin.problems import (
    EpsilonTube,
    NuMargin,
    NuTube,
    OneClass,
    Problem,
    SoftMargin,
)
from maxmargin.solvers import Decomposition
from maxmargin.solvers.engine import Engine, Program


class TestManyPrograms:
    def programs(self, n: int, k: int = 4) -> tuple[np.ndarray, list[SoftMargin], list[Program]]:
        """Pairs of k classes, the points sorted by class."""
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, 5))
        label = np.sort(rng.integers(k, size=n))
        X[:, 0] += label
        problems, programs = [], []
        for i in range(k):
            for j in range(i + 1, k):
                rows = np.flatnonzero((label == i) | (label == j))
                y = np.where(label[rows] == i, 1.0, -1.0)
                problem = SoftMargin(X[rows], y, C=10.0, kernel=RBF(0.3))
                qp = problem.dual()
                program = Program.of(qp, np.zeros(qp.n_variables))
                problems.append(problem)
                programs.append(replace(program, point=rows[qp.point]))
        return X, problems, programs

    @pytest.mark.parametrize("cache_mb", [None, 1.0])
    @pytest.mark.parametrize("n", [60, 1200, 6000])
    def test_each_reaches_its_optimum(self, n: int, cache_mb: float | None) -> None:
        X, problems, programs = self.programs(n)
        answers = Engine(RBF(0.3), X, cache_mb=cache_mb).solve(programs, tol=1e-4)
        for problem, answer in zip(problems, answers, strict=True):
            assert answer.converged
            assert violation(problem.dual(), answer.signed) <= 1e-4

    def test_they_are_the_same_as_alone(self) -> None:
        X, problems, programs = self.programs(1500)
        together = Engine(RBF(0.3), X).solve(programs, tol=1e-7)
        for problem, answer in zip(problems, together, strict=True):
            alone = objective(problem.dual(), run(problem, 1e-7).signed)
            assert objective(problem.dual(), answer.signed) == pytest.approx(alone, rel=1e-8)

    def test_an_engine_can_be_used_again(self) -> None:
        X, _, programs = self.programs(800)
        engine = Engine(RBF(0.3), X)
        first, second = (engine.solve(programs, tol=1e-4) for _ in range(2))
        for one, other in zip(first, second, strict=True):
            np.testing.assert_array_equal(one.signed, other.signed)


class TestDuplicates:
    """Equal points are merged; the answer is that of the points as they are."""

    def repeated(self, opposite: bool) -> tuple[np.ndarray, np.ndarray]:
        X, y = classes(150, d=2)
        X = np.vstack([X, X, X[:40]])
        y = np.concatenate([y, -y if opposite else y, y[:40]])
        order = np.random.default_rng(2).permutation(len(y))
        return X[order], y[order]

    @pytest.mark.parametrize("opposite", [False, True])
    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
    @pytest.mark.parametrize("hold", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
    def test_a_margin(self, opposite: bool, weighted: bool, loss: str, hold: Any) -> None:
        X, y = self.repeated(opposite)
        weight = np.random.default_rng(4).uniform(0.2, 2.0, len(y)) if weighted else None
        problem = SoftMargin(hold(X), y, C=1.0, loss=loss, kernel=RBF(0.5), sample_weight=weight)
        answer = run(problem, 1e-6)
        plain = SoftMargin(X, y, C=1.0, loss=loss, kernel=RBF(0.5), sample_weight=weight)
        assert violation(plain.dual(), answer.signed) <= 1e-6
        best = certify(plain, solve(plain, solver="dual-qp")).dual
        assert -objective(plain.dual(), answer.signed) == pytest.approx(best, rel=1e-7)

    def test_other_problems(self) -> None:
        X, y = self.repeated(False)
        t = np.round(X[:, 0] + X[:, 1], 1)
        problems: list[Problem] = [
            EpsilonTube(X, t, C=1.0, epsilon=0.1, kernel=RBF(0.5)),
            NuTube(X, t, C=1.0, nu=0.3, kernel=RBF(0.5)),
            NuMargin(X, y, nu=0.7, kernel=RBF(0.5)),
            OneClass(X, nu=0.3, kernel=RBF(0.5)),
        ]
        for problem in problems:
            answer = run(problem, 1e-6)
            assert answer.converged
            assert violation(problem.dual(), answer.signed) <= 1e-6
            best = certify(problem, solve(problem, solver="dual-qp")).dual
            found = -objective(problem.dual(), answer.signed)
            assert found == pytest.approx(best, rel=1e-6, abs=1e-8)

    def test_the_gradient_is_that_of_each_point(self) -> None:
        X, y = self.repeated(True)
        problem = SoftMargin(X, y, C=1.0, kernel=RBF(0.5))
        answer = run(problem, 1e-6)
        expected = problem.dual().gradient(answer.signed)
        np.testing.assert_allclose(answer.gradient, expected, atol=1e-5)


@pytest.mark.parametrize("n", [100, 3000, 6000])
def test_the_answer_depends_neither_on_threads_nor_on_the_run(n: int) -> None:
    X, y = classes(n)
    problem = SoftMargin(X, y, C=10.0, kernel=RBF(0.2))
    first = run(problem, 1e-4, n_threads=1)
    for n_threads in (1, 2, 3):
        again = run(problem, 1e-4, n_threads=n_threads)
        np.testing.assert_array_equal(first.signed, again.signed)
        np.testing.assert_array_equal(first.gradient, again.gradient)
        assert (first.steps, first.ending) == (again.steps, again.ending)


def test_many_programs_do_not_depend_on_threads() -> None:
    X, _, programs = TestManyPrograms().programs(1500)
    first = Engine(RBF(0.3), X, n_threads=1).solve(programs, tol=1e-4)
    for n_threads in (2, 3):
        again = Engine(RBF(0.3), X, n_threads=n_threads).solve(programs, tol=1e-4)
        for one, other in zip(first, again, strict=True):
            np.testing.assert_array_equal(one.signed, other.signed)


def test_steps_and_seconds_end_a_run_with_a_feasible_point() -> None:
    X, y = classes(5000)
    problem = SoftMargin(X, y, C=1e4, kernel=RBF(0.2))
    qp = problem.dual()
    program = Program.of(qp, np.zeros(qp.n_variables))
    for limit, ending in (({"max_steps": 50}, "steps"), ({"seconds": 1e-3}, "seconds")):
        (answer,) = engine_for(problem).solve([program], tol=1e-9, **limit)
        assert answer.ending == ending
        assert not answer.converged
        assert np.all((answer.signed >= qp.lower) & (answer.signed <= qp.upper))
        assert qp.infeasibility(answer.signed) < 1e-9


def test_what_a_watcher_raises_reaches_the_caller() -> None:
    X, y = classes(5000)
    problem = SoftMargin(X, y, C=1e4, kernel=RBF(0.2))
    qp = problem.dual()

    def broken(progress: object) -> bool:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        engine_for(problem).solve(
            [Program.of(qp, np.zeros(qp.n_variables))], tol=1e-9, watch=broken
        )


def test_what_a_kernel_raises_reaches_the_caller() -> None:
    def broken(A: np.ndarray, B: np.ndarray) -> np.ndarray:
        raise KeyError("mine")

    X, y = classes(60)
    qp = SoftMargin(X, y).dual()
    with pytest.raises(KeyError, match="mine"):
        Engine(Function(broken), X).solve([Program.of(qp, 0 * qp.sign)], tol=1e-3)


@pytest.mark.parametrize("options", [{"cache_mb": 2.0}, {"n_threads": 1}])
def test_the_solver_takes_options(options: dict[str, Any]) -> None:
    X, y = classes(1000)
    problem = SoftMargin(X, y, kernel=RBF(0.2))
    assert certify(problem, solve(problem, Decomposition(**options))).holds(1e-6)
