"""Support vector regression: `SVR` with a given tube, `NuSVR` with one that the data chooses."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import RegressorMixin, _fit_context
from sklearn.utils import column_or_1d
from sklearn.utils._param_validation import Interval

from maxmargin.estimators.base import KernelEstimator
from maxmargin.estimators.single import SingleMachine
from maxmargin.kernels import Kernel
from maxmargin.machines.refusals import explained
from maxmargin.problems import Bias, EpsilonTube, NuTube, Points, checks
from maxmargin.solvers import Callback
from maxmargin.solvers.stop import kept
from maxmargin.typing import Floats

__all__ = ["SVR", "NuSVR"]


class _Regressor(RegressorMixin, SingleMachine):
    """What both regressors share."""

    _numeric_targets = True
    is_two_sided = True

    @_fit_context(prefer_skip_nested_validation=True)
    @kept
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the machine.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The points; with a precomputed kernel their Gram matrix (n, n), with a kernel on
            sequences n strings, with one on columns a frame.
        y : array-like of shape (n,)
            Targets.
        sample_weight : array-like of shape (n,), optional
            Multiplies C point by point. Points of weight zero or less are left out.
        """
        self._fit(X, column_or_1d(y, warn=True), sample_weight)
        self._end_tasks()
        return self

    def predict(self, X: Any) -> Floats:
        """Return the predicted target of each row of X."""
        return self._values(X)[:, 0]

    def _tube(self, y: Any, weight: Floats) -> dict[str, Any]:
        try:
            targets = np.asarray(y, dtype=np.float64)
        except ValueError as error:
            raise explained(error, None, y, model=self) from None
        return {
            "y": checks.targets(targets, len(targets)),
            "C": self._penalty(),
            "bias": self._bias(),
            "sample_weight": weight,
        }


class SVR(_Regressor):
    """Epsilon support vector regression, with scikit-learn's interface and a certificate.

    It minimises 1/2 |w|^2 + C sum_i s_i max(0, |y_i - f(x_i)| - epsilon).

    Parameters
    ----------
    kernel : str, Kernel or callable
        "rbf" (default), "linear", "poly", "sigmoid", "laplacian", "chi2", "precomputed", one of
        `maxmargin.kernels`, or a function k(A, B) that returns the matrix of similarities.
    degree, gamma, coef0
        Parameters of the named kernels.
    tol : float
        How far the optimality conditions may be from holding.
    C : float
        Penalty of leaving the tube.
    epsilon : float
        Half the tube's width.
    shrinking : bool
        Has no effect; here for scikit-learn's sake.
    cache_size : float, optional
        Memory for the Gram matrix in MB. By default the whole matrix is kept if it fits in a
        quarter of the available memory.
    verbose : bool
        Show a progress bar.
    max_iter : int
        At most this many steps; -1 for no limit.
    n_jobs : int, optional
        Threads; by default as many as there are CPUs.
    time_limit : float, optional
        At most this many seconds per fit; the best model so far is kept.
    max_gap : float, optional
        A fit whose relative duality gap is larger than this when it reaches `tol` goes on with a
        smaller tolerance. None for LIBSVM's rule alone.
    warm_start : bool
        Start a fit from the multipliers of the last one.
    bias : {"free", "regularised"}, Free or Regularised
        Whether the intercept is left free or penalised like the weights, as in `SVC`.
    callback : callable, optional
        Called with each `maxmargin.solvers.Progress`; returning True ends the fit.
    trace : bool
        Whether to keep the records of the solver in `trace_`.

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, fit_status_, n_iter_
        As in scikit-learn.
    kernel_ : Kernel
        The kernel, with numbers for its parameters.
    machines_ : tuple of Machine
        Problem, solution and certificate of the machine, as in `SVC`.
    certificate_ : FitCertificate
        Primal and dual value, gap and violations, made when first asked for.
    slack_ : ndarray of shape (n,)
        How far each point is outside the tube.
    margin_ : float
        Half the tube's width.
    fit_time_ : float
        Seconds.
    trace_ : Trace
        Records of the fit, with ``trace=True``.

    Examples
    --------
    >>> from maxmargin import SVR
    >>> machine = SVR(kernel="linear", C=10).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    >>> machine.predict([[3.0]]).round(4)
    array([2.8])
    >>> machine.certificate_.holds(1e-3)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelEstimator._parameter_constraints,
        "C": [Interval(Real, 0.0, None, closed="right")],
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
    }
    penalties = ("epsilon", "C")

    def __init__(
        self,
        *,
        kernel: str | Kernel | Callable[[Any, Any], Any] = "rbf",
        degree: int = 3,
        gamma: float | Literal["scale", "auto", "median"] = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float = 1.0,
        epsilon: float = 0.1,
        shrinking: bool = True,
        cache_size: float | None = None,
        verbose: bool = False,
        max_iter: int = -1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        max_gap: float | None = 1e-2,
        warm_start: bool = False,
        bias: Literal["free", "regularised"] | Bias = "free",
        callback: Callback | None = None,
        trace: bool = False,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.max_gap = max_gap
        self.warm_start = warm_start
        self.bias = bias
        self.callback = callback
        self.trace = trace

    def _problem(self, points: Points, y: Any, weight: Floats) -> EpsilonTube:
        tube = self._tube(y, weight)
        epsilon = float(self.epsilon)
        return EpsilonTube.posed(points, epsilon=epsilon, loss="epsilon_insensitive", **tube)


class NuSVR(_Regressor):
    """Nu support vector regression, with scikit-learn's interface and a certificate.

    The width of the tube is chosen so that about a fraction nu of the points lies outside.

    Parameters
    ----------
    nu : float
        In (0, 1]: bounds the fraction of points outside the tube from above and that of support
        vectors from below.
    C : float
        Penalty of leaving the tube.
    kernel, degree, gamma, coef0, shrinking, tol, cache_size, verbose, max_iter, n_jobs, \
time_limit, max_gap, warm_start, bias, callback, trace
        As in `SVR`.

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, fit_status_, n_iter_
        As in scikit-learn.
    kernel_, machines_, certificate_, slack_, fit_time_, trace_
        As in `SVR`.
    margin_ : float
        Half the tube's width that the data chose.

    Examples
    --------
    >>> from maxmargin import NuSVR
    >>> machine = NuSVR(kernel="linear", C=10).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.5])
    >>> round(machine.margin_, 4)
    0.125
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelEstimator._parameter_constraints,
        "C": [Interval(Real, 0.0, None, closed="right")],
        "nu": [Interval(Real, 0.0, 1.0, closed="right")],
    }
    penalties = ("nu", "C")

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        kernel: str | Kernel | Callable[[Any, Any], Any] = "rbf",
        degree: int = 3,
        gamma: float | Literal["scale", "auto", "median"] = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float | None = None,
        verbose: bool = False,
        max_iter: int = -1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        max_gap: float | None = 1e-2,
        warm_start: bool = False,
        bias: Literal["free", "regularised"] | Bias = "free",
        callback: Callback | None = None,
        trace: bool = False,
    ) -> None:
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.max_gap = max_gap
        self.warm_start = warm_start
        self.bias = bias
        self.callback = callback
        self.trace = trace

    def _problem(self, points: Points, y: Any, weight: Floats) -> NuTube:
        return NuTube.posed(points, nu=float(self.nu), **self._tube(y, weight))
