"""Kernels made of a given Gram matrix are those of the same sums and products of kernels."""

import numpy as np
import pytest

from maxmargin import SVC, SVR
from maxmargin.kernels import Linear, Precomputed

KERNELS = [
    pytest.param(2.0 * Precomputed(), 2.0 * Linear(), id="scaled"),
    pytest.param(Precomputed() * Precomputed(), Linear() * Linear(), id="product"),
    pytest.param(0.5 * Precomputed() + Precomputed(), 1.5 * Linear(), id="sum"),
]


@pytest.mark.parametrize(("given", "plain"), KERNELS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_classifier_decides_the_same(given, plain, n_classes, rng):
    X = rng.normal(size=(60, 4))
    y = np.digitize(X[:, 0] + 0.3 * rng.normal(size=60), [-0.3, 0.5][: n_classes - 1])
    new = rng.normal(size=(9, 4))
    found = SVC(kernel=given, tol=1e-8).fit(X @ X.T, y)
    expected = SVC(kernel=plain, tol=1e-8).fit(X, y)
    values = found.decision_function(new @ X.T)
    np.testing.assert_allclose(values, expected.decision_function(new), atol=1e-6)
    assert found.certificate_.holds(1e-6)


@pytest.mark.parametrize(("given", "plain"), KERNELS)
def test_a_regression_predicts_the_same(given, plain, rng):
    X = rng.normal(size=(60, 4))
    y = X[:, 0] ** 2 + 0.1 * rng.normal(size=60)
    new = rng.normal(size=(9, 4))
    found = SVR(kernel=given, tol=1e-8).fit(X @ X.T, y).predict(new @ X.T)
    expected = SVR(kernel=plain, tol=1e-8).fit(X, y).predict(new)
    np.testing.assert_allclose(found, expected, atol=1e-6)
