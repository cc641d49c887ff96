"""How an estimator solves its problems: watched, in limited time, with a warning if cut short."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, cast

import numpy as np

from maxmargin.machines.callbacks import FitTasks
from maxmargin.machines.endings import warn_of_early_end
from maxmargin.machines.machine import HasMachines
from maxmargin.machines.progress import Bar, Watcher
from maxmargin.machines.training import Training
from maxmargin.problems import Problem
from maxmargin.solvers import Callback, Solution, Solver, Stop, solve_all
from maxmargin.solvers.base import Warm

__all__ = ["FitStoppedError", "SolvesProblems"]

# Seconds that the compiled core can count: more than any fit takes.
_MOST_SECONDS = 1e9


class FitStoppedError(BaseException):
    """A fit ended with the search around it, like an interrupt: no error of the fit."""


class SolvesProblems(HasMachines):
    """An estimator whose fit poses problems and solves them."""

    verbose: Any
    callback: Callback | None
    trace: bool
    warm_start: bool
    time_limit: float | None

    #: Asked now and then during a fit; True ends it.
    _should_stop: Callable[[], bool] | None = None

    def _time_left(self, training: Training) -> float | None:
        """Return how much of the time limit a fit has left."""
        if self.time_limit is None:
            return None
        spent = perf_counter() - training.started
        return max(min(float(self.time_limit), _MOST_SECONDS) - spent, 1e-9)

    def _last_fit(self, problems: Sequence[Problem]) -> Sequence[Warm] | None:
        """Return the solutions of the last fit, if its problems were of the same kind and size."""
        last: Sequence[Solution] | None = self.__dict__.pop("_last_solutions", None)
        if not self.warm_start or last is None or len(last) != len(problems):
            return None
        for solution, problem in zip(last, problems, strict=True):
            before = solution.problem
            same_size = before.n_points == problem.n_points
            if type(before) is not type(problem) or not same_size:
                return None
        return last

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the last solutions, which hold the training data."""
        state = cast("dict[str, Any]", super().__getstate__())
        return {name: value for name, value in state.items() if name != "_last_solutions"}

    def _solve_all(
        self,
        training: Training,
        problems: Sequence[Problem],
        names: Sequence[str],
        solver: Solver,
        stop: Stop,
        warm: Sequence[Warm] | None,
    ) -> list[Solution]:
        """Solve the fit's own problems, which have names, and further ones behind them.

        Warns if one of its own did not reach the accuracy that was asked for.
        """
        if self._is_watched:
            solutions = self._solve_watched(training, problems, solver, stop, warm)
        else:
            solutions = solve_all(problems, solver, stop=stop, warm=warm, trace=self.trace)
        own = solutions[: len(names)]
        if self.warm_start:
            self._last_solutions = own
        if not all(one.converged for one in own):
            warn_of_early_end(own, names, self.get_params(deep=False))
        return solutions

    def _solve_watched(
        self,
        training: Training,
        problems: Sequence[Problem],
        solver: Solver,
        stop: Stop,
        warm: Sequence[Warm] | None,
    ) -> list[Solution]:
        n = len(problems)
        tasks = FitTasks(self, n, training.points.X, training.y, training.metadata())
        with Bar(type(self).__name__, n if n > 1 else None, shown=bool(self.verbose)) as bar:
            watcher = Watcher(tasks, bar, self.callback, self._should_stop)
            solutions = solve_all(
                problems, solver, stop=stop, warm=warm, callback=watcher.watch, trace=self.trace
            )
            if self._should_stop is not None and self._should_stop():
                raise FitStoppedError("The search around this fit was stopped.")
            gaps = [solution.estimate.gap for solution in solutions]
            tasks.end_run(sum(bool(np.isfinite(gap)) for gap in gaps))
            watcher.show_end(max(gaps), sum(one.iterations for one in solutions))
        self._tasks = tasks
        return solutions

    @property
    def _is_watched(self) -> bool:
        watchers = (self.callback, self._should_stop, getattr(self, "_skl_callbacks", None) or None)
        return bool(self.verbose) or any(one is not None for one in watchers)

    def _end_tasks(self) -> None:
        """Tell scikit-learn's callbacks that the fit has ended."""
        tasks: FitTasks | None = self.__dict__.pop("_tasks", None)
        if tasks is not None:
            tasks.end({})
