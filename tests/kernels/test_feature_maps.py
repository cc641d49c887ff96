"""Explicit feature maps: inner products of mapped points are kernel values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from maxmargin import InvalidInputError
from maxmargin.kernels import (
    RBF,
    Chi2,
    Function,
    Kernel,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
    Sigmoid,
    feature_map,
    has_feature_map,
)

MAPPED = [
    Linear(),
    *(
        Polynomial(gamma, coef0, degree)
        for gamma in (1.0, 0.3)
        for coef0 in (0.0, 1.0, 2.5)
        for degree in (1, 2, 3, 4)
    ),
    2.5 * Linear(),
    Linear() + Polynomial(1.0, 1.0, 2),
    Linear() * Polynomial(0.5, 1.0, 2),
    3 * (Linear() + 0.5 * Polynomial(1.0, 0.0, 3)) * Linear(),
]
UNMAPPED = [
    RBF(1.0),
    Laplacian(1.0),
    Chi2(1.0),
    Sigmoid(1.0),
    Polynomial(1.0, -1.0, 2),
    Precomputed(),
    Function(np.dot),
    Linear() + RBF(1.0),
    Linear() * Sigmoid(1.0),
    2 * RBF(1.0),
]


@pytest.mark.parametrize("kernel", MAPPED, ids=repr)
@pytest.mark.parametrize("hold", [np.asarray, sparse.csr_array, np.ndarray.tolist])
def test_inner_products_of_mapped_points_are_kernel_values(
    kernel: Kernel, hold: object, rng: np.random.Generator
) -> None:
    A, B = rng.normal(size=(6, 3)), rng.normal(size=(5, 3))
    phi = feature_map(kernel)
    mapped_A, mapped_B = phi(hold(A)), phi(hold(B))  # type: ignore[operator]
    product = mapped_A @ mapped_B.T
    product = product.toarray() if sparse.issparse(product) else product
    K = kernel.block(A, B)
    np.testing.assert_allclose(product, K, atol=1e-10 * np.abs(K).max(), rtol=0)
    assert mapped_A.shape == (6, phi.dimension(3))
    assert has_feature_map(kernel)


@pytest.mark.parametrize("kernel", UNMAPPED, ids=lambda kernel: type(kernel).__name__)
def test_a_kernel_without_a_finite_map_says_so(kernel: Kernel) -> None:
    assert not has_feature_map(kernel)
    with pytest.raises(InvalidInputError, match="no explicit feature map of finite size"):
        feature_map(kernel)


def test_the_map_of_degree_two_is_the_textbooks() -> None:
    x1, x2, root = 3.0, 5.0, np.sqrt(2)
    mapped = feature_map(Polynomial(1.0, 0.0, 2))([[x1, x2]])[0]
    np.testing.assert_allclose(mapped, [x1**2, root * x1 * x2, x2**2])
    with_constant = feature_map(Polynomial(1.0, 1.0, 2))([[x1, x2]])[0]
    np.testing.assert_allclose(
        np.sort(with_constant),
        np.sort([x1**2, root * x1 * x2, x2**2, root * x1, root * x2, 1.0]),
    )


@pytest.mark.parametrize(
    ("kernel", "dimension"),
    [
        (Linear(), 4),
        (Polynomial(1.0, 0.0, 2), 10),
        (Polynomial(1.0, 1.0, 2), 15),
        (Polynomial(1.0, 1.0, 3), 35),
        (Linear() + Polynomial(1.0, 0.0, 2), 14),
        (Linear() * Linear(), 16),
    ],
    ids=repr,
)
def test_dimensions_are_those_of_combinatorics(kernel: Kernel, dimension: int) -> None:
    assert feature_map(kernel).dimension(4) == dimension


def test_an_unresolved_gamma_is_named() -> None:
    with pytest.raises(InvalidInputError, match=r"resolve\(X\)"):
        feature_map(Polynomial("scale"))(np.ones((2, 2)))
