"""The proofs of linear machines, from their weights and multipliers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from maxmargin.certify import Measures, certify
from maxmargin.certify.linear import crammer_singer_measures, l1_measures
from maxmargin.certify.weights import measure_weights, slack_of_weights
from maxmargin.estimators.proof import MachineCertificate
from maxmargin.problems import EpsilonTube, Free, Problem, Solution
from maxmargin.solvers.crammer_singer import ClassAnswer, ClassProgram
from maxmargin.solvers.l1 import L1Program
from maxmargin.solvers.linear_engine import LinearAnswer
from maxmargin.typing import Floats, Integers

__all__ = ["ClassMachine", "SparseMachine", "WeightedMachine"]

_ON_MARGIN = 1e-7


@dataclass(frozen=True, eq=False)
class WeightedMachine:
    """A machine that is its weights; its multipliers prove how good they are."""

    problem: Callable[[], Problem]
    answer: LinearAnswer
    rows: Integers | slice
    classes: tuple[Any, ...] = ()

    def prove(self) -> tuple[MachineCertificate, Floats, float]:
        """Return its certificate, the slack of each of its points, and its margin."""
        problem, answer = self.problem(), self.answer
        offsets = np.array([-answer.bias] if isinstance(problem.bias, Free) else [])
        certificate = certify(problem, Solution(problem, answer.multipliers, offsets))
        measures = measure_weights(problem, answer.weights, answer.bias, answer.multipliers)
        found = MachineCertificate.of(replace(certificate, measures=measures), self.classes)
        slack = slack_of_weights(problem, answer.weights, answer.bias)
        margin = problem.epsilon if isinstance(problem, EpsilonTube) else _margin(answer.weights)
        return found, slack, margin


@dataclass(frozen=True, eq=False)
class SparseMachine:
    """A machine with an l1 penalty; its weights alone prove how good they are."""

    X: Any
    program: L1Program
    answer: LinearAnswer
    rows: Integers | slice
    classes: tuple[Any, ...] = ()

    def prove(self) -> tuple[MachineCertificate, Floats, float]:
        """Return its certificate, the slack of each of its points, and its margin."""
        program, answer = self.program, self.answer
        measures = l1_measures(
            self.X, program.sign, program.cost, program.bias, answer.weights, answer.bias
        )
        slack = np.maximum(0.0, 1 - program.sign * (self.X @ answer.weights + answer.bias))
        n_free = int(np.count_nonzero(slack))
        return _found(self.classes, measures, n_free, 0), slack, _margin(answer.weights)


@dataclass(frozen=True, eq=False)
class ClassMachine:
    """The machine of all classes at once."""

    X: Any
    program: ClassProgram
    answer: ClassAnswer
    rows: Integers | slice
    classes: tuple[Any, ...] = ()

    def prove(self) -> tuple[MachineCertificate, Floats, float]:
        """Return its certificate, the slack of each of its points, and its smallest margin."""
        program, answer = self.program, self.answer
        measures = crammer_singer_measures(
            self.X,
            program.label,
            program.cost,
            program.bias,
            answer.weights,
            answer.bias,
            answer.multipliers,
        )
        at = np.arange(len(program.label))
        levels = self.X @ answer.weights.T + answer.bias + 1.0
        levels[at, program.label] -= 1.0
        slack = levels.max(axis=1) - levels[at, program.label]
        own = answer.multipliers[at, program.label]
        bounded = own >= (1 - _ON_MARGIN) * program.cost
        free = (own > _ON_MARGIN * program.cost) & ~bounded
        found = _found(self.classes, measures, int(free.sum()), int(bounded.sum()))
        return found, slack, self._margin()

    def _margin(self) -> float:
        """Return the smallest distance of a boundary between two classes from its margin plane."""
        weights = self.answer.weights
        return min(_margin(weights[m] - weights[m + 1 :]) for m in range(len(weights) - 1))


def _margin(differences: Floats) -> float:
    """Return one over the largest norm."""
    norm = float(np.linalg.norm(np.atleast_2d(differences), axis=1).max(initial=0.0))
    return 1.0 / norm if norm > 0 else float("inf")


def _found(
    classes: tuple[Any, ...], measures: Measures, n_free: int, n_bounded: int
) -> MachineCertificate:
    gap, relative = max(measures.gap, 0.0), max(measures.relative_gap, 0.0)
    return MachineCertificate(
        classes,
        measures.primal,
        measures.dual,
        measures.gap,
        measures.relative_gap,
        measures.kkt_violation,
        measures.feasibility,
        n_free,
        n_bounded,
        True,
        f"No solution has an objective lower by more than {gap:.3g}, a fraction of {relative:.3g}.",
    )
