"""Problems over one matrix in memory are solved as well as those that compute their own rows."""

import numpy as np
import pytest
from scipy import sparse

from engine_zoo import matrix_of, violation
from maxmargin import Stop, solve_all
from maxmargin.kernels import RBF, Laplacian, Linear, Polynomial, Precomputed, Sigmoid
from maxmargin.problems import (
    EpsilonTube,
    NuMargin,
    NuTube,
    OneClass,
    Points,
    Regularised,
    SoftMargin,
)
from maxmargin.solvers import Decomposition, Ending
from maxmargin.solvers.kernel.resident import PairTerms, ResidentGram

TOLERANCE = 1e-3
STOP = Stop(kkt=TOLERANCE)

KERNELS = [
    RBF(0.3),
    2.0 * RBF(0.3),
    Linear(),
    Polynomial(0.5, 1.0, 3),
    Sigmoid(0.1, -0.2),
    Laplacian(0.2),
    Linear() + RBF(0.1),
]
by_dtype = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@pytest.fixture(name="X")
def rows(rng):
    return rng.normal(size=(300, 4)) + 2.0


@pytest.fixture
def y(X, rng):
    return np.where((X**2).sum(axis=1) + 3 * rng.normal(size=300) > 20, 1.0, -1.0)


def filled(points, dtype, constant=0.0, n_threads=2):
    """The matrix of the points, lent to them."""
    gram = ResidentGram(points.n_points, dtype)
    assert gram.fill(points, PairTerms(points.X, n_threads), constant)
    return gram


# The matrix --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@by_dtype
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_the_matrix_is_the_kernel_s(kernel, dtype, make, X):
    gram = filled(Points(make(X), kernel), dtype, constant=0.5)
    exact = kernel.block(X, X) + 0.5
    accuracy = 1e-6 if dtype is np.float32 else 1e-12
    np.testing.assert_allclose(gram.values[:300, :300], exact, rtol=accuracy, atol=accuracy)
    assert not gram.values[300:].any()
    assert not gram.values[:, 300:].any()


def test_distances_do_not_cancel_in_float32(X):
    gram = filled(Points(X + 1e4, RBF(0.3)), np.float32)
    np.testing.assert_allclose(gram.values[:300, :300], RBF(0.3).block(X, X), atol=1e-6)


def test_a_matrix_is_filled_again(X):
    points = Points(X, RBF(0.3))
    gram = filled(points, np.float32)
    first = gram.row_errors
    other = points.with_kernel(RBF(3.0))
    gram.fill(other, PairTerms(X, 1), 0.0)
    np.testing.assert_allclose(gram.values[:300, :300], RBF(3.0).block(X, X), atol=1e-6)
    assert (gram.row_errors != first).any()
    assert gram.holds(other, 0.0)
    assert not gram.holds(points, 0.0)
    assert other.residents == {0.0: gram}
    assert points.residents == {}


@pytest.mark.parametrize("constant", [0.0, 2.0])
def test_the_errors_of_rows_are_what_they_have_more_than_the_kernel(constant, X):
    errors = filled(Points(X, RBF(0.3)), np.float32, constant).row_errors
    assert errors.shape[1] == 300
    assert 0 < np.abs(errors).max() < 1e-6
    assert filled(Points(X, RBF(0.3)), np.float64, constant).row_errors.size == 0


def test_a_matrix_is_lent_only_when_it_is_complete_and_until_it_is_released(X):
    points = Points(X, Laplacian(0.2))
    gram = ResidentGram(300, np.float64)
    assert not gram.fill(points, PairTerms(X, 1), 0.0, stop=lambda: True)
    assert points.residents == {}
    assert gram.fill(points, PairTerms(X, 1), 0.0, stop=lambda: False)
    assert points.take([1, 2]).residents == {0.0: gram}
    gram.release()
    assert points.residents == {}


def test_similarities_given_as_a_matrix_are_taken_as_they_are(X):
    K = RBF(0.3).block(X, X)
    gram = filled(Points(K, Precomputed()), np.float64)
    np.testing.assert_array_equal(gram.values[:300, :300], K)


# Solutions ---------------------------------------------------------------------------------------

PENALTIES = {
    "soft": [0.1, 1.0, 1.0, 20.0, 300.0, 0.5],
    "regularised": [0.1, 1.0, 20.0],
    "squared": [0.1, 1.0, 20.0],
    "nu": [0.1, 0.2, 0.3],
    "one class": [0.1, 0.3, 0.2],
    "tube": [0.1, 1.0, 20.0],
    "nu tube": [0.1, 1.0, 20.0],
}


def problem_at(kind, points, y, penalty):
    if kind == "nu":
        return NuMargin(points, y, nu=penalty)
    if kind == "one class":
        return OneClass(points, nu=penalty)
    if "tube" in kind:
        target = points.X[:, 0] * y
        tube = NuTube if kind == "nu tube" else EpsilonTube
        return tube(points, target, C=penalty)
    if kind == "squared":
        return SoftMargin(points, y, C=penalty, loss="squared_hinge")
    bias = {"bias": Regularised(1.0)} if kind == "regularised" else {}
    return SoftMargin(points, y, C=penalty, **bias)


def path_over(kind, points, y, penalties):
    """The problems, and that each starts from the solution of the one before."""
    problems = [problem_at(kind, points, y, penalty) for penalty in penalties]
    return problems, [None, *range(len(problems) - 1)]


def by_point(solution):
    """Coefficients at all points of the base."""
    points = solution.problem.points
    coefficients = np.zeros(points.base.n_points)
    coefficients[points.places(np.arange(points.n_points))] = solution.coefficients
    return coefficients


def expansion_of(gram, solution):
    """The expansion at all points of the base, as a search finds it."""
    if solution.expansion is not None:
        return solution.expansion
    return gram.expand(by_point(solution)[np.newaxis], np.arange(gram.n_points), 1)[0]


def assert_optimal(gram, K, solution, rounding):
    """Compare with exact values of the kernel; `rounding` is per unit of the multipliers."""
    qp = solution.problem.dual()
    signed = qp.sign * solution.dual
    off = rounding * np.abs(signed).sum() + 1e-9
    assert solution.converged
    assert violation(qp, signed) <= TOLERANCE
    np.testing.assert_allclose(solution.gradient, qp.gradient(signed), atol=off)
    exact = K @ by_point(solution)
    np.testing.assert_allclose(expansion_of(gram, solution), exact, atol=off)


@by_dtype
@pytest.mark.parametrize("n_used", [80, 240, 300])
@pytest.mark.parametrize("kind", PENALTIES)
def test_each_solution_is_optimal(kind, n_used, dtype, X, y, rng):
    constant = 1.0 if kind == "regularised" else 0.0
    points = Points(X, RBF(0.3))
    gram = filled(points, dtype, constant)
    K = RBF(0.3).block(X, X) + constant
    used = rng.permutation(300)[:n_used]
    problems, warm = path_over(kind, points.take(used), y[used], PENALTIES[kind])
    assert problems[0].dual().constant == constant
    for solution in solve_all(problems, Decomposition(), stop=STOP, warm=warm):
        assert_optimal(gram, K, solution, 2e-7)
        few = np.array([7, 290, 7])
        coefficients = by_point(solution)[np.newaxis]
        everywhere = gram.expand(coefficients, np.arange(300), 1)
        np.testing.assert_array_equal(gram.expand(coefficients, few, 1), everywhere[:, few])


@by_dtype
@pytest.mark.parametrize("kind", PENALTIES)
def test_small_machines_are_optimal_too(kind, dtype, X, y):
    constant = 1.0 if kind == "regularised" else 0.0
    points = Points(X[:200], RBF(0.3))
    gram = filled(points, dtype, constant)
    K = RBF(0.3).block(X[:200], X[:200]) + constant
    used = np.arange(0, 200, 3)
    problems, warm = path_over(kind, points.take(used), y[used], PENALTIES[kind])
    for solution in solve_all(problems, Decomposition(), stop=STOP, warm=warm):
        assert_optimal(gram, K, solution, 2e-7)


@pytest.mark.parametrize("gamma", [0.02, 3.0], ids=["few free", "most free"])
@pytest.mark.parametrize("kind", ["soft", "regularised", "squared", "nu", "one class", "tube"])
def test_large_machines_are_optimal_too(kind, gamma, rng):
    X = rng.normal(size=(2600, 4))
    y = np.where((X**2).sum(axis=1) + rng.normal(size=2600) > 4, 1.0, -1.0)
    constant = 1.0 if kind == "regularised" else 0.0
    points = Points(X, RBF(gamma))
    gram = filled(points, np.float32, constant)
    K = RBF(gamma).block(X, X) + constant
    used = np.sort(rng.permutation(2600)[:2300])
    penalties = [0.2, 0.4] if kind in ("nu", "one class") else [0.1, 3.0, 100.0, 1000.0]
    problems, warm = path_over(kind, points.take(used), y[used], penalties)
    for solution in solve_all(problems, Decomposition(), stop=STOP, warm=warm):
        assert solution.expansion is not None
        assert_optimal(gram, K, solution, 1e-7)


@pytest.mark.parametrize("tolerance", [1e-3, 1e-4])
@pytest.mark.parametrize("kind", ["soft", "regularised", "tube"])
def test_the_error_of_rounding_is_measured_and_made_up_for(kind, tolerance, X, y):
    constant = 1.0 if kind == "regularised" else 0.0
    points = Points(X, RBF(0.3))
    gram = filled(points, np.float32, constant)
    problem = problem_at(kind, points, y, 1e4)
    qp = problem.dual()
    (solution,) = solve_all([problem], Decomposition(), stop=Stop(kkt=tolerance))
    coefficients = by_point(solution)
    exact = matrix_of(qp) @ coefficients
    rounded = gram.expand(coefficients[np.newaxis], np.arange(300), 1)[0]
    off = np.abs(rounded - exact).max()
    # A sample of the rows tells by how much float32 is off: by enough to hide a violation.
    told = np.abs(gram.row_errors @ coefficients).max()
    assert 1e-4 < told <= off * (1 + 1e-6)
    assert solution.converged
    assert violation(qp, qp.sign * solution.dual) <= tolerance
    np.testing.assert_allclose(qp.gradient(qp.sign * solution.dual), solution.gradient, atol=off)


@by_dtype
@pytest.mark.parametrize("n_jobs", [1, 4])
def test_problems_side_by_side_are_those_one_by_one(n_jobs, dtype, X, y, rng):
    points = Points(X, RBF(0.3))
    gram = filled(points, dtype)
    subsets = [np.sort(rng.permutation(300)[:n]) for n in (60, 100, 140, 200)]
    problems = [SoftMargin(points.take(used), y[used], C=3.0) for used in subsets]
    alone = [solve_all([problem], Decomposition(n_jobs=1), stop=STOP)[0] for problem in problems]
    together = solve_all(problems, Decomposition(n_jobs=n_jobs), stop=STOP)
    for one, other in zip(alone, together, strict=True):
        assert one.ending is other.ending is Ending.CONVERGED
        np.testing.assert_array_equal(one.dual, other.dual)
        np.testing.assert_array_equal(one.gradient, other.gradient)
        np.testing.assert_array_equal(expansion_of(gram, one), expansion_of(gram, other))
    at = np.arange(0, 300, 7)
    coefficients = np.stack([by_point(solution) for solution in alone])
    single = [gram.expand(row[np.newaxis], at, 1)[0] for row in coefficients]
    np.testing.assert_array_equal(gram.expand(coefficients, at, n_jobs), single)


@by_dtype
def test_chains_do_not_depend_on_threads(dtype, X, y, rng):
    points = Points(X, RBF(0.3))
    filled(points, dtype)
    problems, warm = [], []
    for n_used in (60, 140, 300):
        used = rng.permutation(300)[:n_used]
        chain, starts = path_over("soft", points.take(used), y[used], [0.1, 3.0, 100.0])
        warm += [None if start is None else start + len(problems) for start in starts]
        problems += chain
    one, other = (
        solve_all(problems, Decomposition(n_jobs=n_jobs), stop=STOP, warm=warm) for n_jobs in (1, 4)
    )
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a.dual, b.dual)
        np.testing.assert_array_equal(a.gradient, b.gradient)


@by_dtype
def test_the_optimum_is_that_without_the_matrix(dtype, X, y):
    points = Points(X, RBF(0.3))
    gram = filled(points, dtype)
    problem = SoftMargin(points, y, C=20.0)
    stop = Stop(kkt=1e-5)
    (resident,) = solve_all([problem], Decomposition(), stop=stop)
    gram.release()
    (computed,) = solve_all([problem], Decomposition(), stop=stop)
    assert resident.certificate.primal == pytest.approx(computed.certificate.primal, rel=1e-5)
    np.testing.assert_allclose(resident.dual, computed.dual, atol=1e-3)


def test_a_run_can_be_stopped(rng):
    X, y = rng.normal(size=(1500, 8)), np.sign(rng.normal(size=1500))
    points = Points(X, RBF(0.01))
    filled(points, np.float64)
    problems, warm = path_over("soft", points, y, [1e9, 2e9])
    found = solve_all(
        problems, Decomposition(), stop=Stop(kkt=1e-12), warm=warm, callback=lambda _: True
    )
    for solution in found:
        assert solution.ending is Ending.CALLBACK
        assert np.isfinite(solution.dual).all()
        assert solution.problem.dual().infeasibility(y * solution.dual) < 1e-9


@by_dtype
@pytest.mark.parametrize("kind", ["soft", "squared", "tube"])
def test_points_taken_twice_count_twice(kind, dtype, X, y, rng):
    points = Points(X, RBF(0.3))
    filled(points, dtype)
    used = rng.integers(300, size=400)
    problem = problem_at(kind, points.take(used), y[used], 3.0)
    (solution,) = solve_all([problem], Decomposition(), stop=STOP)
    assert solution.converged
    qp = problem.dual()
    assert violation(qp, qp.sign * solution.dual) <= TOLERANCE
