"""What must not change, or must change in a known way, when a linear machine's problem does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linear_zoo import BIASES, PAIRS, problem_of, relative_gap, solve_by, values
from maxmargin import Solution
from maxmargin.problems import Bias, Free, Regularised
from maxmargin.solvers import Ending
from maxmargin.solvers.linear.engine import Method

seeds = st.integers(0, 10**6)
roundings = st.sampled_from([0, 1, 3])
biases = st.sampled_from(list(BIASES.values()))
costs = st.sampled_from([0.01, 1.0, 30.0])
each_pair = pytest.mark.parametrize(("kind", "method"), PAIRS)


def draw(kind: str, seed: int, decimals: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """A few points; few decimals make ties, duplicates and points at the origin."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(16, 3))
    if "tube" in kind:
        return np.round(X, decimals), np.round(X[:, 0] + rng.normal(size=16), 2)
    y = np.where(np.arange(16) % 2, 1.0, -1.0)
    X[:, 0] += 0.5 * y
    return np.round(X, decimals), y


def proved(kind: str, method: Method, X: np.ndarray, y: np.ndarray, **parameters: Any) -> Solution:
    problem = problem_of(kind, X, y, **parameters)
    solution = solve_by(method, problem, gap=1e-9)
    assert relative_gap(problem, solution) <= 1e-8, solution.status
    return solution


def assert_same_value(one: Solution, other: Solution, factor: float = 1.0) -> None:
    known = factor * other.estimate.primal
    assert one.estimate.primal == pytest.approx(known, rel=1e-7, abs=1e-10)


def assert_same_machine(one: Any, other: Any, bias: Bias) -> None:
    """Compare weights and, unless it is free and so perhaps not unique, the bias."""
    size = max(1.0, float(np.abs(other[0]).max(initial=0.0)))
    np.testing.assert_allclose(one[0], other[0], atol=3e-4 * size)
    if not isinstance(bias, Free):
        assert one[1] == pytest.approx(other[1], abs=3e-3 * size)


def machine(solution: Solution) -> tuple[np.ndarray, float]:
    return solution.w, solution.b


@each_pair
@given(seed=seeds, decimals=roundings, bias=biases, C=costs)
def test_swapped_labels_and_negated_targets_negate_the_machine(
    kind: str, method: Method, seed: int, decimals: int, bias: Bias, C: float
) -> None:
    X, y = draw(kind, seed, decimals)
    one, other = (proved(kind, method, X, s * y, bias=bias, C=C) for s in (1.0, -1.0))
    assert_same_value(one, other)
    assert_same_machine((-other.w, -other.b), machine(one), bias)


@each_pair
@given(seed=seeds, decimals=roundings, bias=biases)
def test_permuted_rows_leave_the_machine_and_permuted_columns_permute_it(
    kind: str, method: Method, seed: int, decimals: int, bias: Bias
) -> None:
    X, y = draw(kind, seed, decimals)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(16), rng.permutation(3)
    solution = proved(kind, method, X, y, bias=bias)
    permuted = proved(kind, method, X[rows], y[rows], bias=bias)
    assert_same_value(permuted, solution)
    assert_same_machine(machine(permuted), machine(solution), bias)
    turned = proved(kind, method, X[:, columns], y, bias=bias)
    assert_same_value(turned, solution)
    assert_same_machine((turned.w, turned.b), (solution.w[columns], solution.b), bias)


@each_pair
@given(seed=seeds, decimals=roundings, bias=biases, C=costs)
def test_weights_are_repetitions_of_rows(
    kind: str, method: Method, seed: int, decimals: int, bias: Bias, C: float
) -> None:
    X, y = draw(kind, seed, decimals)
    times = np.random.default_rng(seed).integers(1, 4, len(y))
    heavy = proved(kind, method, X, y, bias=bias, C=C, weight=times.astype(np.float64))
    rows = np.repeat(np.arange(len(y)), times)
    repeated = proved(kind, method, X[rows], y[rows], bias=bias, C=C)
    assert_same_value(heavy, repeated)
    assert_same_machine(machine(heavy), machine(repeated), bias)


@each_pair
@given(seed=seeds, bias=biases, factor=st.floats(0.1, 10))
def test_weights_are_costs(kind: str, method: Method, seed: int, bias: Bias, factor: float) -> None:
    X, y = draw(kind, seed)
    weighted = proved(kind, method, X, y, bias=bias, C=1.0, weight=np.full(len(y), factor))
    expensive = proved(kind, method, X, y, bias=bias, C=factor)
    assert_same_value(weighted, expensive)
    assert_same_machine(machine(weighted), machine(expensive), bias)


@each_pair
@given(seed=seeds, decimals=roundings, scale=st.floats(0.05, 20), name=st.sampled_from([*BIASES]))
def test_scaled_points_want_a_cost_over_the_scale_squared(
    kind: str, method: Method, seed: int, decimals: int, scale: float, name: str
) -> None:
    # w x stays the same with w / s, and so does b if its own feature is scaled too.
    X, y = draw(kind, seed, decimals)
    bias = BIASES[name]
    scaled_bias = Regularised(scale * bias.scale) if isinstance(bias, Regularised) else bias
    solution = proved(kind, method, X, y, bias=bias)
    scaled = proved(kind, method, scale * X, y, bias=scaled_bias, C=1 / scale**2)
    assert_same_value(scaled, solution, 1 / scale**2)
    assert_same_machine((scale * scaled.w, scaled.b), machine(solution), bias)


@each_pair
@given(seed=seeds, decimals=roundings, shift=st.floats(-5, 5))
def test_a_translation_leaves_the_weights_with_a_free_bias(
    kind: str, method: Method, seed: int, decimals: int, shift: float
) -> None:
    X, y = draw(kind, seed, decimals)
    solution, moved = (proved(kind, method, X + by, y, bias=Free()) for by in (0.0, shift))
    assert_same_value(moved, solution)
    assert_same_machine(machine(moved), machine(solution), Free())


@each_pair
@given(seed=seeds, decimals=roundings, bias=biases)
def test_a_rotation_rotates_the_weights(
    kind: str, method: Method, seed: int, decimals: int, bias: Bias
) -> None:
    X, y = draw(kind, seed, decimals)
    Q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    solution, turned = (proved(kind, method, points, y, bias=bias) for points in (X, X @ Q))
    assert_same_value(turned, solution)
    assert_same_machine((Q @ turned.w, turned.b), machine(solution), bias)


@each_pair
@given(seed=seeds, decimals=roundings, scale=st.floats(0.2, 5), C=costs)
def test_a_regularised_bias_is_an_appended_constant_feature(
    kind: str, method: Method, seed: int, decimals: int, scale: float, C: float
) -> None:
    X, y = draw(kind, seed, decimals)
    solution = proved(kind, method, X, y, bias=Regularised(scale), C=C)
    longer = np.column_stack([X, np.full(len(X), scale)])
    appended = proved(kind, method, longer, y, bias=Regularised(0.0), C=C)
    assert_same_value(solution, appended)
    known = (appended.w[:3], scale * float(appended.w[3]))
    assert_same_machine(machine(solution), known, Regularised(scale))


@each_pair
@given(seed=seeds, bias=biases)
def test_a_useless_column_gets_no_weight(kind: str, method: Method, seed: int, bias: Bias) -> None:
    X, y = draw(kind, seed)
    solution = proved(kind, method, X, y, bias=bias)
    wider = proved(kind, method, np.insert(X, 1, 0.0, axis=1), y, bias=bias)
    assert wider.w[1] == 0.0
    assert_same_value(wider, solution)
    assert_same_machine((np.delete(wider.w, 1), wider.b), machine(solution), bias)


@each_pair
@given(seed=seeds, decimals=roundings, bias=biases)
def test_the_optimum_grows_with_the_cost_and_is_concave_in_it(
    kind: str, method: Method, seed: int, decimals: int, bias: Bias
) -> None:
    # A minimum of functions affine in C is concave in C.
    X, y = draw(kind, seed, decimals)
    solutions = [proved(kind, method, X, y, bias=bias, C=C) for C in (0.5, 1.0, 1.5, 2.0)]
    best = [solution.estimate.primal for solution in solutions]
    steps = np.diff(best)
    assert np.all(steps >= -1e-7 * best[-1])
    assert np.all(np.diff(steps) <= 1e-7 * best[-1])


@pytest.mark.parametrize(("kind", "method"), [pair for pair in PAIRS if "tube" in pair[0]])
@given(seed=seeds, bias=biases, scale=st.floats(0.1, 10))
def test_scaled_targets_scale_the_machine(
    kind: str, method: Method, seed: int, bias: Bias, scale: float
) -> None:
    X, y = draw(kind, seed)
    solution = proved(kind, method, X, y, bias=bias, epsilon=0.2)
    # |w|^2 grows with the square of the scale; so does a squared loss, a linear one with C's help.
    C = scale if kind == "tube" else 1.0
    scaled = proved(kind, method, X, scale * y, bias=bias, epsilon=0.2 * scale, C=C)
    assert_same_value(scaled, solution, scale**2)
    assert_same_machine((scaled.w / scale, scaled.b / scale), machine(solution), bias)


@each_pair
@given(seed=seeds, decimals=roundings, bias=biases, most=st.integers(0, 6))
def test_no_end_however_early_contradicts_weak_duality(
    kind: str, method: Method, seed: int, decimals: int, bias: Bias, most: int
) -> None:
    X, y = draw(kind, seed, decimals)
    problem = problem_of(kind, X, y, bias=bias)
    best = solve_by(method, problem, gap=1e-9).estimate
    early = solve_by(method, problem, gap=1e-9, max_iter=most)
    primal, dual = values(problem, early)
    assert primal >= best.dual - 1e-9 * abs(best.dual)
    assert dual <= best.primal + 1e-9 * abs(best.primal)
    assert early.ending in (Ending.CONVERGED, Ending.MAX_ITER)
    if early.converged:
        assert relative_gap(problem, early) <= 1e-8


@each_pair
@given(seed=seeds, decimals=roundings, bias=biases, C=costs)
def test_all_solvers_agree(
    kind: str, method: Method, seed: int, decimals: int, bias: Bias, C: float
) -> None:
    X, y = draw(kind, seed, decimals)
    solution = proved(kind, method, X, y, bias=bias, C=C)
    known = proved(kind, "interior-point", X, y, bias=bias, C=C)
    assert_same_value(solution, known)
    assert_same_machine(machine(solution), machine(known), bias)
