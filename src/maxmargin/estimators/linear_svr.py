"""Linear support vector regression at any size."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import RegressorMixin, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions

from maxmargin.estimators.linear_base import LinearEstimator
from maxmargin.machines.training import positive_rows
from maxmargin.problems import Bias, EpsilonTube, checks
from maxmargin.solvers import Callback
from maxmargin.solvers.stop import kept
from maxmargin.typing import Floats

__all__ = ["LinearSVR"]


class LinearSVR(RegressorMixin, LinearEstimator):
    """Linear support vector regression, with scikit-learn's interface and a certificate.

    It minimises 1/2 |w|^2 + C sum_i s_i loss(max(0, |y_i - f(x_i)| - epsilon)).

    Parameters
    ----------
    epsilon : float
        Half the tube's width.
    tol : float
        Relative duality gap at which to stop.
    C : float
        Penalty of leaving the tube.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}
        The shape of the penalty.
    fit_intercept, intercept_scaling, dual, verbose, random_state, max_iter, solver, bias, n_jobs, \
time_limit, warm_start, callback, trace
        As in `LinearSVC`.

    Attributes
    ----------
    coef_, intercept_, n_iter_
        As in scikit-learn.
    solver_, machines_, certificate_, slack_, margin_, fit_time_, trace_
        As in `LinearSVC`; the margin is the tube's half-width.

    Examples
    --------
    >>> from maxmargin import LinearSVR
    >>> machine = LinearSVR(C=10, epsilon=0.1, bias="free", tol=1e-8)
    >>> machine.fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]).coef_.round(4)
    array([0.9])
    """

    _numeric_targets = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearEstimator._parameter_constraints,
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
        "loss": [StrOptions({"epsilon_insensitive", "squared_epsilon_insensitive"})],
    }

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        tol: float = 1e-4,
        C: float = 1.0,
        loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = "epsilon_insensitive",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        dual: bool | Literal["auto"] = "auto",
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
        self.epsilon = epsilon

    @_fit_context(prefer_skip_nested_validation=True)
    @kept
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the machine.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The points. float32 and float64 arrays of any layout are read where they are.
        y : array-like of shape (n,)
            Targets.
        sample_weight : array-like of shape (n,), optional
            Multiplies C point by point. Points of weight zero or less are left out.
        """
        training = self._train(X, y, sample_weight)
        points, weight = training.points, training.weight
        targets = checks.targets(training.y, len(training.y))
        rows = None if training.sample_weight is None else positive_rows(weight)
        if rows is not None:
            points, targets, weight = points.take(rows), targets[rows], weight[rows]
        problem = EpsilonTube.posed(
            points,
            y=targets,
            C=self._penalty(),
            epsilon=float(self.epsilon),
            loss=self.loss,
            bias=self._bias(),
            sample_weight=weight,
        )
        (solution,) = self._fit(training, [problem], rows, [()])
        self.coef_ = solution.w
        self.intercept_ = np.array([solution.b]) if self.fit_intercept else 0.0
        self._end_tasks()
        return self

    def predict(self, X: Any) -> Floats:
        """Return the predicted target of each row of X."""
        return self._scores(X)[:, 0]
