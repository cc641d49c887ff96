"""Sparse rows that repeat others are merged, but for descents; the answer is that of all points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from linear_zoo import BIASES, SOLVERS, primal_value, program_of, relative_gap, run
from maxmargin.problems import Bias, Regularised
from maxmargin.solvers.linear_engine import LinearProgram, Method

CLASSES = [(kind, method) for kind in ("hinge", "squared hinge") for method in SOLVERS[kind]]

each_pair = pytest.mark.parametrize(("kind", "method"), CLASSES)
each_bias = pytest.mark.parametrize("bias", BIASES.values(), ids=BIASES)


def draw_repeats(n: int = 300, seed: int = 0) -> tuple[Any, np.ndarray, np.ndarray]:
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
    program = program_of(kind, X, y, C=0.7, bias=bias, weight=weight if weighted else None)
    answer = run(X, program, method)
    assert answer.converged
    assert relative_gap(X, program, answer) <= 1.01e-8
    dense = run(X.toarray(), program, method)
    assert primal_value(X, program, answer.weights, answer.bias) == pytest.approx(
        primal_value(X, program, dense.weights, dense.bias), rel=1e-7
    )


@pytest.mark.parametrize(
    ("kind", "method"),
    [("hinge", "interior-point"), ("squared hinge", "interior-point"), ("squared hinge", "newton")],
)
def test_repeats_share_their_multiplier_by_weight(kind: str, method: Method) -> None:
    X, y, weight = draw_repeats()
    program = program_of(kind, X, y, C=0.7, bias=Regularised(1.0), weight=weight)
    share = run(X, program, method).multipliers / weight
    groups: dict[tuple[bytes, float], list[float]] = {}
    for row, label, value in zip(X.toarray(), y, share, strict=True):
        groups.setdefault((row.tobytes(), label), []).append(value)
    assert max(len(values) for values in groups.values()) > 5
    for values in groups.values():
        assert np.ptp(values) <= 1e-12


def test_multipliers_at_their_bound_are_exactly_there() -> None:
    X, y, weight = draw_repeats()
    program = program_of("hinge", X, y, C=0.01, bias=Regularised(1.0), weight=weight)
    for method in SOLVERS["hinge"]:
        multipliers = run(X, program, method).multipliers
        assert (multipliers <= program.cost).all()
    assert np.mean(multipliers == program.cost) > 0.5


@pytest.mark.parametrize("method", SOLVERS["hinge"])
def test_rows_stay_apart_where_their_terms_differ(method: Method) -> None:
    X, y, _ = draw_repeats()
    program = program_of("hinge", X, y, bias=Regularised(1.0))
    linear = program.linear * np.random.default_rng(1).uniform(0.5, 1.5, len(y))
    mixed = LinearProgram(program.sign, linear, program.cost, program.ridge, program.bias_weight)
    assert relative_gap(X, mixed, run(X, mixed, method)) <= 1.01e-8


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_stored_zeros_do_not_tell_rows_apart(index: type) -> None:
    X, y, _ = draw_repeats()
    padded = X.copy()
    padded.indices, padded.indptr = padded.indices.astype(index), padded.indptr.astype(index)
    padded.data[::7] = 0.0
    clean = padded.copy()
    clean.eliminate_zeros()
    program = program_of("hinge", clean, y, bias=Regularised(1.0))
    one, other = (run(data, program, "interior-point") for data in (padded, clean))
    np.testing.assert_allclose(one.weights, other.weights, atol=1e-5)
    np.testing.assert_allclose(one.multipliers.sum(), other.multipliers.sum(), rtol=1e-5)
