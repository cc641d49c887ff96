"""Every linear solver reaches the gap it was asked for, on every path through it.

The gap is recomputed in float64 from weights and multipliers alone. Up to 256 points, methods that
factorise go to the end of rounding; more points make them stop exactly where they are asked to.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import sparse

from linear_zoo import (
    BIASES,
    PAIRS,
    draw,
    is_proved,
    problem_of,
    run,
    solve_by,
    values,
)
from maxmargin import solve
from maxmargin.problems import Bias, Free, Regularised
from maxmargin.solvers import Ending
from maxmargin.solvers.linear.engine import Method
from maxmargin.typing import Floats

each_pair = pytest.mark.parametrize(("kind", "method"), PAIRS)
each_bias = pytest.mark.parametrize("bias", BIASES.values(), ids=BIASES)
free_and_not = pytest.mark.parametrize("bias", [Free(), Regularised(1.0)], ids=repr)


class TestOptimum:
    @each_pair
    @each_bias
    @pytest.mark.parametrize("gap", [1e-3, 1e-8])
    @pytest.mark.parametrize("weighted", [False, True], ids=["equal", "weighted"])
    def test_the_gap_is_the_one_asked_for(
        self, kind: str, method: Method, bias: Bias, gap: float, weighted: bool
    ) -> None:
        X, y = draw(kind, n=700)
        weight = np.random.default_rng(1).uniform(0.1, 3.0, len(y)) if weighted else None
        problem = problem_of(kind, X, y, C=2.0, bias=bias, weight=weight)
        # One multiplier at a time may take very many sweeps, most of them over a few points.
        solution = solve_by(method, problem, gap=gap, max_iter=50_000_000)
        assert solution.ending is Ending.CONVERGED
        assert is_proved(problem, solution, gap)
        assert solution.certificate.relative_gap <= 1.01 * gap + 1e-12

    @each_pair
    @each_bias
    def test_the_estimated_values_are_those_of_the_solution(
        self, kind: str, method: Method, bias: Bias
    ) -> None:
        X, y = draw(kind, n=300)
        problem = problem_of(kind, X, y, bias=bias)
        for limits in ({}, {"max_iter": 3, "gap": 1e-12}):
            solution = solve_by(method, problem, **limits)
            primal, dual = values(problem, solution)
            assert solution.estimate.primal == pytest.approx(primal, rel=1e-8)
            # Multipliers that do not sum to zero yet have no dual value.
            if not isinstance(bias, Free):
                assert solution.estimate.dual == pytest.approx(dual, rel=1e-8, abs=1e-8)

    @each_pair
    @each_bias
    @pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
    def test_it_is_that_of_clarabel(self, kind: str, method: Method, bias: Bias, C: float) -> None:
        X, y = draw(kind)
        problem = problem_of(kind, X, y, C=C, bias=bias)
        best = solve(problem, "primal-qp")
        solution = solve_by(method, problem, max_iter=5_000_000)
        assert solution.converged
        assert solution.estimate.primal == pytest.approx(best.certificate.primal, rel=1e-6)
        assert abs(solution.certificate.relative_gap) <= 1e-6
        np.testing.assert_allclose(
            solution.w, best.w, atol=2e-3 * max(1.0, np.abs(solution.w).max())
        )

    @each_pair
    def test_no_bias_is_no_bias(self, kind: str, method: Method) -> None:
        X, y = draw(kind)
        assert solve_by(method, problem_of(kind, X, y, bias=Regularised(0.0))).b == 0.0

    @each_pair
    @each_bias
    def test_multipliers_are_feasible(self, kind: str, method: Method, bias: Bias) -> None:
        X, y = draw(kind, n=300)
        problem = problem_of(kind, X, y, bias=bias)
        qp, a = problem.dual(), solve_by(method, problem).dual
        assert np.all(a >= 0)
        assert np.all(a <= qp.cost * (1 + 1e-12))
        if isinstance(bias, Free):
            assert abs(qp.sign @ a) <= 1e-6 * a.sum()


#: Each makes data of a kind that solvers trip over, from points and labels or targets.
ODD: dict[str, Callable[[Floats, Floats], tuple[Floats, Floats]]] = {
    "a constant column": lambda X, y: (np.column_stack([X, np.full(len(X), 3.0)]), y),
    "columns of zeros": lambda X, y: (np.column_stack([0 * X, X, 0 * X]), y),
    "rows of zeros": lambda X, y: (X * (np.arange(len(X)) % 3 > 0)[:, None], y),
    "zeros alone": lambda X, y: (0 * X, y),
    "a column twice": lambda X, y: (np.column_stack([X, X]), y),
    "rows twice": lambda X, y: (np.vstack([X, X]), np.concatenate([y, y])),
    "rows with both labels": lambda X, y: (np.vstack([X, X]), np.concatenate([y, -y])),
    "far from the origin": lambda X, y: (X + 1000.0, y),
    "huge": lambda X, y: (1e6 * X, y),
    "tiny": lambda X, y: (1e-6 * X, y),
    "huge and tiny": lambda X, y: (X * np.geomspace(1e-4, 1e4, X.shape[1]), y),
    "separable": lambda X, y: (np.column_stack([X, 3 * y]), y),
    "two points": lambda X, y: (X[:2], y[:2]),
    "one of a class": lambda X, y: (X, np.where(np.arange(len(y)) == 0, y, y[1])),
}


BADLY_SCALED = ("zeros alone", "far from the origin", "huge", "tiny", "huge and tiny")


class TestOddData:
    @each_pair
    @free_and_not
    @pytest.mark.parametrize("odd", ODD)
    def test_the_gap_is_the_one_asked_for(
        self, kind: str, method: Method, bias: Bias, odd: str
    ) -> None:
        X, y = ODD[odd](*draw(kind))
        problem = problem_of(kind, X, y, bias=bias)
        # One multiplier at a time goes a long way where features are badly scaled.
        is_slow = method == "coordinate-descent" and odd in BADLY_SCALED
        max_iter = 2000 if is_slow else 200_000
        for found in (
            run(problem.X, problem, method, gap=1e-5, max_iter=max_iter),
            solve_by(method, problem, gap=1e-5, max_iter=max_iter),
        ):
            is_converged = found.ending is Ending.CONVERGED
            assert is_converged or is_slow
            assert is_proved(problem, found, 1e-5) or not is_converged

    @each_pair
    @free_and_not
    @pytest.mark.parametrize(("n", "d"), [(12, 300), (2, 1), (4000, 2), (300, 300)])
    def test_shapes(self, kind: str, method: Method, bias: Bias, n: int, d: int) -> None:
        X, y = draw(kind, n=n, d=d)
        problem = problem_of(kind, X, y, bias=bias)
        solution = solve_by(method, problem, gap=1e-6)
        assert solution.ending is Ending.CONVERGED
        assert is_proved(problem, solution, 1e-6)

    @each_pair
    @each_bias
    @pytest.mark.parametrize("C", [1e-8, 1e-4, 1e3, 1e6, 1e10])
    def test_costs(self, kind: str, method: Method, bias: Bias, C: float) -> None:
        X, y = draw(kind, n=40, d=3)
        problem = problem_of(kind, X, y, C=C, bias=bias)
        for found in (
            run(X, problem, method, gap=1e-4, max_iter=5000),
            solve_by(method, problem, gap=1e-4, max_iter=5000),
        ):
            is_converged = found.ending is Ending.CONVERGED
            assert is_proved(problem, found, 1e-4) or not is_converged
            # One multiplier at a time goes a long way where C is large or a free bias far off.
            assert is_converged or method == "coordinate-descent"

    @pytest.mark.parametrize("method", ["newton", "coordinate-descent"])
    def test_a_wide_sparse_matrix(self, method: Method) -> None:
        rng = np.random.default_rng(0)
        dense = rng.normal(size=(300, 5000)) * (rng.random((300, 5000)) < 0.01)
        X, y = sparse.csr_array(dense), np.where(dense @ rng.normal(size=5000) > 0, 1.0, -1.0)
        problem = problem_of("squared hinge", X, y, C=10.0, bias=Regularised(1.0))
        solution = solve_by(method, problem)
        assert solution.converged
        assert is_proved(problem, solution, 1e-8)

    @pytest.mark.parametrize(("kind", "method"), [pair for pair in PAIRS if "tube" in pair[0]])
    @pytest.mark.parametrize("epsilon", [0.0, 0.1, 10.0])
    def test_an_optimum_of_zero(self, kind: str, method: Method, epsilon: float) -> None:
        # The targets are all alike, or all within the tube; a relative gap of zero has no meaning.
        X, y = draw(kind)
        y = y if epsilon > 1 else np.full(len(y), 2.0)
        problem = problem_of(kind, X, y, epsilon=epsilon)
        solution = solve_by(method, problem, gap=1e-6, max_iter=5000)
        assert solution.ending in (Ending.CONVERGED, Ending.STALLED)
        assert solution.estimate.primal <= 1e-6 * np.abs(y).sum()

    @each_pair
    def test_points_of_weight_zero_are_left_out(self, kind: str, method: Method) -> None:
        X, y = draw(kind)
        weight = np.ones(len(y))
        weight[[7, 20]] = 0.0
        used = weight > 0
        problem = problem_of(kind, X, y, weight=weight)
        solution = solve_by(method, problem)
        assert solution.converged
        assert np.all(solution.dual.reshape(-1, len(y))[:, ~used] == 0)
        without = solve_by(method, problem_of(kind, X[used], y[used]))
        np.testing.assert_array_equal(solution.w, without.w)
        assert solution.b == without.b
