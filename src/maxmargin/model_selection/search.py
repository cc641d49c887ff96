"""Grids over machines with shared kernel matrices and warm starts: `SVMSearchCV`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from numbers import Real
from time import time
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import _fit_context, clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics._scorer import _MultimetricScorer
from sklearn.model_selection import GridSearchCV, ParameterGrid, check_cv
from sklearn.model_selection._validation import (
    _insert_error_scores,
    _warn_or_raise_about_fit_failures,
)
from sklearn.utils import check_consistent_length, indexable
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import _check_method_params

from maxmargin.errors import InvalidInputError
from maxmargin.interrupts import heed, pending, require_none
from maxmargin.kernels.blocks import default_threads
from maxmargin.machines.callbacks import FitTasks
from maxmargin.machines.progress import Bar
from maxmargin.machines.refusals import explained
from maxmargin.machines.threads import thread_count
from maxmargin.metrics import get_scorer
from maxmargin.model_selection.folds import Fold
from maxmargin.model_selection.runner import Search
from maxmargin.model_selection.scoring import Scoring
from maxmargin.solvers.stop import kept

__all__ = ["SVMSearchCV"]

_ENDINGS = {
    "seconds": "time_limit={time_limit} was reached",
    "interrupt": "it was interrupted",
    "callback": "a callback asked for it",
}


class SVMSearchCV(GridSearchCV):
    """Search a grid as scikit-learn's `GridSearchCV` does, for little more than a few fits.

    For the kernel machines of this library, and for pipelines that end in one, what does not
    depend on a parameter is done once: distances or dot products serve every gamma, degree and
    coef0; one kernel matrix serves all folds and all C, nu and epsilon; each machine starts from
    the one at the penalty before; transformers are fitted once per fold. The scores are those of
    independent fits, up to the machine's tolerance. Any other estimator, and a cell that nothing
    can be shared with (a callable kernel, ``max_iter``, ``probability=True``), is fitted by itself.

    Parameters
    ----------
    estimator : estimator
        A machine of `maxmargin.estimators`, a pipeline that ends in one, or any other estimator.
    param_grid : dict or list of dict
        Values of parameters by name, as in scikit-learn.
    scoring : str, callable, list, tuple or dict, optional
        One scorer or several; by default the estimator's ``score``. Names are those of
        `maxmargin.metrics.get_scorer_names`, such as "neg_min_dcf", and scikit-learn's.
    n_jobs : int, optional
        Threads; by default as many as there are CPUs.
    refit : bool, str or callable
        Whether to fit the best candidate to all rows; with several scorers the name of the one
        that decides; or a function of ``cv_results_`` that returns the best candidate's place.
    cv : int, splitter or iterable, optional
        Folds; a fixed split is `sklearn.model_selection.PredefinedSplit` or ``[(train, test)]``.
    verbose : int
        From 1 on, show a bar over the cells with the time left.
    error_score : "raise" or float
        What a cell scores whose fit fails.
    return_train_score : bool
        Whether the training rows are scored too.
    time_limit : float, optional
        At most this many seconds for the cells; those not reached score NaN, and the best of the
        others is refitted after it.
    cache_size : float, optional
        Memory for the shared matrices in MB, by default a quarter of what is available. Cells
        whose matrices do not fit are fitted by themselves.

    Attributes
    ----------
    cv_results_, best_estimator_, best_score_, best_params_, best_index_, scorer_, n_splits_, \
refit_time_, multimetric_, classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC, SVMSearchCV
    >>> X, y = load_iris(return_X_y=True)
    >>> grid = {"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1, 1.0]}
    >>> search = SVMSearchCV(SVC(), grid, cv=3).fit(X, y)
    >>> search.best_params_, round(float(search.best_score_), 2)
    ({'C': 10.0, 'gamma': 0.1}, 0.97)
    >>> search.best_estimator_.certificate_.holds(1e-3)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **GridSearchCV._parameter_constraints,
        # `get_scorer` checks names.
        "scoring": [str, callable, list, tuple, dict, None],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "cache_size": [Interval(Real, 0, None, closed="neither"), None],
    }
    _parameter_constraints.pop("pre_dispatch", None)

    def __init__(
        self,
        estimator: Any,
        param_grid: dict[str, Any] | Sequence[dict[str, Any]],
        *,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: bool | str | Callable[[dict[str, Any]], int] = True,
        cv: Any = None,
        verbose: int = 0,
        error_score: float | Literal["raise"] = np.nan,
        return_train_score: bool = False,
        time_limit: float | None = None,
        cache_size: float | None = None,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.scoring = scoring
        self.n_jobs = n_jobs
        self.refit = refit
        self.cv = cv
        self.verbose = verbose
        self.error_score = error_score
        self.return_train_score = return_train_score
        self.time_limit = time_limit
        self.cache_size = cache_size

    @_fit_context(prefer_skip_nested_validation=False)
    @kept
    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Evaluate the grid and fit the best candidate to all rows.

        Parameters
        ----------
        X : array-like, sparse matrix or list of shape (n, ...)
            The points; with a precomputed kernel their Gram matrix.
        y : array-like of shape (n,), optional
            Labels or targets.
        **params
            For the estimator's ``fit``, the scorer and the splitter, as in scikit-learn:
            ``sample_weight`` for example, and ``groups``.
        """
        scorers, refit_metric = self._get_scorers()
        try:
            X, y = indexable(X, y)
        except ValueError as error:
            raise explained(error, X, y, model=self) from None
        params = _check_method_params(X, params=params)
        weight = params.get("sample_weight")
        told = None if weight is None else {"sample_weight": weight}
        if weight is not None:
            check_consistent_length(X, weight)
        routed = self._get_routed_params_for_fit(params)
        candidates = list(ParameterGrid(self.param_grid))
        folds = self._folds(X, y, routed)
        search = Search(
            clone(self.estimator),
            X,
            y,
            candidates,
            folds,
            fit_params=routed.estimator.fit,
            scoring=Scoring(scorers, self.error_score, self.return_train_score),
            n_threads=thread_count(self.n_jobs) or default_threads(),
            cache_size=self.cache_size,
        )
        tasks = FitTasks(self, search.n_cells, X, y, told, task="candidate-split-evaluation")
        name, n_cells = type(self).__name__, search.n_cells
        with Bar(name, n_cells, shown=self.verbose > 0, estimates=True) as bar:
            search.run(self.time_limit, bar, tasks)
        self._store(search, candidates, scorers, refit_metric)
        if self.refit:
            self._refit(search, X, y, routed.estimator.fit)
        search.close()
        tasks.end({})
        return self

    def _get_scorers(self) -> Any:
        """Return the scorers as scikit-learn's searches do, with names of ours among theirs."""
        theirs = GridSearchCV(
            self.estimator,
            {},
            scoring=_by_name(self.scoring),
            refit=self.refit,
            error_score=self.error_score,
        )
        return theirs._get_scorers()

    def _folds(self, X: Any, y: Any, routed: Any) -> list[Fold]:
        cv = check_cv(self.cv, y, classifier=is_classifier(self.estimator))
        split = routed.splitter.split
        self.n_splits_ = cv.get_n_splits(X, y, **split)
        splits = list(cv.split(X, y, **split))
        if len(splits) != self.n_splits_:
            raise InvalidInputError(
                "cv.split and cv.get_n_splits return inconsistent results. Expected "
                f"{self.n_splits_} splits, got {len(splits)}"
            )
        if not splits:
            raise InvalidInputError(
                "No fits were performed. Was the CV iterator empty? Were there no candidates?"
            )
        scorer_params = routed.scorer.score
        return [
            Fold(k, self.estimator, X, y, train, test, routed.estimator.fit, scorer_params)
            for k, (train, test) in enumerate(splits)
        ]

    def _store(
        self, search: Search, candidates: list[dict[str, Any]], scorers: Any, refit_metric: Any
    ) -> None:
        """Set the table and what follows from it."""
        n_missing = search.n_cells - len(search.records)
        if n_missing == search.n_cells:
            if search.ending == "interrupt":
                raise KeyboardInterrupt
            raise InvalidInputError(
                f"The search ended before its first cell, because {self._reason(search)}: give it "
                "more time."
            )
        if n_missing:
            warnings.warn(
                f"The search ended early, because {self._reason(search)}: {n_missing} of "
                f"{search.n_cells} cells were not reached and score NaN.",
                ConvergenceWarning,
                stacklevel=5,
            )
        elif pending():
            heed()
            warnings.warn(
                "The search was interrupted after its last cell: nothing is missing. Another "
                "interrupt within two seconds raises KeyboardInterrupt.",
                ConvergenceWarning,
                stacklevel=5,
            )
        records = search.all_records()
        _warn_or_raise_about_fit_failures(records, self.error_score)
        if callable(self.scoring):
            _insert_error_scores(records, self.error_score)
        with warnings.catch_warnings():
            if n_missing:
                warnings.filterwarnings("ignore", "One or more of the", UserWarning)
            results = self._format_results(candidates, self.n_splits_, records)
        first = records[0]["test_scores"]
        self.multimetric_ = isinstance(first, dict)
        if callable(self.scoring) and self.multimetric_:
            self._check_refit_for_multimetric(first)
            refit_metric = self.refit
        if self.refit or not self.multimetric_:
            self._choose_best(results, refit_metric)
        self.scorer_ = scorers._scorers if isinstance(scorers, _MultimetricScorer) else scorers
        self.cv_results_ = results

    def _reason(self, search: Search) -> str:
        return _ENDINGS[search.ending].format(time_limit=self.time_limit)

    def _choose_best(self, results: dict[str, Any], metric: Any) -> None:
        self.best_index_ = self._select_best_index(self.refit, metric, results)
        if not callable(self.refit):
            means = results[f"mean_test_{metric}"]
            if np.isnan(means).all():
                # The search ended early: take the mean over the folds that were reached.
                splits = [results[f"split{k}_test_{metric}"] for k in range(self.n_splits_)]
                counts = np.isfinite(splits).sum(axis=0)
                sums = np.nansum(splits, axis=0)
                means = np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0)
                self.best_index_ = 0 if np.isnan(means).all() else int(np.nanargmax(means))
            self.best_score_ = means[self.best_index_]
        self.best_params_ = results["params"][self.best_index_]

    def _refit(self, search: Search, X: Any, y: Any, fit_params: dict[str, Any]) -> None:
        started = time()
        require_none(
            "The search was interrupted before its best candidate was refitted: cv_results_ and "
            "best_params_ are complete."
        )
        best = search.refit(self.best_index_)
        if best is None:
            best = clone(self.estimator).set_params(**clone(self.best_params_, safe=False))
            best.fit(*((X,) if y is None else (X, y)), **fit_params)
        self.best_estimator_ = best
        self.refit_time_ = time() - started
        names = getattr(best, "feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = names


def _by_name(scoring: Any) -> Any:
    """Return `scoring` with scorers in the place of names."""
    if isinstance(scoring, str):
        return get_scorer(scoring)
    if isinstance(scoring, dict):
        return {name: _by_name(one) for name, one in scoring.items()}
    # scikit-learn refuses anything but a list of distinct names.
    is_names = isinstance(scoring, list | tuple) and all(isinstance(one, str) for one in scoring)
    if is_names and 0 < len(scoring) == len(set(scoring)):
        return {name: get_scorer(name) for name in scoring}
    return scoring
