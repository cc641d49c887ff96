"""What all kernel estimators share: parameters, checks, the fit, prediction."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_consistent_length
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import (
    _check_feature_names,
    _check_n_features,
    _check_y,
    check_is_fitted,
    validate_data,
)

from maxmargin.errors import InvalidInputError
from maxmargin.kernels import (
    RBF,
    Chi2,
    Function,
    Kernel,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
    Sigmoid,
)
from maxmargin.machines.callbacks import CallbackSupportMixin
from maxmargin.machines.decision import decision_values
from maxmargin.machines.family import KernelFamily, Posed
from maxmargin.machines.machine import Machine
from maxmargin.machines.refusals import explained
from maxmargin.machines.scales import LARGEST_RATIO, warn_of_scales
from maxmargin.machines.threads import thread_count
from maxmargin.machines.training import (
    LARGEST_ENTRY,
    Training,
    aligned,
    checked_weight,
    refuse_large,
    refuse_strings,
)
from maxmargin.problems import Bias, Free, Points, Regularised
from maxmargin.solvers import Decomposition, Solution, Stop
from maxmargin.solvers.base import Warm
from maxmargin.typing import Floats, Integers

__all__ = ["KernelEstimator"]

_NAMED = {
    "linear": Linear,
    "poly": Polynomial,
    "rbf": RBF,
    "sigmoid": Sigmoid,
    "laplacian": Laplacian,
    "chi2": Chi2,
    "precomputed": Precomputed,
}

#: Used for any larger C: scikit-learn accepts C=inf.
_LARGEST_C = 1e10

# Limits beyond any machine: the cache size in MB whose bytes fit in 64 bits, and the number of
# steps that the compiled core can count.
_LARGEST_CACHE = 1 << 40
_MOST_STEPS = 1 << 62


# Ranges of fewer rows say little, and those of this many are known well enough.
_FEW_ROWS = 20
_SOME_ROWS = 256


class KernelEstimator(KernelFamily, CallbackSupportMixin, BaseEstimator):
    """Base of the kernel estimators."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions(set(_NAMED)), callable, Kernel],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "gamma": [
            StrOptions({"scale", "auto", "median"}),
            Interval(Real, 0.0, None, closed="left"),
        ],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "shrinking": ["boolean"],
        "cache_size": [Interval(Real, 0, None, closed="neither"), None],
        "max_gap": [Interval(Real, 0, None, closed="neither"), None],
        "verbose": ["verbose"],
        "max_iter": [Interval(Integral, -1, None, closed="left")],
        "n_jobs": [Integral, None],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "warm_start": ["boolean"],
        "bias": [StrOptions({"free", "regularised"}), Free, Regularised],
        "callback": [callable, None],
        "trace": ["boolean"],
    }

    #: Whether y holds numbers.
    _numeric_targets: ClassVar[bool] = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        kernel = self.kernel
        similarities = kernel == "precomputed" or (
            isinstance(kernel, Kernel) and kernel.compares_similarities
        )
        sequences = isinstance(kernel, Kernel) and kernel.compares_sequences
        frames = isinstance(kernel, Kernel) and kernel.compares_columns
        tags.input_tags.pairwise = similarities
        tags.input_tags.sparse = not (similarities or sequences or frames)
        tags.input_tags.string = sequences or frames
        tags.input_tags.two_d_array = not sequences
        return tags

    # Fitting ------------------------------------------------------------------------------------

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Pose the problems, solve them, keep the solutions."""
        training = self._train(X, y, sample_weight)
        posed = self._pose(training)
        solutions = self._solve(training, posed, posed.problems, self._last_fit(posed.problems))
        self._adopt(training, posed, solutions)

    def _kernel(self) -> Kernel:
        kernel = self.kernel
        if isinstance(kernel, Kernel):
            return kernel
        if isinstance(kernel, type) and issubclass(kernel, Kernel):
            name = kernel.__name__
            raise InvalidInputError(
                f"kernel is the class {name}: give an instance, such as {name}()."
            )
        if callable(kernel):
            return Function(kernel)
        if kernel == "poly":
            return Polynomial(self.gamma, self.coef0, self.degree)
        if kernel == "sigmoid":
            return Sigmoid(self.gamma, self.coef0)
        named: Any = _NAMED[kernel]
        made: Kernel = named() if kernel in ("linear", "precomputed") else named(self.gamma)
        return made

    def _train(self, X: Any, y: Any, sample_weight: Any, points: Points | None = None) -> Training:
        started = perf_counter()
        self.__dict__.pop("_machines", None)
        kernel = self._kernel()
        self._sparse = bool(sparse.issparse(X))
        if points is not None:
            weight = None if sample_weight is None else np.asarray(sample_weight, np.float64)
            if kernel.compares_vectors or kernel.compares_similarities:
                self._take_names(X)
            if kernel.has_rules:
                kernel = kernel.resolve(kernel.validate(X), weight)
            if self._numeric_targets:
                y = _check_y(y, y_numeric=True, estimator=self)
            ones = np.broadcast_to(1.0, points.n_points) if weight is None else weight
            return Training(points.with_kernel(kernel), y, weight, started, ones)
        X, y = self._checked(kernel, X, y)
        if sample_weight is not None:
            sample_weight = checked_weight(sample_weight, X)
        points = Points.checked(X, kernel)
        if not points.largest <= LARGEST_ENTRY:
            refuse_large(points.largest)
        if isinstance(kernel, RBF | Laplacian) and not self._sparse:
            self._look_at_scales(X)
        points.kernel = kernel.resolve(X, sample_weight)
        ones = np.broadcast_to(1.0, points.n_points) if sample_weight is None else sample_weight
        return Training(points, y, sample_weight, started, ones)

    def _look_at_scales(self, X: Any) -> None:
        """Look at the ranges of columns in a few rows, and at all rows if these are far apart."""
        n = len(X)
        if n < _FEW_ROWS or X.shape[1] < 2:
            return
        some = X[:: -(-n // _SOME_ROWS)]
        ranges = some.max(axis=0) - some.min(axis=0)
        smallest = np.min(ranges, where=ranges > 0, initial=np.inf)
        if ranges.max() > LARGEST_RATIO * smallest:
            warn_of_scales(X, getattr(self, "feature_names_in_", None), self)

    def _checked(self, kernel: Kernel, X: Any, y: Any) -> tuple[Any, Any]:
        """Return data as the kernel takes it."""
        if self._sparse and kernel.compares_similarities:
            raise TypeError("Sparse precomputed kernels are not supported: use X.toarray().")
        if kernel.compares_vectors or kernel.compares_similarities:
            if getattr(X, "ndim", 0) != 2:
                refuse_strings(X)
            kind = {"dtype": "numeric", "accept_sparse": "csr"}
            try:
                if y is None:
                    X = validate_data(self, X, **kind)
                else:
                    X, y = validate_data(self, X, y, y_numeric=self._numeric_targets, **kind)
            except ValueError as error:
                raise explained(error, X, y, model=self) from None
        elif y is not None:
            try:
                check_consistent_length(X, y)
            except ValueError as error:
                raise explained(error, None, model=self) from None
        if kernel.compares_similarities and X.shape[0] != X.shape[1]:
            raise InvalidInputError(
                "Precomputed matrix must be a square matrix. Input is a "
                f"{X.shape[0]}x{X.shape[1]} matrix."
            )
        # scikit-learn has just checked arrays of floats.
        is_plain = isinstance(X, np.ndarray) and X.dtype in (np.float32, np.float64)
        is_checked = is_plain and type(kernel).validate is Kernel.validate
        return X if is_checked else kernel.validate(X), y

    def _take_names(self, X: Any) -> None:
        """Remember the features of data that was checked before."""
        _check_feature_names(self, X, reset=True)
        _check_n_features(self, X, reset=True)

    def _stop(self, time_left: float | None = None) -> Stop:
        """Return when to stop: by LIBSVM's rule."""
        return Stop(
            kkt=float(self.tol),
            time_limit=time_left,
            max_iter=None if self.max_iter == -1 else min(int(self.max_iter), _MOST_STEPS),
        )

    def _solver(self) -> Decomposition:
        cache = self.cache_size
        cache_size = None if cache is None else float(min(cache, _LARGEST_CACHE))
        n_jobs = None if self.n_jobs is None else thread_count(self.n_jobs)
        max_gap = None if self.max_gap is None else float(self.max_gap)
        return Decomposition(cache_size, n_jobs, max_gap)

    def _solve(
        self,
        training: Training,
        posed: Posed,
        problems: Sequence[Any],
        warm: Sequence[Warm] | None,
    ) -> list[Solution]:
        """Solve the fit's own problems, and further ones behind them."""
        stop = self._stop(self._time_left(training))
        solutions = self._solve_all(training, problems, posed.names, self._solver(), stop, warm)
        own = solutions[: len(posed.problems)]
        self.fit_status_ = 0 if all(one.converged for one in own) else 1
        return solutions

    @property
    def _is_plain(self) -> bool:
        alone = not (self._is_watched or self.warm_start or self.trace)
        return alone and self.max_iter == -1 and self.time_limit is None

    def _bias(self) -> Bias:
        if isinstance(self.bias, Free | Regularised):
            return self.bias
        return Free() if self.bias == "free" else Regularised(1.0)

    def _penalty(self) -> float:
        return min(float(self.C), _LARGEST_C)

    # Keeping ------------------------------------------------------------------------------------

    def _keep(
        self,
        training: Training,
        posed: Posed,
        solutions: Sequence[Solution],
        classes: Sequence[tuple[Any, ...]],
        order: Integers | None,
        coefficients: Floats,
    ) -> Integers:
        """Keep the solutions and the points with a coefficient; return their places in `order`."""
        rows = [slice(None) if own is None else own for own in posed.rows]
        self._machines = [Machine(*parts) for parts in zip(solutions, classes, rows, strict=True)]
        self._n_training_rows = training.points.n_points
        kernel, points = training.points.kernel, training.points
        support = np.flatnonzero((coefficients != 0).any(axis=0))
        chosen = support if order is None else order[support]
        self.kernel_ = kernel
        self.support_ = chosen.astype(np.int32)
        self._dual_coef_ = np.ascontiguousarray(coefficients[:, support])
        if kernel.compares_similarities:
            self.support_vectors_ = np.empty((0, 0))
        else:
            vectors = points.take(chosen).X
            self.support_vectors_ = aligned(vectors) if self._sparse else vectors
        self.shape_fit_ = getattr(points.X, "shape", (points.n_points,))
        self.fit_time_ = perf_counter() - training.started
        return support

    def _public(self, coefficients: Floats) -> Any:
        return aligned(sparse.csr_array(coefficients)) if self._sparse else coefficients

    def _publish(self) -> None:
        """Set the coefficients and intercepts in scikit-learn's signs."""
        self.dual_coef_ = self._public(self._dual_coef_)
        self.intercept_ = self._intercept_.copy()

    # Prediction ---------------------------------------------------------------------------------

    def _check_new(self, X: Any) -> Any:
        check_is_fitted(self)
        kernel = self.kernel_
        vectors = kernel.compares_vectors or kernel.compares_similarities
        if vectors:
            try:
                X = validate_data(self, X, reset=False, accept_sparse="csr", dtype="numeric")
            except ValueError as error:
                raise explained(error, X, model=self) from None
        if sparse.issparse(X) and not self._sparse and vectors:
            raise InvalidInputError(
                f"cannot use sparse input in {type(self).__name__!r} trained on dense data: "
                "use X.toarray(), or fit on sparse data."
            )
        if self.n_support_.sum() != self._dual_coef_.shape[1]:
            raise InvalidInputError(
                f"The internal representation of {type(self).__name__} was altered: fit it again."
            )
        X = kernel.validate_new(X)
        return sparse.csr_array(X) if self._sparse and not sparse.issparse(X) else X

    def _values(self, X: Any, n_support: Integers | None = None) -> Floats:
        """Return the value of each machine."""
        for data, values in self._known:
            if X is data:
                return values.copy()
        X = self._check_new(X)
        if self.kernel_.compares_similarities:
            X = X[:, self.support_]
        return decision_values(
            self.kernel_,
            X,
            self.support_vectors_,
            self._dual_coef_,
            self._intercept_,
            n_support,
        )

    # Attributes ---------------------------------------------------------------------------------

    @property
    def n_support_(self) -> Integers:
        """Number of support vectors of each class, or in all."""
        try:
            counts: Integers = self._n_support
        except AttributeError:
            raise AttributeError(f"{type(self).__name__} has no n_support_ before fit.") from None
        return counts

    @property
    def coef_(self) -> Any:
        """Weights of the features, for a linear kernel."""
        if not (self.kernel == "linear" or isinstance(self.kernel, Linear)):
            raise AttributeError("coef_ is only available when using a linear kernel")
        check_is_fitted(self)
        coefficients = sparse.csr_array(self._machine_coefficients())
        weights = coefficients @ self.support_vectors_
        if sparse.issparse(weights):
            weights = aligned(weights)
            weights.data.flags.writeable = False
        else:
            weights.flags.writeable = False
        return weights

    def _machine_coefficients(self) -> Any:
        """Return one row of coefficients per machine."""
        return self._dual_coef_

    @property
    def _gamma(self) -> float:
        return float(getattr(self.kernel_, "gamma", 0.0))
