"""Sparse rows that repeat others are merged, except in descents; the gap is that of all points."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from linear_zoo import (
    BIASES,
    METHODS_OF,
    linear_qp,
    primal_value,
    problem_of,
    relative_gap,
    run,
    solve_by,
)
from maxmargin.problems import Bias, Regularised
from maxmargin.solvers.linear.engine import Method, RunOptions, solve_linear
from maxmargin.typing import Floats

CLASSES = [(kind, method) for kind in ("hinge", "squared hinge") for method in METHODS_OF[kind]]

each_pair = pytest.mark.parametrize(("kind", "method"), CLASSES)
each_bias = pytest.mark.parametrize("bias", BIASES.values(), ids=BIASES)


def draw_repeats(n: int = 300, seed: int = 0) -> tuple[Any, Floats, Floats]:
    """Rows of a few words: many are equal, with equal and with opposite labels, and some empty."""
    rng = np.random.default_rng(seed)
    X = (rng.uniform(size=(n, 5)) < 0.4).astype(np.float64)
    y = np.where(X[:, 0] - X[:, 1] + 0.8 * rng.normal(size=n) > 0, 1.0, -1.0)
    return sparse.csr_array(X), y, rng.uniform(0.1, 3.0, n)


@each_pair
@each_bias
@pytest.mark.parametrize("weighted", [False, True], ids=["equal", "weighted"])
def test_the_gap_holds_for_all_points(
    kind: str, method: Method, bias: Bias, weighted: bool
) -> None:
    X, y, weight = draw_repeats()
    shared = {"C": 0.7, "bias": bias, "weight": weight if weighted else None}
    problem = problem_of(kind, X, y, **shared)
    solution = solve_by(method, problem)
    assert solution.converged
    assert relative_gap(problem, solution) <= 1.01e-8
    dense = solve_by(method, problem_of(kind, X.toarray(), y, **shared))
    assert primal_value(problem, solution.w, solution.b) == pytest.approx(
        primal_value(problem, dense.w, dense.b), rel=1e-7
    )


@pytest.mark.parametrize(
    ("kind", "method"),
    [("hinge", "interior-point"), ("squared hinge", "interior-point"), ("squared hinge", "newton")],
)
def test_repeats_share_their_multiplier_by_weight(kind: str, method: Method) -> None:
    X, y, weight = draw_repeats()
    problem = problem_of(kind, X, y, C=0.7, bias=Regularised(1.0), weight=weight)
    share = solve_by(method, problem).dual / weight
    groups: dict[tuple[bytes, float], list[float]] = {}
    for row, label, value in zip(X.toarray(), y, share, strict=True):
        groups.setdefault((row.tobytes(), label), []).append(value)
    assert max(len(values) for values in groups.values()) > 5
    for values in groups.values():
        assert np.ptp(values) <= 1e-12


@pytest.mark.parametrize("method", METHODS_OF["hinge"])
def test_multipliers_at_their_bound_are_exactly_there(method: Method) -> None:
    X, y, weight = draw_repeats()
    problem = problem_of("hinge", X, y, C=0.01, bias=Regularised(1.0), weight=weight)
    cost, multipliers = problem.dual().cost, solve_by(method, problem).dual
    assert (multipliers <= cost).all()
    if method == "coordinate-descent":
        assert np.mean(multipliers == cost) > 0.5


@pytest.mark.parametrize("method", METHODS_OF["hinge"])
def test_rows_stay_apart_where_their_terms_differ(method: Method) -> None:
    X, y, _ = draw_repeats()
    # The margin that is asked for differs from point to point.
    margin = np.random.default_rng(1).uniform(0.5, 1.5, len(y))
    qp = replace(linear_qp(problem_of("hinge", X, y, bias=Regularised(1.0))), linear=-y * margin)
    (found,) = solve_linear(X, [qp], method, RunOptions(1e-8, 200_000))
    w, b, a = found.weights, found.bias, np.clip(found.multipliers, 0.0, 1.0)
    primal = 0.5 * (w @ w + b**2) + np.maximum(0.0, margin - y * (X @ w + b)).sum()
    combination = X.T @ (y * a)
    dual = margin @ a - 0.5 * (combination @ combination + (y @ a) ** 2)
    assert (primal - dual) / primal <= 1.01e-8


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_stored_zeros_do_not_tell_rows_apart(index: type) -> None:
    X, y, _ = draw_repeats()
    padded = X.copy()
    padded.indices, padded.indptr = padded.indices.astype(index), padded.indptr.astype(index)
    padded.data[::7] = 0.0
    clean = padded.copy()
    clean.eliminate_zeros()
    problem = problem_of("hinge", clean, y, bias=Regularised(1.0))
    one, other = (run(data, problem, "interior-point") for data in (padded, clean))
    np.testing.assert_allclose(one.weights, other.weights, atol=1e-5)
    np.testing.assert_allclose(one.multipliers.sum(), other.multipliers.sum(), rtol=1e-5)
