"""Fits on data that scikit-learn includes: nothing is downloaded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from maxmargin import RBF, SVC, SVR, OneClassSVM, SoftMargin, Solution, Stop, solve
from maxmargin.certificates import Certificate, SupportAnalysis, analyse_support
from maxmargin.problems import Problem, Regularised
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
    """A solution, or an estimator that has one, with its certificate."""

    name: str
    subject: Solution | SVC | SVR | OneClassSVM
    accuracy: float = float("nan")

    @property
    def solution(self) -> Solution:
        if isinstance(self.subject, Solution):
            return self.subject
        return self.subject.machines_[0].solution

    @property
    def problem(self) -> Problem:
        return self.solution.problem

    @property
    def certificate(self) -> Certificate:
        return self.solution.certificate

    @property
    def certified(self) -> bool:
        return self.certificate.holds(CERTIFIED_AT)

    @property
    def support(self) -> SupportAnalysis:
        return analyse_support(self.subject)


def breast_cancer() -> Split:
    X, kind = load_breast_cancer(return_X_y=True)
    labels = np.where(kind == 1, 1.0, -1.0)
    train, test, train_labels, test_labels = train_test_split(
        X, labels, test_size=0.3, stratify=labels, random_state=0
    )
    scaler = StandardScaler().fit(train)
    return Split(scaler.transform(train), train_labels, scaler.transform(test), test_labels)


def classify(split: Split) -> Fit:
    model = SVC(C=10, gamma=0.01, tol=1e-8).fit(split.train, split.train_labels)
    return Fit("breast cancer", model, model.score(split.test, split.test_labels))


def stopped_early(split: Split) -> list[Fit]:
    """Solve one problem by L-BFGS-B, with SciPy's stopping rule and with the gap's."""
    problem = SoftMargin(
        split.train, split.train_labels, C=2, kernel=RBF(0.001), bias=Regularised(1)
    )
    return [
        _solved("factr = 1e7", problem, LBFGSB(factr=1e7), split),
        _solved("to convergence", problem, LBFGSB(), split),
    ]


def race(split: Split) -> dict[str, Solution]:
    """Solve one linear problem with every solver that takes it, and record traces."""
    problem = SoftMargin(split.train, split.train_labels, C=0.1, bias=Regularised(1))
    # The approximate solvers end at the time limit.
    limits = Stop(gap=1e-7, time_limit=_SECONDS_EACH, max_iter=10**6)
    return {name: solve(problem, name, stop=limits, trace=True) for name in solvers_for(problem)}


def one_class() -> Fit:
    sepals = load_iris().data[:50, 0:2]
    return Fit("iris setosa", OneClassSVM(nu=0.1, gamma=1.0).fit(sepals))


def regression() -> Fit:
    bunch = load_diabetes(scaled=False)
    body_mass = bunch.data[:, [2]]
    chosen = slice(None, None, 4)
    model = SVR(C=100, epsilon=50, gamma=0.01)
    return Fit("diabetes", model.fit(body_mass[chosen], bunch.target[chosen]))


def _solved(name: str, problem: Problem, solver: Solver, split: Split) -> Fit:
    solution = solve(problem, solver)
    accuracy = float(np.mean(np.sign(solution.decision(split.test)) == split.test_labels))
    return Fit(name, solution, accuracy)
