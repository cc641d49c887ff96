"""Running a search: threads work on its tasks, the caller watches them and ends them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from threading import Event, Lock
from time import perf_counter, time
from typing import Any, Literal

import numpy as np
from sklearn import config_context, get_config
from sklearn.base import clone

from maxmargin.interrupts import heed, pending
from maxmargin.machines.callbacks import FitTasks
from maxmargin.machines.fitting import FitStoppedError
from maxmargin.machines.progress import Bar
from maxmargin.machines.sweeps import Sweep, Swept
from maxmargin.model_selection.cells import final_machine, groups_of, with_params
from maxmargin.model_selection.folds import Fold
from maxmargin.model_selection.schedule import Task, schedule
from maxmargin.model_selection.scoring import Record, Scoring
from maxmargin.model_selection.warm_starts import FoldSolutions
from maxmargin.solvers.kernel.resident import can_be_resident
from maxmargin.solvers.stop import Keeping
from maxmargin.typing import Integers

__all__ = ["Search"]

# Seconds between two looks at what the threads have done.
_LOOK_EVERY = 0.05

# Penalties that are solved in one call. Every call computes gradients anew (three calls instead of
# one for nine penalties took half as much time again; 2,000 points, 6 features), but cells are
# scored, and the bar moves, only when a call returns.
_AT_ONCE = 16

Cell = tuple[int, int]


class Search:
    """All cells of a grid: candidates on folds.

    Parameters
    ----------
    estimator : estimator
        Not fitted.
    X, y : data
        Of the whole search.
    candidates : sequence of dict
        Parameters.
    folds : sequence of Fold
        Splits.
    fit_params : mapping
        What fits are told beside X and y.
    scoring : Scoring
        How cells are scored.
    n_threads : int
        At most this many.
    cache_size : float, optional
        Memory for shared matrices in MB.
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        candidates: Sequence[dict[str, Any]],
        folds: Sequence[Fold],
        *,
        fit_params: Mapping[str, Any],
        scoring: Scoring,
        n_threads: int,
        cache_size: float | None,
    ) -> None:
        self.estimator, self.X, self.y = estimator, X, y
        self.candidates, self.folds = candidates, folds
        self.fit_params, self.scoring, self.n_threads = dict(fit_params), scoring, n_threads
        self.records: dict[Cell, Record] = {}
        self._fold_solutions = FoldSolutions(folds, len(candidates))
        #: What ended the search before its last cell, if anything.
        self.ending: Literal["", "seconds", "interrupt", "callback"] = ""
        self._stop = Event()
        self._one_by_one = Lock()
        self._n_shown = 0
        self._schedule = schedule(
            estimator,
            X,
            y,
            candidates,
            folds,
            takes_params=set(self.fit_params) <= {"sample_weight"},
            cache_size=cache_size,
            n_threads=n_threads,
            stopped=self._stop.is_set,
        )

    @property
    def n_cells(self) -> int:
        """Cells in all."""
        return len(self.candidates) * len(self.folds)

    # The caller's thread ------------------------------------------------------------------------

    def run(self, time_limit: float | None, bar: Bar, tasks: FitTasks) -> None:
        """Evaluate all cells, or as many as there is time for."""
        deadline = None if time_limit is None else perf_counter() + time_limit
        with Keeping(), ThreadPoolExecutor(self.n_threads) as pool:
            left = self._submit(pool)
            try:
                while left:
                    left = self._watch(left, bar, tasks, deadline)
            finally:
                self._stop.set()
            if len(self.records) < self.n_cells:
                heed()

    def _submit(self, pool: ThreadPoolExecutor) -> set[Future[None]]:
        # scikit-learn's settings belong to a thread.
        config = get_config()

        def work(action: Callable[..., None], *arguments: Any) -> None:
            if self._stop.is_set():
                return
            try:
                with config_context(**config):
                    action(*arguments)
            except FitStoppedError:
                pass

        shared = [pool.submit(work, self._sweep, task) for task in self._schedule.tasks]
        alone = [pool.submit(work, self._evaluate_alone, *cell) for cell in self._schedule.alone]
        return {*shared, *alone}

    def _watch(
        self, left: set[Future[None]], bar: Bar, tasks: FitTasks, deadline: float | None
    ) -> set[Future[None]]:
        """Wait a moment, show the cells that were scored meanwhile; return the tasks left."""
        if deadline is not None and perf_counter() >= deadline:
            self._end("seconds")
        if pending():
            self._end("interrupt")
        done, left = wait(left, _LOOK_EVERY, FIRST_EXCEPTION)
        for task in done:
            if not self._stop.is_set():
                task.result()
        n_scored = len(self.records)
        if n_scored > self._n_shown:
            bar.advance(n_scored - self._n_shown, "cells")
            self._n_shown = n_scored
            if tasks.advance(n_scored):
                self._end("callback")
        return left

    def _end(self, reason: Literal["seconds", "interrupt", "callback"]) -> None:
        self.ending = self.ending or reason
        self._stop.set()

    def all_records(self) -> list[Record]:
        """Return the records candidate by candidate; cells that were not reached score NaN."""
        missing = [self.scoring.failure(fold, None) for fold in self.folds]
        known = next(iter(self.records.values()), None)
        for record in missing:
            if known is not None and isinstance(known["test_scores"], dict):
                for part in ("test_scores", "train_scores"):
                    if part in record:
                        record[part] = dict.fromkeys(known[part], float("nan"))
        return [
            self.records.get((place, fold.number), missing[fold.number])
            for place in range(len(self.candidates))
            for fold in self.folds
        ]

    def refit(self, candidate: int) -> Any | None:
        """Return the candidate fitted to all rows over a shared matrix, or None if that cannot be.

        It must be a machine whose points the search has shared. It starts from the folds' machines.
        """
        groups, _ = groups_of(self.estimator, [self.candidates[candidate]])
        kernels = {task.group.kernel: task.shared for task in self._schedule.tasks}
        if self.ending or not groups or not groups[0].is_bare or groups[0].kernel not in kernels:
            return None
        group, shared = groups[0], kernels[groups[0].kernel]
        weight = self.fit_params.get("sample_weight")
        shared.n_users += 1
        try:
            points = self._schedule.points.get()
            own = points.points.take(points.place)
            sweep = Sweep(group.machine, self.X, self.y, weight, own, n_threads=self.n_threads)
            with shared.matrix(sweep, points):
                starts = self._fold_solutions.of(candidate)
                (swept,) = sweep.fit([group.members[0][1]], points.place[:0], starts)
        finally:
            shared.leave()
        return None if swept is None else swept.machine

    def close(self) -> None:
        """Let fitted machines, which know their points, forget the matrices of the search."""
        self._schedule.matrices.clear()

    # The pool's threads --------------------------------------------------------------------------

    def _sweep(self, task: Task) -> None:
        try:
            sweep = self._prepared(task)
            if sweep is None:
                for candidate, _ in task.group.members:
                    self._evaluate_alone(candidate, task.fold)
                return
            place = task.place.get()
            with task.shared.matrix(sweep, place.points):
                wanted = place.scored_points(self.scoring.with_training)
                members = task.group.members
                for first in range(0, len(members), _AT_ONCE):
                    self._sweep_part(task, sweep, members[first : first + _AT_ONCE], wanted)
        finally:
            task.leave()

    def _sweep_part(
        self,
        task: Task,
        sweep: Sweep,
        members: Sequence[tuple[int, Mapping[str, Any]]],
        wanted: Integers,
    ) -> None:
        self._require_time()
        started = time()
        found = sweep.fit([penalties for _, penalties in members], wanted)
        seconds = (time() - started) / len(found)
        for (candidate, _), swept in zip(members, found, strict=True):
            # What was solved before the search was ended still counts.
            if swept is None:
                self._require_time()
            self._evaluate(candidate, task, swept, seconds)

    def _prepared(self, task: Task) -> Sweep | None:
        """Return the sweep; None if the cells must be fitted by themselves."""
        try:
            place = task.place.get()
            machine = clone(task.group.machine)
            points = place.points.points.take(place.train_points)
            given = (place.X, place.y, place.sample_weight)
            sweep = Sweep(machine, *given, points, self._stop.is_set)
        except Exception:
            return None
        repeats = len(np.unique(place.train_points)) < len(place.train_points)
        shares = not repeats and can_be_resident(sweep.points.kernel, place.points.points.X)
        return sweep if shares else None

    def _evaluate(self, candidate: int, task: Task, swept: Swept | None, seconds: float) -> None:
        """Score a machine whose fit took these seconds; fit it by itself if the sweep did not."""
        if swept is None:
            self._evaluate_alone(candidate, task.fold)
            return
        if task.group.is_bare:
            self._fold_solutions.add(candidate, task.fold, swept)
        fitted = task.place.get().dressed(swept, self.scoring.with_training)
        record = self.scoring.record(task.fold, fitted, seconds)
        self.records[candidate, task.fold.number] = record

    def _evaluate_alone(self, candidate: int, fold: Fold) -> None:
        """Fit one cell by itself; one at a time, with all threads."""
        estimator = with_params(self.estimator, self.candidates[candidate])
        machine = final_machine(estimator)
        if machine is not None:
            machine.n_jobs = self.n_threads
            machine._should_stop = self._stop.is_set
        with self._one_by_one:
            self._require_time()
            record = self.scoring.record_alone(estimator, self.X, self.y, fold, self.fit_params)
        self._require_time()
        self.records[candidate, fold.number] = record

    def _require_time(self) -> None:
        if self._stop.is_set():
            raise FitStoppedError("The search was stopped.")
