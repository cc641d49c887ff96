"""What all kernel estimators share: parameters, checks, the run, prediction, the proof."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral, Real
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_consistent_length
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from maxmargin.errors import InvalidInputError
from maxmargin.estimators.callbacks import CallbackSupportMixin, FitTasks
from maxmargin.estimators.certified import Certified
from maxmargin.estimators.decision import decision_values
from maxmargin.estimators.kernel_choice import NAMES, compares_vectors, kernel_of, resolved
from maxmargin.estimators.plan import Kept, Plan
from maxmargin.estimators.progress import Watcher
from maxmargin.estimators.proof import Machine, Proof
from maxmargin.estimators.run import (
    FitStoppedError,
    Former,
    Limits,
    Outcome,
    run,
    warn_unless_converged,
)
from maxmargin.estimators.threads import thread_count
from maxmargin.estimators.training import (
    Training,
    aligned,
    positive_rows,
    refuse_strings,
    require_moderate,
    take,
)
from maxmargin.kernels import Kernel, Linear
from maxmargin.problems import Bias, BoxQP, Free, Regularised
from maxmargin.problems.gram import Gram
from maxmargin.solvers.engine import Engine
from maxmargin.typing import Floats, Integers

__all__ = ["KernelMachine"]

#: scikit-learn takes C=inf for a very large one.
_LARGEST_C = 1e10

# More than any machine has: megabytes that still count in bytes.
_LARGEST_CACHE = 1 << 40


class KernelMachine(Certified, CallbackSupportMixin, BaseEstimator):
    """Base of the kernel estimators."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions(set(NAMES)), callable, Kernel],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "shrinking": ["boolean"],
        "cache_size": [Interval(Real, 0, None, closed="neither"), None],
        "verbose": ["verbose"],
        "max_iter": [Interval(Integral, -1, None, closed="left")],
        "n_jobs": [Integral, None],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "warm_start": ["boolean"],
        "bias": [StrOptions({"free", "regularised"})],
    }

    #: Whether y holds numbers.
    _numeric_targets: ClassVar[bool] = False

    #: Parameters that the kernel's values do not depend on, in the order in which a search varies
    #: them: the last one fastest.
    _prices: ClassVar[tuple[str, ...]] = ("C",)

    #: Whether a point has two variables, one above and one below.
    _two_sided: ClassVar[bool] = False

    #: Data for which the values of all machines are there already.
    _known: Sequence[tuple[Any, Floats]] = ()

    #: Asked now and then during a fit; True ends it.
    _stop: Callable[[], bool] | None = None

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

    def _prepare(self, X: Any, y: Any, sample_weight: Any) -> Training:
        """Check the training data and resolve the kernel on it."""
        started = perf_counter()
        self._proof: Proof | None = None
        kernel = kernel_of(self.kernel, self.gamma, self.coef0, self.degree)
        self._sparse = bool(sparse.issparse(X))
        if self._sparse and kernel.compares_similarities:
            raise TypeError("Sparse precomputed kernels are not supported: use X.toarray().")
        if compares_vectors(kernel):
            refuse_strings(X)
            kind = {"dtype": "numeric", "accept_sparse": "csr"}
            if y is None:
                X = validate_data(self, X, **kind)
            else:
                X, y = validate_data(self, X, y, y_numeric=self._numeric_targets, **kind)
        elif y is not None:
            check_consistent_length(X, y)
        if kernel.compares_similarities and X.shape[0] != X.shape[1]:
            raise InvalidInputError(
                "Precomputed matrix must be a square matrix. Input is a "
                f"{X.shape[0]}x{X.shape[1]} matrix."
            )
        points = kernel.validate(X)
        require_moderate(points)
        if sample_weight is not None:
            if not np.any(np.asarray(sample_weight)):
                positive_rows(np.zeros(1))
            sample_weight = _check_sample_weight(sample_weight, points, dtype=np.float64)
        given = X if compares_vectors(kernel) else points
        kernel = resolved(kernel, points, sample_weight)
        return Training(given, points, y, sample_weight, kernel, started)

    def _lay_out(self, training: Training) -> Any:
        """Return what the programs are about, whatever the prices."""
        raise NotImplementedError

    def _plan(self, training: Training, layout: Any) -> Plan:
        """Return the programs at the machine's prices."""
        raise NotImplementedError

    def _keep(self, training: Training, plan: Any, outcomes: Sequence[Outcome]) -> Kept:
        """Set the fitted attributes; return how to prove each machine."""
        raise NotImplementedError

    def _bias(self) -> Bias:
        return Free() if self.bias == "free" else Regularised(1.0)

    def _price(self) -> float:
        return min(float(self.C), _LARGEST_C)

    def _gram(self, kernel: Kernel, points: Any) -> Gram:
        return Gram(kernel, points, 1.0 if self.bias == "regularised" else 0.0)

    def _engine(self, gram: Gram) -> Engine:
        cache = self.cache_size
        return Engine(
            gram.kernel,
            gram.X,
            constant=gram.constant,
            cache_mb=None if cache is None else float(min(cache, _LARGEST_CACHE)),
            n_threads=thread_count(self.n_jobs),
        )

    def _limits(self, training: Training) -> Limits:
        return Limits.of(self.tol, self.max_iter, self.time_limit, training.started)

    def _run(
        self,
        engine: Engine,
        qps: Sequence[BoxQP],
        names: Sequence[str],
        training: Training,
        depth: int = 1,
    ) -> tuple[list[Outcome], FitTasks]:
        """Solve the programs, watched, and warn where one did not converge; fit is so far up."""
        tasks = FitTasks(self, len(qps), training.given, training.y, training.metadata())
        watcher = Watcher(tasks, bool(self.verbose), type(self).__name__, self._stop)
        limits = self._limits(training)
        formers = self.__dict__.pop("_formers", None) if self.warm_start else None
        with watcher:
            outcomes = run(engine, qps, limits, formers=formers, watch=watcher.watch)
            if self._stop is not None and self._stop():
                raise FitStoppedError("The search around this fit was stopped.")
            tasks.end_run(sum(found.measured for found in outcomes))
            if self.verbose:
                steps = sum(found.answer.steps for found in outcomes)
                watcher.show_end(max((found.gap()[0] for found in outcomes), default=0.0), steps)
        if self.warm_start:
            self._formers = [Former(found.signed, found.qp.cost) for found in outcomes]
        parameters = self.get_params(deep=False)
        self.fit_status_ = warn_unless_converged(outcomes, names, parameters, depth)
        return outcomes, tasks

    def _keep_support(self, training: Training, order: Integers, coefficients: Floats) -> Integers:
        """Keep the points with a coefficient; return which of `order` they are."""
        support = np.flatnonzero((coefficients != 0).any(axis=0))
        kernel = training.kernel
        self.kernel_ = kernel
        self.support_ = order[support].astype(np.int32)
        self._dual_coef_ = np.ascontiguousarray(coefficients[:, support])
        if kernel.compares_similarities:
            self.support_vectors_ = np.empty((0, 0))
        else:
            vectors = take(training.points, order[support], kernel)
            self.support_vectors_ = aligned(vectors) if self._sparse else vectors
        return support

    def _public(self, coefficients: Floats) -> Any:
        return aligned(sparse.csr_array(coefficients)) if self._sparse else coefficients

    def _publish(self) -> None:
        """Set the coefficients and intercepts in scikit-learn's signs."""
        self.dual_coef_ = self._public(self._dual_coef_)
        self.intercept_ = self._intercept_.copy()

    def _finish(self, training: Training, tasks: FitTasks, machines: Sequence[Machine]) -> None:
        self._conclude(training, machines)
        tasks.end({})

    def _conclude(self, training: Training, machines: Sequence[Machine]) -> None:
        self.shape_fit_ = getattr(training.points, "shape", (training.n_points,))
        self.fit_time_ = perf_counter() - training.started
        self._proof = Proof(machines, training.n_points)

    # Prediction ---------------------------------------------------------------------------------

    def _check_new(self, X: Any) -> Any:
        check_is_fitted(self)
        kernel = self.kernel_
        if compares_vectors(kernel):
            X = validate_data(self, X, reset=False, accept_sparse="csr", dtype="numeric")
        if sparse.issparse(X) and not self._sparse and compares_vectors(kernel):
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

    def _values_from(
        self, plan: Plan, kept: Kept, outcomes: Sequence[Outcome], similarities: Floats
    ) -> Floats:
        """Return the value of each machine from sum_j b_j k(x_j, x), a row for each program."""
        values = np.tile(self._intercept_, (similarities.shape[1], 1))
        constant = plan.gram.constant
        parts = zip(plan.columns, kept.scales, outcomes, similarities, strict=True)
        for column, scale, outcome, sums in parts:
            # The constant of a regularised bias is in the intercept.
            values[:, column] += (sums - constant * outcome.signed.sum()) / scale
        return values

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
        """Return one row of coefficients a machine."""
        return self._dual_coef_

    @property
    def _gamma(self) -> float:
        return float(getattr(self.kernel_, "gamma", 0.0))
