"""Learned weights: bounds that enclose the optimum, and kernels that are chosen rightly."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from maxmargin import SVC, InvalidInputError, certify, solve
from maxmargin.kernels import RBF, Function, Kernel, Laplacian, Linear, Precomputed, Spectrum
from maxmargin.model_selection import learn_weights
from maxmargin.problems import SoftMargin

KERNELS: list[Kernel] = [Linear(), RBF(0.05), RBF(2.0), Laplacian(1.0)]


@pytest.fixture(name="X")
def points(rng: np.random.Generator) -> np.ndarray:
    return rng.normal(size=(60, 2))


@pytest.fixture(name="y")
def labels(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.where((X**2).sum(axis=1) + 0.3 * rng.normal(size=60) > 1.5, "far", "near")


def product_of_column(A: np.ndarray, B: np.ndarray, column: int) -> np.ndarray:
    return np.outer(A[:, column], B[:, column])


def value(weights: np.ndarray, scales: np.ndarray, X: np.ndarray, y: np.ndarray) -> float:
    """J(d): what the best machine costs at some weights."""
    K = sum(w / s * k.block(X, X) for w, s, k in zip(weights, scales, KERNELS, strict=True))
    problem = SoftMargin(K, np.where(y == y[0], 1, -1), C=1.0, kernel=Precomputed())
    return certify(problem, solve(problem)).dual


def test_the_optimum_lies_between_the_bounds(X: np.ndarray, y: np.ndarray) -> None:
    found = learn_weights(KERNELS, X, y, tol=1e-4)
    assert 0 <= found.gap <= 1e-4 * found.upper
    np.testing.assert_allclose(found.weights.sum(), 1.0)
    assert (found.weights >= 0).all()
    assert value(found.weights, found.scales, X, y) == pytest.approx(found.upper, rel=1e-4)
    random = np.random.default_rng(5)
    others = [*random.dirichlet(np.full(4, 0.5), 40), *np.eye(4)]
    assert min(value(w, found.scales, X, y) for w in others) >= found.lower * (1 - 1e-7)


def test_optimal_weights_equalise_the_norms_of_the_kernels_in_use(
    X: np.ndarray, y: np.ndarray
) -> None:
    found = learn_weights(KERNELS, X, y, tol=1e-6)
    model = SVC(kernel=found.kernel, C=1.0, tol=1e-9).fit(X, y)
    beta = np.zeros(len(X))
    beta[model.support_] = model.dual_coef_[0]
    norms = np.array(
        [beta @ k.block(X, X) @ beta / s for k, s in zip(KERNELS, found.scales, strict=True)]
    )
    in_use = found.weights > 1e-3
    np.testing.assert_allclose(norms[in_use], norms.max(), rtol=0.02)


def test_noise_gets_little_weight(rng: np.random.Generator) -> None:
    X = rng.normal(size=(80, 3))
    y = X[:, 0] > 0
    columns = [Function(partial(product_of_column, column=j)) for j in range(3)]
    found = learn_weights(columns, X, y, C=10)
    assert found.weights[0] > 0.9


def test_strings_and_several_classes() -> None:
    names = ["rossini", "bellini", "puccini", "jensen", "hansen", "olsen", "nowak", "dudak", "pak"]
    y = ["it"] * 3 + ["dk"] * 3 + ["pl"] * 3
    found = learn_weights([Spectrum(1), Spectrum(2), Spectrum(3)], names, y, C=10)
    assert found.gap <= 1e-3 * found.upper
    model = SVC(kernel=found.kernel, C=10).fit(names, y)
    assert model.predict(["verdini", "nielsen", "wozniak"]).tolist() == ["it", "dk", "pl"]


def test_one_kernel_gets_all(X: np.ndarray, y: np.ndarray) -> None:
    found = learn_weights([RBF(1.0)], X, y)
    np.testing.assert_array_equal(found.weights, [1.0])
    assert found.n_rounds == 1


def test_bad_input_gets_a_sentence(X: np.ndarray, y: np.ndarray) -> None:
    with pytest.raises(InvalidInputError, match="kernels is empty"):
        learn_weights([], X, y)
    with pytest.raises(InvalidInputError, match=r"kernels must hold kernels of maxmargin\.kernels"):
        learn_weights(["rbf"], X, y)  # type: ignore[list-item]
    with pytest.raises(InvalidInputError, match="at least two classes"):
        learn_weights([Linear()], X, np.zeros(60))
    with pytest.raises(InvalidInputError, match="Kernel 1 tells none of the points apart"):
        learn_weights([Linear(), RBF(1e-30)], X, y)
    with pytest.raises(InvalidInputError, match="C must be greater than zero"):
        learn_weights([Linear()], X, y, C=0)
