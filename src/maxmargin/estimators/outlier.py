"""Novelty detection: the one-class machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import OutlierMixin, _fit_context
from sklearn.utils._param_validation import Interval

from maxmargin.estimators.base import KernelEstimator
from maxmargin.estimators.single import SingleMachine
from maxmargin.kernels import Kernel
from maxmargin.machines.family import Posed
from maxmargin.machines.training import Training
from maxmargin.problems import OneClass, Points
from maxmargin.solvers import Callback, Solution
from maxmargin.solvers.stop import kept
from maxmargin.typing import Floats, Integers

__all__ = ["OneClassSVM"]

# Values within this share of the machine's scale are on the boundary, up to rounding.
_ROUNDING = 1e-11


class OneClassSVM(OutlierMixin, SingleMachine):
    """Describe where the points of one class lie, with scikit-learn's interface.

    At most a fraction nu of the training points is outside.

    Parameters
    ----------
    kernel, degree, gamma, coef0, tol
        As in `SVR`.
    nu : float
        In (0, 1]: bounds the fraction of outliers from above and that of support vectors from
        below.
    shrinking, cache_size, verbose, max_iter, n_jobs, time_limit, max_gap, warm_start, \
callback, trace
        As in `SVR`.

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, offset_, coef_, fit_status_, \
n_iter_
        As in scikit-learn.
    kernel_, machines_, certificate_, slack_, fit_time_, trace_
        As in `SVR`.
    margin_ : float
        Distance of the plane from the origin of the feature space.

    Examples
    --------
    >>> from maxmargin import OneClassSVM
    >>> machine = OneClassSVM(gamma=1.0, nu=0.5).fit([[0.0], [0.1], [0.2], [0.3]])
    >>> machine.predict([[0.15], [5.0]])
    array([ 1, -1])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelEstimator._parameter_constraints,
        "nu": [Interval(Real, 0.0, 1.0, closed="right")],
    }
    _parameter_constraints.pop("bias")

    penalties = ("nu",)

    #: The plane's distance from the origin takes the place of a bias.
    bias: ClassVar[str] = "free"

    def __init__(
        self,
        *,
        kernel: str | Kernel | Callable[[Any, Any], Any] = "rbf",
        degree: int = 3,
        gamma: float | Literal["scale", "auto", "median"] = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
        shrinking: bool = True,
        cache_size: float | None = None,
        verbose: bool = False,
        max_iter: int = -1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        max_gap: float | None = 1e-2,
        warm_start: bool = False,
        callback: Callback | None = None,
        trace: bool = False,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.max_gap = max_gap
        self.warm_start = warm_start
        self.callback = callback
        self.trace = trace

    @_fit_context(prefer_skip_nested_validation=True)
    @kept
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the machine.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The points; with a precomputed kernel their Gram matrix (n, n), with a kernel on
            sequences n strings, with one on columns a frame.
        y : ignored
            Here for scikit-learn's sake.
        sample_weight : array-like of shape (n,), optional
            How much each point counts. Points of weight zero or less are left out.
        """
        del y
        self._fit(X, None, sample_weight)
        self._end_tasks()
        return self

    def _publish(self) -> None:
        super()._publish()
        self.offset_ = -self._intercept_

    def _problem(self, points: Points, y: Any, weight: Floats) -> OneClass:
        del y
        return OneClass.posed(points, nu=float(self.nu), sample_weight=weight)

    def _adopt(self, training: Training, posed: Posed, solutions: Sequence[Solution]) -> None:
        super()._adopt(training, posed, solutions)
        diagonal = np.abs(training.points.take(self.support_).diagonal)
        self._scale = float(self._dual_coef_[0] @ diagonal)

    def decision_function(self, X: Any) -> Floats:
        """Return for each row of X a value that is positive inside, zero on the boundary."""
        values = self._values(X)[:, 0]
        # Most support vectors lie on the boundary, up to rounding.
        values[np.abs(values) <= self._rounding] = 0.0
        return values

    @property
    def _rounding(self) -> float:
        return _ROUNDING * self._scale

    def score_samples(self, X: Any) -> Floats:
        """Return the decision without its offset."""
        scores: Floats = self.decision_function(X) + self.offset_
        return scores

    def predict(self, X: Any) -> Integers:
        """Return +1 for each row of X inside and -1 for each outside."""
        return np.where(self.decision_function(X) >= 0, 1, -1).astype(np.intp)
