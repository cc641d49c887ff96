"""What every solver is: a frozen set of options, the problems it can solve, and a run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from maxmargin.problems import Problem, Solution
from maxmargin.solvers.monitor import Monitor
from maxmargin.solvers.stop import Stop

__all__ = ["Solver"]


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

    def refusal(self, problem: Problem) -> str | None:
        """Return why this solver cannot solve the problem, or None if it can."""
        del problem
        return None

    @abstractmethod
    def run(self, problem: Problem, monitor: Monitor, warm: Solution | None) -> Solution:
        """Solve the problem under the monitor's eyes."""
