"""Running a search: threads take tasks, the caller listens to them, shows and ends them."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from time import perf_counter
from typing import Any, Literal

import numpy as np
from sklearn import config_context, get_config
from sklearn.base import clone

from maxmargin.estimators.callbacks import FitTasks
from maxmargin.estimators.interrupts import heed_interrupt
from maxmargin.estimators.run import FitStoppedError
from maxmargin.estimators.sweep import PriceSweep, Swept
from maxmargin.model_selection.cells import final_machine, groups_of, with_params
from maxmargin.model_selection.folds import Fold
from maxmargin.model_selection.progress import CellBar
from maxmargin.model_selection.schedule import Task, schedule
from maxmargin.model_selection.scoring import Record, Scoring
from maxmargin.model_selection.seeds import Seeds
from maxmargin.solvers.shared_gram import can_share

__all__ = ["Search"]

_LOOK_EVERY = 0.05

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
    cache_mb : float, optional
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
        cache_mb: float | None,
    ) -> None:
        self.estimator, self.X, self.y = estimator, X, y
        self.candidates, self.folds = candidates, folds
        self.fit_params, self.scoring, self.n_threads = dict(fit_params), scoring, n_threads
        self.records: dict[Cell, Record] = {}
        self._seeds = Seeds(folds, len(candidates))
        #: What ended the search before its last cell, if anything.
        self.ending: Literal["", "seconds", "interrupt", "callback"] = ""
        self._stop = Event()
        self._one_by_one = Lock()
        self._found: SimpleQueue[tuple[Cell, Record] | BaseException] = SimpleQueue()
        self._schedule = schedule(
            estimator,
            X,
            y,
            candidates,
            folds,
            takes_params=set(self.fit_params) <= {"sample_weight"},
            cache_mb=cache_mb,
            n_threads=n_threads,
            stopped=self._stop.is_set,
        )
        self._work: deque[Task | tuple[int, Fold]] = deque(
            [*self._schedule.tasks, *self._schedule.alone]
        )

    @property
    def n_cells(self) -> int:
        """Cells in all."""
        return len(self.candidates) * len(self.folds)

    # The caller's thread ------------------------------------------------------------------------

    def run(self, seconds: float | None, bar: CellBar, tasks: FitTasks) -> None:
        """Evaluate all cells, or as many as there is time for."""
        deadline = None if seconds is None else perf_counter() + seconds
        workers = [
            Thread(target=self._work_on, args=(get_config(),), daemon=True)
            for _ in range(self.n_threads)
        ]
        if deadline is not None and perf_counter() >= deadline:
            self._end("seconds")
        for worker in workers:
            worker.start()
        try:
            while len(self.records) < self.n_cells:
                try:
                    if deadline is not None and perf_counter() >= deadline:
                        self._end("seconds")
                    busy = any(worker.is_alive() for worker in workers)
                    if not self._heard_something(bar, tasks) and not busy:
                        break
                except KeyboardInterrupt:
                    self._end("interrupt")
                    heed_interrupt()
        finally:
            self._stop.set()
            for worker in workers:
                worker.join()

    def _heard_something(self, bar: CellBar, tasks: FitTasks) -> bool:
        try:
            found = self._found.get(timeout=_LOOK_EVERY)
        except Empty:
            return False
        if isinstance(found, BaseException):
            raise found
        cell, record = found
        self.records[cell] = record
        bar.advance()
        if tasks.advance(len(self.records)):
            self._end("callback")
        return True

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
        sweep = PriceSweep(group.machine, self.X, self.y, weight, n_threads=self.n_threads)
        shared.n_users += 1
        try:
            points = self._schedule.points.get()
            with shared.matrix(sweep, points) as gram:
                nowhere = points.place[:0]
                sweep.over(gram, points.place, nowhere)
                swept = sweep.fit(group.members[0][1], self._seeds.of(candidate))
        finally:
            shared.leave()
        return None if swept is None else swept.machine

    # The workers' threads -----------------------------------------------------------------------

    def _work_on(self, config: dict[str, Any]) -> None:
        # scikit-learn's settings are those of a thread.
        with config_context(**config):
            self._take_tasks()

    def _take_tasks(self) -> None:
        while not self._stop.is_set():
            try:
                task = self._work.popleft()
            except IndexError:
                return
            try:
                if isinstance(task, Task):
                    self._sweep(task)
                else:
                    self._evaluate_alone(*task)
            except FitStoppedError:
                return
            except BaseException as error:
                if not self._stop.is_set():
                    self._found.put(error)
                return

    def _sweep(self, task: Task) -> None:
        try:
            sweep = self._prepared(task)
            if sweep is None:
                for candidate, _ in task.group.members:
                    self._evaluate_alone(candidate, task.fold)
                return
            place = task.place.get()
            with task.shared.matrix(sweep, place.points) as gram:
                wanted = place.scored_points(self.scoring.with_training)
                sweep.over(gram, place.train_points, wanted)
                for candidate, prices in task.group.members:
                    self._require_time()
                    self._evaluate(candidate, task, sweep, prices)
        finally:
            task.leave()

    def _prepared(self, task: Task) -> PriceSweep | None:
        """Return the sweep, or None where fits by themselves must show what is wrong."""
        try:
            place = task.place.get()
            machine = clone(task.group.machine)
            stop = self._stop.is_set
            sweep = PriceSweep(machine, place.X, place.y, place.sample_weight, stop)
        except Exception:
            return None
        repeats = len(np.unique(place.train_points)) < len(place.train_points)
        shares = not repeats and can_share(sweep.kernel, place.points.points)
        return sweep if shares else None

    def _evaluate(
        self, candidate: int, task: Task, sweep: PriceSweep, prices: Mapping[str, Any]
    ) -> None:
        place, with_training = task.place.get(), self.scoring.with_training

        def fit() -> Any:
            swept: Swept | None = sweep.fit(prices)
            self._require_time()
            if swept is None:
                raise _NeedsItsOwnFit
            if task.group.is_bare:
                self._seeds.add(candidate, task.fold, swept)
            return place.dressed(swept, with_training)

        try:
            record = self.scoring.record(task.fold, fit)
        except _NeedsItsOwnFit:
            self._evaluate_alone(candidate, task.fold)
        else:
            self._found.put(((candidate, task.fold.number), record))

    def _evaluate_alone(self, candidate: int, fold: Fold) -> None:
        """Fit one cell by itself; one at a time, with all threads."""
        estimator = with_params(self.estimator, self.candidates[candidate])
        machine = final_machine(estimator)
        if machine is not None:
            machine.n_jobs = self.n_threads
            machine._stop = self._stop.is_set
        with self._one_by_one:
            self._require_time()
            record = self.scoring.record_alone(estimator, self.X, self.y, fold, self.fit_params)
        self._require_time()
        self._found.put(((candidate, fold.number), record))

    def _require_time(self) -> None:
        if self._stop.is_set():
            raise FitStoppedError("The search was stopped.")


class _NeedsItsOwnFit(BaseException):
    """A cell that a sweep cannot solve. Not an error of the fit, which would score error_score."""
