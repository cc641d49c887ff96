"""The compiled engine as a solver of any problem: the same code that the estimators run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from maxmargin.problems import Problem, Solution
from maxmargin.solvers.base import Solver
from maxmargin.solvers.engine import Answer, Engine, Program, Progress
from maxmargin.solvers.monitor import Monitor
from maxmargin.solvers.options import positive, whole
from maxmargin.solvers.points import starting_point
from maxmargin.solvers.stop import Stop

__all__ = ["Decomposition"]

_TIGHTER = 0.1
_MOST_TIGHTENINGS = 12
_NO_PROGRESS = "no step improves the dual any more"


@dataclass(frozen=True)
class Decomposition(Solver):
    """Second-order decomposition in compiled code, for any size and every problem.

    Each round solves for the few thousand variables that violate optimality most, with the others
    fixed (Osuna, Freund, Girosi 1997; Joachims 1999; Fan, Chen, Lin 2005; Wen et al. 2018). No
    matrix of all points is formed: rows are computed when needed and kept within a budget.

    Parameters
    ----------
    cache_mb : float, optional
        Memory for kept rows in MB; by default the whole matrix if it fits in a quarter of the
        available memory, else that quarter.
    n_threads : int, optional
        At most this many; the answer does not depend on it.

    Examples
    --------
    >>> from maxmargin import certify, solve
    >>> from maxmargin.kernels import RBF
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [2.0]], [-1, 1, -1], C=10, kernel=RBF(1.0))
    >>> certify(problem, solve(problem, solver="decomposition")).holds(1e-6)
    True
    """

    cache_mb: float | None = None
    n_threads: int | None = None

    name: ClassVar[str] = "decomposition"
    default_stop: ClassVar[Stop] = Stop(gap=1e-7, kkt=5e-7)

    def __post_init__(self) -> None:
        if self.cache_mb is not None:
            value = positive(self.cache_mb, "Decomposition(cache_mb=...)")
            object.__setattr__(self, "cache_mb", value)
        if self.n_threads is not None:
            threads = whole(self.n_threads, "Decomposition(n_threads=...)")
            object.__setattr__(self, "n_threads", threads)

    def run(self, problem: Problem, monitor: Monitor, warm: Solution | None) -> Solution:
        """Tighten the engine's tolerance until the monitor is satisfied."""
        qp = problem.dual()
        gram = qp.gram
        engine = Engine(
            gram.kernel,
            gram.X,
            constant=gram.constant,
            cache_mb=self.cache_mb,
            n_threads=self.n_threads,
        )
        signed = starting_point(problem, warm)
        tol = monitor.stop.accuracy * (problem.margin_scale or 1.0)
        ended = monitor.observe(0, signed) if monitor.is_watched else monitor.over_limit(0)
        if ended:
            return monitor.solution(self.name, signed)
        steps, ending = 0, ""
        for _ in range(_MOST_TIGHTENINGS):
            answer = self._run_once(engine, Program.of(qp, signed), tol, monitor, steps)
            steps += answer.steps
            signed = np.clip(answer.signed, qp.lower, qp.upper)
            if answer.ending == "interrupt":
                raise KeyboardInterrupt
            if monitor.observe(steps, signed):
                break
            if not answer.converged:
                ending = _NO_PROGRESS
                break
            tol *= _TIGHTER
        return monitor.solution(self.name, signed, ending=ending)

    @staticmethod
    def _run_once(
        engine: Engine, program: Program, tol: float, monitor: Monitor, steps: int
    ) -> Answer:
        stop = monitor.stop

        def watch(progress: Progress) -> bool:
            return monitor.record(steps + progress.steps, progress.primal, progress.dual)

        (answer,) = engine.solve(
            [program],
            tol=tol,
            max_steps=None if stop.iterations is None else max(stop.iterations - steps, 0),
            seconds=None if stop.seconds is None else max(stop.seconds - monitor.seconds, 0.0),
            watch=watch,
        )
        return answer
