"""Every linear solver reaches the gap it was asked for, on every path through it.

The gap is recomputed in float64 from weights and multipliers alone.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from linear_zoo import (
    BIASES,
    METHODS,
    PAIRS,
    SOLVERS,
    draw,
    problem_of,
    program_of,
    relative_gap,
    run,
    values,
)
from maxmargin import Solution, certify, solve
from maxmargin.certify.weights import measure_weights
from maxmargin.errors import InvalidInputError
from maxmargin.problems import Bias, Free, Problem, Regularised
from maxmargin.solvers.linear_engine import LinearAnswer, LinearProgram, Method

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
        program = program_of(kind, X, y, C=2.0, bias=bias, weight=weight)
        # One multiplier at a time may take very many sweeps, most of them over a few points.
        answer = run(X, program, method, gap=gap, max_iterations=50_000_000)
        assert answer.ending == "converged"
        assert proved(X, program, answer, gap)

    @each_pair
    @each_bias
    def test_the_values_are_those_of_the_answer(
        self, kind: str, method: Method, bias: Bias
    ) -> None:
        X, y = draw(kind, n=300)
        program = program_of(kind, X, y, bias=bias)
        for limits in ({}, {"max_iterations": 3, "gap": 1e-12}):
            answer = run(X, program, method, **limits)
            primal, dual = values(X, program, answer)
            assert answer.primal == pytest.approx(primal, rel=1e-8)
            # Multipliers that do not sum to zero yet have no dual value.
            if not isinstance(bias, Free):
                assert answer.dual == pytest.approx(dual, rel=1e-8, abs=1e-8)

    @each_pair
    @each_bias
    @pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
    def test_it_is_that_of_clarabel(self, kind: str, method: Method, bias: Bias, C: float) -> None:
        X, y = draw(kind)
        problem = problem_of(kind, X, y, C=C, bias=bias)
        best = certify(problem, solve(problem, solver="primal-qp"))
        answer = run(X, LinearProgram.of(problem.dual()), method, max_iterations=5_000_000)
        assert answer.converged
        assert answer.primal == pytest.approx(best.primal, rel=1e-6)
        found = measure_weights(problem, answer.weights, answer.bias, answer.multipliers)
        assert abs(found.relative_gap) <= 1e-6
        np.testing.assert_allclose(
            answer.weights, best.solution.w, atol=2e-3 * max(1.0, np.abs(answer.weights).max())
        )

    @each_pair
    def test_no_bias_is_no_bias(self, kind: str, method: Method) -> None:
        X, y = draw(kind)
        assert run(X, program_of(kind, X, y, bias=Regularised(0.0)), method).bias == 0.0

    @each_pair
    @each_bias
    def test_multipliers_are_feasible(self, kind: str, method: Method, bias: Bias) -> None:
        X, y = draw(kind, n=200)
        program = program_of(kind, X, y, bias=bias)
        a = run(X, program, method).multipliers
        assert np.all(a >= 0)
        assert np.all(a <= program.cost * (1 + 1e-12))
        if isinstance(bias, Free):
            assert abs(program.sign @ a) <= 1e-6 * a.sum()


def read_only(X: np.ndarray, folder: Path) -> np.ndarray:
    X = X.copy()
    X.flags.writeable = False
    return X


def mapped(X: np.ndarray, folder: Path) -> np.ndarray:
    np.save(folder / "X.npy", X)
    return np.load(folder / "X.npy", mmap_mode="r")


def with_wide_indices(X: np.ndarray, folder: Path) -> sparse.csr_array:
    wide = sparse.csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    return wide


def with_repeated_entries(X: np.ndarray, folder: Path) -> sparse.csr_array:
    half = sparse.csr_array(X / 2)
    columns = np.split(half.indices, half.indptr[1:-1])
    entries = np.split(half.data, half.indptr[1:-1])
    twice = [np.concatenate([part[::-1], part]) for part in columns]
    data = [np.concatenate([part[::-1], part]) for part in entries]
    parts = (np.concatenate(data), np.concatenate(twice), 2 * half.indptr)
    return sparse.csr_array(parts, shape=X.shape)


LAYOUTS: dict[str, Callable[[np.ndarray, Path], Any]] = {
    "C": lambda X, folder: np.ascontiguousarray(X),
    "Fortran": lambda X, folder: np.asfortranarray(X),
    "strided": lambda X, folder: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed": lambda X, folder: X[::-1].copy()[::-1],
    "columns reversed": lambda X, folder: X[:, ::-1].copy()[:, ::-1],
    "read-only": read_only,
    "memory-mapped": mapped,
    "csr": lambda X, folder: sparse.csr_array(X),
    "csr matrix": lambda X, folder: sparse.csr_matrix(X),
    "csr int64": with_wide_indices,
    "csr repeated": with_repeated_entries,
}


class TestLayouts:
    @pytest.mark.parametrize("layout", LAYOUTS)
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize("kind", SOLVERS)
    def test_any_layout_gives_the_same_machine(
        self, layout: str, dtype: type, kind: str, tmp_path: Path
    ) -> None:
        X, y = draw(kind, n=400, d=9)
        X[np.random.default_rng(5).random(X.shape) < 0.6] = 0.0
        X = X.astype(dtype)
        program = program_of(kind, X.astype(np.float64), y, bias=Regularised(1.0))
        other = LAYOUTS[layout](X, tmp_path)
        for method in SOLVERS[kind]:
            expected = run(X.astype(np.float64), program, method)
            found = run(other, program, method)
            assert found.converged
            assert proved(X, program, found, 1e-8)
            np.testing.assert_allclose(found.weights, expected.weights, atol=2e-3)

    @pytest.mark.parametrize("layout", LAYOUTS)
    @pytest.mark.parametrize("method", METHODS)
    def test_the_data_stay_as_they_are(self, layout: str, method: Method, tmp_path: Path) -> None:
        X, y = draw("squared hinge", n=50)
        other = LAYOUTS[layout](X, tmp_path)
        before = other.copy()
        run(other, program_of("squared hinge", X, y), method)
        if sparse.issparse(other):
            np.testing.assert_array_equal(other.data, before.data)
            np.testing.assert_array_equal(other.indices, before.indices)
            assert other.indices.dtype == before.indices.dtype
        else:
            np.testing.assert_array_equal(other, before)

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("order", ["C", "F"])
    def test_one_feature(self, method: Method, order: Any) -> None:
        X, y = draw("squared hinge", d=1)
        column = np.empty((len(X), 1), order=order)
        column[:] = X
        program = program_of("squared hinge", X, y)
        assert proved(X, program, run(column, program, method), 1e-8)

    @pytest.mark.parametrize("method", METHODS)
    def test_one_column_of_a_fortran_array(self, method: Method) -> None:
        X, y = draw("squared hinge", d=3)
        column = np.asfortranarray(X)[:, 1:2]
        program = program_of("squared hinge", column.copy(), y)
        assert proved(column, program, run(column, program, method), 1e-8)


#: Each makes data of a kind that solvers trip over, from points and labels or targets.
ODD: dict[str, Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]] = {
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
        program = program_of(kind, X, y, bias=bias)
        # One multiplier at a time goes a long way where features are badly scaled.
        is_slow = method == "coordinate-descent" and odd in BADLY_SCALED
        answer = run(X, program, method, gap=1e-5, max_iterations=2000 if is_slow else 200_000)
        assert answer.converged or is_slow
        assert proved(X, program, answer, 1e-5) or not answer.converged

    @each_pair
    @free_and_not
    @pytest.mark.parametrize(("n", "d"), [(12, 300), (2, 1), (4000, 2), (300, 300)])
    def test_shapes(self, kind: str, method: Method, bias: Bias, n: int, d: int) -> None:
        X, y = draw(kind, n=n, d=d)
        program = program_of(kind, X, y, bias=bias)
        answer = run(X, program, method, gap=1e-6)
        assert answer.ending == "converged"
        assert proved(X, program, answer, 1e-6)

    @each_pair
    @each_bias
    @pytest.mark.parametrize("C", [1e-8, 1e-4, 1e3, 1e6, 1e10])
    def test_costs(self, kind: str, method: Method, bias: Bias, C: float) -> None:
        X, y = draw(kind, n=40, d=3)
        program = program_of(kind, X, y, C=C, bias=bias)
        answer = run(X, program, method, gap=1e-4, max_iterations=5000)
        assert proved(X, program, answer, 1e-4) or not answer.converged
        # One multiplier at a time goes a long way where C is large or a free bias far off.
        assert answer.converged or method == "coordinate-descent"

    @pytest.mark.parametrize("method", ["newton", "coordinate-descent"])
    def test_a_wide_sparse_matrix(self, method: Method) -> None:
        rng = np.random.default_rng(0)
        dense = rng.normal(size=(300, 5000)) * (rng.random((300, 5000)) < 0.01)
        X, y = sparse.csr_array(dense), np.where(dense @ rng.normal(size=5000) > 0, 1.0, -1.0)
        program = program_of("squared hinge", X, y, C=10.0, bias=Regularised(1.0))
        answer = run(X, program, method)
        assert answer.converged
        assert proved(X, program, answer, 1e-8)

    @pytest.mark.parametrize(("kind", "method"), [pair for pair in PAIRS if "tube" in pair[0]])
    @pytest.mark.parametrize("epsilon", [0.0, 0.1, 10.0])
    def test_an_optimum_of_zero(self, kind: str, method: Method, epsilon: float) -> None:
        # The targets are all alike, or all within the tube; a relative gap of zero has no meaning.
        X, y = draw(kind)
        y = y if epsilon > 1 else np.full(len(y), 2.0)
        answer = run(
            X, program_of(kind, X, y, epsilon=epsilon), method, gap=1e-6, max_iterations=5000
        )
        assert answer.ending in ("converged", "stalled")
        assert answer.primal <= 1e-6 * np.abs(y).sum()

    @each_pair
    def test_a_weight_of_zero_is_refused(self, kind: str, method: Method) -> None:
        X, y = draw(kind)
        weight = np.ones(len(y))
        weight[7] = 0.0
        with pytest.raises(InvalidInputError, match="must be left out"):
            run(X, program_of(kind, X, y, weight=weight), method)
