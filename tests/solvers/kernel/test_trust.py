"""Decomposition under stress: what it claims holds, and errors from outside leave it whole."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from engine_zoo import batch_of, run, run_all, violation
from maxmargin import Stop, certify, solve
from maxmargin.kernels import RBF, Linear, Polynomial
from maxmargin.problems import EpsilonTube, NuMargin, Points, SoftMargin


def classes(n: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=n) > 0, 1.0, -1.0)


def test_an_error_in_a_watcher_reaches_the_caller_while_another_thread_works() -> None:
    X, y = classes(1400, 3)
    first = np.concatenate([np.flatnonzero(y > 0)[:5], np.flatnonzero(y < 0)[:5]])
    points = Points(X, RBF(1.0))
    problems = [SoftMargin(points.take(rows), y[rows], C=1e7) for rows in (first, np.arange(1400))]

    def fail(*progress: object) -> bool:
        raise RuntimeError("from the watcher")

    batch = batch_of(problems, n_threads=2)
    for _ in range(3):
        with pytest.raises(RuntimeError, match="from the watcher"):
            run_all(problems, 1e-9, batch=batch, watch=fail, seconds=20)
    assert run(problems[0], 1e-6, batch=batch).converged


def test_a_few_points_far_away_do_not_hide_a_violation() -> None:
    rng = np.random.default_rng(0)
    n, far = 4000, np.array([137, 1001, 1777, 2222, 3003, 3501])
    X = 0.5 * rng.normal(size=(n, 2)) + np.outer(np.where(np.arange(n) % 2, 3, -3), [1, 0])
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    X[far] = [0, 35] + 0.05 * rng.normal(size=(6, 2))
    y[far] = [-1, 1, -1, 1, -1, 1]
    problem = SoftMargin(X, y, C=1e4, kernel=RBF(1.0))
    found = run(problem, 1e-3)
    assert found.converged
    assert violation(problem.dual(), found.signed) <= 1.1e-3


def test_sparse_rows_give_the_same_answer_on_any_number_of_threads() -> None:
    rng = np.random.default_rng(0)
    X = sparse.csr_array(sparse.random(6000, 300, density=0.05, random_state=0))
    y = np.where(X[:, :30].sum(axis=1) + 0.5 * rng.normal(size=6000) > 0.75, 1.0, -1.0)
    problem = SoftMargin(X, y, C=10, kernel=RBF(0.3))
    found = [run(problem, 1e-3, n_threads=threads).signed for threads in (1, 2, 2, 3)]
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


def test_a_run_that_ends_before_its_gradient_is_known_says_so() -> None:
    X, y = classes(9000, 100)
    problem = NuMargin(X, y, nu=0.3, kernel=RBF(0.01))
    found = run(problem, 1e-3, seconds=1e-3)
    assert found.ending == "time_limit"
    assert np.isinf(found.violation)
    assert problem.dual().infeasibility(found.signed) < 1e-9


@pytest.mark.parametrize("kernel", [Linear(), Polynomial(0.2, 0.0, 3)])
@pytest.mark.parametrize("C", [1e4, 1e6])
def test_low_rank_kernels_with_a_large_C_are_solved(kernel: Linear | Polynomial, C: float):
    X, y = classes(300, 5)
    problem = SoftMargin(X, y, C=C, kernel=kernel)
    solution = solve(problem, solver="decomposition", stop=Stop(kkt=1e-3))
    assert solution.converged
    assert violation(problem.dual(), y * solution.dual) <= 1.1e-3


def test_features_of_different_size_in_regression_are_solved() -> None:
    X, _ = classes(300, 3)
    X = X * [1.0, 1e3, 1.0]
    problem = EpsilonTube(X, X @ [1.0, 1e-3, 2.0] + np.sin(X[:, 0]), C=100, epsilon=0.1)
    solution = solve(problem, solver="decomposition")
    assert certify(problem, solution).holds(1e-6)


def test_newton_steps_end_what_steps_on_pairs_do_not() -> None:
    X, y = classes(600, 2)
    problem = SoftMargin(X, y, C=1e6, kernel=RBF(0.05))
    found = run(problem, 1e-4)
    assert found.converged
    assert violation(problem.dual(), found.signed) <= 1.1e-4
