"""Estimators that are one machine: a problem in, its solution's attributes out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from maxmargin.estimators.base import KernelMachine
from maxmargin.estimators.proof import Machine
from maxmargin.estimators.training import Training, positive_rows
from maxmargin.problems import Problem, Solution
from maxmargin.typing import Integers

__all__ = ["SingleMachine"]


class SingleMachine(KernelMachine):
    """Base of the estimators without classes."""

    def _problem_on(self, training: Training, rows: Integers) -> Callable[[Any], Problem]:
        """Return what makes the problem from the given rows of X."""
        raise NotImplementedError

    def _fit(self, training: Training) -> None:
        rows = positive_rows(training.weight)
        problem_on = self._problem_on(training, rows)
        problem = problem_on(training.rows(rows))
        qp = problem.dual()
        (outcome,), tasks = self._run(self._engine(qp.gram), [qp], [type(self).__name__], training)
        offsets = outcome.offsets()
        coefficients = qp.coefficients(outcome.signed)
        support = self._keep_support(training, rows, coefficients[None, :])
        self._n_support: Any = np.array([len(support)], dtype=np.int32)
        self._intercept_ = np.array([problem.bias_value(coefficients, offsets)])
        self._publish()
        self.n_iter_ = int(outcome.answer.steps)
        multipliers = qp.sign * outcome.signed
        kept = training.for_proof()

        def solution() -> Solution:
            given = problem_on(kept.given_rows(rows))
            return Solution(given, multipliers, offsets, solver="engine")

        self._finish(training, tasks, [Machine(solution, rows)])
