"""With very many points most multipliers are held; the whole program's gap must hold all the same.

The gap is recomputed in float64 from weights and multipliers alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from linear_zoo import BIASES, program_of, relative_gap, run
from maxmargin.problems import Bias, Free, Regularised
from maxmargin.solvers.linear_engine import LinearEngine
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
    program = program_of(kind, X, y, C=C, bias=bias)
    answer = run(X, program, "interior-point", gap=gap)
    assert answer.ending == "converged"
    assert relative_gap(X, program, answer) <= 1.01 * gap


@each_kind
def test_all_layouts_give_the_same(kind: str) -> None:
    X, y = many(kind)
    X[np.abs(X) < 0.5] = 0
    program = program_of(kind, X, y, C=3.0, bias=Free())
    answers = [
        run(data, program, "interior-point", gap=1e-8)
        for data in (X, np.asfortranarray(X), sparse.csr_array(X))
    ]
    for other in answers[1:]:
        np.testing.assert_allclose(other.weights, answers[0].weights, rtol=1e-4, atol=1e-4)


@each_kind
def test_any_number_of_threads_gives_the_same_bits(kind: str) -> None:
    X, y = many(kind)
    program = program_of(kind, X, y, C=3.0)
    one, two = (
        LinearEngine(X, n_threads).solve([program], "interior-point", gap=1e-6)[0]
        for n_threads in (1, 2)
    )
    np.testing.assert_array_equal(one.weights, two.weights)
    np.testing.assert_array_equal(one.multipliers, two.multipliers)


@each_kind
def test_a_good_start_saves_iterations(kind: str) -> None:
    X, y = many(kind)
    engine = LinearEngine(X)
    (first,) = engine.solve([program_of(kind, X, y, C=1.0)], "interior-point", gap=1e-6)
    program = program_of(kind, X, y, C=1.1)
    (cold,) = engine.solve([program], "interior-point", gap=1e-6)
    (warm,) = engine.solve([program], "interior-point", gap=1e-6, starts=[first])
    assert warm.iterations < cold.iterations
    assert relative_gap(X, program, warm) <= 1.01e-6


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
    program = program_of("hinge", X, y, C=1.0, bias=bias)
    answer = run(X, program, "interior-point", gap=1e-6)
    assert answer.ending == "converged"
    assert relative_gap(X, program, answer) <= 1.01e-6


@each_kind
def test_weights_and_float32(kind: str) -> None:
    X, y = many(kind)
    weight = np.random.default_rng(1).uniform(0.01, 5.0, len(y))
    narrow = X.astype(np.float32)
    program = program_of(kind, narrow.astype(float), y, C=0.5, weight=weight)
    answer = run(narrow, program, "interior-point", gap=1e-7)
    assert relative_gap(narrow.astype(float), program, answer) <= 1.01e-7


def test_iterations_end_a_run_with_what_there_is() -> None:
    X, y = many("hinge")
    program = program_of("hinge", X, y)
    answer = run(X, program, "interior-point", gap=1e-12, max_iterations=12)
    assert answer.ending == "steps"
    assert np.isfinite(answer.weights).all()
    assert answer.primal - answer.dual >= 0
