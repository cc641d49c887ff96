"""Subgradient descent on the primal, linear or kernelised, with the bias minimised out exactly.

With C = 1 / (lambda n) a step of learning rate eta / lambda on
lambda/2 |w|^2 + (1/n) sum max(0, 1 - y f(x)) reads

    w <- (1 - eta) w + eta C sum over y_i f(x_i) < 1 of y_i phi(x_i),

so the coefficients of w stay within the bounds of the dual, and every iterate has a duality gap.
A free bias is set to its best value for the current w at each step; the target then also satisfies
the dual's equality constraint. (Shalev-Shwartz et al. 2011; Bach 2015 on the equivalence with
conditional gradients.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from maxmargin.problems import KernelProblem
from maxmargin.solvers.base import SequentialSolver
from maxmargin.solvers.monitor import Monitor
from maxmargin.solvers.options import instance, one_of, whole
from maxmargin.solvers.solution import Solution
from maxmargin.solvers.starts import starting_point
from maxmargin.solvers.stop import Stop
from maxmargin.solvers.teaching.step_sizes import InverseTime, Schedule

__all__ = ["AVERAGING", "SCHEDULES", "Subgradient", "linear_loss_refusal"]

#: What the options shared with `SGD` may be.
AVERAGING = ("weighted", "none")
SCHEDULES = "InverseTime(2.0) or ConstantStep(0.01)"


@dataclass(frozen=True)
class Subgradient(SequentialSolver):
    """Subgradient descent on the primal.

    Parameters
    ----------
    schedule : Schedule
        Step lengths; `InverseTime(2)` by default.
    averaging : {"weighted", "none"}
        Return the mean of the iterates, the t-th weighing t, or the last one.
    observe_every : int
        Steps between two looks at the gap.

    Examples
    --------
    >>> from maxmargin import Stop, solve
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> solve(problem, solver="subgradient", stop=Stop(gap=0.01)).converged
    True
    """

    schedule: Schedule = InverseTime(2.0)
    averaging: Literal["weighted", "none"] = "weighted"
    observe_every: int = 10

    name: ClassVar[str] = "subgradient"
    default_stop: ClassVar[Stop] = Stop(gap=1e-3, max_iter=20_000)
    exact: ClassVar[bool] = False

    def __post_init__(self) -> None:
        instance(self.schedule, "Subgradient(schedule=...)", Schedule, SCHEDULES)
        one_of(self.averaging, "Subgradient(averaging=...)", AVERAGING)
        observe_every = whole(self.observe_every, "Subgradient(observe_every=...)")
        object.__setattr__(self, "observe_every", observe_every)

    def _objection(self, problem: KernelProblem) -> str | None:
        """Refuse hard constraints and squared losses."""
        return linear_loss_refusal(problem)

    def run(self, problem: KernelProblem, monitor: Monitor, warm: Solution | None) -> Solution:
        """Step towards the subgradient's target until the monitor is satisfied."""
        qp = problem.dual()
        problem.points.keep_matrix()
        current = starting_point(problem, warm)
        gradient = qp.gradient(current)
        mean, mean_gradient = current.copy(), gradient.copy()
        t = 0
        while True:
            if t % self.observe_every == 0 or monitor.over_limit(t):
                offsets = qp.vertex(mean_gradient)[1]
                if monitor.observe(t, mean, offsets, mean_gradient):
                    return monitor.solution(self.name, mean, offsets)
            t += 1
            target, _ = qp.vertex(gradient)
            current += self.schedule(t) * (target - current)
            gradient = qp.gradient(current)
            share = 2.0 / (t + 1) if self.averaging == "weighted" else 1.0
            mean += share * (current - mean)
            # The gradient is affine, so the mean's gradient is the mean of the gradients.
            mean_gradient += share * (gradient - mean_gradient)


def linear_loss_refusal(problem: KernelProblem) -> str | None:
    """Say why a method for penalties linear in the slack cannot solve the problem, if so."""
    qp = problem.dual()
    if np.any(qp.ridge > 0):
        return "its loss is squared, and the method's steps are for losses linear in the slack"
    if np.any(np.isinf(qp.cost)):
        return "its constraints are hard, and a primal method needs slacks"
    return None
