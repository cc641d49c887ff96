"""What must not change, or must change in a known way, when the problem does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from maxmargin import NuSVC, NuSVR, OneClassSVM, Solution, Stop, certify, solve
from maxmargin.kernels import RBF, Kernel, Laplacian, Linear, Polynomial, feature_map
from maxmargin.problems import (
    Bias,
    Free,
    HardMargin,
    NuMargin,
    Points,
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


WEIGHTS = np.random.default_rng(4).uniform(0.5, 2.0, 60)


def two_clouds() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(3)
    y = np.repeat([0, 1], 30)
    return random.normal(size=(60, 3)) + 1.5 * y[:, None], y


powers_of_two = pytest.mark.parametrize("power", [-300, -20, -1, 1, 20, 140])


@powers_of_two
@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 3.0}])
def test_nu_svc_is_the_same_for_weights_times_a_power_of_two(power: int, class_weight: Any) -> None:
    X, y = two_clouds()
    one = NuSVC(nu=0.3, class_weight=class_weight).fit(X, y, WEIGHTS)
    other = NuSVC(nu=0.3, class_weight=class_weight).fit(X, y, np.ldexp(WEIGHTS, power))
    np.testing.assert_array_equal(other.support_, one.support_)
    np.testing.assert_array_equal(other.dual_coef_, one.dual_coef_)
    np.testing.assert_array_equal(other.intercept_, one.intercept_)
    np.testing.assert_array_equal(other.slack_, one.slack_)
    assert other.n_iter_ == one.n_iter_
    assert other.certificate_.kkt_violation == one.certificate_.kkt_violation
    assert other.certificate_.relative_gap == one.certificate_.relative_gap


@powers_of_two
def test_one_class_svm_decides_the_same_for_weights_times_a_power_of_two(power: int) -> None:
    X, _ = two_clouds()
    one = OneClassSVM(nu=0.3).fit(X, sample_weight=WEIGHTS)
    other = OneClassSVM(nu=0.3).fit(X, sample_weight=np.ldexp(WEIGHTS, power))
    # A doubled weight is a duplicated row, which doubles the values.
    np.testing.assert_array_equal(other.dual_coef_, np.ldexp(one.dual_coef_, power))
    np.testing.assert_array_equal(
        other.decision_function(X), np.ldexp(one.decision_function(X), power)
    )
    np.testing.assert_array_equal(other.predict(X), one.predict(X))
    assert other.n_iter_ == one.n_iter_
    assert other.certificate_.kkt_violation == one.certificate_.kkt_violation
    assert other.certificate_.relative_gap == one.certificate_.relative_gap


@pytest.mark.parametrize("power", [-20, -1, 1, 20])
def test_nu_svr_takes_weights_times_a_factor_for_a_cost_times_it(power: int) -> None:
    X, _ = two_clouds()
    y = X @ [1.0, -2.0, 0.5] + np.random.default_rng(5).normal(size=60)
    one = NuSVR(nu=0.3, C=3.0).fit(X, y, WEIGHTS)
    other = NuSVR(nu=0.3, C=np.ldexp(3.0, -power)).fit(X, y, np.ldexp(WEIGHTS, power))
    np.testing.assert_array_equal(other.dual_coef_, one.dual_coef_)
    np.testing.assert_array_equal(other.intercept_, one.intercept_)
    assert other.certificate_.measures == one.certificate_.measures


@pytest.mark.parametrize("n_points", [60, 600])
@pytest.mark.parametrize("factor", [1e-90, 1e-6, 0.3, 7.0, 1e6, 1e40])
def test_nu_machines_are_as_accurate_for_weights_of_any_size(n_points: int, factor: float) -> None:
    random = np.random.default_rng(6)
    y = np.repeat([0, 1], n_points // 2)
    X = random.normal(size=(n_points, 3)) + 1.5 * y[:, None]
    weight = np.full(n_points, factor)
    for model in (NuSVC(nu=0.3), OneClassSVM(nu=0.3)):
        plain = clone(model).fit(X, y)
        scaled = model.fit(X, y, weight)
        assert scaled.certificate_.kkt_violation < 2e-3
        assert np.mean(scaled.predict(X) == plain.predict(X)) > 0.98


def test_a_nu_form_starts_from_a_solution_with_other_weights() -> None:
    X, y = two_clouds()
    points = Points(X, RBF(0.5))
    first = solve(NuMargin(points, 2 * y - 1, nu=0.3), "decomposition", stop=Stop(kkt=1e-8))
    small = NuMargin(points, 2 * y - 1, nu=0.3, sample_weight=np.full(60, 2.0**-30))
    again = solve(small, "decomposition", stop=Stop(kkt=1e-8), warm=first)
    assert again.converged
    np.testing.assert_allclose(again.dual * 2.0**30, first.dual, atol=1e-6)


def test_records_of_a_nu_form_are_in_the_units_of_its_weights() -> None:
    X, y = two_clouds()
    problem = NuMargin(X, 2 * y - 1, nu=0.3, sample_weight=np.full(60, 1e-6))
    solution = solve(problem, "decomposition", trace=True)
    assert solution.trace[-1].primal == pytest.approx(solution.certificate.primal, rel=1e-6)
