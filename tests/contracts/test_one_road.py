"""One road: estimators and `solve` are one algorithm, and a fit passes through few files."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.preprocessing import scale

from maxmargin import SVC, SVR, LinearSVC, NuSVC, OneClassSVM, Stop, solve
from maxmargin.kernels import RBF, Linear
from maxmargin.problems import (
    EpsilonTube,
    NuMargin,
    OneClass,
    Problem,
    Regularised,
    SoftMargin,
)

_TOOL = Path(__file__).parents[2] / "tools" / "trace_fit.py"


def data(kind: str) -> tuple[np.ndarray, np.ndarray]:
    if kind == "regression":
        X, y = load_diabetes(return_X_y=True)
        return X, scale(y)
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X), np.where(y == 1, 1.0, -1.0)


PAIRS: dict[str, tuple[Any, Any]] = {
    "soft": (
        lambda: SVC(C=3.0, gamma=0.05),
        lambda X, y: SoftMargin(X, y, C=3.0, kernel=RBF(0.05)),
    ),
    "regularised": (
        lambda: SVC(C=0.5, kernel="linear", bias=Regularised(2.0)),
        lambda X, y: SoftMargin(X, y, C=0.5, kernel=Linear(), bias=Regularised(2.0)),
    ),
    "nu": (
        lambda: NuSVC(nu=0.2, gamma=0.05),
        lambda X, y: NuMargin(X, y, nu=0.2, kernel=RBF(0.05)),
    ),
    "regression": (
        lambda: SVR(C=2.0, gamma=3.0),
        lambda X, y: EpsilonTube(X, y, C=2.0, epsilon=0.1, kernel=RBF(3.0)),
    ),
    "one class": (
        lambda: OneClassSVM(nu=0.2, gamma=0.05),
        lambda X, y: OneClass(X, nu=0.2, kernel=RBF(0.05)),
    ),
}


@pytest.mark.parametrize("kind", PAIRS)
def test_an_estimator_and_solve_find_the_same_multipliers_bit_by_bit(kind: str) -> None:
    X, y = data(kind)
    estimator, problem = PAIRS[kind]
    model = estimator().fit(X) if kind == "one class" else estimator().fit(X, y)
    posed: Problem = problem(X, y)
    stop = Stop(kkt=model.tol)
    solution = solve(posed, solver="decomposition", stop=stop)
    own = model.machines_[0].solution
    np.testing.assert_array_equal(solution.dual, own.dual)
    np.testing.assert_array_equal(solution.offsets, own.offsets)
    assert solution.iterations == own.iterations
    assert solution.certificate == own.certificate


def test_pairs_of_classes_are_the_problems_that_one_would_pose() -> None:
    X, y = load_iris(return_X_y=True)
    X = np.repeat(X, 3, axis=0) + np.random.default_rng(0).normal(scale=0.1, size=(450, 4))
    model = SVC(gamma=0.3).fit(X, np.repeat(y, 3))
    for machine in model.machines_:
        problem = machine.problem
        alone = SoftMargin(X[machine.rows], problem.y, kernel=RBF(0.3))
        again = solve(alone, solver="decomposition", stop=Stop(kkt=1e-3))
        assert again.certificate.primal == pytest.approx(machine.certificate.primal, rel=1e-3)
        assert machine.certificate.holds(1e-3)


def test_a_linear_estimator_and_solve_find_the_same_weights_bit_by_bit() -> None:
    X, y = data("soft")
    model = LinearSVC(loss="hinge", C=0.1).fit(X, y)
    problem = SoftMargin(X, y, C=0.1, bias=Regularised(1.0))
    stop = Stop(gap=model.tol, max_iter=model.max_iter)
    solution = solve(problem, solver="linear-interior-point", stop=stop)
    np.testing.assert_array_equal(solution.w, model.coef_[0])
    assert solution.b == model.intercept_[0]


@pytest.mark.parametrize(
    ("road", "most"),
    [("SVC.fit", 16), ("SVC.fit and certificate_", 20), ("LinearSVC.fit", 14)],
)
def test_a_fit_passes_through_few_files(road: str, most: int) -> None:
    tool = runpy.run_path(str(_TOOL))
    assert len(tool["passed"](tool["roads"]()[road])) <= most
