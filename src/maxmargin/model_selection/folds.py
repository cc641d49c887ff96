"""The folds of a search: what a machine is fitted to and scored on, transformers included."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from functools import cached_property
from threading import RLock
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.validation import _check_method_params, _num_samples

from maxmargin.kernels.data import take
from maxmargin.machines.sweeps import Swept
from maxmargin.problems import Points
from maxmargin.solvers.kernel.resident import PairTerms
from maxmargin.typing import Integers

__all__ = [
    "BarePlace",
    "Fold",
    "PipelinePlace",
    "SearchPoints",
    "points_of",
    "side_by_side",
]


class Fold:
    """One split of the data; its parts are cut when first asked for.

    Parameters
    ----------
    number : int
        Its place among the folds.
    estimator : the estimator of the search
        Which knows whether X holds similarities.
    X, y : data
        Of the whole search.
    train, test : array of int or bool
        Rows.
    fit_params, score_params : mapping
        What fits and scorers are told beside X and y, of the whole search.
    """

    def __init__(
        self,
        number: int,
        estimator: Any,
        X: Any,
        y: Any,
        train: Any,
        test: Any,
        fit_params: Mapping[str, Any],
        score_params: Mapping[str, Any],
    ) -> None:
        self.number = number
        self.train, self.test = train, test
        self._estimator, self._X, self._y = estimator, X, y
        self._fit_params, self.score_params = fit_params, score_params
        self.n_rows = _num_samples(X)
        rows = np.arange(self.n_rows)
        self.train_rows: Integers = rows[np.asarray(train)]
        self.test_rows: Integers = rows[np.asarray(test)]

    @cached_property
    def training(self) -> tuple[Any, Any]:
        """X and y of the training rows."""
        X, y = _safe_split(self._estimator, self._X, self._y, self.train)
        return X, y

    @cached_property
    def testing(self) -> tuple[Any, Any]:
        """X and y of the test rows."""
        X, y = _safe_split(self._estimator, self._X, self._y, self.test, self.train)
        return X, y

    @cached_property
    def fit_params(self) -> dict[str, Any]:
        """What fits are told, of the training rows."""
        return dict(_check_method_params(self._X, params=self._fit_params, indices=self.train))

    @cached_property
    def test_params(self) -> dict[str, Any]:
        """What scorers are told, of the test rows."""
        return dict(_check_method_params(self._X, params=self.score_params, indices=self.test))

    @cached_property
    def train_params(self) -> dict[str, Any]:
        """What scorers are told, of the training rows."""
        return dict(_check_method_params(self._X, params=self.score_params, indices=self.train))


class SearchPoints:
    """The points that machines of a search are about, and what kernels share of them.

    Parameters
    ----------
    points : Points
        Of all rows.
    n_threads : int
        At most this many.
    order : ndarray of shape (n,), optional
        Which row each point is to be.
    """

    def __init__(self, points: Points, n_threads: int, order: Integers | None = None) -> None:
        X, kernel = points.X, points.kernel
        if order is not None:
            X = X[np.ix_(order, order)] if kernel.compares_similarities else take(X, order)
        self.points = Points.checked(X, kernel)
        self.terms = PairTerms(X, n_threads)
        self.n_points = self.points.n_points
        #: The point that each row is.
        self.place: Integers = np.arange(self.n_points)
        if order is not None:
            self.place[order] = np.arange(self.n_points)
        #: Held while a matrix is borrowed and filled from the terms.
        self.lock = RLock()


def side_by_side(folds: Sequence[Fold], y: Any) -> Integers:
    """Return an order of the rows in which those of a test set, and in it of a class, are together.

    Passes over a part of a matrix are the faster the closer together it lies.
    """
    fold_of = np.zeros(folds[0].n_rows, dtype=np.int64)
    for fold in folds:
        fold_of[fold.test_rows] = fold.number
    labels = np.asarray(y)
    if labels.ndim == 1 and labels.dtype.kind in "biufUS":
        return np.lexsort((labels, fold_of))
    return np.argsort(fold_of, kind="stable")


class BarePlace:
    """A fold of an estimator that is a machine: all folds share the points."""

    def __init__(self, fold: Fold, points: SearchPoints) -> None:
        self.fold = fold
        self.points = points
        self.X, self.y = fold.training
        self.sample_weight = fold.fit_params.get("sample_weight")
        self.train_points = points.place[fold.train_rows]

    def scored_points(self, with_training: bool) -> Integers:
        """Return the points at which values are needed."""
        test_points = self.points.place[self.fold.test_rows]
        return np.concatenate([test_points, self.train_points]) if with_training else test_points

    def dressed(self, swept: Swept, with_training: bool) -> Any:
        """Return the estimator that is scored, which knows its values at the fold's rows."""
        n_test = len(self.fold.test_rows)
        swept.remember(self.fold.testing[0], slice(n_test))
        if with_training:
            swept.remember(self.X, slice(n_test, None))
        return swept.machine


class PipelinePlace:
    """A fold of a pipeline: its transformers are fitted here, once.

    Parameters
    ----------
    fold : Fold
        The rows.
    pipeline : Pipeline
        Not fitted, with the transformers' parameters set.
    n_threads : int
        At most this many.
    """

    def __init__(self, fold: Fold, pipeline: Pipeline, n_threads: int) -> None:
        self.fold = fold
        self.pipeline = pipeline
        machine: Any = pipeline.steps[-1][1]
        caught = _Catcher()
        machine.__dict__["fit"] = caught.fit
        try:
            pipeline.fit(*_given(fold.training), **fold.fit_params)
        finally:
            del machine.__dict__["fit"]
        self.X, self.y = caught.X, caught.y
        self.sample_weight = caught.metadata.get("sample_weight")
        self._steps, self._X_test = _remembering(pipeline, fold.testing[0])
        n_train, n_test = _num_samples(self.X), _num_samples(self._X_test)
        together = _stacked(self.X, self._X_test)
        self.points = SearchPoints(points_of(machine, together), n_threads)
        self.train_points: Integers = np.arange(n_train)
        self._test_points: Integers = np.arange(n_train, n_train + n_test)

    def scored_points(self, with_training: bool) -> Integers:
        """Return the points at which values are needed.

        What a transformer makes of its training rows may differ a second time, so that values at
        them are found anew.
        """
        del with_training
        return self._test_points

    def dressed(self, swept: Swept, with_training: bool) -> Any:
        """Return the pipeline that is scored, which knows its values at the test rows."""
        del with_training
        swept.remember(self._X_test, slice(None))
        fitted = copy(self.pipeline)
        fitted.steps = [*self._steps, (self.pipeline.steps[-1][0], swept.machine)]
        return fitted


def points_of(machine: Any, X: Any) -> Points:
    """Return data as the machine's kernel takes it; the machine itself stays as it is."""
    points: Points = clone(machine)._train(X, None, None).points
    return points


class _Catcher:
    """Stands in for a machine's fit and keeps what it is called with."""

    X: Any
    y: Any = None

    def fit(self, X: Any, y: Any = None, **metadata: Any) -> None:
        """Keep the arguments."""
        self.X, self.y, self.metadata = X, y, metadata


def _given(data: tuple[Any, Any]) -> tuple[Any, ...]:
    X, y = data
    return (X,) if y is None else (X, y)


def _remembering(pipeline: Pipeline, X: Any) -> tuple[list[tuple[str, Any]], Any]:
    """Return the fitted transformers, which know what they make of X, and what all make of it."""
    steps = []
    for name, transformer in pipeline.steps[:-1]:
        if transformer is None or transformer == "passthrough":
            steps.append((name, transformer))
            continue
        result = transformer.transform(X)
        steps.append((name, _knowing(transformer, X, result)))
        X = result
    return steps, X


def _knowing(transformer: Any, X: Any, result: Any) -> Any:
    fitted = copy(transformer)
    transform = fitted.transform

    def recall(data: Any, **params: Any) -> Any:
        return result if data is X and not params else transform(data, **params)

    fitted.transform = recall
    return fitted


def _stacked(A: Any, B: Any) -> Any:
    if sparse.issparse(A) or sparse.issparse(B):
        return sparse.vstack([A, B], format="csr")
    if isinstance(A, list):
        return [*A, *B]
    return np.concatenate([np.asarray(A), np.asarray(B)])
