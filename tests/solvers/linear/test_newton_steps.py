"""Newton's method on sparse rows keeps its matrix, and adds what has changed from step to step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from linear_zoo import BIASES, primal_value, problem_of, relative_gap, solve_by
from maxmargin.problems import Bias, Regularised
from maxmargin.typing import Floats

each_bias = pytest.mark.parametrize("bias", BIASES.values(), ids=BIASES)


def draw(n: int = 3000, d: int = 30, seed: int = 0) -> tuple[Any, Floats]:
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, d), density=0.2, rng=rng, format="csr")
    y = np.where(X @ rng.normal(size=d) + 0.2 * rng.normal(size=n) > 0, 1.0, -1.0)
    return X, y


@each_bias
@pytest.mark.parametrize("kind", ["squared hinge", "squared tube"])
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e6])
def test_it_finds_what_dense_rows_give(kind: str, bias: Bias, C: float) -> None:
    X, y = draw()
    problem = problem_of(kind, X, y, C=C, bias=bias)
    kept = solve_by("newton", problem)
    anew = solve_by("newton", problem_of(kind, X.toarray(), y, C=C, bias=bias))
    assert kept.converged
    assert relative_gap(problem, kept) <= 1.01e-8
    assert primal_value(problem, kept.w, kept.b) == pytest.approx(
        primal_value(problem, anew.w, anew.b), rel=1e-8
    )


@each_bias
def test_rows_that_dwarf_the_others_leave_nothing_behind(bias: Bias) -> None:
    # Heavy rows have slack at first; then light ones push the weight of their feature beyond what
    # those ask for, and what rounding left of the heavy in the matrix would hide the light ones.
    X, y = draw()
    heavy = np.arange(len(y)) % 10 == 0
    y[heavy] = 1.0
    feature = np.where(heavy, 1.0, np.where(y > 0, 0.1, 0.0))
    X = sparse.csr_array(sparse.hstack([X, sparse.csr_array(feature[:, np.newaxis])]))
    weight = np.where(heavy, 1e14, 1.0)
    problem = problem_of("squared hinge", X, y, C=1e4, bias=bias, weight=weight)
    solution = solve_by("newton", problem)
    scores = X @ solution.w + solution.b
    assert (scores[heavy] > 1).mean() > 0.9
    # What slack costs at the start is 1e20 times as much, of which rounding knows 1e-16.
    assert relative_gap(problem, solution) <= 1e-4


@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_the_same_bits_for_any_number_of_threads(precision: Any) -> None:
    X, y = draw(20000, 40)
    X = X.astype(precision)
    problem = problem_of("squared hinge", X, y, C=1.0)
    alone = solve_by("newton", problem, n_jobs=1)
    for n_jobs in (2, 3, 16, 100):
        solution = solve_by("newton", problem, n_jobs=n_jobs)
        np.testing.assert_array_equal(solution.w, alone.w)
        np.testing.assert_array_equal(solution.dual, alone.dual)


def test_columns_without_entries_and_rows_without_any() -> None:
    X = sparse.csr_array(np.vstack([np.zeros((5, 6)), np.eye(6), -np.eye(6)]))
    X = sparse.csr_array(sparse.hstack([sparse.csr_array((17, 3)), X, sparse.csr_array((17, 2))]))
    y = np.where(np.arange(17) % 2, 1.0, -1.0)
    problem = problem_of("squared hinge", X, y)
    for n_jobs in (1, 4):
        solution = solve_by("newton", problem, n_jobs=n_jobs)
        assert relative_gap(problem, solution) <= 1.01e-8
        assert (solution.w[:3] == 0).all()
        assert (solution.w[-2:] == 0).all()


@pytest.mark.parametrize("d", [1, 46, 47, 48, 49, 96, 97, 200])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_a_tube_without_width_is_a_ridge_regression(d: int, is_sparse: bool) -> None:
    rng = np.random.default_rng(d)
    X, y = rng.normal(size=(300, d)), rng.normal(size=300)
    given = sparse.csr_array(X) if is_sparse else X
    problem = problem_of("squared tube", given, y, C=2.0, bias=Regularised(0.0), epsilon=0.0)
    solution = solve_by("newton", problem, gap=1e-12)
    expected = np.linalg.solve(np.eye(d) / 4 + X.T @ X, X.T @ y)
    np.testing.assert_allclose(solution.w, expected, rtol=1e-7, atol=1e-9)
    assert solution.iterations <= 2


@each_bias
@pytest.mark.parametrize("kind", ["squared hinge", "squared tube"])
@pytest.mark.parametrize("gap", [1e-1, 1e-3, 1e-5])
def test_the_multipliers_of_a_step_prove_what_was_asked_for(
    kind: str, bias: Bias, gap: float
) -> None:
    X, y = draw()
    problem = problem_of(kind, X, y, C=100.0, bias=bias)
    solution = solve_by("newton", problem, gap=gap)
    assert solution.converged
    assert relative_gap(problem, solution) <= 1.0001 * gap
    assert (solution.dual >= 0).all()


@each_bias
def test_few_steps_where_slack_is_expensive_and_features_are_rare(bias: Bias) -> None:
    # A feature that few points have gives steps that carry those points far past their margin.
    rng = np.random.default_rng(3)
    n, d = 6000, 60
    X = sparse.csr_array((rng.uniform(size=(n, d)) < 1.0 / (1 + np.arange(d))).astype(float))
    y = np.where(X @ rng.normal(size=d) + 0.3 * rng.normal(size=n) > 0, 1.0, -1.0)
    problem = problem_of("squared hinge", X, y, C=1e4, bias=bias)
    solution = solve_by("newton", problem)
    assert relative_gap(problem, solution) <= 1.01e-8
    assert solution.iterations <= 4


@pytest.mark.parametrize("period", [2, 8, 16])
def test_a_first_step_from_a_sample_meets_classes_in_any_order(period: int) -> None:
    X, y = draw(8000)
    X[y < 0] *= -1
    order = np.empty(len(y), dtype=int)
    place = np.argsort(np.arange(len(y)) % period, kind="stable")
    order[place] = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    problem = problem_of("squared hinge", X, y, C=1.0)
    solution = solve_by("newton", problem)
    assert relative_gap(problem, solution) <= 1.01e-8
