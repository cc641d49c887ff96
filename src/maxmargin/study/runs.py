"""Training everything: each variant of the data is one search over shared matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone

from maxmargin.estimators.callbacks import FitTasks
from maxmargin.estimators.proof import FitCertificate
from maxmargin.estimators.threads import thread_count
from maxmargin.kernels.blocks import default_threads
from maxmargin.model_selection.cells import final_machine
from maxmargin.model_selection.folds import Fold
from maxmargin.model_selection.progress import CellBar
from maxmargin.model_selection.runner import Search
from maxmargin.model_selection.scoring import Record, Scoring
from maxmargin.study.families import Candidate
from maxmargin.study.preparation import Variants, estimator_on, machine_prefix
from maxmargin.study.protocol import Protocol, Rows
from maxmargin.typing import Floats

__all__ = ["Final", "Observed", "Task", "observe"]

# Calibration needs scores, not proofs.
_TOLERANCE_OF_CALIBRATION = 1e-3


@dataclass(frozen=True, eq=False)
class Final:
    """What is kept of a final machine.

    Attributes
    ----------
    certificate : FitCertificate
        What is proved about it.
    n_support : int
        Its support vectors.
    scores : ndarray
        At the test rows, higher for the positive class.
    evaluation : ndarray or None
        At the rows of the evaluation data.
    """

    certificate: FitCertificate
    n_support: int
    scores: Floats
    evaluation: Floats | None


@dataclass(frozen=True, eq=False)
class Observed:
    """A candidate's final machine, and the scores that folds give their test rows."""

    candidate: Candidate
    final: Final
    held_out: list[Floats]


@dataclass(frozen=True, eq=False)
class Task:
    """All that the runs of a study need.

    Attributes
    ----------
    machine : SVC or NuSVC
        Not fitted; candidates set its kernel and parameters.
    variants : dict
        Transformers by name.
    X, y : data
        Of the whole study.
    sign : float
        1 if the machine's decision values are higher for the positive class, else -1.
    protocol : Protocol
        The rows.
    evaluation : data, optional
        Points that no choice has seen.
    n_jobs : int, optional
        Threads.
    """

    machine: Any
    variants: Variants
    X: Any
    y: Any
    sign: float
    protocol: Protocol
    evaluation: Any
    n_jobs: int | None


def observe(
    task: Task, candidates: Sequence[Candidate], verbose: bool, deadline: float | None = None
) -> list[Observed]:
    """Train the candidates on all folds; return them in their order.

    Those that are not finished at the deadline, a time of `perf_counter`, are left out.
    """
    n_cells = len(candidates) * task.protocol.n_cells
    found: dict[Candidate, Observed] = {}
    with CellBar("study", n_cells, verbose) as bar:
        for name, transformer in task.variants.items():
            mine = [candidate for candidate in candidates if candidate.preprocessing == name]
            if mine:
                records = _searched(task, mine, transformer, bar, deadline)
                found |= {each.candidate: each for each in _gathered(mine, records, task.protocol)}
    return [found[candidate] for candidate in candidates if candidate in found]


def _searched(
    task: Task,
    candidates: Sequence[Candidate],
    transformer: Any,
    bar: CellBar,
    deadline: float | None,
) -> dict[tuple[int, int], Record]:
    """Return the records by candidate and fold; the final machine is fold 0."""
    protocol = task.protocol
    prefix = machine_prefix(transformer)
    settings = [candidate.settings(prefix) for candidate in candidates]
    records: dict[tuple[int, int], Record] = {}
    for tol, numbers in _batches(protocol, float(task.machine.tol)):
        machine = clone(task.machine).set_params(tol=tol)
        estimator = estimator_on(machine, transformer)
        rows: list[Rows] = [protocol.final, *protocol.folds]
        # Fold numbers count within a search.
        folds = [
            Fold(place, estimator, task.X, task.y, *rows[number], {}, {})
            for place, number in enumerate(numbers)
        ]
        search = Search(
            estimator,
            task.X,
            task.y,
            settings,
            folds,
            fit_params={},
            scoring=_Recording(None, "raise", False, task.sign, task.evaluation, 0 in numbers),
            n_threads=thread_count(task.n_jobs) or default_threads(),
            cache_mb=task.machine.cache_size,
        )
        seconds = None if deadline is None else deadline - perf_counter()
        search.run(seconds, bar, FitTasks(object(), search.n_cells, task.X, task.y, None))
        if search.ending == "interrupt":
            raise KeyboardInterrupt
        records |= {(k, numbers[place]): record for (k, place), record in search.records.items()}
    return records


def _batches(protocol: Protocol, tol: float) -> Iterator[tuple[float, list[int]]]:
    """Yield tolerances and the folds that are solved to them; the final machine is fold 0."""
    folds = list(range(1, protocol.n_cells))
    if not protocol.is_split or tol >= _TOLERANCE_OF_CALIBRATION:
        yield tol, [0, *folds]
    else:
        yield tol, [0]
        yield _TOLERANCE_OF_CALIBRATION, folds


def _gathered(
    candidates: Sequence[Candidate], records: dict[tuple[int, int], Record], protocol: Protocol
) -> Iterator[Observed]:
    for k, candidate in enumerate(candidates):
        if not all((k, fold) in records for fold in range(protocol.n_cells)):
            continue
        held_out = [records[k, fold]["scores"] for fold in range(1, protocol.n_cells)]
        yield Observed(candidate, records[k, 0]["final"], held_out)


@dataclass(frozen=True, eq=False)
class _Recording(Scoring):
    """Keeps scores instead of one number, and proves the final machines."""

    sign: float
    evaluation: Any
    first_is_final: bool

    def record(self, fold: Fold, fit: Callable[[], Any]) -> Record:
        """Return scores and, of a final machine, what is reported of it."""
        estimator = fit()
        scores = self._at(estimator, fold.testing[0])
        if fold.number > 0 or not self.first_is_final:
            return {"scores": scores}
        machine = final_machine(estimator)
        assert machine is not None
        evaluation = None if self.evaluation is None else self._at(estimator, self.evaluation)
        n_support = int(np.sum(machine.n_support_))
        return {"final": Final(machine.certificate_, n_support, scores, evaluation)}

    def record_alone(self, estimator: Any, X: Any, y: Any, fold: Fold, fit_params: Any) -> Record:
        """Fit a machine that shares nothing."""
        del X, y, fit_params
        return self.record(fold, lambda: estimator.fit(*fold.training))

    def _at(self, estimator: Any, X: Any) -> Floats:
        return np.asarray(self.sign * estimator.decision_function(X), dtype=np.float64)
