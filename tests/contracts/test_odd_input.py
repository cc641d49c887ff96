"""Odd but honest input: any memory layout, type and container gives the same machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from maxmargin import certify, solve
from maxmargin.kernels import RBF, Function, Kernel, Laplacian, Linear, Polynomial, Precomputed
from maxmargin.problems import (
    EpsilonTube,
    HardMargin,
    NuTube,
    OneClass,
    Regularised,
    SoftMargin,
    Sphere,
)
from zoo import draw, make, points

KERNELS = [Linear(), RBF(0.5), Laplacian(0.4)]


def whole_numbers() -> tuple[np.ndarray, np.ndarray]:
    X, y = points("SoftMargin")
    return np.round(4 * X), y


def read_only(X: np.ndarray) -> np.ndarray:
    frozen = X.copy()
    frozen.setflags(write=False)
    return frozen


def with_long_indices(X: np.ndarray) -> sparse.csr_array:
    rows = sparse.csr_array(X)
    rows.indices = rows.indices.astype(np.int64)
    rows.indptr = rows.indptr.astype(np.int64)
    return rows


def with_duplicates(X: np.ndarray) -> sparse.coo_array:
    i, j = np.indices(X.shape)
    halves = np.concatenate([X.ravel() / 2, X.ravel() / 2])
    both = (np.tile(i.ravel(), 2), np.tile(j.ravel(), 2))
    return sparse.coo_array((halves, both), shape=X.shape)


def unsorted(X: np.ndarray) -> sparse.csr_array:
    n, d = X.shape
    order = np.tile(np.arange(d)[::-1], n)
    return sparse.csr_array((X[:, ::-1].ravel(), order, np.arange(0, n * d + 1, d)), shape=X.shape)


def frame(X: np.ndarray) -> Any:
    return pytest.importorskip("pandas").DataFrame(X, columns=list("abc"))


CONTAINERS: dict[str, Callable[[np.ndarray], Any]] = {
    "list": np.ndarray.tolist,
    "tuples": lambda X: tuple(map(tuple, X.tolist())),
    "fortran": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2],
    "reversed": lambda X: X[::-1].copy()[::-1],
    "read-only": read_only,
    "integers": lambda X: X.astype(np.int64),
    "bytes": lambda X: X.astype(np.int8),
    "float32": lambda X: X.astype(np.float32),
    "float16": lambda X: X.astype(np.float16),
    "longdouble": lambda X: X.astype(np.longdouble),
    "big-endian": lambda X: X.astype(">f8"),
    "objects": lambda X: X.astype(object),
    "frame": frame,
    "csr": sparse.csr_array,
    "csr matrix": sparse.csr_matrix,
    "csc": sparse.csc_array,
    "coo": sparse.coo_array,
    "csr float32": lambda X: sparse.csr_array(X.astype(np.float32)),
    "csr integers": lambda X: sparse.csr_array(X.astype(np.int32)),
    "csr long indices": with_long_indices,
    "csr unsorted": unsorted,
    "coo duplicates": with_duplicates,
    "matrix in a subclass": lambda X: X.view(np.recarray),
}


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("container", CONTAINERS)
def test_any_container_of_the_same_numbers_gives_the_same_machine(
    container: str, kernel: Kernel
) -> None:
    X, y = whole_numbers()
    expected = solve(SoftMargin(X, y, C=0.1, kernel=kernel)).decision(X)
    held = CONTAINERS[container](X)
    solution = solve(SoftMargin(held, y, C=0.1, kernel=kernel))
    np.testing.assert_allclose(solution.decision(X), expected, atol=1e-5)
    np.testing.assert_allclose(solution.decision(held), expected, atol=1e-4)


@pytest.mark.parametrize("gamma", ["scale", "auto"])
def test_sparse_and_dense_points_resolve_gamma_alike(gamma: Any) -> None:
    X, y = whole_numbers()
    dense = SoftMargin(X, y, kernel=RBF(gamma)).kernel.gamma
    thin = SoftMargin(sparse.csr_array(X), y, kernel=RBF(gamma)).kernel.gamma
    assert thin == pytest.approx(dense, rel=1e-12)


LABELS: dict[str, Callable[[np.ndarray], Any]] = {
    "list": np.ndarray.tolist,
    "integers": lambda y: y.astype(int),
    "bytes": lambda y: y.astype(np.int8),
    "float32": lambda y: y.astype(np.float32),
    "read-only": read_only,
    "reversed": lambda y: y[::-1].copy()[::-1],
    "series": lambda y: pytest.importorskip("pandas").Series(y, index=np.arange(len(y)) + 100),
}


@pytest.mark.parametrize("container", LABELS)
def test_any_container_of_labels_and_weights_will_do(container: str) -> None:
    X, y = whole_numbers()
    weight = np.where(np.arange(len(y)) % 3, 1.0, 2.0)
    hold = LABELS[container]
    problem = SoftMargin(X, hold(y), C=0.1, sample_weight=hold(weight))
    expected = solve(SoftMargin(X, y, C=0.1, sample_weight=weight))
    np.testing.assert_allclose(solve(problem).dual, expected.dual, atol=1e-6)


def test_boolean_points_count_as_zero_and_one() -> None:
    bits = np.array([[True, False], [False, True], [True, True], [False, False]])
    y = [1, -1, 1, -1]
    flat = solve(SoftMargin(bits.astype(float), y))
    np.testing.assert_allclose(solve(SoftMargin(bits, y)).w, flat.w)


def test_a_problem_keeps_its_labels_and_weights_when_the_callers_arrays_change() -> None:
    X, y = points("SoftMargin")
    labels, weight = y.copy(), np.ones(len(y))
    problem = SoftMargin(X, labels, sample_weight=weight)
    labels *= -1
    weight *= 7
    np.testing.assert_array_equal(problem.y, y)
    np.testing.assert_array_equal(problem.sample_weight, np.ones(len(y)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_points_are_not_copied_where_no_copy_is_needed(dtype: Any) -> None:
    X, y = points("SoftMargin")
    X = X.astype(dtype)
    assert np.shares_memory(SoftMargin(X, y).X, X)


def test_lists_of_objects_go_through_a_function() -> None:
    def common_letters(A: list[str], B: list[str]) -> list[list[int]]:
        return [[len(set(a) & set(b)) for b in B] for a in A]

    words = ["abc", "abd", "xyz", "xyw"]
    problem = HardMargin(words, [1, 1, -1, -1], kernel=Function(common_letters))
    solution = solve(problem)
    assert certify(problem, solution).holds(1e-6)
    assert solution.decision(["abe"])[0] > 0 > solution.decision(["xye"])[0]


def test_a_frame_goes_through_a_function() -> None:
    pandas = pytest.importorskip("pandas")
    X, y = whole_numbers()
    kernel = Function(lambda A, B: np.asarray(A) @ np.asarray(B).T)
    problem = SoftMargin(pandas.DataFrame(X), y, C=0.1, kernel=kernel)
    expected = solve(SoftMargin(X, y, C=0.1)).decision(X)
    np.testing.assert_allclose(solve(problem).decision(X), expected, atol=1e-5)


@pytest.mark.parametrize("hold", [np.asarray, np.ndarray.tolist, sparse.csr_array])
def test_similarities_come_in_any_container(hold: Callable[[Any], Any]) -> None:
    X, y = whole_numbers()
    solution = solve(SoftMargin(hold(X @ X.T), y, C=0.1, kernel=Precomputed()))
    expected = solve(SoftMargin(X, y, C=0.1)).decision(X[:5])
    np.testing.assert_allclose(solution.decision(hold(X[:5] @ X.T)), expected, atol=1e-5)


@pytest.mark.parametrize("kernel", [Linear(), RBF(1.0)], ids=repr)
@pytest.mark.parametrize("solver", ["auto", "dual-qp", "decomposition", "smo"])
def test_a_singular_gram_matrix_is_no_obstacle(kernel: Kernel, solver: str) -> None:
    X, y = points("SoftMargin")
    repeated = np.vstack([X, X, X])
    problem = SoftMargin(repeated, np.tile(y, 3), C=1.0, kernel=kernel)
    assert certify(problem, solve(problem, solver=solver)).holds(1e-6)


@pytest.mark.parametrize("solver", ["auto", "primal-qp", "dual-qp", "decomposition", "smo"])
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_constant_features_teach_nothing(solver: str, value: float) -> None:
    # All points coincide: w = 0 is optimal and every slack is paid by the smaller class.
    problem = SoftMargin(np.full((5, 2), value), [1, 1, 1, -1, -1], C=2.0)
    solution = solve(problem, solver=solver)
    certificate = certify(problem, solution)
    assert certificate.holds(1e-6), certificate.summary()
    assert certificate.primal == pytest.approx(2.0 * 2 * 2)
    np.testing.assert_allclose(solution.w, 0.0, atol=1e-6)


@pytest.mark.parametrize("solver", ["auto", "dual-qp", "decomposition", "smo"])
def test_one_class_around_the_origin_has_optimum_zero(solver: str) -> None:
    X = np.random.default_rng(7).normal(size=(24, 3))
    problem = OneClass(X, nu=0.4)
    certificate = certify(problem, solve(problem, solver=solver))
    assert certificate.primal == pytest.approx(0.0, abs=1e-9)
    assert certificate.holds(1e-6), certificate.summary()


@pytest.mark.parametrize("solver", ["primal-qp", "dual-qp", "decomposition", "smo"])
@pytest.mark.parametrize("seed", [576, 4598])
def test_a_nu_margin_of_mixed_classes_has_optimum_zero(solver: str, seed: int) -> None:
    problem = make("NuMargin", draw("NuMargin", seed), bias=Regularised(1.92))
    certificate = certify(problem, solve(problem, solver=solver))
    assert certificate.primal == pytest.approx(0.0, abs=1e-9)
    assert certificate.holds(1e-6), certificate.summary()


@pytest.mark.parametrize("solver", ["auto", "dual-qp", "decomposition", "smo"])
@pytest.mark.parametrize("copies", [1, 3])
def test_a_single_point_is_its_own_sphere(solver: str, copies: int) -> None:
    problem = Sphere([[3.0, 4.0]] * copies)
    solution = solve(problem, solver=solver)
    np.testing.assert_allclose(solution.w, [3.0, 4.0], atol=1e-6)
    assert solution.level == pytest.approx(0.0, abs=1e-6)
    assert certify(problem, solution).holds(1e-6)


@pytest.mark.parametrize("solver", ["auto", "dual-qp", "decomposition", "smo"])
def test_a_constant_target_is_predicted_by_the_bias_alone(solver: str) -> None:
    X, _ = points("EpsilonTube")
    problem = EpsilonTube(X, np.full(len(X), 3.0), C=1.0, epsilon=0.1)
    solution = solve(problem, solver=solver)
    np.testing.assert_allclose(solution.w, 0.0, atol=1e-6)
    assert abs(solution.b - 3.0) <= 0.1 + 1e-6
    certificate = certify(problem, solution)
    assert certificate.primal == pytest.approx(0.0, abs=1e-9)
    assert certificate.holds(1e-6), certificate.summary()


@pytest.mark.parametrize("solver", ["primal-qp", "dual-qp", "decomposition", "smo"])
@pytest.mark.parametrize("kernel", [Linear(), Polynomial(1.0, 1.0, 2)], ids=repr)
def test_a_constant_target_needs_no_tube(solver: str, kernel: Kernel) -> None:
    X, _ = points("NuTube")
    problem = NuTube(X, np.full(len(X), 3.0), C=1.0, nu=0.5, kernel=kernel)
    solution = solve(problem, solver=solver)
    np.testing.assert_allclose(solution.decision(X), 3.0, atol=1e-5)
    assert solution.level == pytest.approx(0.0, abs=1e-6)
    certificate = certify(problem, solution)
    assert certificate.holds(1e-6), certificate.summary()


@pytest.mark.parametrize("solver", ["auto", "primal-qp", "dual-qp", "decomposition", "smo"])
@pytest.mark.parametrize("size", [1e-6, 1e6])
def test_badly_scaled_points_are_solved(solver: str, size: float) -> None:
    X, y = points("SoftMargin")
    problem = SoftMargin(size * X, y, C=1 / size**2)
    certificate = certify(problem, solve(problem, solver=solver))
    assert certificate.holds(1e-6), certificate.summary()


def test_two_points_are_enough() -> None:
    problem = HardMargin([[0.0], [2.0]], [-1, 1])
    solution = solve(problem)
    np.testing.assert_allclose(solution.w, [1.0], atol=1e-6)
    assert solution.b == pytest.approx(-1.0, abs=1e-6)


def test_more_features_than_points_are_no_obstacle() -> None:
    X = np.random.default_rng(0).normal(size=(6, 200))
    problem = HardMargin(X, [1, -1] * 3)
    for solver in ("auto", "primal-qp", "dual-qp", "decomposition", "smo"):
        assert certify(problem, solve(problem, solver=solver)).holds(1e-6)
