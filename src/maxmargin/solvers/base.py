"""What every solver is: a frozen set of options, the problems it can solve, and a run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from maxmargin.problems import KernelProblem, Problem
from maxmargin.solvers.monitor import Monitor
from maxmargin.solvers.solution import Ending, Solution
from maxmargin.solvers.stop import Request, Stop

__all__ = ["NO_BOX_QP", "SequentialSolver", "Solver", "Warm"]

#: Why solvers of kernel machines refuse other problems.
NO_BOX_QP = "its dual is not a box-constrained quadratic program"

#: A warm start: a solution, the place of an earlier problem in the same call, or None.
Warm = Solution | int | None


class Solver(ABC):
    """One algorithm.

    Subclasses are frozen dataclasses whose fields are their options, with a `name`, the
    `default_stop`, and whether they are `exact`: able to reach any accuracy.

    Examples
    --------
    >>> from maxmargin.problems import HardMargin
    >>> from maxmargin.solvers import SGD, SMO, Solver
    >>> isinstance(SMO(), Solver), SMO().exact
    (True, True)
    >>> SGD().refusal(HardMargin([[0.0], [1.0]], [-1, 1]))
    'its constraints are hard, and a primal method needs slacks'
    """

    name: ClassVar[str]
    default_stop: ClassVar[Stop] = Stop(gap=1e-7, kkt=5e-7)
    exact: ClassVar[bool] = True

    @abstractmethod
    def refusal(self, problem: Problem) -> str | None:
        """Return why this solver cannot solve the problem, or None if it can."""

    @abstractmethod
    def run_all(self, problems: Sequence[Problem], request: Request) -> list[Solution]:
        """Solve the problems, which it has not refused."""


class SequentialSolver(Solver):
    """A solver that takes problems one at a time.

    It takes kernel machines. Subclasses implement `run` and may object to some problems. Each
    problem has an equal share of the time that is left.

    Examples
    --------
    >>> from maxmargin.solvers import SMO, Decomposition, SequentialSolver
    >>> isinstance(SMO(), SequentialSolver), isinstance(Decomposition(), SequentialSolver)
    (True, False)
    """

    def refusal(self, problem: Problem) -> str | None:
        """Return why this solver cannot solve the problem, or None if it can."""
        return self._objection(problem) if isinstance(problem, KernelProblem) else NO_BOX_QP

    def _objection(self, problem: KernelProblem) -> str | None:
        """Return what this solver cannot do about a kernel machine, or None."""
        del problem
        return None

    @abstractmethod
    def run(self, problem: KernelProblem, monitor: Monitor, warm: Solution | None) -> Solution:
        """Solve one problem; report each iteration to the monitor."""

    def run_all(self, problems: Sequence[Problem], request: Request) -> list[Solution]:
        """Solve the problems one after the other; a callback or an interrupt ends all of them."""
        solutions: list[Solution] = []
        ended = request.ended
        for k, (problem, warm) in enumerate(zip(problems, request.warm, strict=True)):
            assert isinstance(problem, KernelProblem)
            monitor = Monitor.of(problem, request, k, len(problems), ended=ended is not None)
            start = solutions[warm] if isinstance(warm, int) else warm
            solution = self.run(problem, monitor, start)
            if ended is not None:
                solution = replace(solution, ending=ended, reason=request.reason(ended))
            elif solution.ending in (Ending.CALLBACK, Ending.INTERRUPT):
                ended = solution.ending
            solutions.append(solution)
        return solutions
