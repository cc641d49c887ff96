"""What is published is feasible, is what is certified, and is no worse than a constant machine."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn import svm
from sklearn.exceptions import ConvergenceWarning

from maxmargin import SVC, SVR, NuSVR, OneClassSVM


def plane(n=400, d=4, seed=1):
    """Targets far from zero that follow a plane, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, 450.0 + X @ np.array([-15.0, 3.0, 2.0, 1.0])[:d] + 4.0 * rng.normal(size=n)


def noise(n=600, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(rng.random(n) < 0.3, 1, 0)


@pytest.mark.parametrize("C", [1.0, 100.0, 1000.0])
def test_the_multipliers_of_a_regression_sum_to_zero(C):
    X, y = plane()
    machine = SVR(kernel="linear", C=C).fit(X, y)
    assert abs(machine.dual_coef_.sum()) <= 1e-10 * np.abs(machine.dual_coef_).max()
    assert machine.certificate_.relative_gap < 1e-3
    theirs = svm.SVR(kernel="linear", C=C).fit(X, y)

    def objective(model):
        slack = np.maximum(0.0, np.abs(y - model.predict(X)) - model.epsilon)
        return 0.5 * float(model.coef_[0] @ model.coef_[0]) + C * slack.sum()

    assert objective(machine) <= objective(theirs) * (1 + 1e-3)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_the_certificate_follows_from_the_public_attributes(kernel):
    X, y = noise()
    machine = SVC(kernel=kernel, C=10.0, gamma=0.2).fit(X, y)
    coefficients = np.zeros(len(y))
    coefficients[machine.support_] = machine.dual_coef_[0]
    squares = ((X[:, None] - X) ** 2).sum(axis=2)
    K = X @ X.T if kernel == "linear" else np.exp(-0.2 * squares)
    sign = np.where(y == 1, 1.0, -1.0)
    assert (sign * coefficients >= 0).all()
    assert (np.abs(coefficients) <= 10.0).all()
    assert abs(coefficients.sum()) <= 1e-10 * np.abs(coefficients).max()
    decision = K @ coefficients + machine.intercept_[0]
    norm = coefficients @ K @ coefficients
    primal = 0.5 * norm + 10.0 * np.maximum(0.0, 1.0 - sign * decision).sum()
    dual = np.abs(coefficients).sum() - 0.5 * norm
    found = machine.certificate_
    assert found.primal == pytest.approx(primal, rel=1e-9)
    assert found.dual == pytest.approx(dual, rel=1e-9)
    assert found.dual <= dual + 1e-12 * abs(dual)
    np.testing.assert_allclose(machine.decision_function(X), decision, atol=1e-9)


@pytest.mark.parametrize("steps", [1, 3, 10, 40])
def test_a_fit_that_is_cut_short_is_no_worse_than_a_constant(steps):
    X, y = noise(3000)
    calls = []

    def enough(progress):
        calls.append(progress)
        return len(calls) >= steps

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine = SVC(C=100.0, callback=enough).fit(X, y)
    constant = 2 * 100.0 * min((y == 0).sum(), (y == 1).sum())
    assert machine.certificate_.primal <= constant * (1 + 1e-9)


def test_a_fit_goes_on_while_its_gap_is_large():
    # Targets far from zero and a tolerance as large as their noise: LIBSVM's rule is content early.
    X, y = plane(600)
    coarse = SVR(C=100.0, tol=20.0, max_gap=None).fit(X, y)
    fine = SVR(C=100.0, tol=20.0).fit(X, y)
    assert coarse.certificate_.relative_gap > 1e-2
    assert fine.certificate_.relative_gap <= 1.1e-2
    assert fine.certificate_.primal < coarse.certificate_.primal


def test_a_warning_about_quality_says_that_it_is_an_estimate():
    X, y = noise()
    with pytest.warns(ConvergenceWarning, match=r"By the solver's estimate .* certificate_ proves"):
        SVC(C=100.0, max_iter=20).fit(X, y)


@pytest.mark.parametrize("kind", [NuSVR, OneClassSVM])
def test_sums_of_the_nu_forms_are_kept(kind):
    X, y = plane(300)
    machine = kind(nu=0.3, kernel="linear").fit(X, y)
    total = 0.0 if kind is NuSVR else 0.3 * len(y)
    assert machine.dual_coef_.sum() == pytest.approx(total, abs=1e-8)
