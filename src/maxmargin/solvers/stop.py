"""When to stop: an accuracy to reach, limits not to pass, and the clock of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Self

from maxmargin.certificates import Measures
from maxmargin.solvers.options import positive, whole
from maxmargin.solvers.solution import Ending, Solution
from maxmargin.solvers.trace import Callback

__all__ = ["Request", "Stop"]


@dataclass(frozen=True)
class Stop:
    """A stopping rule.

    A run ends when every accuracy that is given has been reached, or when any limit has. Without
    an accuracy the solver's own is used; without a limit of iterations, the solver's own limit.

    Parameters
    ----------
    gap : float, optional
        Relative duality gap to reach.
    kkt : float, optional
        KKT violation to reach, in units of the margin; without a gap, "decomposition" takes it as
        LIBSVM takes its tolerance.
    time_limit : float, optional
        Seconds of wall time not to pass.
    max_iter : int, optional
        Iterations not to pass, in the solver's own unit.

    Examples
    --------
    >>> from maxmargin import Stop, solve
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> solution = solve(problem, solver="smo", stop=Stop(max_iter=1))
    >>> solution.converged
    False
    """

    gap: float | None = None
    kkt: float | None = None
    time_limit: float | None = None
    max_iter: int | None = None

    def __post_init__(self) -> None:
        for name in ("gap", "kkt", "time_limit", "max_iter"):
            value = getattr(self, name)
            is_plain = type(value) is (int if name == "max_iter" else float) and value > 0
            if value is not None and not is_plain:
                checked = (
                    whole(value, f"Stop({name}=...)", 0)
                    if name == "max_iter"
                    else positive(value, f"Stop({name}=...)")
                )
                object.__setattr__(self, name, checked)

    def completed_by(self, default: Stop) -> Self:
        """Fill what is not given from the solver's defaults."""
        filled = self
        if self.gap is None and self.kkt is None:
            filled = replace(filled, gap=default.gap, kkt=default.kkt)
        if self.max_iter is None and default.max_iter is not None:
            filled = replace(filled, max_iter=default.max_iter)
        return filled

    @property
    def accuracy(self) -> float:
        """The tighter of the accuracies that are given."""
        return min((value for value in (self.gap, self.kkt) if value is not None), default=1e-8)

    @property
    def is_unlimited(self) -> bool:
        """Whether nothing but the accuracy ends a run."""
        return self.time_limit is None and self.max_iter is None

    def reached_by(self, measures: Measures) -> bool:
        """Say whether every accuracy that is given has been reached."""
        wanted = ((self.gap, abs(measures.relative_gap)), (self.kkt, measures.kkt_violation))
        return all(limit is None or value <= limit for limit, value in wanted)


@dataclass(frozen=True)
class Request:
    """What is asked of a run over some problems.

    Attributes
    ----------
    stop : Stop
        Complete: with the solver's defaults filled in. Its time limit is for all problems together.
    warm : sequence
        Where each problem starts.
    callback : callable, optional
        Called with each `Progress`; returning True ends the run.
    trace : bool
        Whether to keep the records.
    started : float
        `time.perf_counter` at the start.
    ended : Ending, optional
        What has ended the call already: no problem is begun, and each is left at its start.

    Examples
    --------
    >>> from maxmargin.solvers import Request, Stop
    >>> request = Request(Stop(gap=1e-6, time_limit=60.0), warm=[None])
    >>> 0.0 < request.time_left <= 60.0
    True
    """

    stop: Stop
    warm: Sequence[Solution | int | None]
    callback: Callback | None = None
    trace: bool = False
    started: float = field(default_factory=perf_counter)
    ended: Ending | None = None

    def reason(self, ending: Ending) -> str:
        """Return the limit that ended the run in words; empty for other endings."""
        if ending is Ending.MAX_ITER:
            return f"the limit of {self.stop.max_iter} iterations was reached"
        if ending is Ending.TIME_LIMIT:
            return f"the limit of {self.stop.time_limit:g} seconds was reached"
        return ""

    @property
    def is_watched(self) -> bool:
        """Whether anyone will see the records."""
        return self.trace or self.callback is not None

    @property
    def seconds(self) -> float:
        """Wall time since the start."""
        return perf_counter() - self.started

    @property
    def time_left(self) -> float | None:
        """What is left of the time limit; None without one."""
        if self.stop.time_limit is None:
            return None
        return max(self.stop.time_limit - self.seconds, 0.0)
