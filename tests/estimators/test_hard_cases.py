"""Hard cases end by themselves: at the tolerance, or with a warning that tells the gap."""

import time
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from maxmargin import SVC, SVR, NuSVC, NuSVR, OneClassSVM

SECONDS = 120.0


def data(n=300, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0, 1, -1)


def ends(machine, X, y=None):
    """Fit, within seconds; return the machine and whether it converged, which it must say."""
    started = time.perf_counter()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        machine.fit(X, y)
    assert time.perf_counter() - started < SECONDS
    told = [str(w.message) for w in seen if issubclass(w.category, ConvergenceWarning)]
    converged = machine.fit_status_ == 0
    assert converged == (not told)
    assert all("duality gap" in message for message in told)
    assert np.isfinite(machine.dual_coef_).all()
    assert np.isfinite(machine.intercept_).all()
    return converged


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("separable", [False, True])
def test_a_very_large_price(kernel, separable):
    X, y = data()
    y = np.where(X[:, 0] > 0, 1, -1) if separable else y
    machine = SVC(C=1e6, kernel=kernel)
    ends(machine, X, y)
    if separable and kernel == "rbf":
        assert machine.score(X, y) == 1.0


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("kind", [SVC, SVR])
def test_features_of_very_different_size(kind, kernel):
    X, y = data(d=2)
    X = X * [1e6, 1e-3]
    ends(kind(kernel=kernel), X, y)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("C", [1.0, 1e4])
def test_equal_points_with_opposite_labels(kernel, C):
    X, y = data(100)
    assert ends(SVC(C=C, kernel=kernel, gamma=0.2), np.vstack([X, X]), np.concatenate([y, -y]))


@pytest.mark.parametrize("gamma", [1e-3, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("coef0", [-1.0, 0.0, 1.0])
def test_tanh_kernels(gamma, coef0):
    X, y = data()
    ends(SVC(kernel="sigmoid", gamma=gamma, coef0=coef0, C=10.0), X, y)


@pytest.mark.parametrize("gamma", [0.1, 10.0])
def test_tanh_kernels_on_more_points(gamma):
    X, y = data(5000)
    ends(SVC(kernel="sigmoid", gamma=gamma, coef0=-1.0), X, y)


@pytest.mark.parametrize("nu", [1e-6, 0.01, 0.5, "largest"])
def test_nu_at_its_limits(nu):
    X, y = data()
    largest = 2 * min((y > 0).mean(), (y < 0).mean())
    ends(NuSVC(nu=largest if nu == "largest" else nu), X, y)


@pytest.mark.parametrize("nu", [1e-6, 0.5, 1.0])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_one_class_at_its_limits(nu, kernel):
    X, _ = data()
    assert ends(OneClassSVM(nu=nu, kernel=kernel), X + 1.0)


@pytest.mark.parametrize("nu", [1e-6, 0.5, 1.0])
def test_a_tube_at_its_limits(nu):
    X, _ = data()
    assert ends(NuSVR(nu=nu), X, np.sin(X[:, 0]))


@pytest.mark.parametrize("value", [0.0, 1.0, 1e6])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "sigmoid"])
def test_constant_features(value, kernel):
    X, y = np.full((20, 3), value), np.repeat([0, 1], [12, 8])
    ends(SVC(kernel=kernel, gamma="auto"), X, y)
    ends(SVR(kernel=kernel, gamma="auto"), X, y)
    ends(OneClassSVM(kernel=kernel, gamma="auto"), X)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "sigmoid"])
def test_one_point_a_class(kernel):
    X, y = np.array([[0.0, 1.0], [1.0, 0.5]]), [0, 1]
    assert ends(SVC(kernel=kernel, gamma=0.5), X, y)
    many = np.arange(12.0).reshape(6, 2)
    assert ends(SVC(kernel=kernel, gamma=0.01), many, np.arange(6))


def test_a_warm_start_at_a_slightly_higher_price_takes_a_fraction_of_the_steps():
    X, y = data(3000)
    machine = SVC(C=1.0, warm_start=True, tol=1e-4).fit(X, y)
    machine.set_params(C=1.1).fit(X, y)
    cold = SVC(C=1.1, tol=1e-4).fit(X, y)
    assert machine.n_iter_.sum() < 0.5 * cold.n_iter_.sum()
    np.testing.assert_allclose(machine.decision_function(X), cold.decision_function(X), atol=5e-3)
