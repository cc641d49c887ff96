"""Theorems about the machines: weak duality, what nu means, spheres, slacks and margins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin import Solution, certify, solve
from maxmargin.certificates import margins
from maxmargin.kernels import RBF, Laplacian, Linear, Polynomial
from maxmargin.problems import HardMargin, NuMargin, NuTube, OneClass, SoftMargin, Sphere
from zoo import CASES, Case, build, draw

seeds = st.integers(0, 10**6)
fractions = st.floats(0.05, 0.95)
kernels = st.sampled_from([Linear(), RBF(0.5), Polynomial(1.0, 1.0, 2), Laplacian(0.3)])
PROBLEMS = {str(case): build(case) for case in CASES if case.kernel in ("linear", "rbf", "product")}


@pytest.mark.parametrize("name", PROBLEMS)
@given(seed=seeds, size=st.floats(-3, 3), feasible=st.booleans())
def test_the_gap_is_never_negative(name: str, seed: int, size: float, feasible: bool) -> None:
    problem = PROBLEMS[name]
    rng = np.random.default_rng(seed)
    qp = problem.dual()
    signed = 10**size * rng.normal(size=qp.n_variables)
    if feasible:
        signed = qp.project(signed)
    offsets = 10**size * rng.normal(size=len(qp.total))
    certificate = certify(problem, Solution(problem, qp.sign * signed, offsets))
    terms = np.abs(signed) @ np.abs(qp.gradient(signed)) + np.abs(qp.linear @ signed)
    assert certificate.gap >= -1e-11 * max(1.0, abs(certificate.dual), terms)
    assert not certificate.holds(1e-6)


@given(seed=seeds, kernel=kernels)
def test_no_machine_beats_the_certified_optimum(seed: int, kernel: object) -> None:
    data = draw("SoftMargin", seed)
    problem = SoftMargin(data.X, data.y, C=2.0, kernel=kernel)
    solution = solve(problem)
    best = certify(problem, solution)
    rng = np.random.default_rng(seed)
    for size in (1e-4, 1e-2, 1.0):
        nearby = Solution(
            problem,
            np.clip(solution.dual + size * rng.normal(size=len(data.y)), 0, 2),
            solution.offsets + size * rng.normal(size=1),
        )
        other = certify(problem, nearby)
        assert other.primal >= best.primal - best.gap - 1e-9
        assert other.dual <= best.dual + best.gap + 1e-9


@given(seed=seeds, nu=fractions, kernel=kernels)
def test_nu_bounds_margin_errors_and_support_vectors(seed: int, nu: float, kernel: object) -> None:
    data = draw("NuMargin", seed, n=20)
    total = data.weight.sum()
    nu = nu * 2 * min(data.weight[data.y > 0].sum(), data.weight[data.y < 0].sum()) / total
    problem = NuMargin(data.X, data.y, nu=nu, kernel=kernel, sample_weight=data.weight)
    solution = solve(problem)
    margin_errors = data.weight[solution.slack > 1e-4 * max(1.0, solution.level)].sum()
    support = data.weight[solution.dual > 1e-6].sum()
    assert margin_errors / total <= nu + 1e-6
    assert support / total >= nu - 1e-6
    assert solution.level >= -1e-6


@given(seed=seeds, nu=fractions, kernel=kernels)
def test_nu_bounds_points_outside_the_tube(seed: int, nu: float, kernel: object) -> None:
    data = draw("NuTube", seed, n=20)
    problem = NuTube(data.X, data.y, nu=nu, C=3.0, kernel=kernel)
    solution = solve(problem)
    outside = np.abs(data.y - solution.decision(data.X)) > solution.level + 1e-4
    assert outside.mean() <= nu + 1e-6
    above, below = solution.dual.reshape(2, -1)
    assert np.mean(above + below > 1e-6) >= nu - 1e-6
    assert solution.level >= -1e-6


@given(seed=seeds, nu=fractions, kernel=kernels)
def test_nu_bounds_outliers(seed: int, nu: float, kernel: object) -> None:
    data = draw("OneClass", seed, n=20)
    problem = OneClass(data.X, nu=nu, kernel=kernel)
    solution = solve(problem)
    values = solution.decision(data.X)
    assert np.mean(values < -1e-4 * max(1.0, abs(solution.level))) <= nu + 1e-6
    assert np.mean(solution.dual > 1e-6) >= nu - 1e-6


@given(seed=seeds, nu=fractions, kernel=st.sampled_from([Linear(), RBF(0.5)]))
def test_nu_bounds_points_outside_the_sphere(seed: int, nu: float, kernel: object) -> None:
    data = draw("Sphere", seed, n=20)
    solution = solve(Sphere.from_nu(data.X, nu, kernel=kernel))
    values = solution.decision(data.X)
    assert np.mean(values < -1e-4) <= nu + 1e-6
    assert np.mean(solution.dual > 1e-7) >= nu - 1e-6
    np.testing.assert_allclose(np.maximum(0, -values), solution.slack, atol=1e-9)


@given(seed=seeds, nu=fractions, gamma=st.floats(0.1, 3.0))
def test_with_a_constant_diagonal_the_sphere_is_the_one_class_machine(
    seed: int, nu: float, gamma: float
) -> None:
    data = draw("OneClass", seed)
    shared = {"kernel": RBF(gamma), "sample_weight": data.weight}
    plane = solve(OneClass(data.X, nu=nu, **shared))
    sphere = solve(Sphere.from_nu(data.X, nu, **shared))
    grid = np.random.default_rng(0).normal(size=(9, 2))
    total = nu * data.weight.sum()
    assert sphere.decision(grid) - sphere.decision(grid)[0] == pytest.approx(
        (plane.decision(grid) - plane.decision(grid)[0]) * 2 / total, abs=1e-4
    )


@given(seed=seeds)
def test_the_sphere_with_a_full_cost_is_the_smallest_enclosing_ball(seed: int) -> None:
    data = draw("Sphere", seed, n=8)
    solution = solve(Sphere(data.X, C=1.0))
    radius = np.sqrt(solution.level)
    distances = np.linalg.norm(data.X - solution.w, axis=1)
    assert distances.max() == pytest.approx(radius, abs=1e-4)
    # Every ball has a radius of at least half the largest distance, and Jung bounds it above.
    spread = np.linalg.norm(data.X[:, None] - data.X[None], axis=2).max()
    assert spread / 2 - 1e-4 <= radius <= spread / np.sqrt(3) + 1e-4


@given(seed=seeds, kernel=kernels, C=st.floats(0.01, 100))
def test_the_sum_of_slacks_bounds_the_training_errors(seed: int, kernel: object, C: float) -> None:
    data = draw("SoftMargin", seed, n=20)
    problem = SoftMargin(data.X, data.y, C=C, kernel=kernel)
    solution = solve(problem)
    wrong = np.count_nonzero(data.y * solution.decision(data.X) < -1e-9)
    assert wrong <= solution.slack.sum() + 1e-6
    found = margins(solution)
    assert found.training_errors <= solution.slack.sum() + 1e-6


@given(seed=seeds, scale=st.floats(0.01, 100), kernel=kernels)
def test_the_geometric_margin_does_not_depend_on_the_scale_of_f(
    seed: int, scale: float, kernel: object
) -> None:
    data = draw("HardMargin", seed)
    problem = HardMargin(data.X, data.y, kernel=kernel)
    solution = solve(problem)
    before = margins(solution)
    # f = w'phi + b with offsets = (-b,): scaling both scales f.
    after = margins(Solution(problem, scale * solution.dual, scale * solution.offsets))
    np.testing.assert_allclose(after.geometric, before.geometric, rtol=1e-9)
    np.testing.assert_allclose(after.functional, scale * before.functional, rtol=1e-9, atol=1e-12)
    assert after.norm == pytest.approx(scale * before.norm)


@given(seed=seeds, kernel=kernels)
def test_the_hard_margin_is_one_over_the_norm_and_the_norm_squared_sums_the_multipliers(
    seed: int, kernel: object
) -> None:
    data = draw("HardMargin", seed)
    problem = HardMargin(data.X, data.y, kernel=kernel)
    solution = solve(problem)
    found = margins(solution)
    assert found.margin == pytest.approx(1 / found.norm, rel=1e-5)
    assert found.band == pytest.approx(2 / found.norm)
    assert solution.dual.sum() == pytest.approx(found.norm**2, rel=1e-5)


@given(seed=seeds, kernel=kernels)
def test_the_nu_machine_is_a_soft_margin_with_cost_one_over_its_level(
    seed: int, kernel: object
) -> None:
    # Schölkopf et al. 2000, proposition 6: divide w, b and slacks by rho; then C = 1 / rho.
    data = draw("NuMargin", seed, n=16)
    nu = solve(NuMargin(data.X, data.y, nu=0.6, kernel=kernel))
    if nu.level < 1e-3:
        return
    soft = solve(SoftMargin(data.X, data.y, C=1 / nu.level, kernel=kernel))
    grid = np.random.default_rng(0).normal(size=(9, 2))
    f, g = nu.decision(grid) / nu.level, soft.decision(grid)
    np.testing.assert_allclose(f - f.mean(), g - g.mean(), atol=1e-3 * max(1, np.abs(g).max()))


def test_every_case_of_the_zoo_is_a_problem() -> None:
    assert len(PROBLEMS) == 3 * 2 * (6 * 2 + 2)
    assert str(Case("Sphere", "rbf", "free", True)) in PROBLEMS
