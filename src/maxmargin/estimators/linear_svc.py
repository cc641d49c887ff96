"""Linear support vector classification at any size."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import ClassifierMixin, _fit_context
from sklearn.utils._param_validation import StrOptions

from maxmargin.errors import InvalidInputError
from maxmargin.estimators.linear_base import LinearEstimator
from maxmargin.machines.classes import LinearFamily, coefficients_of, encoded, plain
from maxmargin.machines.training import positive_rows
from maxmargin.problems import Bias
from maxmargin.solvers import Callback
from maxmargin.solvers.stop import kept
from maxmargin.typing import Floats

__all__ = ["LinearSVC"]


class LinearSVC(ClassifierMixin, LinearEstimator):
    """Linear support vector classification, with scikit-learn's interface and a certificate.

    It minimises 1/2 |w|^2 + C sum_i s_i loss(max(0, 1 - y_i f(x_i))), for many classes one machine
    per class against the rest.

    Parameters
    ----------
    penalty : {"l2", "l1"}
        "l1" makes weights sparse; with the squared hinge only.
    loss : {"squared_hinge", "hinge"}
        The shape of the penalty.
    dual : bool or "auto"
        Has no effect; here for scikit-learn's sake.
    tol : float
        Relative duality gap at which to stop.
    C : float
        Penalty of slack.
    multi_class : {"ovr", "crammer_singer"}
        One machine per class against the rest, or one objective for all classes.
    fit_intercept : bool
        Whether there is an intercept.
    intercept_scaling : float
        With ``bias="regularised"`` the value of the constant feature whose weight makes the
        intercept: the larger, the less it is penalised.
    class_weight : dict or "balanced", optional
        Multiplies C class by class; against the rest, as in LIBLINEAR, for the class itself alone.
    verbose : int
        Show a progress bar.
    random_state : int, RandomState or None
        For the order of coordinate descent; None gives the same order every time.
    max_iter : int
        At most this many iterations, in the solver's own unit.
    solver : {"auto", "coordinate-descent", "interior-point", "newton"}
        "auto" factorises where features (with Crammer and Singer's machine, times classes) are few
        and descends along coordinates where they are many. "newton" is for the squared hinge.
    bias : {"regularised", "free"}, Free or Regularised
        Whether the intercept is penalised like the weights, as LIBLINEAR does, or left free; a
        `maxmargin.problems.Regularised` has a scale of its own.
    n_jobs : int, optional
        Threads; by default as many as there are CPUs. The result does not depend on them.
    time_limit : float, optional
        At most this many seconds per fit; the best model so far is kept.
    warm_start : bool
        Start a fit where the last one ended, scaled with C.
    callback : callable, optional
        Called with each `maxmargin.solvers.Progress`; returning True ends the fit.
    trace : bool
        Whether to keep the records of the solver in `trace_`.

    Attributes
    ----------
    classes_, coef_, intercept_, n_iter_
        As in scikit-learn.
    solver_ : str
        The solver that was used.
    machines_, certificate_, slack_, margin_, fit_time_, trace_
        As in `SVC`.

    Examples
    --------
    >>> from maxmargin import LinearSVC
    >>> machine = LinearSVC(loss="hinge", bias="free", tol=1e-8)
    >>> machine.fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]).coef_.round(4)
    array([[1.]])
    >>> machine.certificate_.holds(1e-6), round(machine.margin_, 4)
    (True, 1.0)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearEstimator._parameter_constraints,
        "penalty": [StrOptions({"l1", "l2"})],
        "loss": [StrOptions({"hinge", "squared_hinge"})],
        "multi_class": [StrOptions({"ovr", "crammer_singer"})],
        "class_weight": [None, dict, StrOptions({"balanced"})],
    }

    def __init__(
        self,
        penalty: Literal["l1", "l2"] = "l2",
        loss: Literal["hinge", "squared_hinge"] = "squared_hinge",
        *,
        dual: bool | Literal["auto"] = "auto",
        tol: float = 1e-4,
        C: float = 1.0,
        multi_class: Literal["ovr", "crammer_singer"] = "ovr",
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        verbose: int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
        solver: Literal["auto", "coordinate-descent", "interior-point", "newton"] = "auto",
        bias: Literal["free", "regularised"] | Bias = "regularised",
        n_jobs: int | None = None,
        time_limit: float | None = None,
        warm_start: bool = False,
        callback: Callback | None = None,
        trace: bool = False,
    ) -> None:
        super().__init__(
            loss=loss,
            dual=dual,
            tol=tol,
            C=C,
            fit_intercept=fit_intercept,
            intercept_scaling=intercept_scaling,
            verbose=verbose,
            random_state=random_state,
            max_iter=max_iter,
            solver=solver,
            bias=bias,
            n_jobs=n_jobs,
            time_limit=time_limit,
            warm_start=warm_start,
            callback=callback,
            trace=trace,
        )
        self.penalty = penalty
        self.multi_class = multi_class
        self.class_weight = class_weight

    @_fit_context(prefer_skip_nested_validation=True)
    @kept
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the machine.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The points. float32 and float64 arrays of any layout are read where they are.
        y : array-like of shape (n,)
            Class labels.
        sample_weight : array-like of shape (n,), optional
            Multiplies C point by point. Points of weight zero or less are left out.
        """
        family = LinearFamily(
            self.penalty, self.loss, self.multi_class, self._bias(), self.class_weight
        )
        training = self._train(X, y, sample_weight)
        self.classes_, labels = encoded(training.y)
        if len(self.classes_) < 2:
            raise InvalidInputError(
                "This solver needs samples of at least 2 classes in the data, but the data "
                f"contains only one class: {plain(self.classes_[0])!r}"
            )
        points, weight = training.points, training.weight
        rows = None if training.sample_weight is None else positive_rows(weight)
        if rows is not None:
            points, labels, weight = points.take(rows), labels[rows], weight[rows]
        problems = family.pose(points, self.classes_, labels, weight, self._penalty())
        solutions = self._fit(training, problems, rows, family.machine_classes(self.classes_))
        self.coef_, self.intercept_ = coefficients_of(solutions)
        if not self.fit_intercept:
            self.intercept_ = 0.0
        self._end_tasks()
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return the decision values of each row of X.

        Returns
        -------
        ndarray of shape (m,) or (m, n_classes)
            For two classes positive on the side of ``classes_[1]``.
        """
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> Any:
        """Return the class of each row of X."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return self.classes_[(scores > 0).astype(np.intp)]
        return self.classes_[np.argmax(scores, axis=1)]
