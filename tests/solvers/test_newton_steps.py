"""Newton's method on sparse rows keeps its matrix, and adds what has changed from step to step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from linear_zoo import BIASES, primal_value, program_of, relative_gap, run
from maxmargin.problems import Bias, Regularised

each_bias = pytest.mark.parametrize("bias", BIASES.values(), ids=BIASES)


def draw(n: int = 3000, d: int = 30, seed: int = 0) -> tuple[Any, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, d), density=0.2, rng=rng, format="csr")
    y = np.where(X @ rng.normal(size=d) + 0.2 * rng.normal(size=n) > 0, 1.0, -1.0)
    return X, y


@each_bias
@pytest.mark.parametrize("kind", ["squared hinge", "squared tube"])
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e6])
def test_it_finds_what_dense_rows_give(kind: str, bias: Bias, C: float) -> None:
    X, y = draw()
    program = program_of(kind, X, y, C=C, bias=bias)
    kept = run(X, program, "newton")
    anew = run(X.toarray(), program, "newton")
    assert kept.converged
    assert relative_gap(X, program, kept) <= 1.01e-8
    assert primal_value(X, program, kept.weights, kept.bias) == pytest.approx(
        primal_value(X, program, anew.weights, anew.bias), rel=1e-8
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
    program = program_of("squared hinge", X, y, C=1e4, bias=bias, weight=weight)
    answer = run(X, program, "newton")
    scores = X @ answer.weights + answer.bias
    assert (scores[heavy] > 1).mean() > 0.9
    # What slack costs at the start is 1e20 times as much, of which rounding knows 1e-16.
    assert relative_gap(X, program, answer) <= 1e-4


@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_the_same_bits_for_any_number_of_threads(precision: Any) -> None:
    X, y = draw(20000, 40)
    X = X.astype(precision)
    program = program_of("squared hinge", X, y, C=1.0)
    alone = run(X, program, "newton", n_threads=1)
    for n_threads in (2, 3, 16, 100):
        answer = run(X, program, "newton", n_threads=n_threads)
        np.testing.assert_array_equal(answer.weights, alone.weights)
        np.testing.assert_array_equal(answer.multipliers, alone.multipliers)


def test_columns_without_entries_and_rows_without_any() -> None:
    X = sparse.csr_array(np.vstack([np.zeros((5, 6)), np.eye(6), -np.eye(6)]))
    X = sparse.csr_array(sparse.hstack([sparse.csr_array((17, 3)), X, sparse.csr_array((17, 2))]))
    y = np.where(np.arange(17) % 2, 1.0, -1.0)
    program = program_of("squared hinge", X, y)
    for n_threads in (1, 4):
        answer = run(X, program, "newton", n_threads=n_threads)
        assert relative_gap(X, program, answer) <= 1.01e-8
        assert (answer.weights[:3] == 0).all()
        assert (answer.weights[-2:] == 0).all()


@pytest.mark.parametrize("d", [1, 46, 47, 48, 49, 96, 97, 200])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_a_tube_without_width_is_a_ridge_regression(d: int, is_sparse: bool) -> None:
    rng = np.random.default_rng(d)
    X, y = rng.normal(size=(300, d)), rng.normal(size=300)
    given = sparse.csr_array(X) if is_sparse else X
    program = program_of("squared tube", given, y, C=2.0, bias=Regularised(0.0), epsilon=0.0)
    answer = run(given, program, "newton", gap=1e-12)
    expected = np.linalg.solve(np.eye(d) / 4 + X.T @ X, X.T @ y)
    np.testing.assert_allclose(answer.weights, expected, rtol=1e-7, atol=1e-9)
    assert answer.iterations <= 2


@each_bias
@pytest.mark.parametrize("kind", ["squared hinge", "squared tube"])
@pytest.mark.parametrize("gap", [1e-1, 1e-3, 1e-5])
def test_the_multipliers_of_a_step_prove_what_was_asked_for(
    kind: str, bias: Bias, gap: float
) -> None:
    X, y = draw()
    program = program_of(kind, X, y, C=100.0, bias=bias)
    answer = run(X, program, "newton", gap=gap)
    assert answer.converged
    assert relative_gap(X, program, answer) <= 1.0001 * gap
    assert (answer.multipliers >= 0).all()


@each_bias
def test_few_steps_where_slack_is_dear_and_features_are_rare(bias: Bias) -> None:
    # A feature that few points have gives steps that carry those points far past their margin.
    rng = np.random.default_rng(3)
    n, d = 6000, 60
    X = sparse.csr_array((rng.uniform(size=(n, d)) < 1.0 / (1 + np.arange(d))).astype(float))
    y = np.where(X @ rng.normal(size=d) + 0.3 * rng.normal(size=n) > 0, 1.0, -1.0)
    program = program_of("squared hinge", X, y, C=1e4, bias=bias)
    answer = run(X, program, "newton")
    assert relative_gap(X, program, answer) <= 1.01e-8
    assert answer.iterations <= 4


@pytest.mark.parametrize("period", [2, 8, 16])
def test_a_first_step_from_a_sample_meets_classes_in_any_order(period: int) -> None:
    X, y = draw(8000)
    X[y < 0] *= -1
    order = np.empty(len(y), dtype=int)
    place = np.argsort(np.arange(len(y)) % period, kind="stable")
    order[place] = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    program = program_of("squared hinge", X, y, C=1.0)
    answer = run(X, program, "newton")
    assert relative_gap(X, program, answer) <= 1.01e-8
