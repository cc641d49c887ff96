"""What must not change, or must change in a known way, when the problem does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin import Solution, certify, solve
from maxmargin.kernels import RBF, Kernel, Laplacian, Linear, Polynomial, feature_map
from maxmargin.problems import (
    Bias,
    Free,
    HardMargin,
    Problem,
    Regularised,
    SoftMargin,
)
from zoo import KINDS, UNBIASED_KINDS, Numbers, draw, make

GRID = np.random.default_rng(1).normal(size=(9, 2))
BIASED = [kind for kind in KINDS if kind not in UNBIASED_KINDS]
CLASSES = ["HardMargin", "SoftMargin", "SoftMargin2", "NuMargin"]
TUBES = ["EpsilonTube", "NuTube"]
QUADRATIC = Polynomial(gamma=1.0, coef0=1.0, degree=2)

seeds = st.integers(0, 10**6)
roundings = st.sampled_from([0, 1, 3])
kernels = st.sampled_from([Linear(), RBF(0.5), QUADRATIC, Laplacian(0.3)])
biases = st.sampled_from([Free(), Regularised(1.0)])
each_kind = pytest.mark.parametrize("kind", KINDS)


def proved(problem: Problem) -> tuple[Solution, float]:
    solution = solve(problem)
    certificate = certify(problem, solution)
    assert certificate.holds(1e-6), f"{problem!r}\n{certificate.summary()}"
    return solution, certificate.primal


def assert_same(f: np.ndarray, g: np.ndarray, free_bias: bool) -> None:
    """Compare decisions; without free support vectors a free bias is not unique, only w is."""
    if free_bias:
        f, g = f - f.mean(), g - g.mean()
    np.testing.assert_allclose(f, g, atol=2e-4 * max(1.0, float(np.abs(g).max())))


def assert_same_value(one: float, other: float) -> None:
    assert one == pytest.approx(other, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("kind", [*CLASSES, *TUBES])
@given(seed=seeds, decimals=roundings, kernel=kernels, bias=biases)
def test_the_label_flip_flips_the_decision_and_negated_targets_the_prediction(
    kind: str, seed: int, decimals: int, kernel: Kernel, bias: Bias
) -> None:
    data = draw(kind, seed, decimals=decimals)
    solution, value = proved(make(kind, data, kernel=kernel, bias=bias))
    flipped, flipped_value = proved(make(kind, replace(data, y=-data.y), kernel=kernel, bias=bias))
    assert_same_value(value, flipped_value)
    assert_same(flipped.decision(GRID), -solution.decision(GRID), shifts(kind, bias))


@each_kind
@given(seed=seeds, decimals=roundings, kernel=kernels)
def test_a_permutation_of_the_rows_permutes_the_solution(
    kind: str, seed: int, decimals: int, kernel: Kernel
) -> None:
    data = draw(kind, seed, decimals=decimals)
    order = np.random.default_rng(seed).permutation(len(data.X))
    solution, value = proved(make(kind, data, kernel=kernel))
    permuted, permuted_value = proved(make(kind, rows(data, order), kernel=kernel))
    assert_same_value(value, permuted_value)
    assert_same(permuted.decision(GRID), solution.decision(GRID), True)
    assert_same(
        permuted.training_decision,
        solution.training_decision[order],
        True,
    )


@each_kind
@given(seed=seeds, kernel=kernels, which=st.integers(0, 11))
def test_a_duplicated_row_equals_a_doubled_weight(
    kind: str, seed: int, kernel: Kernel, which: int
) -> None:
    data = draw(kind, seed)
    doubled = data.weight.copy()
    doubled[which] *= 2
    twice, twice_value = proved(
        make(kind, rows(data, np.append(np.arange(len(data.X)), which)), kernel=kernel)
    )
    heavy, heavy_value = proved(make(kind, replace(data, weight=doubled), kernel=kernel))
    assert_same_value(twice_value, heavy_value)
    assert_same(twice.decision(GRID), heavy.decision(GRID), True)


@each_kind
@given(seed=seeds, kernel=kernels, bias=biases, which=st.integers(0, 11))
def test_a_zero_weight_equals_a_removed_row(
    kind: str, seed: int, kernel: Kernel, bias: Bias, which: int
) -> None:
    data = draw(kind, seed)
    zero = data.weight.copy()
    zero[which] = 0.0
    light, light_value = proved(make(kind, replace(data, weight=zero), kernel=kernel, bias=bias))
    kept = np.delete(np.arange(len(data.X)), which)
    gone, gone_value = proved(make(kind, rows(data, kept), kernel=kernel, bias=bias))
    assert_same_value(light_value, gone_value)
    assert_same(light.decision(GRID), gone.decision(GRID), shifts(kind, bias))
    assert light.dual.reshape(-1, len(data.X))[:, which] == pytest.approx(0.0)


@pytest.mark.parametrize("kind", [*BIASED, "Sphere"])
@pytest.mark.parametrize("kernel", [Linear(), RBF(0.5)], ids=repr)
@given(seed=seeds, decimals=roundings, shift=st.floats(-5, 5))
def test_a_translation_changes_nothing_with_a_free_bias(
    kind: str, kernel: Kernel, seed: int, decimals: int, shift: float
) -> None:
    data = draw(kind, seed, decimals=decimals)
    vector = np.array([shift, 1.0 - shift])
    solution, value = proved(make(kind, data, kernel=kernel))
    moved, moved_value = proved(make(kind, replace(data, X=data.X + vector), kernel=kernel))
    assert_same_value(value, moved_value)
    assert_same(moved.decision(GRID + vector), solution.decision(GRID), True)


@pytest.mark.parametrize("kind", KINDS)
@given(seed=seeds, kernel=st.sampled_from([Linear(), RBF(0.5), QUADRATIC]), bias=biases)
def test_a_rotation_changes_nothing(kind: str, seed: int, kernel: Kernel, bias: Bias) -> None:
    data = draw(kind, seed)
    angle = seed % 7
    Q = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    solution, value = proved(make(kind, data, kernel=kernel, bias=bias))
    turned, turned_value = proved(make(kind, replace(data, X=data.X @ Q), kernel=kernel, bias=bias))
    assert_same_value(value, turned_value)
    assert_same(turned.decision(GRID @ Q), solution.decision(GRID), shifts(kind, bias))


@pytest.mark.parametrize("kind", ["SoftMargin", "SoftMargin2", "EpsilonTube", "NuTube"])
@given(seed=seeds, scale=st.floats(0.05, 20))
def test_scaled_points_want_a_cost_over_the_scale_squared(
    kind: str, seed: int, scale: float
) -> None:
    data = draw(kind, seed)
    solution, value = proved(make(kind, data))
    scaled_data = replace(data, X=data.X * scale, C=data.C / scale**2)
    scaled, scaled_value = proved(make(kind, scaled_data))
    assert scaled_value * scale**2 == pytest.approx(value, rel=1e-6)
    assert_same(scaled.decision(GRID * scale), solution.decision(GRID), True)


@pytest.mark.parametrize("kind", KINDS)
@given(seed=seeds, scale=st.floats(0.05, 20), bias=biases)
def test_scaled_points_want_a_gamma_over_the_scale_squared(
    kind: str, seed: int, scale: float, bias: Bias
) -> None:
    data = draw(kind, seed)
    solution, value = proved(make(kind, data, kernel=RBF(0.5), bias=bias))
    scaled_data = replace(data, X=data.X * scale)
    scaled, scaled_value = proved(make(kind, scaled_data, kernel=RBF(0.5 / scale**2), bias=bias))
    assert_same_value(value, scaled_value)
    assert_same(scaled.decision(GRID * scale), solution.decision(GRID), shifts(kind, bias))


@given(seed=seeds, scale=st.floats(0.1, 10), kernel=kernels)
def test_scaled_targets_scale_the_prediction(seed: int, scale: float, kernel: Kernel) -> None:
    data = draw("EpsilonTube", seed)
    solution, _ = proved(make("EpsilonTube", data, kernel=kernel))
    larger = replace(data, y=data.y * scale, epsilon=data.epsilon * scale, C=data.C * scale)
    scaled, _ = proved(make("EpsilonTube", larger, kernel=kernel))
    assert_same(scaled.decision(GRID) / scale, solution.decision(GRID), True)


@given(seed=seeds, kernel=kernels, factor=st.floats(0.1, 10))
def test_a_scaled_kernel_wants_a_cost_over_the_factor(
    seed: int, kernel: Kernel, factor: float
) -> None:
    data = draw("SoftMargin", seed)
    solution, _ = proved(make("SoftMargin", data, kernel=kernel))
    cheaper = replace(data, C=data.C / factor)
    scaled, _ = proved(make("SoftMargin", cheaper, kernel=factor * kernel))
    assert_same(scaled.decision(GRID), solution.decision(GRID), True)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("degree", [1, 2, 3])
@given(seed=seeds, bias=st.sampled_from([Free(), Regularised(0.0), Regularised(2.0)]))
def test_a_polynomial_machine_is_a_linear_machine_on_mapped_points(
    kind: str, degree: int, seed: int, bias: Bias
) -> None:
    data = draw(kind, seed)
    kernel = Polynomial(gamma=0.5, coef0=1.0, degree=degree)
    phi = feature_map(kernel)
    curved, value = proved(make(kind, data, kernel=kernel, bias=bias))
    flat, flat_value = proved(make(kind, replace(data, X=phi(data.X)), bias=bias))
    assert_same_value(value, flat_value)
    assert_same(curved.decision(GRID), flat.decision(phi(GRID)), shifts(kind, bias))


@pytest.mark.parametrize("kind", BIASED)
@given(seed=seeds, scale=st.floats(0.2, 5))
def test_a_regularised_bias_is_an_appended_constant_feature(
    kind: str, seed: int, scale: float
) -> None:
    data = draw(kind, seed)
    solution, value = proved(make(kind, data, bias=Regularised(scale)))
    longer = np.column_stack([data.X, np.full(len(data.X), scale)])
    appended, appended_value = proved(make(kind, replace(data, X=longer), bias=Regularised(0)))
    assert_same_value(value, appended_value)
    np.testing.assert_allclose(solution.w, appended.w[:2], atol=1e-4)
    assert solution.b == pytest.approx(scale * appended.w[2], abs=1e-4)


@given(seed=seeds, kernel=kernels)
def test_the_cost_to_infinity_reaches_the_hard_margin(seed: int, kernel: Kernel) -> None:
    data = draw("HardMargin", seed)
    hard, hard_value = proved(HardMargin(data.X, data.y, kernel=kernel))
    largest = float(hard.dual.max())
    for factor in (1.01, 1e3):
        problem = SoftMargin(data.X, data.y, C=factor * largest, kernel=kernel)
        soft, soft_value = proved(problem)
        assert_same_value(soft_value, hard_value)
        assert_same(soft.decision(GRID), hard.decision(GRID), False)
        np.testing.assert_allclose(soft.slack, 0.0, atol=1e-5)
    below, below_value = proved(SoftMargin(data.X, data.y, C=0.5 * largest, kernel=kernel))
    assert below_value <= hard_value + 1e-7
    assert float(below.dual.max()) <= 0.5 * largest + 1e-7


@given(seed=seeds, kernel=kernels)
def test_the_optimum_grows_with_the_cost_and_is_concave_in_it(seed: int, kernel: Kernel) -> None:
    # A minimum of functions affine in C is concave in C.
    data = draw("SoftMargin", seed)
    values = [
        proved(SoftMargin(data.X, data.y, C=C, kernel=kernel))[1] for C in (0.5, 1.0, 1.5, 2.0)
    ]
    steps = np.diff(values)
    assert np.all(steps >= -1e-6)
    assert np.all(np.diff(steps) <= 1e-5 * values[-1])


def shifts(kind: str, bias: Bias) -> bool:
    """Say whether a constant in the decision may be undetermined: b, rho or R^2."""
    return isinstance(bias, Free) or kind in UNBIASED_KINDS


def rows(data: Numbers, chosen: np.ndarray) -> Numbers:
    y = None if data.y is None else data.y[chosen]
    return replace(data, X=data.X[chosen], y=y, weight=data.weight[chosen])
