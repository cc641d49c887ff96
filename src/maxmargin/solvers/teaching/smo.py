"""Sequential minimal optimisation, written to be read.

Each step changes as few signed variables as the constraints allow: two of the same equality
constraint, or a single one if there is none (regularised bias). The first is the one that violates
optimality most; the second promises the largest decrease by second-order information (Platt 1998;
Fan, Chen, Lin 2005).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from maxmargin.problems import BoxQP, KernelProblem
from maxmargin.solvers.base import SequentialSolver
from maxmargin.solvers.monitor import Monitor
from maxmargin.solvers.options import whole
from maxmargin.solvers.solution import Solution
from maxmargin.solvers.starts import starting_point
from maxmargin.solvers.stop import Stop
from maxmargin.typing import Floats, Integers

__all__ = ["SMO"]

_SMALLEST_CURVATURE = 1e-12


@dataclass(frozen=True)
class SMO(SequentialSolver):
    """Second-order SMO in plain Python: every problem, every kernel, indefinite ones included.

    Parameters
    ----------
    observe_every : int
        Steps between two looks at the gap.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import HardMargin
    >>> solve(HardMargin([[0.0], [4.0]], [-1, 1]), solver="smo").w
    array([0.5])
    """

    observe_every: int = 100

    name: ClassVar[str] = "smo"
    default_stop: ClassVar[Stop] = Stop(gap=1e-7, kkt=5e-7, max_iter=1_000_000)

    def __post_init__(self) -> None:
        observe_every = whole(self.observe_every, "SMO(observe_every=...)")
        object.__setattr__(self, "observe_every", observe_every)

    def run(self, problem: KernelProblem, monitor: Monitor, warm: Solution | None) -> Solution:
        """Step until the monitor is satisfied or no step helps."""
        qp = problem.dual()
        signed = starting_point(problem, warm)
        gradient = qp.gradient(signed)
        loose = np.flatnonzero(~qp.equality.any(axis=0))
        iteration = 0
        reason = ""
        while not self._done(monitor, iteration, signed, gradient):
            steps = [_pair_step(qp, signed, gradient, k) for k in range(len(qp.total))]
            steps += [_single_step(qp, signed, gradient, loose)] if len(loose) else []
            best = max(steps, key=lambda step: step.decrease)
            if best.decrease <= 0:
                reason = "no step lowers the objective any further"
                break
            signed[best.variables] += best.change
            np.clip(signed, qp.lower, qp.upper, out=signed)
            gradient += best.change @ qp.hessian_rows(best.variables)
            iteration += 1
        return monitor.solution(self.name, signed, reason=reason)

    def _done(self, monitor: Monitor, iteration: int, signed: Floats, gradient: Floats) -> bool:
        if monitor.over_limit(iteration):
            monitor.observe(iteration, signed, gradient=gradient)
            return True
        if iteration % self.observe_every:
            return False
        if iteration % (100 * self.observe_every) == 0:
            # Rounding errors add up in the running gradient.
            gradient[:] = monitor.problem.dual().gradient(signed)
        return monitor.observe(iteration, signed, gradient=gradient)


@dataclass(frozen=True, eq=False)
class _Step:
    """A change of one or two variables and the decrease of the objective it promises."""

    variables: Integers
    change: Floats
    decrease: float


_NO_STEP = _Step(np.zeros(0, dtype=np.int64), np.zeros(0), 0.0)


def _pair_step(qp: BoxQP, signed: Floats, gradient: Floats, k: int) -> _Step:
    """Move two variables of the k-th equality constraint against each other."""
    members = qp.groups[k]
    direction = qp.equality[k, members]
    up, down = _room(qp, signed, members, direction)
    slope = -direction * gradient[members]

    rising = np.where(up > 0, slope, -np.inf)
    i = int(np.argmax(rising))
    difference = np.where(down > 0, rising[i] - slope, -np.inf)
    if not (up[i] > 0 and difference.max() > 0):
        return _NO_STEP

    row = qp.hessian_rows(members[i : i + 1])[0, members] * direction * direction[i]
    diagonal = qp.diagonal[members]
    curvature = np.maximum(diagonal[i] + diagonal - 2 * row, _SMALLEST_CURVATURE)
    promise = np.where(difference > 0, difference, 0.0) ** 2 / curvature
    j = int(np.argmax(promise))

    length = min(difference[j] / curvature[j], up[i], down[j])
    decrease = length * (difference[j] - 0.5 * length * curvature[j])
    return _Step(
        members[[i, j]], np.array([direction[i] * length, -direction[j] * length]), float(decrease)
    )


def _single_step(qp: BoxQP, signed: Floats, gradient: Floats, loose: Integers) -> _Step:
    """Move one variable that is in no equality constraint to its minimum within its bounds."""
    curvature = np.maximum(qp.diagonal[loose], _SMALLEST_CURVATURE)
    target = np.clip(signed[loose] - gradient[loose] / curvature, qp.lower[loose], qp.upper[loose])
    change = target - signed[loose]
    decrease = -change * (gradient[loose] + 0.5 * change * curvature)
    i = int(np.argmax(decrease))
    return _Step(loose[i : i + 1], change[i : i + 1], float(decrease[i]))


def _room(qp: BoxQP, signed: Floats, members: Integers, direction: Floats) -> tuple[Floats, Floats]:
    """How far each variable can move along and against its direction in the constraint."""
    above = qp.upper[members] - signed[members]
    below = signed[members] - qp.lower[members]
    along = direction > 0
    return np.where(along, above, below), np.where(along, below, above)
