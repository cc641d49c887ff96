"""When to stop: an accuracy to reach, limits not to pass, an interrupt; the clock of a run."""

from __future__ import annotations

import signal
import threading
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from time import perf_counter
from typing import ParamSpec, Self, TypeVar

from maxmargin.certificates import Measures
from maxmargin.interrupts import Now, abort, heed, note, require_none
from maxmargin.solvers.options import positive, whole
from maxmargin.solvers.solution import Ending, Solution
from maxmargin.solvers.trace import Callback

__all__ = ["Keeping", "Raising", "Request", "Stop", "kept"]

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


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


class Keeping:
    """A context whose work is stopped by an interrupt, and keeps what it has.

    In the main thread the first interrupt is noted (`maxmargin.interrupts`); another one within
    two seconds is raised. Contexts may be nested; the outermost one puts the program's own handler
    back.

    Examples
    --------
    >>> from maxmargin.interrupts import pending
    >>> from maxmargin.solvers.stop import Keeping
    >>> with Keeping() as work:
    ...     done = [step for step in range(3) if not pending()]
    >>> done, work.was_interrupted
    ([0, 1, 2], False)
    """

    def __init__(self) -> None:
        self._is_main = False
        #: Interrupts noted before the work began and when it had ended.
        self._first = 0
        self._last: int | None = None

    def __enter__(self) -> Self:
        self._first, self._last = Now.n_noted, None
        self._is_main = threading.current_thread() is threading.main_thread()
        if not self._is_main:
            return self
        if Now.depth == 0:
            handler = signal.getsignal(signal.SIGINT)
            if callable(handler) and handler is not note:
                Now.before = handler
                signal.signal(signal.SIGINT, note)
        Now.depth += 1
        return self

    @property
    def was_interrupted(self) -> bool:
        """Whether an interrupt has arrived since the work began, heeded or not."""
        last = Now.n_noted if self._last is None else self._last
        return self._is_main and last > self._first

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if not self._is_main:
            return
        self._last = Now.n_noted
        Now.depth -= 1
        if Now.depth:
            return
        if Now.before is not None and signal.getsignal(signal.SIGINT) is note:
            signal.signal(signal.SIGINT, Now.before)
            Now.before = None
        if Now.is_aborted:
            abort()
        if not Now.is_pending:
            return
        heed()
        if kind is None:
            warnings.warn(
                "The interrupt came too late to stop the work, whose result is the same as without "
                "it. Another interrupt within two seconds raises KeyboardInterrupt.",
                stacklevel=3,
            )


Now.whole.update(one.__code__ for one in (Keeping.__enter__, Keeping.__exit__))


def kept(work: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Return a function that works in `Keeping`."""

    @wraps(work)
    def keeping(*arguments: Arguments.args, **options: Arguments.kwargs) -> Result:
        with Keeping():
            return work(*arguments, **options)

    return keeping


class Raising:
    """A context within `Keeping` in which an interrupt is noted and raised.

    It is for waiting, on a source of data for example, which does not look at any note.
    """

    def __enter__(self) -> None:
        require_none("The work was interrupted.")
        if threading.current_thread() is threading.main_thread():
            Now.raises = True

    def __exit__(self, *_: object) -> None:
        if threading.current_thread() is threading.main_thread():
            Now.raises = False
