"""Stochastic subgradient descent on the primal: Pegasos, with mini-batches, averaging and a bias.

Each step shrinks all of w, also where no example of the batch has a loss, then adds the batch:

    w  <- (1 - eta) w + eta (n / |batch|) sum over violations in the batch of C_i y_i phi(x_i)
    mu <- mu - eta rate (subgradient of the objective in the offsets, estimated on the batch)

(Shalev-Shwartz, Singer, Srebro, Cotter 2011; Lacoste-Julien, Schmidt, Bach 2012 on the average.)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from maxmargin.problems import BoxQP, KernelProblem
from maxmargin.solvers.base import SequentialSolver
from maxmargin.solvers.monitor import Monitor
from maxmargin.solvers.options import instance, one_of, whole
from maxmargin.solvers.solution import Solution
from maxmargin.solvers.starts import starting_point
from maxmargin.solvers.stop import Stop
from maxmargin.solvers.teaching.step_sizes import InverseTime, Schedule
from maxmargin.solvers.teaching.subgradient import AVERAGING, SCHEDULES, linear_loss_refusal
from maxmargin.typing import Floats, Integers

__all__ = ["SGD"]

_SMALLEST_SCALE = 1e-3


@dataclass(frozen=True)
class SGD(SequentialSolver):
    """Pegasos: one iteration is one pass over the data in batches.

    Parameters
    ----------
    schedule : Schedule, optional
        Step lengths. `InverseTime(1)` is Pegasos to the letter; the default is `InverseTime(2)`
        delayed until one example can no longer change the decision by more than its margin.
    averaging : {"weighted", "none"}
        Return the mean of the iterates, the t-th weighing t, or the last one.
    batch_size : int
        Points a step.
    seed : int
        Of the order in which the points are drawn; the same seed gives the same solution.

    Examples
    --------
    >>> from maxmargin import Stop, solve
    >>> from maxmargin.problems import Regularised, SoftMargin
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1]
    >>> problem = SoftMargin(X, y, bias=Regularised(1))
    >>> solve(problem, solver="sgd", stop=Stop(gap=0.05)).converged
    True
    """

    schedule: Schedule | None = None
    averaging: Literal["weighted", "none"] = "weighted"
    batch_size: int = 16
    seed: int = 0

    name: ClassVar[str] = "sgd"
    default_stop: ClassVar[Stop] = Stop(gap=1e-2, max_iter=1000)
    exact: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.schedule is not None:
            instance(self.schedule, "SGD(schedule=...)", Schedule, f"{SCHEDULES}, or None")
        one_of(self.averaging, "SGD(averaging=...)", AVERAGING)
        object.__setattr__(self, "batch_size", whole(self.batch_size, "SGD(batch_size=...)"))
        object.__setattr__(self, "seed", whole(self.seed, "SGD(seed=...)", smallest=0))

    def _objection(self, problem: KernelProblem) -> str | None:
        """Refuse hard constraints and squared losses."""
        return linear_loss_refusal(problem)

    def run(self, problem: KernelProblem, monitor: Monitor, warm: Solution | None) -> Solution:
        """Pass over the data until the monitor is satisfied."""
        qp = problem.dual()
        n = qp.n_points
        random = np.random.default_rng(self.seed)
        start = starting_point(problem, warm)
        machine = _ExplicitMachine(qp, start) if _few_features(qp) else _KernelMachine(qp, start)
        offsets = qp.vertex(qp.gradient(start))[1]
        rate = float(np.abs(qp.points.diagonal + qp.constant).mean())
        schedule = self.schedule or InverseTime(2.0, delay=rate * float(qp.cost[:n].sum()))
        copies = n * np.arange(qp.n_variables // n)
        epoch = t = 0
        while True:
            signed = machine.mean() if self.averaging == "weighted" else machine.last()
            gradient = qp.gradient(signed)
            best_offsets = qp.vertex(gradient)[1]
            if monitor.observe(epoch, signed, best_offsets, gradient):
                return monitor.solution(self.name, signed, best_offsets)
            epoch += 1
            order = random.permutation(n)
            for first in range(0, n, self.batch_size):
                t += 1
                step = schedule(t)
                batch = order[first : first + self.batch_size]
                variables = (batch[:, None] + copies).ravel()
                similarity = machine.similarity(batch).repeat(len(copies))
                margin = qp.sign[variables] * (
                    similarity + qp.linear[variables] - offsets @ qp.equality[:, variables]
                )
                lost = variables[margin < 0]
                target = (n / len(batch)) * qp.sign[lost] * qp.cost[lost]
                machine.step(step, lost, step * target)
                offsets = offsets - step * rate * (qp.equality[:, lost] @ target - qp.total)


def _few_features(qp: BoxQP) -> bool:
    return qp.n_features is not None and qp.n_features <= 4 * qp.n_points


class _Machine(ABC):
    """Coefficients b = scale x z and their weighted mean, each step touching the batch only.

    With S_t the running sum of t x scale_t, the weighted sum of all iterates is
    S_T z_T - sum_t S_(t-1) (z_t - z_(t-1)), so the mean needs no dense update. But as the scale
    falls, z grows and that difference loses its digits. So the past is folded now and then: its
    weighted sum is kept apart, and the sums begin again at scale 1.
    """

    def __init__(self, qp: BoxQP, start: Floats) -> None:
        self.qp = qp
        self.scale = 1.0
        self.z = start.copy()
        self.weight_sum = 0.0
        self.scale_sum = 0.0
        self.correction = np.zeros_like(start)
        self.past = np.zeros_like(start)
        self.t = 0

    @abstractmethod
    def similarity(self, points: Integers) -> Floats:
        """Return w'phi(x) at the given points."""

    @abstractmethod
    def _rescale(self, factor: float) -> None:
        """Bring a factor of z to whatever depends on it."""

    @abstractmethod
    def _add(self, variables: Integers, change: Floats) -> None:
        """Bring a change of z to whatever depends on it."""

    def step(self, shrink: float, variables: Integers, addition: Floats) -> None:
        """B <- (1 - shrink) b + addition on the variables."""
        self.scale *= 1.0 - shrink
        if self.scale < _SMALLEST_SCALE:
            self._fold()
        change = addition / self.scale
        np.add.at(self.z, variables, change)
        np.add.at(self.correction, variables, self.scale_sum * change)
        self._add(variables, change)
        self.t += 1
        self.weight_sum += self.t
        self.scale_sum += self.t * self.scale

    def _fold(self) -> None:
        """Put the past aside and the scale, zero after a full step, into z."""
        self.past += self.scale_sum * self.z - self.correction
        self.scale_sum = 0.0
        self.correction[:] = 0.0
        self.z *= self.scale
        self._rescale(self.scale)
        self.scale = 1.0

    def last(self) -> Floats:
        """Return the current coefficients."""
        return self.scale * self.z

    def mean(self) -> Floats:
        """Return the mean of all iterates, the t-th weighing t."""
        if self.t == 0:
            return self.last()
        return (self.past + self.scale_sum * self.z - self.correction) / self.weight_sum


class _ExplicitMachine(_Machine):
    """Keeps w itself, for kernels with a feature map."""

    def __init__(self, qp: BoxQP, start: Floats) -> None:
        super().__init__(qp, start)
        self.features = qp.features
        self.w = np.asarray(self.features.T @ qp.coefficients(start))

    def similarity(self, points: Integers) -> Floats:
        return self.scale * np.asarray(self.features[points] @ self.w)

    def _rescale(self, factor: float) -> None:
        self.w *= factor

    def _add(self, variables: Integers, change: Floats) -> None:
        self.w += self.features[self.qp.point[variables]].T @ change


class _KernelMachine(_Machine):
    """Keeps coefficients only and evaluates kernel rows."""

    def similarity(self, points: Integers) -> Floats:
        return self.scale * (self.qp.gram_rows(points) @ self.qp.coefficients(self.z))

    def _rescale(self, factor: float) -> None:
        pass

    def _add(self, variables: Integers, change: Floats) -> None:
        pass
