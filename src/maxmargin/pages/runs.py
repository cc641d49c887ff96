"""Training, calibrating and judging the machines of a study.

Each variant of the data is one search over shared matrices, whose fold 0 is the final machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

from maxmargin.calibration.calibrators import fit_logistic
from maxmargin.errors import InvalidInputError
from maxmargin.kernels.blocks import default_threads
from maxmargin.machines.callbacks import FitTasks
from maxmargin.machines.progress import Bar
from maxmargin.machines.threads import thread_count
from maxmargin.model_selection.cells import final_machine, with_params
from maxmargin.model_selection.folds import Fold
from maxmargin.model_selection.runner import Search
from maxmargin.model_selection.scoring import Record, Scoring
from maxmargin.pages.candidates import Candidate
from maxmargin.pages.costs import Scores, Setting
from maxmargin.pages.result import OF_THE_CERTIFICATE, StudyRow
from maxmargin.solvers.stop import Keeping
from maxmargin.typing import Bools, Floats, Integers

__all__ = ["Experiment", "Protocol", "protocol_of"]

Rows = tuple[Integers, Integers]

# Rows that the final machine is tested on if it is not judged: a fold must test some.
_FEW = 2


@dataclass(frozen=True, eq=False)
class Protocol:
    """The final machine's rows, and folds of its training rows.

    Attributes
    ----------
    final : (train, test)
        Rows of the machine whose support vectors and certificate are reported.
    folds : list of (train, test)
        Each training row is tested at most once.
    is_split : bool
        Whether the final machine is judged, on its test rows, and the folds serve its calibration;
        otherwise the folds' scores are judged.
    """

    final: Rows
    folds: list[Rows]
    is_split: bool

    @property
    def judged(self) -> Integers:
        """The rows whose scores are judged."""
        tested = [self.final] if self.is_split else self.folds
        return np.concatenate([test for _, test in tested])


def protocol_of(y: Any, split: Any, cv: Any) -> Protocol:
    """Return the protocol of a fixed split, or of folds over all rows."""
    everything = np.arange(len(y))
    train, test = (everything, everything[:_FEW]) if split is None else _rows(split, everything)
    splits = check_cv(cv, y[train], classifier=True).split(np.zeros(len(train)), y[train])
    folds = [(train[np.asarray(inner)], train[np.asarray(outer)]) for inner, outer in splits]
    if len(folds) < 2:
        raise InvalidInputError("cv must give at least two folds; a fixed split goes into split.")
    held_out = np.concatenate([outer for _, outer in folds])
    if len(np.unique(held_out)) < len(held_out):
        raise InvalidInputError("cv tests a row more than once: give folds that do not overlap.")
    return Protocol((train, test), folds, split is not None)


def _rows(split: Any, everything: Integers) -> Rows:
    try:
        train, test = (np.asarray(part) for part in split)
        train, test = (everything[p] if p.size else everything[:0] for p in (train, test))
    except (TypeError, ValueError, IndexError) as error:
        raise InvalidInputError(
            f"split must be two arrays of rows, those to train on and those to judge: {error}."
        ) from error
    if not len(train) or not len(test):
        raise InvalidInputError("split leaves one of its parts empty: give rows to both.")
    if len(np.intersect1d(train, test)):
        raise InvalidInputError("split judges rows that it trains on: give two separate parts.")
    return train, test


@dataclass(frozen=True, eq=False)
class Experiment:
    """The data of a study, and how its machines are trained and judged.

    Attributes
    ----------
    variants : dict
        Estimators by variant of the data, not fitted; candidates set their kernel and parameters.
    X, y : data
        Points and labels.
    positive : ndarray of bool
        Which of the points are positive.
    evaluation : (points, ndarray of bool) or None
        Data that no choice may see, and which of its points are positive.
    deadline : float or None
        A time of `perf_counter`. Machines that are not finished by then are left out.
    """

    variants: Mapping[str, Any]
    X: Any
    y: Any
    positive: Bools
    protocol: Protocol
    evaluation: tuple[Any, Bools] | None
    setting: Setting
    certified_at: float
    n_jobs: int | None
    deadline: float | None

    def table(self, candidates: Sequence[Candidate], *, verbose: bool) -> tuple[StudyRow, ...]:
        """Train the candidates on all folds, and return a row for each, best first."""
        rows: dict[Candidate, StudyRow] = {}
        n_cells = 1 + len(self.protocol.folds)
        bar = Bar("study", len(candidates) * n_cells, shown=verbose, estimates=True)
        with Keeping() as work, bar:
            for variant in dict.fromkeys(each.preprocessing for each in candidates):
                if work.was_interrupted:
                    break
                mine = [each for each in candidates if each.preprocessing == variant]
                found = self._search(self.variants[variant], mine, bar)
                for k, candidate in enumerate(mine):
                    cells = [found[k, fold] for fold in range(n_cells) if (k, fold) in found]
                    if len(cells) == n_cells:
                        rows[candidate] = self._row(candidate, *cells)
        ranked = sorted(
            (rows[candidate] for candidate in candidates if candidate in rows),
            key=lambda row: (row.min_dcf, row.calibrated_act_dcf, row.n_support),
        )
        return tuple(replace(row, rank=rank) for rank, row in enumerate(ranked, 1))

    def _search(
        self, estimator: Any, candidates: Sequence[Candidate], bar: Bar
    ) -> dict[tuple[int, int], Record]:
        """Return the records of one variant's candidates, by candidate and fold."""
        seconds = None if self.deadline is None else self.deadline - perf_counter()
        machine: Any = final_machine(estimator)
        rows = [self.protocol.final, *self.protocol.folds]
        # Decision values are higher for the last label in sorted order.
        sign = 1.0 if self.positive[self.y == np.unique(self.y)[-1]].all() else -1.0
        search = Search(
            estimator,
            self.X,
            self.y,
            [candidate.settings for candidate in candidates],
            [Fold(k, estimator, self.X, self.y, *both, {}, {}) for k, both in enumerate(rows)],
            fit_params={},
            scoring=_Recording(None, "raise", False, sign, self.evaluation),
            n_threads=thread_count(self.n_jobs) or default_threads(),
            cache_size=machine.cache_size,
        )
        search.run(seconds, bar, FitTasks(object(), search.n_cells, self.X, self.y, None))
        return search.records

    def _row(self, candidate: Candidate, final: Record, *folds: Record) -> StudyRow:
        """Return the row of a candidate, whose rank is not known yet."""
        certificate, held_out = final["certificate"], [fold["scores"] for fold in folds]
        if self.protocol.is_split:
            raw = final["scores"]
            calibrated = self._calibrated(raw, held_out)
        else:
            raw = np.concatenate(held_out)
            parts = [self._calibrated(own, held_out, k) for k, own in enumerate(held_out)]
            calibrated = np.concatenate(parts)
        scores = Scores(self.positive[self.protocol.judged], raw, calibrated)
        evaluation = None
        if self.evaluation is not None:
            raw = final["evaluation"]
            found = Scores(self.evaluation[1], raw, self._calibrated(raw, held_out))
            evaluation = found.costs(self.setting)
        return StudyRow(
            rank=0,
            family=candidate.family,
            preprocessing=candidate.preprocessing,
            params=candidate.params,
            evaluation=evaluation,
            n_support=final["n_support"],
            certified=certificate.holds(self.certified_at),
            claim=certificate.claim,
            certificate=certificate,
            estimator=with_params(self.variants[candidate.preprocessing], candidate.settings),
            scores=scores,
            **asdict(scores.costs(self.setting)),
            **{name: getattr(certificate, name) for name in OF_THE_CERTIFICATE},
        )

    def _calibrated(
        self, scores: Floats, held_out: Sequence[Floats], without: int | None = None
    ) -> Floats:
        """Calibrate scores by those that the folds, except one, give to the rows they leave out.

        The calibration is weighted for decisions at the effective prior.
        """
        used = [k for k in range(len(held_out)) if k != without]
        known = np.concatenate([held_out[k] for k in used])
        positive = self.positive[np.concatenate([self.protocol.folds[k][1] for k in used])]
        line = fit_logistic(known, positive, np.ones(len(known)), self.setting.effective_prior)
        return line.log_likelihood_ratio(scores)


@dataclass(frozen=True, eq=False)
class _Recording(Scoring):
    """Keeps scores instead of one number, and certifies the final machines."""

    sign: float
    evaluation: tuple[Any, Bools] | None

    def record(self, fold: Fold, estimator: Any, seconds: float) -> Record:
        """Return scores and, of a final machine, what is reported of it."""
        del seconds
        record: Record = {"scores": self._at(estimator, fold.testing[0])}
        if fold.number > 0:
            return record
        machine = final_machine(estimator)
        assert machine is not None
        (only,) = machine.machines_
        # With the data it would keep the matrices of the search in memory.
        record["certificate"] = replace(only.certificate, problem=None, solution=None)
        record["n_support"] = len(only.solution.support)
        if self.evaluation is not None:
            record["evaluation"] = self._at(estimator, self.evaluation[0])
        return record

    def record_alone(self, estimator: Any, X: Any, y: Any, fold: Fold, fit_params: Any) -> Record:
        """Fit a machine that shares nothing."""
        del X, y, fit_params
        return self.record(fold, estimator.fit(*fold.training), 0.0)

    def _at(self, estimator: Any, X: Any) -> Floats:
        return np.asarray(self.sign * estimator.decision_function(X), dtype=np.float64)
