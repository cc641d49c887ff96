"""Progress and records of a run over several problems."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from maxmargin.solvers.stop import Request
from maxmargin.solvers.trace import NO_TRACE, Progress, Record, Trace

__all__ = ["Recorder"]


class Recorder:
    """Shows the progress of some problems of a request, and keeps their records.

    Parameters
    ----------
    request : Request
        Whose callback is called, and whose clock is read.
    places : sequence of int
        The places of these problems in the request.
    n_problems, n_done : int
        How many problems the request has, and how many are solved already.
    units : sequence of float, optional
        The unit of each problem's multipliers, whose square is that of its values.
    """

    def __init__(
        self,
        request: Request,
        places: Sequence[int],
        n_problems: int,
        n_done: int,
        units: Sequence[float] | None = None,
    ) -> None:
        self._request, self._places = request, places
        self._n_problems, self._n_done = n_problems, n_done
        self._units = [1.0] * len(places) if units is None else units
        self._records: list[list[Record]] = [[] for _ in places]
        self._last: list[tuple[int, float] | None] = [None for _ in places]

    def record(self, k: int, iteration: int, primal: float, dual: float, n_done: int = 0) -> bool:
        """Keep and show the state of problem `k`, unless it is the same as before."""
        if self._last[k] == (iteration, dual):
            return False
        return self.watch(k, iteration, primal, dual, n_done)

    def watch(self, k: int, iteration: int, primal: float, dual: float, n_done: int = 0) -> bool:
        """Keep and show the state of problem `k` during a run; True if the callback ends the run.

        It is shown even if nothing has changed, so that the callback can end a long iteration.
        """
        self._last[k] = (iteration, dual)
        primal, dual = self._units[k] ** 2 * primal, self._units[k] ** 2 * dual
        now = Progress(
            iteration,
            self._request.seconds,
            primal,
            dual,
            primal - dual,
            self._places[k],
            self._n_done + n_done,
            self._n_problems,
        )
        if self._request.trace:
            self._records[k].append(now)
        return self._show(now)

    def show_kernel_share(self, share: float) -> bool:
        """Show how much of a kernel matrix is computed; True if the callback ends the run."""
        nothing = (0, self._request.seconds, np.inf, -np.inf, np.inf)
        return self._show(
            Progress(*nothing, self._places[0], self._n_done, self._n_problems, share)
        )

    def trace(self, k: int) -> Trace:
        """Return the records of problem `k` of the run."""
        return Trace(self._records[k]) if self._records[k] else NO_TRACE

    def _show(self, now: Progress) -> bool:
        callback = self._request.callback
        return callback is not None and bool(callback(now))
