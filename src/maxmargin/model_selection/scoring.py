"""From a fitted estimator to the record that scikit-learn's searches keep of a cell."""

from __future__ import annotations

from dataclasses import dataclass
from time import time
from typing import Any, Literal

from sklearn.metrics._scorer import _MultimetricScorer
from sklearn.model_selection._validation import _fit_and_score, _score
from sklearn.utils.validation import _num_samples

from maxmargin.model_selection.folds import Fold

__all__ = ["Record", "Scoring"]

Record = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Scoring:
    """How cells are scored.

    Attributes
    ----------
    scorer : callable
        One of scikit-learn's scorers, several in one, or any function of its kind.
    error_score : float or "raise"
        What a failed fit scores.
    with_training : bool
        Whether the training rows are scored too.
    """

    scorer: Any
    error_score: float | Literal["raise"]
    with_training: bool

    def record(self, fold: Fold, estimator: Any, seconds: float) -> Record:
        """Return the record of a fitted estimator whose fit took this many seconds."""
        fitted = time()
        record: Record = {"fit_error": None, "fit_time": seconds}
        X, y = fold.testing
        record["test_scores"] = self._scores(estimator, X, y, fold.test_params)
        record["score_time"] = time() - fitted
        if self.with_training:
            record["train_scores"] = self._scores(estimator, *fold.training, fold.train_params)
        record["n_test_samples"] = _num_samples(X)
        return record

    def record_alone(self, estimator: Any, X: Any, y: Any, fold: Fold, fit_params: Any) -> Record:
        """Fit an estimator by itself, as scikit-learn's searches do, and return its record."""
        record: Record = _fit_and_score(
            estimator,
            X,
            y,
            scorer=self.scorer,
            train=fold.train,
            test=fold.test,
            verbose=0,
            parameters=None,
            fit_params=fit_params,
            score_params=fold.score_params,
            return_train_score=self.with_training,
            return_n_test_samples=True,
            return_times=True,
            error_score=self.error_score,
        )
        return record

    def failure(self, fold: Fold, message: str | None, seconds: float = 0.0) -> Record:
        """Return the record of a cell that failed, or that was not reached (without message)."""
        score: Any = self.error_score if message is not None else float("nan")
        if isinstance(self.scorer, _MultimetricScorer):
            score = dict.fromkeys(self.scorer._scorers, score)
        record: Record = {
            "fit_error": message,
            "fit_time": seconds,
            "score_time": 0.0,
            "test_scores": score,
            "n_test_samples": len(fold.test_rows),
        }
        if self.with_training:
            record["train_scores"] = score
        return record

    def _scores(self, estimator: Any, X: Any, y: Any, params: dict[str, Any]) -> Any:
        return _score(estimator, X, y, self.scorer, params, self.error_score)
