"""scikit-learn's machines, run to a tight tolerance, give the same decision values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn import svm

from maxmargin import certify, solve
from maxmargin.kernels import RBF, Kernel, Linear, Polynomial
from maxmargin.problems import (
    EpsilonTube,
    HardMargin,
    NuMargin,
    NuTube,
    OneClass,
    Regularised,
    SoftMargin,
)
from zoo import points

KERNELS: dict[str, tuple[Kernel, dict[str, Any]]] = {
    "linear": (Linear(), {"kernel": "linear"}),
    "polynomial": (
        Polynomial(gamma=0.5, coef0=1.0, degree=2),
        {"kernel": "poly", "gamma": 0.5, "coef0": 1.0, "degree": 2},
    ),
    "rbf": (RBF(0.5), {"kernel": "rbf", "gamma": 0.5}),
    "scale": (RBF("scale"), {"kernel": "rbf", "gamma": "scale"}),
}
TIGHT = {"tol": 1e-8, "cache_size": 10}

each_kernel = pytest.mark.parametrize(("kernel", "theirs"), KERNELS.values(), ids=KERNELS)
each_weighting = pytest.mark.parametrize("weighted", [False, True], ids=["equal", "weighted"])


@pytest.fixture
def new_points(rng: np.random.Generator) -> np.ndarray:
    return rng.normal(size=(15, 3))


def weights(weighted: bool) -> np.ndarray | None:
    return np.random.default_rng(5).uniform(0.5, 1.5, 24) if weighted else None


def agree(problem: Any, theirs: Callable[[np.ndarray], np.ndarray], at: np.ndarray) -> None:
    solution = solve(problem)
    assert certify(problem, solution).holds(1e-6)
    np.testing.assert_allclose(solution.decision(at), theirs(at), atol=1e-4, rtol=1e-4)


@each_kernel
@each_weighting
def test_soft_margin_is_svc(
    kernel: Kernel, theirs: dict[str, Any], weighted: bool, new_points: np.ndarray
) -> None:
    X, y = points("SoftMargin")
    model = svm.SVC(C=2, **theirs, **TIGHT).fit(X, y, sample_weight=weights(weighted))
    problem = SoftMargin(X, y, C=2, kernel=kernel, sample_weight=weights(weighted))
    agree(problem, model.decision_function, new_points)


@each_kernel
def test_hard_margin_is_svc_with_a_huge_cost(
    kernel: Kernel, theirs: dict[str, Any], new_points: np.ndarray
) -> None:
    X, y = points("HardMargin")
    model = svm.SVC(C=1e6, **theirs, **TIGHT).fit(X, y)
    agree(HardMargin(X, y, kernel=kernel), model.decision_function, new_points)


@each_kernel
@each_weighting
def test_nu_margin_divided_by_its_level_is_nusvc(
    kernel: Kernel, theirs: dict[str, Any], weighted: bool, new_points: np.ndarray
) -> None:
    # LIBSVM divides w, b and the margin by rho, so that the margin planes lie at one.
    X, y = points("NuMargin")
    model = svm.NuSVC(nu=0.4, **theirs, **TIGHT).fit(X, y, sample_weight=weights(weighted))
    solution = solve(NuMargin(X, y, nu=0.4, kernel=kernel, sample_weight=weights(weighted)))
    np.testing.assert_allclose(
        solution.decision(new_points) / solution.level,
        model.decision_function(new_points),
        atol=2e-4,
        rtol=2e-4,
    )


@each_kernel
@each_weighting
def test_epsilon_tube_is_svr(
    kernel: Kernel, theirs: dict[str, Any], weighted: bool, new_points: np.ndarray
) -> None:
    X, y = points("EpsilonTube")
    model = svm.SVR(C=2, epsilon=0.2, **theirs, **TIGHT).fit(X, y, sample_weight=weights(weighted))
    problem = EpsilonTube(X, y, C=2, epsilon=0.2, kernel=kernel, sample_weight=weights(weighted))
    agree(problem, model.predict, new_points)


@each_kernel
@each_weighting
def test_nu_tube_is_nusvr(
    kernel: Kernel, theirs: dict[str, Any], weighted: bool, new_points: np.ndarray
) -> None:
    X, y = points("NuTube")
    model = svm.NuSVR(C=2, nu=0.4, **theirs, **TIGHT).fit(X, y, sample_weight=weights(weighted))
    problem = NuTube(X, y, C=2, nu=0.4, kernel=kernel, sample_weight=weights(weighted))
    agree(problem, model.predict, new_points)


@each_kernel
@each_weighting
def test_one_class_is_one_class_svm(
    kernel: Kernel, theirs: dict[str, Any], weighted: bool, new_points: np.ndarray
) -> None:
    X, _ = points("OneClass")
    model = svm.OneClassSVM(nu=0.4, **theirs, **TIGHT).fit(X, sample_weight=weights(weighted))
    problem = OneClass(X, nu=0.4, kernel=kernel, sample_weight=weights(weighted))
    agree(problem, model.decision_function, new_points)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@each_weighting
def test_a_regularised_bias_is_linear_svc(
    loss: str, weighted: bool, new_points: np.ndarray
) -> None:
    X, y = points("SoftMargin")
    model = svm.LinearSVC(
        C=2, loss=loss, dual=True, intercept_scaling=1.5, tol=1e-10, max_iter=10**6
    ).fit(X, y, sample_weight=weights(weighted))
    problem = SoftMargin(
        X, y, C=2, loss=loss, bias=Regularised(1.5), sample_weight=weights(weighted)
    )
    agree(problem, model.decision_function, new_points)


def test_a_regularised_bias_is_linear_svr(new_points: np.ndarray) -> None:
    X, y = points("EpsilonTube")
    model = svm.LinearSVR(C=2, epsilon=0.2, intercept_scaling=1.5, tol=1e-10, max_iter=10**6).fit(
        X, y
    )
    problem = EpsilonTube(X, y, C=2, epsilon=0.2, bias=Regularised(1.5))
    agree(problem, model.predict, new_points)
