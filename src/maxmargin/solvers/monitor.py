"""The part that all solvers share: watching the clock and the gap, recording, ending a run."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from maxmargin.certificates import measure_multipliers
from maxmargin.interrupts import pending
from maxmargin.problems import KernelProblem
from maxmargin.solvers.solution import Ending, Solution
from maxmargin.solvers.stop import Request, Stop
from maxmargin.solvers.trace import Callback, Progress, Record, Trace
from maxmargin.typing import Floats

__all__ = ["Monitor"]


class Monitor:
    """Watches the run of a solver on one problem.

    Parameters
    ----------
    problem : KernelProblem
        What is being solved.
    stop : Stop
        Complete: with the solver's defaults filled in.
    callback : callable, optional
        Called with each `Progress`; returning True ends the run.
    keep_trace : bool
        Whether to keep the records.
    started : float, optional
        `time.perf_counter` at the start of the call; now by default.
    place : (int, int)
        The problem's place among how many.
    seconds : float, optional
        The problem's share of the time limit, from now on; all that is left by default.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solvers import Monitor, Stop
    >>> problem = SoftMargin([[0.0], [2.0]], [-1, 1])
    >>> monitor = Monitor(problem, Stop(gap=1e-6), callback=None, keep_trace=False)
    >>> monitor.observe(1, np.array([-0.5, 0.5]))
    True
    """

    def __init__(
        self,
        problem: KernelProblem,
        stop: Stop,
        callback: Callback | None,
        keep_trace: bool,
        started: float | None = None,
        place: tuple[int, int] = (0, 1),
        seconds: float | None = None,
    ) -> None:
        self.problem = problem
        self.stop = stop
        self.iteration = 0
        self._callback = callback
        self._keep_trace = keep_trace
        self._records: list[Record] = []
        self._start = perf_counter() if started is None else started
        self._place = place
        self._deadline = None if stop.time_limit is None else self._start + stop.time_limit
        if seconds is not None:
            self._deadline = perf_counter() + seconds
        self._latest: tuple[float, float] | None = None
        self._ending: Ending | None = None
        self._why = ""

    @classmethod
    def of(
        cls, problem: KernelProblem, request: Request, place: int, n: int, *, ended: bool
    ) -> Monitor:
        """Return the monitor of one of a request's problems; if that has `ended`, without time."""
        if ended:
            return cls(problem, request.stop, None, False, request.started, (place, n), 0.0)
        left = request.time_left
        share = None if left is None else left / (n - place)
        given = (request.stop, request.callback, request.trace, request.started)
        return cls(problem, *given, (place, n), share)

    @property
    def ended_early(self) -> bool:
        """Whether a limit or the callback ended the run."""
        return self._ending is not None

    @property
    def is_watched(self) -> bool:
        """Whether anyone will see the records."""
        return self._keep_trace or self._callback is not None

    @property
    def seconds(self) -> float:
        """Wall time since the start of the call."""
        return perf_counter() - self._start

    @property
    def time_left(self) -> float | None:
        """The seconds left for this problem; None without a limit."""
        return None if self._deadline is None else max(self._deadline - perf_counter(), 0.0)

    def observe(
        self,
        iteration: int,
        signed: Floats,
        offsets: Floats | None = None,
        gradient: Floats | None = None,
    ) -> bool:
        """Measure the current point, record it, and say whether to end the run."""
        qp = self.problem.dual()
        gradient = qp.gradient(signed) if gradient is None else gradient
        offsets = qp.offsets(signed, gradient) if offsets is None else offsets
        measures = measure_multipliers(self.problem, signed, offsets, gradient)
        asked_to_stop = self.record(iteration, measures.primal, measures.dual)
        return asked_to_stop or self.stop.reached_by(measures) or self.over_limit(iteration)

    def record(self, iteration: int, primal: float, dual: float) -> bool:
        """Keep a record and show it to the callback; True if that asks to end the run."""
        self.iteration = iteration
        self._latest = (primal, dual)
        problem, n_problems = self._place
        now = Progress(
            iteration,
            self.seconds,
            primal,
            dual,
            primal - dual,
            problem=problem,
            n_done=problem,
            n_problems=n_problems,
        )
        if self._keep_trace:
            self._records.append(now)
        if self._callback is not None and self._callback(now):
            self._ending, self._why = Ending.CALLBACK, "the callback asked for it"
            return True
        return False

    def over_limit(self, iteration: int) -> bool:
        """Say whether a limit has been reached, or an interrupt has arrived."""
        self.iteration = iteration
        stop = self.stop
        if stop.max_iter is not None and iteration >= stop.max_iter:
            self._ending = Ending.MAX_ITER
            self._why = f"the limit of {stop.max_iter} iterations was reached"
        elif self.time_left == 0.0:
            self._ending = Ending.TIME_LIMIT
            self._why = f"the limit of {stop.time_limit or 0:g} seconds was reached"
        elif pending():
            self._ending, self._why = Ending.INTERRUPT, "it was interrupted"
        else:
            return False
        return True

    def solution(
        self, solver: str, signed: Floats, offsets: Floats | None = None, *, reason: str = ""
    ) -> Solution:
        """Turn the final point into a `Solution` with a truthful status.

        Parameters
        ----------
        solver : str
            Name of the solver.
        signed : ndarray of shape (m,)
            Signed dual variables.
        offsets : ndarray of shape (k,), optional
            The solver's own, taken if no worse than those from the free support vectors.
        reason : str
            Why the method ended, if it was not the monitor that said so.
        """
        qp = self.problem.dual()
        gradient = qp.gradient(signed)
        candidates = [qp.offsets(signed, gradient)] + ([] if offsets is None else [offsets])
        measured = [
            (measure_multipliers(self.problem, signed, mu, gradient), mu) for mu in candidates
        ]
        measures, offsets = min(measured, key=lambda pair: pair[0].primal)
        ending = self._ending or Ending.STALLED
        if self._latest != (measures.primal, measures.dual):
            self.record(self.iteration, measures.primal, measures.dual)
        return Solution(
            problem=self.problem,
            dual=np.maximum(qp.sign * signed, 0.0),
            offsets=offsets,
            solver=solver,
            ending=Ending.CONVERGED if self.stop.reached_by(measures) else ending,
            reason=self._why or reason,
            iterations=self.iteration,
            seconds=self.seconds,
            trace=Trace(self._records),
            gradient=gradient,
        )
