"""Estimators that are one machine: a problem in, its solution's attributes out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from maxmargin.estimators.base import KernelMachine
from maxmargin.estimators.plan import Kept, SinglePlan
from maxmargin.estimators.proof import Machine
from maxmargin.estimators.run import Outcome
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
        plan = self._plan(training, self._lay_out(training))
        outcomes, tasks = self._run(self._engine(plan.gram), plan.qps, plan.names, training)
        kept = self._keep(training, plan, outcomes)
        self._finish(training, tasks, kept.machines)

    def _lay_out(self, training: Training) -> Integers:
        """Return the points that count."""
        return positive_rows(training.weight)

    def _plan(self, training: Training, layout: Integers) -> SinglePlan:
        problem_on = self._problem_on(training, layout)
        problem = problem_on(training.rows(layout))
        qp = problem.dual()
        name = type(self).__name__
        return SinglePlan(layout, qp.gram, [qp], [name], [0], problem, problem_on)

    def _keep(self, training: Training, plan: SinglePlan, outcomes: Sequence[Outcome]) -> Kept:
        """Set the fitted attributes; return how to prove the machine."""
        problem, rows, problem_on = plan.problem, plan.order, plan.problem_on
        (qp,), (outcome,) = plan.qps, outcomes
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

        return Kept([Machine(solution, rows)], [1.0])
