"""No certificate claims more than rational arithmetic confirms, on problems of any scale."""

from __future__ import annotations

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from exact_zoo import ExactQP, exactly
from maxmargin import SVC, Solution, solve
from maxmargin.kernels import Polynomial
from maxmargin.problems import (
    EpsilonTube,
    KernelProblem,
    NuMargin,
    NuTube,
    OneClass,
    Regularised,
    SoftMargin,
    Sphere,
)

SEEDS = range(20)
PER_SEED = 500


def draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, float]:
    """Points of any scale, far from the origin or not, labels of both classes, and C."""
    n, d = int(rng.integers(4, 14)), int(rng.integers(1, 4))
    X = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-6, 7)
    X += rng.choice([0.0, 10.0 ** rng.uniform(-3, 7)])
    if rng.random() < 0.3:
        X = np.round(X)
    y = np.where(rng.permutation(n) % 2 == 0, -1.0, 1.0)
    if rng.random() < 0.5:
        X[:, 0] += (y > 0) * 2 * np.ptp(X[:, 0])
    return X, y, 10.0 ** rng.uniform(-3, 5)


def check(
    problem: KernelProblem, solution: Any, certificate: Any, *, polishes: bool = True
) -> None:
    """The primal value is at most what is claimed, and no primal value is below the dual one."""
    exact = ExactQP(problem)
    signed, offsets = exactly(problem.dual().sign * solution.dual), exactly(solution.offsets)
    primal = exact.primal(signed, offsets)
    assert primal <= Fraction(certificate.primal)
    assert Fraction(certificate.dual) <= primal
    assert primal - Fraction(certificate.dual) <= Fraction(certificate.gap) * Fraction(1 + 1e-15)
    # An exactly stationary point with the same free variables is nearer to the optimum still.
    polished = exact.polished(solution.dual) if polishes else None
    if polished is not None:
        assert Fraction(certificate.dual) <= exact.primal(*polished)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_certificate_of_a_classifier_is_false(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for k in range(PER_SEED):
        X, y, C = draw(rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            machine = SVC(kernel="linear", C=C).fit(X, y)
        (own,) = machine.machines_
        # What is published is what is certified.
        full = np.zeros(len(y))
        full[machine.support_] = machine.dual_coef_[0]
        np.testing.assert_array_equal(full, own.solution.coefficients)
        assert machine.intercept_[0] == own.solution.b == -own.solution.offsets[0]
        check(own.problem, own.solution, machine.certificate_, polishes=k % 5 == 0)


def problems(rng: np.random.Generator) -> list[KernelProblem]:
    X, y, C = draw(rng)
    bias = Regularised(float(10.0 ** rng.uniform(-1, 2)))
    targets = y * float(10.0 ** rng.uniform(-2, 3)) + rng.normal(size=len(y))
    small = X / (np.abs(X).max() or 1.0)
    return [
        SoftMargin(X, y, C=C, bias=bias),
        SoftMargin(X, y, C=C, loss="squared_hinge"),
        SoftMargin(small, y, C=C, kernel=Polynomial(1.0, 1.0, 2)),
        SoftMargin(small, y, C=C, sample_weight=rng.integers(0, 3, len(y)) + 1.0),
        EpsilonTube(X, targets, C=C, epsilon=0.1),
        EpsilonTube(small, targets, C=C, loss="squared_epsilon_insensitive"),
        NuMargin(small, y, nu=0.4),
        NuTube(small, targets, C=C, nu=0.4),
        OneClass(small, nu=0.4),
        Sphere(small, C=0.5),
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_no_certificate_of_any_machine_is_false(seed: int) -> None:
    rng = np.random.default_rng(1000 + seed)
    for _ in range(5):
        for problem in problems(rng):
            solution = solve(problem, "decomposition")
            check(problem, solution, solution.certificate)


@pytest.mark.parametrize("seed", range(5))
def test_a_solution_that_is_far_from_optimal_has_a_true_certificate_too(seed: int) -> None:
    rng = np.random.default_rng(2000 + seed)
    for _ in range(20):
        X, y, C = draw(rng)
        problem = SoftMargin(X, y, C=C)
        optimum = solve(problem, "decomposition")
        qp = problem.dual()
        signed = qp.project(qp.sign * optimum.dual * rng.uniform(0.5, 1.5, len(y)))
        worse = Solution(problem, qp.sign * signed, optimum.offsets + rng.normal(size=1))
        check(problem, worse, worse.certificate)
