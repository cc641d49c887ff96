"""Coordinate descent shrinks bounded variables and comes back to those it needs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from linear_zoo import BIASES, primal_value, problem_of, relative_gap, solve_by
from maxmargin.problems import Bias
from maxmargin.typing import Floats

each_bias = pytest.mark.parametrize("bias", BIASES.values(), ids=BIASES)


def draw(n: int, d: int, seed: int = 0) -> tuple[Any, Floats]:
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, d), density=0.2, rng=rng, format="csr")
    y = np.where(X @ rng.normal(size=d) + 0.3 * rng.normal(size=n) > 0, 1.0, -1.0)
    return X, y


@each_bias
@pytest.mark.parametrize("kind", ["hinge", "squared hinge", "tube", "squared tube"])
@pytest.mark.parametrize("C", [1e-3, 1.0])
def test_it_ends_where_interior_points_do(kind: str, bias: Bias, C: float) -> None:
    X, y = draw(1500, 20)
    problem = problem_of(kind, X, y, C=C, bias=bias)
    shrunk = solve_by("coordinate-descent", problem, gap=1e-6)
    other = "newton" if kind.startswith("squared") else "interior-point"
    expected = solve_by(other, problem, gap=1e-10)
    assert relative_gap(problem, shrunk) <= 1.01e-6
    assert primal_value(problem, shrunk.w, shrunk.b) == pytest.approx(
        primal_value(problem, expected.w, expected.b), rel=2e-6
    )


@pytest.mark.parametrize("kind", ["hinge", "squared hinge", "tube"])
def test_rows_that_do_nothing_at_first_are_not_forgotten(kind: str) -> None:
    # The first feature decides nearly all; what is left falls to points that are shrunk by then.
    rng = np.random.default_rng(1)
    n = 2000
    y = np.where(rng.uniform(size=n) < 0.5, 1.0, -1.0)
    strong = 5 * y * (rng.uniform(size=n) < 0.98)
    weak = 0.05 * y[:, np.newaxis] + 0.05 * rng.normal(size=(n, 10))
    X = sparse.csr_array(np.column_stack([strong, weak]))
    problem = problem_of(kind, X, y, C=0.1 if kind == "tube" else 10.0)
    solution = solve_by("coordinate-descent", problem, gap=1e-6, max_iter=10**6)
    assert relative_gap(problem, solution) <= 1.01e-6


@pytest.mark.parametrize("kind", ["hinge", "tube"])
def test_the_same_bits_for_any_number_of_threads(kind: str) -> None:
    X, y = draw(3000, 30)
    problem = problem_of(kind, X, y, C=0.1)
    alone = solve_by("coordinate-descent", problem, n_jobs=1)
    for n_jobs in (2, 3, 16):
        solution = solve_by("coordinate-descent", problem, n_jobs=n_jobs)
        np.testing.assert_array_equal(solution.w, alone.w)
        np.testing.assert_array_equal(solution.dual, alone.dual)
