"""Novelty detection in streams: `OnlineOneClassSVM`."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import OutlierMixin, _fit_context
from sklearn.utils._param_validation import Interval

from maxmargin.estimators.online_base import OnlineMachine
from maxmargin.estimators.online_streams import checked_passes
from maxmargin.kernels import Linear
from maxmargin.problems import OneClass, Points
from maxmargin.solvers import Callback
from maxmargin.solvers.online import OnlineLearner, OnlineRule, Rows
from maxmargin.solvers.stop import kept
from maxmargin.streams import Chunks, chunks
from maxmargin.streams.base import parts_of
from maxmargin.typing import Floats, Integers

__all__ = ["OnlineOneClassSVM"]


class OnlineOneClassSVM(OutlierMixin, OnlineMachine):
    """Describe where the points of one class lie, from data that come in chunks.

    Minimises nu/2 |w|^2 - nu rho + the mean over the rows of max(0, rho - w'x), row by row, in
    memory that does not depend on how many rows there are: the linear one-class machine, in the
    scale of `sklearn.linear_model.SGDOneClassSVM`. A feature map before it makes it nonlinear.

    Parameters
    ----------
    nu : float
        In (0, 1]: bounds the fraction of outliers from above, at the optimum.
    average, max_iter, tol, shuffle, random_state, verbose, warm_start, time_limit, callback, trace
        As in `OnlineSVC`.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d)
        w.
    offset_ : ndarray of shape (1,)
        rho: the decision is w'x - rho.
    n_iter_, t_, loss_, objective_estimate_, machines_, certificate_, slack_, margin_, trace_
        As in `OnlineSVC`; the loss is that of max(0, rho - w'x).

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import OnlineOneClassSVM
    >>> X = np.random.default_rng(0).normal(5.0, 1.0, size=(2000, 2))
    >>> machine = OnlineOneClassSVM(nu=0.1, random_state=0)
    >>> for begin in range(0, 2000, 100):
    ...     machine = machine.partial_fit(X[begin : begin + 100])
    >>> machine.predict([[5.0, 5.0], [0.0, 0.0]])
    array([ 1, -1])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OnlineMachine._parameter_constraints,
        "nu": [Interval(Real, 0.0, 1.0, closed="right")],
    }

    def __init__(
        self,
        *,
        nu: float = 0.5,
        average: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-2,
        shuffle: bool = True,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        time_limit: float | None = None,
        callback: Callback | None = None,
        trace: bool = False,
    ) -> None:
        self.nu = nu
        self.average = average
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.time_limit = time_limit
        self.callback = callback
        self.trace = trace

    @_fit_context(prefer_skip_nested_validation=True)
    @kept
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to data in memory, pass after pass.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The points.
        y : ignored
            Here for scikit-learn's sake.
        sample_weight : array-like of shape (n,), optional
            How many rows each row counts for. Rows of weight zero or less are left out.
        """
        given = (X, y, sample_weight)
        X, _ = self._checked(X, None, reset=True)
        weight = self._positive_weight(sample_weight, X)
        self._begin(X.shape[1])
        points = Points.checked(X, Linear())
        problem = OneClass.posed(points, nu=float(self.nu), sample_weight=weight)
        self._fit_problems([problem], [()], weight, given)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    @kept
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn one chunk of rows, once each.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The points.
        y : ignored
            Here for scikit-learn's sake.
        sample_weight : array-like of shape (n,), optional
            How many rows each row counts for. Rows of weight zero or less are left out.
        """
        del y
        is_first = "_learner" not in vars(self)
        X, _ = self._checked(X, None, reset=is_first)
        rows = self._rows(X, sample_weight)
        if is_first:
            self._begin(X.shape[1])
        self.n_iter_ = 1
        return self._learn_chunk(rows)

    @_fit_context(prefer_skip_nested_validation=True)
    @kept
    def fit_stream(self, source: Any, *, epochs: int = 1) -> Self:
        """Fit to a stream, from its first chunk on.

        Parameters
        ----------
        source : path, function, iterable or arrays
            What `maxmargin.streams.chunks` takes; labels are ignored, weights are not.
        epochs : int
            Passes over the stream.
        """
        stream = chunks(source)
        n_passes = checked_passes(stream, epochs)
        self._fit_passes(lambda: self._stream_rows(stream), n_passes)
        return self

    def _stream_rows(self, stream: Chunks) -> Iterator[Rows]:
        for k, chunk in enumerate(stream):
            X, _, weight = parts_of(chunk)
            is_first = k == 0 and self.n_iter_ == 0
            X, _ = self._checked(X, None, reset=is_first)
            if is_first:
                self._begin(X.shape[1])
            yield self._rows(X, weight)

    def _rows(self, X: Any, sample_weight: Any) -> Rows:
        labels = np.ones(X.shape[0], np.int64)
        return Rows(X, labels, self._weight(sample_weight, X), np.ones(2))

    def _rule(self) -> OnlineRule:
        # With the bias 1 - rho the loss is the hinge loss of the label 1.
        nu = float(self.nu)
        return OnlineRule(nu, "hinge", "proximal", "scaled", bias_slope=nu)

    def _new_learner(self, n_features: int) -> OnlineLearner:
        return OnlineLearner(1, n_features, self._rule(), bias=1.0)

    def _objectives(self, loss: Floats) -> Floats:
        # nu b is nu - nu rho.
        return super()._objectives(loss) - float(self.nu)

    def _publish(self) -> None:
        self.coef_, bias = self._weights()
        self.offset_ = 1.0 - bias

    def decision_function(self, X: Any) -> Floats:
        """Return for each row of X a value that is positive inside, zero on the boundary."""
        values: Floats = self.score_samples(X) - self.offset_
        return values

    def score_samples(self, X: Any) -> Floats:
        """Return the decision without its offset."""
        return self._scores(X)[:, 0]

    def predict(self, X: Any) -> Integers:
        """Return +1 for each row of X inside and -1 for each outside."""
        return np.where(self.decision_function(X) >= 0, 1, -1).astype(np.intp)
