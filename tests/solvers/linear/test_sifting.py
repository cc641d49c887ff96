"""With very many points most multipliers are fixed; the gap of the whole problem must hold.

The gap is recomputed in float64 from weights and multipliers alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from linear_zoo import BIASES, problem_of, relative_gap, run, solve_by
from maxmargin.problems import Bias, Free, Regularised
from maxmargin.solvers import Ending
from maxmargin.typing import Floats

each_kind = pytest.mark.parametrize("kind", ["hinge", "tube"])
each_bias = pytest.mark.parametrize("bias", BIASES.values(), ids=BIASES)

N = 12_000


def many(kind: str, n: int = N, d: int = 6, seed: int = 0) -> tuple[Floats, Floats]:
    """Draw classes that overlap, or targets with noise; the rows come sorted by their target."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    target = X @ rng.normal(size=d) + 0.5 + rng.normal(size=n)
    order = np.argsort(target)
    X, target = X[order], target[order]
    return X, np.where(target > 0, 1.0, -1.0) if kind == "hinge" else target


@each_kind
@each_bias
@pytest.mark.parametrize("C", [1e-6, 1.0, 1e4])
@pytest.mark.parametrize("gap", [1e-3, 1e-8])
def test_the_gap_is_that_of_all_points(kind: str, bias: Bias, C: float, gap: float) -> None:
    X, y = many(kind)
    problem = problem_of(kind, X, y, C=C, bias=bias)
    solution = solve_by("interior-point", problem, gap=gap)
    assert solution.ending is Ending.CONVERGED
    assert relative_gap(problem, solution) <= 1.01 * gap


@each_kind
def test_all_layouts_give_the_same(kind: str) -> None:
    X, y = many(kind)
    X[np.abs(X) < 0.5] = 0
    problem = problem_of(kind, X, y, C=3.0, bias=Free())
    found = [
        run(data, problem, "interior-point", gap=1e-8)
        for data in (X, np.asfortranarray(X), sparse.csr_array(X))
    ]
    for other in found[1:]:
        np.testing.assert_allclose(other.weights, found[0].weights, rtol=1e-4, atol=1e-4)


@each_kind
def test_any_number_of_threads_gives_the_same_bits(kind: str) -> None:
    X, y = many(kind)
    problem = problem_of(kind, X, y, C=3.0)
    one, two = (solve_by("interior-point", problem, gap=1e-6, n_jobs=n_jobs) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.w, two.w)
    np.testing.assert_array_equal(one.dual, two.dual)


@each_kind
def test_a_good_warm_start_saves_iterations(kind: str) -> None:
    X, y = many(kind)
    first = solve_by("interior-point", problem_of(kind, X, y, C=1.0), gap=1e-6)
    problem = problem_of(kind, X, y, C=1.1)
    cold = solve_by("interior-point", problem, gap=1e-6)
    warm = solve_by("interior-point", problem, gap=1e-6, warm=first)
    assert warm.iterations < cold.iterations
    assert relative_gap(problem, warm) <= 1.01e-6


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda X, y: (np.repeat(X[:100], N // 100, axis=0), y), id="duplicates"),
        pytest.param(lambda X, y: (0 * X, y), id="zeros"),
        pytest.param(lambda X, y: (X, np.where(np.arange(len(y)) < 3, 1.0, -1.0)), id="rare"),
        pytest.param(lambda X, y: (X, np.where(X[:, 0] > 0.1, 1.0, -1.0)), id="separable"),
        pytest.param(lambda X, y: (np.round(X), y), id="ties"),
        pytest.param(lambda X, y: (X * [1e4, 1, 1, 1, 1, 1e-4], y), id="unscaled"),
    ],
)
@pytest.mark.parametrize("bias", [Free(), Regularised(1.0)], ids=repr)
def test_hard_data_end_with_a_proof(make: Any, bias: Bias) -> None:
    X, y = make(*many("hinge"))
    problem = problem_of("hinge", X, y, C=1.0, bias=bias)
    solution = solve_by("interior-point", problem, gap=1e-6)
    assert solution.ending is Ending.CONVERGED
    assert relative_gap(problem, solution) <= 1.01e-6


@each_kind
def test_weights_and_float32(kind: str) -> None:
    X, y = many(kind)
    weight = np.random.default_rng(1).uniform(0.01, 5.0, len(y))
    narrow = X.astype(np.float32)
    problem = problem_of(kind, narrow, y, C=0.5, weight=weight)
    assert problem.X.dtype == np.float32
    solution = solve_by("interior-point", problem, gap=1e-7)
    assert relative_gap(problem, solution) <= 1.01e-7


def test_iterations_end_a_run_with_what_there_is() -> None:
    X, y = many("hinge")
    problem = problem_of("hinge", X, y)
    solution = solve_by("interior-point", problem, gap=1e-12, max_iter=12)
    assert solution.ending is Ending.MAX_ITER
    assert np.isfinite(solution.w).all()
    assert solution.estimate.gap >= 0
