"""Points: one Gram matrix, whole, in rows, in slices or through features; views of shared rows."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from maxmargin import UnsupportedProblemError, certify, solve
from maxmargin.certificates import convexity
from maxmargin.kernels import RBF, Function, Kernel, Linear, Polynomial, Precomputed, Sigmoid
from maxmargin.problems import BoxQP, Points, Regularised, SoftMargin, Sphere
from maxmargin.problems import points as points_module
from maxmargin.solvers.qp import dual as dual_qp
from zoo import points

WORDS = ["a", "ab", "abc", "b", "bc"]


def common_letters(A: list[str], B: list[str]) -> list[list[int]]:
    return [[len(set(a) & set(b)) for b in B] for a in A]


def data_for(kernel: Kernel) -> Any:
    X, _ = points("SoftMargin")
    if isinstance(kernel, Function):
        return WORDS
    return X @ X.T if isinstance(kernel, Precomputed) else X


def program(kernel: Kernel, X: Any, constant: float = 0.0) -> BoxQP:
    """A dual over points, with a constant added to the kernel."""
    held = Points(X, kernel)
    ones = np.ones(held.n_points)
    return BoxQP(held, constant, ones, -ones, ones, 0 * ones, np.zeros(0))


KERNELS = [Linear(), RBF(0.5), Polynomial(1.0, 1.0, 3), Precomputed(), Function(common_letters)]


@pytest.fixture
def no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that no matrix fits in memory, and slices of a few entries only."""
    monkeypatch.setattr(points_module, "_WHOLE_MATRIX_BYTES", 0)
    monkeypatch.setattr(points_module, "_SLICE_ENTRIES", 50)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: type(kernel).__name__)
@pytest.mark.parametrize("constant", [0.0, 2.25])
def test_slices_rows_and_products_are_those_of_the_whole(
    kernel: Kernel, constant: float, no_room: None, rng: np.random.Generator
) -> None:
    X = data_for(kernel)
    whole = kernel.block(X, np.asarray(X) if isinstance(X, np.ndarray) else X) + constant
    lazy = program(kernel, X, constant)
    coefficients = rng.normal(size=len(X)) * (rng.random(len(X)) < 0.7)
    np.testing.assert_allclose(lazy.expansion(coefficients), whole @ coefficients, atol=1e-9)
    np.testing.assert_allclose(lazy.gram_rows(np.array([3, 0, 2])), whole[[3, 0, 2]], atol=1e-12)
    np.testing.assert_allclose(lazy.diagonal, np.diag(whole), atol=1e-12)
    np.testing.assert_allclose(lazy.gram, whole, atol=1e-12)


@pytest.mark.parametrize("solver", ["decomposition", "smo", "lbfgsb"])
def test_a_solver_works_without_the_matrix(solver: str, no_room: None) -> None:
    problem = SoftMargin(*points("SoftMargin"), kernel=RBF(0.5), bias=Regularised(1))
    assert certify(problem, solve(problem, solver=solver)).holds(1e-6)


@pytest.mark.parametrize("hold", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(
    "kernel", [Linear(), Polynomial(0.5, 1.0, 2), Linear() + Linear()], ids=repr
)
def test_inner_products_of_features_are_the_matrix(kernel: Kernel, hold: Any) -> None:
    X, _ = points("SoftMargin")
    made = program(kernel, hold(X), 4.0)
    product = made.features @ made.features.T
    product = product.toarray() if sparse.issparse(product) else product
    np.testing.assert_allclose(product, made.gram, atol=1e-10)


def test_the_number_of_features_is_known_without_mapping_anything() -> None:
    X = points("SoftMargin")[0]
    assert Points(X, RBF(1.0)).n_features is None
    wide = program(Polynomial(gamma=1, coef0=1, degree=9), np.ones((3, 50)), constant=1.0)
    assert wide.n_features == comb(50 + 9, 9) + 1
    small = program(Polynomial(gamma=1, coef0=1, degree=2), X, constant=1.0)
    assert small.features.shape[1] == small.n_features


def test_float32_points_are_certified_in_float64() -> None:
    X, y = points("SoftMargin")
    small = X.astype(np.float32)
    problem = SoftMargin(small, y, kernel=RBF(0.5))
    reference = SoftMargin(small.astype(np.float64), y, kernel=RBF(0.5))
    assert problem.points.matrix.dtype == reference.points.matrix.dtype == np.float64
    solution = solve(problem)
    assert certify(problem, solution).holds(1e-6)
    assert certify(reference, solution).primal == certify(problem, solution).primal


@pytest.mark.parametrize(
    "solver", ["primal-qp", "dual-qp", "decomposition", "smo", "lbfgsb", "subgradient", "sgd"]
)
def test_sparse_points_give_the_same_optimum(solver: str) -> None:
    X, y = points("SoftMargin")
    thin = np.where(np.abs(X) > 0.8, X, 0.0)
    problems = [
        SoftMargin(hold(thin), y, bias=Regularised(1)) for hold in (np.asarray, sparse.csr_array)
    ]
    dense, compressed = (certify(p, solve(p, solver=solver)).primal for p in problems)
    assert compressed == pytest.approx(dense, rel=1e-6)


def test_a_matrix_too_large_to_factor_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dual_qp, "_LARGEST", 10)
    problem = SoftMargin(*points("SoftMargin"), kernel=RBF(0.5))
    with pytest.raises(UnsupportedProblemError, match=r"24 variables.*limit is 10.*'smo'"):
        solve(problem, solver="dual-qp")
    flat = SoftMargin(*points("SoftMargin"))
    assert certify(flat, solve(flat, solver="dual-qp")).holds(1e-6)


@pytest.mark.parametrize(
    ("kernel", "definite"), [(Sigmoid(1.0, -1.0), False), (Function(lambda A, B: A @ B.T), True)]
)
def test_large_matrices_are_judged_by_a_factor_or_by_a_part(
    kernel: Kernel, definite: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = SoftMargin(*points("SoftMargin"), kernel=kernel)
    solution = solve(problem, solver="smo")
    whole = certify(problem, solution).convexity
    monkeypatch.setattr(convexity, "_EIGENVALUES_UP_TO", 12)
    part = certify(problem, solution).convexity
    assert whole.holds == part.holds == definite
    if not definite:
        assert whole.smallest_eigenvalue <= part.smallest_eigenvalue < 0


def test_a_matrix_too_large_to_examine_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = SoftMargin(*points("SoftMargin"), kernel=Function(lambda A, B: A @ B.T))
    solution = solve(problem, solver="smo")
    monkeypatch.setattr(convexity, "_EIGENVALUES_UP_TO", 5)
    monkeypatch.setattr(Points, "fits", False)
    certificate = certify(problem, solution)
    assert not certificate.holds(1e-3)
    assert "too large to tell" in certificate.claim


def test_a_sphere_of_similarities_knows_its_own_points_only() -> None:
    X, _ = points("Sphere")
    K = X @ X.T
    solution = solve(Sphere(K, kernel=Precomputed()))
    expected = solve(Sphere(X)).decision(X)
    own = np.array([row.decision for row in solution.table()])
    np.testing.assert_allclose(own, expected, atol=1e-5)
    for similarities in (K[:3], K.copy()):
        with pytest.raises(ValueError, match=r"k\(x, x\) of new points"):
            solution.decision(similarities)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: type(kernel).__name__)
def test_some_points_are_those_points(kernel: Kernel, rng: np.random.Generator) -> None:
    X = data_for(kernel)
    everything = Points(X, kernel)
    rows = np.array([3, 0, 2])
    view = everything.take(rows)
    whole = everything.matrix
    coefficients = rng.normal(size=3)
    np.testing.assert_array_equal(view.matrix, whole[np.ix_(rows, rows)])
    fresh = Points(X, kernel).take(rows)
    np.testing.assert_allclose(fresh.matrix, whole[np.ix_(rows, rows)], atol=1e-12)
    np.testing.assert_allclose(fresh.expansion(coefficients), view.matrix @ coefficients, atol=1e-9)
    np.testing.assert_allclose(fresh.diagonal, np.diag(view.matrix), atol=1e-12)
    assert view.take([2, 0]).rows.tolist() == [2, 3]
    assert view.take([2, 0]).base is everything


def test_points_with_another_kernel_are_made_once() -> None:
    X, _ = points("SoftMargin")
    everything = Points(X, RBF(1.0))
    other = everything.with_kernel(RBF(2.0))
    assert other is everything.with_kernel(RBF(2.0))
    assert other.X is everything.X
    assert everything.with_kernel(RBF(1.0)) is everything
    view = everything.take([0, 1]).with_kernel(RBF(2.0))
    assert view.base is other
    assert view.rows.tolist() == [0, 1]


def test_a_problem_takes_the_kernel_of_its_points() -> None:
    X, y = points("SoftMargin")
    shared = Points(X, RBF(1.0))
    assert SoftMargin(shared, y).kernel == RBF(1.0)
    assert SoftMargin(shared, y).points is shared
    with pytest.raises(ValueError, match=r"compared by RBF\(gamma=1.0\)"):
        SoftMargin(shared, y, kernel=RBF(2.0))


def test_a_problem_does_not_change() -> None:
    problem = SoftMargin(*points("SoftMargin"), C=1.0)
    with pytest.raises(AttributeError, match=r"replace\(C=...\)"):
        problem.C = 2.0
    other = problem.replace(C=2.0)
    assert (problem.C, other.C) == (1.0, 2.0)
    assert (problem.dual().cost == 1.0).all()
    assert (other.dual().cost == 2.0).all()
