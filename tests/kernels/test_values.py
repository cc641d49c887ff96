"""Kernel values against scikit-learn, and kernels as values: equality, hash, repr, algebra."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import pairwise
from sklearn.svm import SVC

from maxmargin import InvalidInputError, kernels
from maxmargin.kernels import (
    RBF,
    Chi2,
    Function,
    Kernel,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
    Product,
    Scaled,
    Sigmoid,
    Sum,
    is_positive_semidefinite,
)

FORMULAS: dict[str, tuple[Kernel, Any]] = {
    "linear": (Linear(), pairwise.linear_kernel),
    "polynomial": (
        Polynomial(0.3, 0.7, 4),
        lambda A, B: pairwise.polynomial_kernel(A, B, gamma=0.3, coef0=0.7, degree=4),
    ),
    "rbf": (RBF(0.6), lambda A, B: pairwise.rbf_kernel(A, B, gamma=0.6)),
    "sigmoid": (
        Sigmoid(0.2, -0.4),
        lambda A, B: pairwise.sigmoid_kernel(A, B, gamma=0.2, coef0=-0.4),
    ),
    "laplacian": (Laplacian(0.4), lambda A, B: pairwise.laplacian_kernel(A, B, gamma=0.4)),
    "chi2": (Chi2(0.5), lambda A, B: pairwise.chi2_kernel(A, B, gamma=0.5)),
}
SEMIDEFINITE = [Linear(), Polynomial(0.3, 0.7, 3), RBF(0.6), Laplacian(0.4), Chi2(0.5)]
EVERY = [
    Linear(),
    Polynomial(),
    Polynomial(0.5, 1.0, 2),
    RBF(),
    RBF(0.1),
    Sigmoid(0.2, -1.0),
    Laplacian(0.5),
    Chi2(),
    Precomputed(),
    Linear() + RBF(1.0),
    Linear() * RBF(1.0) * Laplacian(2.0),
    2.5 * (Linear() + RBF(1.0)),
    (Linear() + RBF(1.0)) * Chi2(1.0),
    0.1 * RBF(1.0) + 3 * Linear(),
    2 * (Linear() * RBF(1.0)),
    Linear() + 2 * RBF(1.0) * Laplacian(1.0),
    2 * Linear() * (3 * RBF(1.0)),
]


@pytest.fixture(name="A")
def first_points(rng: np.random.Generator) -> np.ndarray:
    return np.abs(rng.normal(size=(7, 4)))


@pytest.fixture(name="B")
def other_points() -> np.ndarray:
    return np.abs(np.random.default_rng(1).normal(size=(5, 4)))


class TestValues:
    @pytest.mark.parametrize(("kernel", "formula"), FORMULAS.values(), ids=FORMULAS)
    def test_a_block_is_scikit_learns(
        self, kernel: Kernel, formula: Any, A: np.ndarray, B: np.ndarray
    ) -> None:
        np.testing.assert_allclose(kernel.block(A, B), formula(A, B), rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(kernel.diag(A), np.diag(formula(A, A)), rtol=1e-12)

    @pytest.mark.parametrize(("kernel", "formula"), FORMULAS.values(), ids=FORMULAS)
    def test_a_sparse_block_is_the_dense_one(
        self, kernel: Kernel, formula: Any, A: np.ndarray, B: np.ndarray
    ) -> None:
        A[A < 0.7], B[B < 0.7] = 0.0, 0.0
        thin_A, thin_B = sparse.csr_array(A), sparse.csr_array(B)
        for block in (
            kernel.block(thin_A, thin_B),
            kernel.block(thin_A, B),
            kernel.block(A, thin_B),
        ):
            np.testing.assert_allclose(block, formula(A, B), rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(kernel.diag(thin_A), np.diag(formula(A, A)), rtol=1e-12)

    @pytest.mark.parametrize("kernel", [k for k in EVERY if not k.compares_similarities], ids=repr)
    def test_the_diagonal_and_the_symmetry_of_a_gram_matrix(
        self, kernel: Kernel, A: np.ndarray
    ) -> None:
        resolved = kernel.resolve(A)
        K = resolved.block(A, A)
        np.testing.assert_allclose(resolved.diag(A), np.diag(K), rtol=1e-12)
        np.testing.assert_allclose(K, K.T, rtol=1e-12)

    def test_a_function_is_called_with_blocks(self, A: np.ndarray, B: np.ndarray) -> None:
        kernel = Function(pairwise.cosine_similarity)
        np.testing.assert_allclose(kernel.block(A, B), pairwise.cosine_similarity(A, B))
        np.testing.assert_allclose(kernel.diag(A), 1.0)

    def test_a_precomputed_matrix_is_returned_as_it_is(self, A: np.ndarray) -> None:
        K = A @ A.T
        np.testing.assert_array_equal(Precomputed().block(K[:2], K), K[:2])
        np.testing.assert_array_equal(Precomputed().diag(K), np.diag(K))

    @pytest.mark.parametrize("value", [1e-300, 1e-30, 1e30, 1e100])
    def test_far_and_near_points_have_finite_gaussian_values(self, value: float) -> None:
        X = np.array([[0.0], [value]])
        K = RBF(1.0).block(X, X)
        np.testing.assert_allclose(np.diag(K), 1.0)
        assert K[0, 1] == pytest.approx(np.exp(-(value**2)))


class TestGamma:
    @pytest.mark.parametrize("rule", ["scale", "auto"])
    @pytest.mark.parametrize("hold", [np.asarray, sparse.csr_array])
    def test_rules_are_scikit_learns(self, rule: Any, hold: Any, A: np.ndarray) -> None:
        A[A < 0.5] = 0.0
        y = [0, 1, 0, 1, 0, 1, 0]
        theirs = SVC(gamma=rule).fit(hold(A), y)._gamma
        assert RBF(rule).resolve(hold(A)).gamma == pytest.approx(theirs, rel=1e-12)
        assert Polynomial(rule).resolve(hold(A)).gamma == pytest.approx(theirs, rel=1e-12)

    def test_constant_points_resolve_as_in_scikit_learn(self) -> None:
        assert RBF("scale").resolve(np.ones((3, 2))).gamma == 1.0

    def test_a_number_is_left_alone(self, A: np.ndarray) -> None:
        assert RBF(0.3).resolve(A) == RBF(0.3)

    def test_combinations_resolve_their_parts(self, A: np.ndarray) -> None:
        kernel = (2 * RBF("auto") + Laplacian("scale") * Linear()).resolve(A)
        assert kernel == 2 * RBF(0.25) + Laplacian("scale").resolve(A) * Linear()


class TestValueSemantics:
    @pytest.mark.parametrize("kernel", EVERY, ids=repr)
    def test_the_repr_evaluates_to_an_equal_kernel(self, kernel: Kernel) -> None:
        again = eval(repr(kernel), dict(vars(kernels)))
        assert again == kernel
        assert hash(again) == hash(kernel)
        assert repr(again) == repr(kernel)

    def test_all_are_different(self) -> None:
        assert len(set(EVERY)) == len(EVERY)
        assert RBF(1.0) != RBF(2.0)
        assert RBF(1.0) != Laplacian(1.0)
        assert Linear() != "linear"

    def test_sums_and_products_do_not_depend_on_the_order(self) -> None:
        a, b, c = Linear(), RBF(1.0), Laplacian(0.5)
        assert a + b + c == c + (b + a)
        assert hash(a + b + c) == hash(c + (b + a))
        assert a * b * c == c * (b * a)
        assert hash(a * b) == hash(b * a)
        assert a + b != a * b
        assert a + a != a
        assert a + a + b != a + b + b

    def test_numbers_of_any_type_make_the_same_kernel(self) -> None:
        assert RBF(1) == RBF(1.0) == RBF(np.float32(1)) == RBF(np.int64(1))
        assert 2 * RBF(1.0) == RBF(1.0) * 2.0 == np.float64(2) * RBF(1.0)

    def test_kernels_cannot_be_changed(self) -> None:
        with pytest.raises(AttributeError):
            RBF(1.0).gamma = 2.0  # type: ignore[misc]

    def test_what_is_no_kernel_cannot_be_added(self) -> None:
        with pytest.raises(TypeError):
            RBF(1.0) + 1.0  # type: ignore[operator]
        with pytest.raises(TypeError):
            RBF(1.0) * "2"  # type: ignore[operator]

    def test_combinations_are_flat(self) -> None:
        total = Linear() + (RBF(1.0) + Laplacian(1.0))
        assert isinstance(total, Sum)
        assert len(total.parts) == 3
        product = Linear() * (RBF(1.0) * Laplacian(1.0))
        assert isinstance(product, Product)
        assert len(product.parts) == 3
        scaled = 2 * (3 * Linear())
        assert scaled == Scaled(6.0, Linear())


class TestAlgebra:
    def test_the_algebra_of_kernels_is_that_of_their_matrices(
        self, A: np.ndarray, B: np.ndarray
    ) -> None:
        k, m = RBF(0.3), Polynomial(1.0, 1.0, 2)
        K, M = k.block(A, B), m.block(A, B)
        np.testing.assert_allclose((k + m).block(A, B), K + M)
        np.testing.assert_allclose((k * m).block(A, B), K * M)
        np.testing.assert_allclose((2.5 * k).block(A, B), 2.5 * K)
        np.testing.assert_allclose((k * (m + k)).block(A, B), K * (M + K))
        np.testing.assert_allclose((k + m).diag(A), k.diag(A) + m.diag(A))
        np.testing.assert_allclose((k * m).diag(A), k.diag(A) * m.diag(A))
        np.testing.assert_allclose((3 * k).diag(A), 3 * k.diag(A))

    def test_products_of_gaussians_are_gaussians(self, A: np.ndarray, B: np.ndarray) -> None:
        np.testing.assert_allclose(
            (RBF(0.2) * RBF(0.3)).block(A, B), RBF(0.5).block(A, B), rtol=1e-12
        )

    def test_powers_of_a_linear_kernel_are_polynomial(self, A: np.ndarray, B: np.ndarray) -> None:
        np.testing.assert_allclose(
            (Linear() * Linear()).block(A, B), Polynomial(1.0, 0.0, 2).block(A, B), rtol=1e-12
        )

    def test_a_polynomial_of_degree_one_is_linear_plus_a_constant(
        self, A: np.ndarray, B: np.ndarray
    ) -> None:
        np.testing.assert_allclose(
            Polynomial(2.0, 3.0, 1).block(A, B), 2 * Linear().block(A, B) + 3, rtol=1e-12
        )

    def test_precomputed_kernels_combine_among_themselves(self, A: np.ndarray) -> None:
        K = A @ A.T
        kernel = 2 * Precomputed() + Precomputed() * Precomputed()
        assert kernel.compares_similarities
        np.testing.assert_allclose(kernel.block(K, K), 2 * K + K * K)


class TestSemidefiniteness:
    @pytest.mark.parametrize(
        "kernel",
        [
            *SEMIDEFINITE,
            Linear() + RBF(1.0),
            RBF(1.0) * Polynomial(1.0, 2.0, 2),
            3 * (Chi2(1.0) + Laplacian(1.0)),
        ],
        ids=repr,
    )
    @given(seed=st.integers(0, 10**6), n=st.integers(1, 30))
    def test_known_kernels_have_semidefinite_gram_matrices(
        self, kernel: Kernel, seed: int, n: int
    ) -> None:
        X = np.abs(np.round(np.random.default_rng(seed).normal(size=(n, 3)), 1))
        assert kernel.positive_semidefinite
        answer = is_positive_semidefinite(kernel.block(X, X))
        assert answer, repr(answer)

    @pytest.mark.parametrize(
        "kernel", [Sigmoid(1.0, -1.0), Polynomial(1.0, -1.0, 2), Linear() + Sigmoid(1.0)], ids=repr
    )
    def test_others_are_not_trusted(self, kernel: Kernel) -> None:
        assert kernel.positive_semidefinite is None
        assert (2 * kernel).positive_semidefinite is None
        assert (RBF(1.0) + kernel).positive_semidefinite is None

    @given(seed=st.integers(0, 10**6))
    def test_the_witness_of_an_indefinite_matrix_can_be_checked(self, seed: int) -> None:
        X = np.random.default_rng(seed).normal(size=(12, 3))
        K = Sigmoid(1.0, -1.0).block(X, X)
        answer = is_positive_semidefinite(K)
        assert np.linalg.norm(answer.vector) == pytest.approx(1.0)
        assert answer.vector @ K @ answer.vector == pytest.approx(answer.eigenvalue, abs=1e-10)
        assert answer.eigenvalue == pytest.approx(np.linalg.eigvalsh(K)[0], abs=1e-10)
        assert bool(answer) == (answer.eigenvalue >= -answer.tolerance)

    def test_an_indefinite_matrix(self) -> None:
        K = np.array([[1.0, 2.0], [2.0, 1.0]])
        answer = is_positive_semidefinite(K)
        assert not answer
        assert answer.eigenvalue == pytest.approx(-1.0)
        assert answer.vector @ K @ answer.vector < 0
        assert "not positive semidefinite" in repr(answer)

    def test_the_tolerance_can_be_given(self) -> None:
        K = np.diag([1.0, -1e-3])
        assert not is_positive_semidefinite(K)
        assert is_positive_semidefinite(K, tolerance=1e-2)

    def test_singular_matrices_are_semidefinite(self) -> None:
        v = np.array([1.0, 1e-8, 3.0])
        assert is_positive_semidefinite(np.outer(v, v))
        assert is_positive_semidefinite(np.zeros((3, 3)))


def test_the_base_class_is_abstract() -> None:
    with pytest.raises(TypeError):
        Kernel()  # type: ignore[abstract]


def test_a_precomputed_kernel_needs_a_square_matrix_for_its_diagonal() -> None:
    with pytest.raises(InvalidInputError, match="square"):
        Precomputed().diag(np.ones((2, 3)))
