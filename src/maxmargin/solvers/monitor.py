"""The part that all solvers share: watching the clock and the gap, recording, ending a run."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np

from maxmargin.certify import Measures, measure
from maxmargin.problems import Problem, Record, Solution, Trace
from maxmargin.solvers.stop import Stop
from maxmargin.typing import Floats

__all__ = ["Callback", "Monitor"]

#: Called with each record, the solution's included; returning True ends the run.
Callback = Callable[[Record], bool | None]


class Monitor:
    """Watches one run of a solver.

    Parameters
    ----------
    problem : Problem
        What is being solved.
    stop : Stop
        Complete: with the solver's defaults filled in.
    callback : callable, optional
        See `Callback`.
    keep_trace : bool
        Whether to keep the records.
    started : float, optional
        `time.perf_counter` at the start of the run; now by default.

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
        problem: Problem,
        stop: Stop,
        callback: Callback | None,
        keep_trace: bool,
        started: float | None = None,
    ) -> None:
        self.problem = problem
        self.stop = stop
        self.iteration = 0
        self._callback = callback
        self._keep_trace = keep_trace
        self._records: list[Record] = []
        self._start = perf_counter() if started is None else started
        self._latest: tuple[float, float] | None = None
        self._why = ""

    @property
    def ended_early(self) -> bool:
        """Whether a limit or the callback ended the run."""
        return bool(self._why)

    @property
    def is_watched(self) -> bool:
        """Whether anyone will see the records."""
        return self._keep_trace or self._callback is not None

    @property
    def seconds(self) -> float:
        """Wall time since the start of the run."""
        return perf_counter() - self._start

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
        measures = measure(self.problem, signed, offsets, gradient)
        asked_to_stop = self.record(iteration, measures.primal, measures.dual)
        return asked_to_stop or self.stop.reached_by(measures) or self.over_limit(iteration)

    def record(self, iteration: int, primal: float, dual: float) -> bool:
        """Keep a record and show it to the callback; True if that asks to end the run."""
        self.iteration = iteration
        self._latest = (primal, dual)
        record = Record(iteration, self.seconds, primal, dual, primal - dual)
        if self._keep_trace:
            self._records.append(record)
        if self._callback is not None and self._callback(record):
            self._why = "the callback asked for it"
            return True
        return False

    def over_limit(self, iteration: int) -> bool:
        """Say whether a limit of iterations or seconds has been reached."""
        self.iteration = iteration
        stop = self.stop
        if stop.iterations is not None and iteration >= stop.iterations:
            self._why = f"the limit of {stop.iterations} iterations was reached"
        elif stop.seconds is not None and self.seconds >= stop.seconds:
            self._why = f"the limit of {stop.seconds:g} seconds was reached"
        else:
            return False
        return True

    def solution(
        self, solver: str, signed: Floats, offsets: Floats | None = None, *, ending: str = ""
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
        ending : str
            Why the method ended, if it was not the monitor that said so.
        """
        qp = self.problem.dual()
        gradient = qp.gradient(signed)
        candidates = [qp.offsets(signed, gradient)] + ([] if offsets is None else [offsets])
        measured = [(measure(self.problem, signed, mu, gradient), mu) for mu in candidates]
        measures, offsets = min(measured, key=lambda pair: pair[0].primal)
        converged = self.stop.reached_by(measures)
        why = self._why or ending
        if self._latest != (measures.primal, measures.dual):
            self.record(self.iteration, measures.primal, measures.dual)
        return Solution(
            problem=self.problem,
            dual=np.maximum(qp.sign * signed, 0.0),
            offsets=offsets,
            solver=solver,
            converged=converged,
            status=self._sentence(converged, measures, why),
            iterations=self.iteration,
            seconds=self.seconds,
            trace=Trace(self._records),
        )

    def _sentence(self, converged: bool, measures: Measures, why: str) -> str:
        reached = (
            f"relative gap {measures.relative_gap:.2e}, KKT violation {measures.kkt_violation:.2e}"
        )
        if converged:
            return f"Converged after {self.iteration} iterations: {reached}."
        return (
            f"Stopped before the accuracy asked for, because "
            f"{why or 'the method made no further progress'}: {reached}. "
            "Allow more in Stop(...), scale the features, or choose another solver."
        )
