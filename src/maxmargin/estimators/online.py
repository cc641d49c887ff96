"""Linear classification of streams: `OnlineSVC`."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import ClassifierMixin, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import _check_partial_fit_first_call, check_classification_targets
from sklearn.utils.validation import check_is_fitted

from maxmargin.errors import InvalidInputError
from maxmargin.estimators.online_base import OnlineMachine
from maxmargin.estimators.online_streams import UNLABELLED, checked_passes, survey
from maxmargin.kernels import Linear
from maxmargin.machines.classes import (
    given_class_weights,
    linear_bias,
    plain,
    require_two_classes,
)
from maxmargin.problems import Points, Problem, SoftMargin
from maxmargin.solvers import Callback
from maxmargin.solvers.online import (
    OnlineLearner,
    OnlineRule,
    Rows,
    StreamCertificate,
    StreamSums,
)
from maxmargin.solvers.stop import kept
from maxmargin.streams import Chunks, chunks
from maxmargin.streams.base import parts_of
from maxmargin.typing import Floats, Integers

__all__ = ["OnlineSVC"]

_ALPHA = 1e-4


class OnlineSVC(ClassifierMixin, OnlineMachine):
    """Linear support vector classification from data that come in chunks.

    For each class against the rest (or, of two, for the second one) it minimises
    alpha/2 (|w|^2 + b^2) + the mean over the rows of class weight * loss(y (w'x + b)), row by row,
    in memory that does not depend on how many rows there are. Features of comparable scale help.

    Parameters
    ----------
    alpha : float, optional
        Penalty of the weights, lambda; 1e-4 if neither it nor C is given.
    C : float, optional
        Penalty of slack, in place of alpha = 1 / (C n) for n rows, or rows of total weight n.
    n_samples : float, optional
        That n, which `C` needs in `partial_fit`.
    loss : {"hinge", "squared_hinge"}
        Of a margin below one.
    method : {"averaged", "pegasos"}
        "averaged" steps need no tuning: their length per feature follows how far its weight has
        moved, relative to its gradients, and no step goes beyond a row's margin. "pegasos" steps
        have the length 1 / (alpha t), for the hinge loss without a free bias.
    average : bool
        Whether the model is the mean over all steps, recent ones weighing more, or the last one.
    fit_intercept : bool
        Whether there is an intercept.
    bias : {"regularised", "free"}
        Whether it is penalised like the weights.
    class_weight : dict or "balanced", optional
        Multiplies the loss class by class. "balanced" ones follow the rows seen so far.
    max_iter : int
        At most this many passes over the data in `fit`.
    tol : float, optional
        `fit` ends when the objective is proved to be above the optimum by at most this fraction of
        it, in every machine, or warns and says how far it may be above; None for `max_iter` passes.
    shuffle : bool
        Whether the rows of a chunk, or in `fit` of a pass, come in random order.
    random_state : int, RandomState or None
        Of that order: the same seed gives the same model.
    verbose : int
        Show a progress bar of `fit` and `fit_stream`.
    warm_start : bool
        Whether `fit` and `fit_stream` go on from the last model.
    n_jobs : int, optional
        Threads; each learns some of the classes. The model does not depend on it.
    time_limit : float, optional
        At most this many seconds for `fit` and `fit_stream`; the model so far is kept.
    callback : callable, optional
        Called by `fit` with a `maxmargin.solvers.Progress` after each pass; returning True ends it.
    trace : bool
        Whether `fit` keeps the records of its passes in `trace_`.

    Attributes
    ----------
    classes_ : ndarray
        The class labels.
    coef_, intercept_ : ndarray of shape (n_machines, d) and (n_machines,)
        One machine per class; a single one for two classes.
    alpha_ : float
        The penalty of the weights in use.
    class_weight_ : ndarray
        What multiplies the loss of each class.
    n_iter_ : int
        Passes over the data.
    t_ : float
        Rows learnt, counted by their weights.
    loss_ : float or ndarray of shape (n_machines,)
        A running estimate of the loss: of the mean weights on each row before it was learnt.
    objective_estimate_ : float or ndarray of shape (n_machines,)
        The objective with that loss.
    machines_, certificate_, slack_, margin_, trace_
        As in `SVC`, after `fit`; streams are not kept.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import OnlineSVC
    >>> rng = np.random.default_rng(0)
    >>> machine = OnlineSVC(random_state=0)
    >>> for _ in range(20):
    ...     X = rng.normal(size=(100, 2))
    ...     machine = machine.partial_fit(X, X[:, 0] > X[:, 1], classes=[False, True])
    >>> machine.predict([[2.0, -1.0], [-1.0, 2.0]])
    array([ True, False])
    >>> machine.t_, machine.loss_ < 0.1
    (2000.0, True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OnlineMachine._parameter_constraints,
        "alpha": [Interval(Real, 0.0, None, closed="neither"), None],
        "C": [Interval(Real, 0.0, None, closed="neither"), None],
        "n_samples": [Interval(Real, 0.0, None, closed="neither"), None],
        "loss": [StrOptions({"hinge", "squared_hinge"})],
        "method": [StrOptions({"averaged", "pegasos"})],
        "fit_intercept": ["boolean"],
        "bias": [StrOptions({"regularised", "free"})],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        *,
        alpha: float | None = None,
        C: float | None = None,
        n_samples: float | None = None,
        loss: Literal["hinge", "squared_hinge"] = "hinge",
        method: Literal["averaged", "pegasos"] = "averaged",
        average: bool = True,
        fit_intercept: bool = True,
        bias: Literal["regularised", "free"] = "regularised",
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 1e-2,
        shuffle: bool = True,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        callback: Callback | None = None,
        trace: bool = False,
    ) -> None:
        self.alpha = alpha
        self.C = C
        self.n_samples = n_samples
        self.loss = loss
        self.method = method
        self.average = average
        self.fit_intercept = fit_intercept
        self.bias = bias
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.callback = callback
        self.trace = trace

    @_fit_context(prefer_skip_nested_validation=True)
    @kept
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to data in memory, pass after pass.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The points.
        y : array-like of shape (n,)
            Class labels.
        sample_weight : array-like of shape (n,), optional
            How many rows each row counts for. Rows of weight zero or less are left out.
        """
        given = (X, y, sample_weight)
        X, y = self._checked(X, y, reset=True)
        check_classification_targets(y)
        weight = self._positive_weight(sample_weight, X)
        self.classes_ = np.unique(y)
        require_two_classes(self.classes_, "OnlineOneClassSVM")
        labels = self._labels(y)
        if len(np.unique(labels[weight > 0])) < 2:
            raise InvalidInputError(
                "Invalid input - all samples with positive weights belong to the same class: "
                "give another class a positive weight."
            )
        self.alpha_ = self._alpha(float(weight.sum()))
        self._begin(X.shape[1])
        self._class_totals = np.zeros(len(self.classes_))
        of_class = self._weights_of_classes(labels, weight)
        problems = self._pose(Points.checked(X, Linear()), labels, weight, of_class)
        names = [plain(label) for label in self.classes_]
        machines = [tuple(names)] if len(names) == 2 else [(name, None) for name in names]
        self._fit_problems(problems, machines, weight, given)
        return self

    def _pose(
        self, points: Points, labels: Integers, weight: Floats, of_class: Floats
    ) -> list[Problem]:
        """Return the problem of each class against the rest; of two classes, of the second one."""
        bias = linear_bias(self.bias, self.fit_intercept, 1.0)
        total = max(float(weight.sum()), np.finfo(float).tiny)
        given = {
            "C": 1.0 / (self.alpha_ * total),
            "loss": self.loss,
            "bias": bias,
            "sample_weight": weight * of_class[labels],
        }
        positive = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        return [
            SoftMargin.posed(points, y=np.where(labels == c, 1.0, -1.0), **given) for c in positive
        ]

    @_fit_context(prefer_skip_nested_validation=True)
    @kept
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn one chunk of rows, once each.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The points.
        y : array-like of shape (n,)
            Class labels.
        classes : array-like, optional
            All class labels of the stream, which the first call needs.
        sample_weight : array-like of shape (n,), optional
            How many rows each row counts for. Rows of weight zero or less are left out.
        """
        is_first = _check_partial_fit_first_call(self, classes) or "_learner" not in vars(self)
        X, y = self._checked(X, y, reset=is_first)
        if is_first:
            self._start_stream(X.shape[1], None)
        self.n_iter_ = 1
        self.alpha_ = self._alpha(None)
        return self._learn_chunk(self._chunk_rows(X, y, sample_weight))

    @_fit_context(prefer_skip_nested_validation=True)
    @kept
    def fit_stream(self, source: Any, classes: Any = None, *, epochs: int = 1) -> Self:
        """Fit to a stream, from its first chunk on.

        Parameters
        ----------
        source : path, function, iterable or arrays
            What `maxmargin.streams.chunks` takes. Chunks (X, y, weight) bring the weights of their
            rows.
        classes : array-like, optional
            All class labels. Without them, or with `C` and no `n_samples`, the stream is read once
            before to find them.
        epochs : int
            Passes over the stream.
        """
        stream = chunks(source)
        n_passes = checked_passes(stream, epochs)
        n_rows = None
        if classes is None or (self.C is not None and self.n_samples is None):
            found, n_rows = survey(stream)
            classes = found if classes is None else classes
        self.classes_ = np.unique(np.asarray(classes))
        require_two_classes(self.classes_, "OnlineOneClassSVM")
        self.alpha_ = self._alpha(n_rows)
        self._fit_passes(lambda: self._stream_rows(stream, n_rows), n_passes)
        return self

    def certify_stream(self, source: Any) -> list[StreamCertificate]:
        """Prove how good the model is on a stream, by one pass in bounded memory.

        Parameters
        ----------
        source : path, function, iterable or arrays
            What `fit_stream` takes; weights of rows count, class weights are those of the model.

        Returns
        -------
        list of StreamCertificate
            One per machine: the value of ``coef_`` and ``intercept_`` over all rows, and a value
            that no machine is below, for ``C = 1 / (alpha_ n)`` and rows of total weight n. The
            bound is always true; it is tight if the penalty is strong, C times the rows moderate.

        Examples
        --------
        >>> import numpy as np
        >>> from maxmargin import OnlineSVC
        >>> X = np.random.default_rng(0).normal(size=(2000, 2))
        >>> machine = OnlineSVC(alpha=0.1, random_state=0).fit_stream((X, X[:, 0] > X[:, 1]))
        >>> (certificate,) = machine.certify_stream((X, X[:, 0] > X[:, 1]))
        >>> certificate.relative_gap < 0.02
        True
        """
        check_is_fitted(self)
        bias = self.bias if self.fit_intercept else "none"
        sums = [
            StreamSums(w, float(b), self.loss, bias)
            for w, b in zip(self.coef_, self.intercept_, strict=True)
        ]
        for chunk in chunks(source):
            X, y, given = parts_of(chunk)
            if y is None:
                raise InvalidInputError(UNLABELLED)
            X, y = self._checked(X, y, reset=False)
            labels, weight = self._labels(y), np.maximum(self._weight(given, X), 0.0)
            price = np.asarray(self.class_weight_, np.float64)[labels]
            for k, one in enumerate(sums):
                positive = labels == (1 if len(sums) == 1 else k)
                one.add(X, np.where(positive, 1.0, -1.0), weight, price)
        if sums[0].n_rows == 0:
            raise InvalidInputError("The stream has no rows of positive weight.")
        return [one.certificate(self.alpha_) for one in sums]

    def _stream_rows(self, stream: Chunks, n_rows: float | None) -> Iterator[Rows]:
        for k, chunk in enumerate(stream):
            X, y, weight = parts_of(chunk)
            is_first = k == 0 and self.n_iter_ == 0
            if y is None:
                raise InvalidInputError(UNLABELLED)
            X, y = self._checked(X, y, reset=is_first)
            if is_first:
                self._start_stream(X.shape[1], n_rows)
            yield self._chunk_rows(X, y, weight)

    def _start_stream(self, n_features: int, n_rows: float | None) -> None:
        require_two_classes(self.classes_, "OnlineOneClassSVM")
        self.alpha_ = self._alpha(n_rows)
        self._begin(n_features)
        self._class_totals = np.zeros(len(self.classes_))

    def _chunk_rows(self, X: Any, y: Any, sample_weight: Any) -> Rows:
        labels = self._labels(y)
        weight = self._weight(sample_weight, X)
        return Rows(X, labels, weight, self._weights_of_classes(labels, np.maximum(weight, 0.0)))

    # Parts --------------------------------------------------------------------------------------

    def _labels(self, y: Any) -> Integers:
        """Return which of the classes each label is."""
        labels: Integers = np.minimum(np.searchsorted(self.classes_, y), len(self.classes_) - 1)
        strange = self.classes_[labels] != y
        if np.any(strange):
            raise InvalidInputError(
                f"y contains the label {np.asarray(y)[strange].tolist()[0]!r}, which is not among "
                f"the classes {self.classes_.tolist()}: give all classes at the first call."
            )
        return labels

    def _weights_of_classes(self, labels: Integers, weight: Floats) -> Floats:
        """Return what multiplies the loss of each class."""
        n = len(self.classes_)
        self._class_totals = self._class_totals + np.bincount(labels, weight, n)
        if self.class_weight == "balanced":
            held = self._class_totals
            shares = np.divide(held.sum(), held, out=np.zeros(n), where=held > 0)
            self.class_weight_ = shares / n
        else:
            self.class_weight_ = given_class_weights(
                self.class_weight, self.classes_, self.classes_
            )
        return np.asarray(self.class_weight_, np.float64)

    def _alpha(self, n_rows: float | None) -> float:
        if self.C is None:
            return _ALPHA if self.alpha is None else float(self.alpha)
        if self.alpha is not None:
            raise InvalidInputError("alpha and C say the same: give one of them.")
        n = self.n_samples if n_rows is None else n_rows
        if n is None:
            raise InvalidInputError(
                "C needs the number of rows of the stream, alpha = 1 / (C n): give n_samples, or "
                "alpha in its place."
            )
        return 1.0 / (float(self.C) * max(float(n), np.finfo(float).tiny))

    @property
    def _step(self) -> Literal["adaptive", "pegasos"]:
        return "adaptive" if self.method == "averaged" else "pegasos"

    def _rule(self) -> OnlineRule:
        bias = self.bias if self.fit_intercept else "none"
        if self.method == "averaged":
            return OnlineRule(self.alpha_, self.loss, "adaptive", bias)
        if self.loss != "hinge" or bias == "free":
            raise InvalidInputError(
                "method='pegasos' takes loss='hinge' and no free bias, because its first steps are "
                "too long for others: give method='averaged'."
            )
        return OnlineRule(self.alpha_, "hinge", "pegasos", bias)

    def _new_learner(self, n_features: int) -> OnlineLearner:
        n_classes = len(self.classes_)
        return OnlineLearner(1 if n_classes == 2 else n_classes, n_features, self._rule())

    def _publish(self) -> None:
        self.coef_, self.intercept_ = self._weights()

    # Prediction ---------------------------------------------------------------------------------

    def decision_function(self, X: Any) -> Floats:
        """Return the decision values of each row of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The points.

        Returns
        -------
        ndarray of shape (m,) or (m, n_classes)
            For two classes positive on the side of ``classes_[1]``, else one value per class.
        """
        values: Floats = self._scores(X) + self.intercept_
        return values[:, 0] if values.shape[1] == 1 else values

    def predict(self, X: Any) -> Any:
        """Return the class of each row of X."""
        check_is_fitted(self)
        values = self.decision_function(X)
        winner = (values >= 0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)
        return self.classes_[winner]
