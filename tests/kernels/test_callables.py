"""Functions as kernels: of blocks or of points, checked on a sample of the data."""

from __future__ import annotations

import numpy as np
import pytest

from maxmargin import SVC, InvalidInputError
from maxmargin.kernels import RBF, Function

X = np.random.default_rng(0).normal(size=(80, 3))
y = np.where(X[:, 0] > 0, 1, -1)


def of_two_points(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.exp(-0.5 * ((a - b) ** 2).sum()))


def test_a_function_of_points_is_called_for_each_pair() -> None:
    kernel = Function.of_points(of_two_points)
    np.testing.assert_allclose(kernel.block(X, X[:5]), RBF(0.5).block(X, X[:5]), rtol=1e-12)
    np.testing.assert_allclose(kernel.diag(X), 1.0)
    assert kernel == Function.of_points(of_two_points)
    ours = SVC(kernel=kernel, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(
        ours.decision_function(X),
        SVC(kernel=RBF(0.5), tol=1e-8).fit(X, y).decision_function(X),
        atol=1e-6,
    )


def test_a_function_of_points_where_one_of_blocks_is_needed_is_told_so() -> None:
    with pytest.raises(InvalidInputError, match=r"Function\.of_points"):
        SVC(kernel=lambda a, b: 1.0).fit(X, y)


def test_an_asymmetric_function_is_refused() -> None:
    def skewed(A: np.ndarray, B: np.ndarray) -> np.ndarray:
        return A @ B.T + A[:, :1]

    for act in (
        lambda: SVC(kernel=Function(skewed)).fit(X, y),
        lambda: SVC(kernel=skewed).fit(X, y),
    ):
        with pytest.raises(InvalidInputError, match="is not symmetric: of points"):
            act()


def test_an_indefinite_function_is_reported() -> None:
    def distance(A: np.ndarray, B: np.ndarray) -> np.ndarray:
        return np.linalg.norm(A[:, None] - B[None], axis=2)

    with pytest.warns(UserWarning, match="not positive semidefinite: on 50 of the points its"):
        Function(distance).within(X)


def test_a_semidefinite_function_is_not() -> None:
    kernel = Function(lambda A, B: A @ B.T)
    np.testing.assert_allclose(kernel.within(X)(np.array([2, 0]), None), X[[2, 0]] @ X.T)


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="needs a callable of two points"):
        Function.of_points(3)  # type: ignore[arg-type]
