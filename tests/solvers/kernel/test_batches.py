"""Many problems in one run, equal points, any number of threads, and early ends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from engine_zoo import batch_of, classes, objective, run, run_all, violation
from maxmargin import certify, solve
from maxmargin.kernels import RBF, Function
from maxmargin.problems import (
    EpsilonTube,
    KernelProblem,
    NuMargin,
    NuTube,
    OneClass,
    Points,
    SoftMargin,
)
from maxmargin.solvers import Decomposition


class TestManyProblems:
    def pairs(self, n: int, k: int = 4) -> list[SoftMargin]:
        """Pairs of k classes over the same points."""
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, 5))
        label = rng.integers(k, size=n)
        X[:, 0] += label
        points, problems = Points(X, RBF(0.3)), []
        for i in range(k):
            for j in range(i + 1, k):
                rows = np.flatnonzero((label == i) | (label == j))
                y = np.where(label[rows] == i, 1.0, -1.0)
                problems.append(SoftMargin(points.take(rows), y, C=10.0))
        return problems

    @pytest.mark.parametrize("cache_size", [None, 1.0])
    @pytest.mark.parametrize("n", [60, 1200, 6000])
    def test_each_reaches_its_optimum(self, n: int, cache_size: float | None) -> None:
        problems = self.pairs(n)
        for problem, found in zip(
            problems, run_all(problems, 1e-4, cache_size=cache_size), strict=True
        ):
            assert found.converged
            assert violation(problem.dual(), found.signed) <= 1e-4

    def test_they_are_the_same_as_alone(self) -> None:
        problems = self.pairs(1500)
        for problem, found in zip(problems, run_all(problems, 1e-7), strict=True):
            alone = objective(problem.dual(), run(problem, 1e-7).signed)
            assert objective(problem.dual(), found.signed) == pytest.approx(alone, rel=1e-8)

    def test_a_batch_can_be_used_again(self) -> None:
        problems = self.pairs(800)
        batch = batch_of(problems)
        first, second = (run_all(problems, 1e-4, batch=batch) for _ in range(2))
        for one, other in zip(first, second, strict=True):
            np.testing.assert_array_equal(one.signed, other.signed)

    def test_points_of_the_same_problems_lie_side_by_side(self) -> None:
        batch = batch_of(self.pairs(1200))
        assert len(batch.boundaries) == 5
        assert sorted(batch.chosen) == list(range(1200))

    def test_points_of_no_problem_are_left_out(self) -> None:
        X, y = classes(100)
        points = Points(X, RBF(0.3))
        rows = np.arange(0, 100, 2)
        batch = batch_of([SoftMargin(points.take(rows), y[rows])])
        np.testing.assert_array_equal(batch.chosen, rows)


class TestDuplicates:
    """Equal points are merged; the solution is that of the points as they are."""

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
        assert len(batch_of([problem]).rows.points) == 150
        found = run(problem, 1e-6)
        plain = SoftMargin(X, y, C=1.0, loss=loss, kernel=RBF(0.5), sample_weight=weight)
        assert violation(plain.dual(), found.signed) <= 1e-6
        best = certify(plain, solve(plain, solver="dual-qp")).dual
        assert -objective(plain.dual(), found.signed) == pytest.approx(best, rel=1e-7)

    def test_other_problems(self) -> None:
        X, y = self.repeated(False)
        t = np.round(X[:, 0] + X[:, 1], 1)
        problems: list[KernelProblem] = [
            EpsilonTube(X, t, C=1.0, epsilon=0.1, kernel=RBF(0.5)),
            NuTube(X, t, C=1.0, nu=0.3, kernel=RBF(0.5)),
            NuMargin(X, y, nu=0.7, kernel=RBF(0.5)),
            OneClass(X, nu=0.3, kernel=RBF(0.5)),
        ]
        for problem in problems:
            found = run(problem, 1e-6)
            assert found.converged
            assert violation(problem.dual(), found.signed) <= 1e-6
            best = certify(problem, solve(problem, solver="dual-qp")).dual
            value = -objective(problem.dual(), found.signed)
            assert value == pytest.approx(best, rel=1e-6, abs=1e-8)

    def test_the_gradient_is_that_of_each_point(self) -> None:
        X, y = self.repeated(True)
        problem = SoftMargin(X, y, C=1.0, kernel=RBF(0.5))
        found = run(problem, 1e-6)
        expected = problem.dual().gradient(found.signed)
        np.testing.assert_allclose(found.gradient, expected, atol=1e-5)


@pytest.mark.parametrize("n", [100, 3000, 6000])
def test_the_solution_depends_neither_on_threads_nor_on_the_run(n: int) -> None:
    X, y = classes(n)
    problem = SoftMargin(X, y, C=10.0, kernel=RBF(0.2))
    first = run(problem, 1e-4, n_threads=1)
    for n_threads in (1, 2, 3):
        again = run(problem, 1e-4, n_threads=n_threads)
        np.testing.assert_array_equal(first.signed, again.signed)
        np.testing.assert_array_equal(first.gradient, again.gradient)
        assert (first.steps, first.ending) == (again.steps, again.ending)


def test_many_problems_do_not_depend_on_threads() -> None:
    problems = TestManyProblems().pairs(1500)
    first = run_all(problems, 1e-4, n_threads=1)
    for n_threads in (2, 3):
        for one, other in zip(first, run_all(problems, 1e-4, n_threads=n_threads), strict=True):
            np.testing.assert_array_equal(one.signed, other.signed)


def test_steps_and_seconds_end_a_run_with_a_feasible_point() -> None:
    X, y = classes(5000)
    problem = SoftMargin(X, y, C=1e4, kernel=RBF(0.2))
    qp = problem.dual()
    for limit, ending in (({"max_steps": 50}, "max_iter"), ({"seconds": 1e-3}, "time_limit")):
        found = run(problem, 1e-9, **limit)
        assert found.ending == ending
        assert not found.converged
        assert np.all((found.signed >= qp.lower) & (found.signed <= qp.upper))
        assert qp.infeasibility(found.signed) < 1e-9


def test_what_a_watcher_raises_reaches_the_caller() -> None:
    X, y = classes(5000)

    def broken(*progress: object) -> bool:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        run(SoftMargin(X, y, C=1e4, kernel=RBF(0.2)), 1e-9, watch=broken)


def test_what_a_kernel_raises_reaches_the_caller() -> None:
    def broken(A: np.ndarray, B: np.ndarray) -> np.ndarray:
        raise KeyError("mine")

    X, y = classes(60)
    points = Points.checked(X, Function(broken))
    with pytest.raises(KeyError, match="mine"):
        run(SoftMargin(points, y), 1e-3)


@pytest.mark.parametrize("options", [{"cache_size": 2.0}, {"n_jobs": 1}])
def test_the_solver_takes_options(options: dict[str, Any]) -> None:
    X, y = classes(1000)
    problem = SoftMargin(X, y, kernel=RBF(0.2))
    assert certify(problem, solve(problem, Decomposition(**options))).holds(1e-6)
