"""Fits on data that scikit-learn brings along: nothing is downloaded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from maxmargin import Certificate, Solution, Stop, analyse_support, certify, solve
from maxmargin.certify import SupportAnalysis
from maxmargin.kernels import RBF
from maxmargin.problems import EpsilonTube, OneClass, Problem, Regularised, SoftMargin
from maxmargin.solvers import LBFGSB, Solver, solvers_for

CERTIFIED_AT = 1e-6
_SECONDS_EACH = 3.0


@dataclass(frozen=True)
class Split:
    """Standardised features and labels -1 (malignant), +1 (benign)."""

    train: np.ndarray
    train_labels: np.ndarray
    test: np.ndarray
    test_labels: np.ndarray


@dataclass(frozen=True)
class Fit:
    """A solution with its proof."""

    name: str
    problem: Problem
    solution: Solution
    certificate: Certificate
    accuracy: float = float("nan")

    @property
    def certified(self) -> bool:
        return self.certificate.holds(CERTIFIED_AT)

    @property
    def support(self) -> SupportAnalysis:
        return analyse_support(self.problem, self.solution)


def breast_cancer() -> Split:
    X, kind = load_breast_cancer(return_X_y=True)
    labels = np.where(kind == 1, 1.0, -1.0)
    train, test, train_labels, test_labels = train_test_split(
        X, labels, test_size=0.3, stratify=labels, random_state=0
    )
    scaler = StandardScaler().fit(train)
    return Split(scaler.transform(train), train_labels, scaler.transform(test), test_labels)


def classify(split: Split) -> Fit:
    problem = SoftMargin(split.train, split.train_labels, C=10, kernel=RBF(0.01))
    return _fit("breast cancer", problem, "auto", split)


def stopped_early(split: Split) -> list[Fit]:
    """Solve one problem by L-BFGS-B with SciPy's usual test, and by the gap."""
    problem = SoftMargin(
        split.train, split.train_labels, C=2, kernel=RBF(0.001), bias=Regularised(1)
    )
    return [
        _fit("factr = 1e7", problem, LBFGSB(factr=1e7), split),
        _fit("to convergence", problem, LBFGSB(), split),
    ]


def race(split: Split) -> dict[str, Solution]:
    """Let every solver solve one linear problem, with traces."""
    problem = SoftMargin(split.train, split.train_labels, C=0.1, bias=Regularised(1))
    # The clock is what ends the approximate solvers here.
    limits = Stop(gap=1e-7, seconds=_SECONDS_EACH, iterations=10**6)
    return {name: solve(problem, name, stop=limits, trace=True) for name in solvers_for(problem)}


def one_class() -> Fit:
    sepals = load_iris().data[:50, 0:2]
    problem = OneClass(sepals, nu=0.1, kernel=RBF(1.0))
    return _fit("iris setosa", problem, "auto")


def regression() -> Fit:
    bunch = load_diabetes(scaled=False)
    body_mass = bunch.data[:, [2]]
    chosen = slice(None, None, 4)
    problem = EpsilonTube(
        body_mass[chosen], bunch.target[chosen], C=100, epsilon=50, kernel=RBF(0.01)
    )
    return _fit("diabetes", problem, "auto")


def _fit(name: str, problem: Problem, solver: str | Solver, split: Split | None = None) -> Fit:
    solution = solve(problem, solver)
    accuracy = float("nan")
    if split is not None:
        accuracy = float(np.mean(np.sign(solution.decision(split.test)) == split.test_labels))
    return Fit(name, problem, solution, certify(problem, solution), accuracy)
