"""What all linear estimators share: parameters, checks, the fit, prediction with weights."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from time import perf_counter
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted, validate_data

from maxmargin.kernels import Linear
from maxmargin.machines.callbacks import CallbackSupportMixin
from maxmargin.machines.classes import linear_bias, seed_of
from maxmargin.machines.fitting import SolvesProblems
from maxmargin.machines.machine import Machine
from maxmargin.machines.refusals import explained
from maxmargin.machines.threads import thread_count
from maxmargin.machines.training import (
    LARGEST_LINEAR_ENTRY,
    Training,
    checked_weight,
    refuse_large,
)
from maxmargin.problems import Bias, Free, Points, Problem, Regularised
from maxmargin.solvers import Callback, Solution, Stop
from maxmargin.solvers.linear import linear_solver
from maxmargin.typing import Floats, Integers

__all__ = ["LinearEstimator"]

#: Used for any larger C: scikit-learn accepts C=inf.
_LARGEST_C = 1e10

_MOST_ITERATIONS = 1 << 31


class LinearEstimator(SolvesProblems, CallbackSupportMixin, BaseEstimator):
    """Base of the linear estimators."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "dual": ["boolean", StrOptions({"auto"})],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "C": [Interval(Real, 0.0, None, closed="right")],
        "fit_intercept": ["boolean"],
        "intercept_scaling": [Interval(Real, 0, None, closed="neither")],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "solver": [StrOptions({"auto", "coordinate-descent", "interior-point", "newton"})],
        "bias": [StrOptions({"free", "regularised"}), Free, Regularised],
        "n_jobs": [Integral, None],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "warm_start": ["boolean"],
        "callback": [callable, None],
        "trace": ["boolean"],
    }

    #: Whether y holds numbers.
    _numeric_targets: ClassVar[bool] = False

    coef_: Any
    intercept_: Any

    def __init__(
        self,
        *,
        loss: str,
        dual: bool | Literal["auto"],
        tol: float,
        C: float,
        fit_intercept: bool,
        intercept_scaling: float,
        verbose: int,
        random_state: Any,
        max_iter: int,
        solver: Literal["auto", "coordinate-descent", "interior-point", "newton"],
        bias: Literal["free", "regularised"] | Bias,
        n_jobs: int | None,
        time_limit: float | None,
        warm_start: bool,
        callback: Callback | None,
        trace: bool,
    ) -> None:
        self.loss: Any = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.solver = solver
        self.bias = bias
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.callback = callback
        self.trace = trace

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # Fitting ------------------------------------------------------------------------------------

    def _train(self, X: Any, y: Any, sample_weight: Any) -> Training:
        """Check the training data; nothing is copied."""
        started = perf_counter()
        self.__dict__.pop("_machines", None)
        try:
            X, y = validate_data(
                self,
                X,
                y,
                accept_sparse="csr",
                dtype=(np.float64, np.float32),
                y_numeric=self._numeric_targets,
            )
        except ValueError as error:
            raise explained(error, X, y, model=self) from None
        points = Points.checked(X, Linear())
        if not points.largest <= LARGEST_LINEAR_ENTRY:
            refuse_large(points.largest)
        if sample_weight is not None:
            sample_weight = checked_weight(sample_weight, X)
        ones = np.broadcast_to(1.0, points.n_points) if sample_weight is None else sample_weight
        return Training(points, y, sample_weight, started, ones)

    def _bias(self) -> Bias:
        return linear_bias(self.bias, self.fit_intercept, self.intercept_scaling)

    def _penalty(self) -> float:
        return min(float(self.C), _LARGEST_C)

    def _fit(
        self,
        training: Training,
        problems: Sequence[Problem],
        rows: Integers | None,
        classes: Sequence[tuple[Any, ...]],
    ) -> list[Solution]:
        """Solve the problems, from where the last fit ended, and keep the solutions."""
        solutions = self._solve(training, problems, [str(name) for name in classes])
        where = slice(None) if rows is None else rows
        self._machines = [
            Machine(solution, name, where)
            for solution, name in zip(solutions, classes, strict=True)
        ]
        self._n_training_rows = training.points.n_points
        self.n_iter_ = max(solution.iterations for solution in solutions)
        self.fit_time_ = perf_counter() - training.started
        return solutions

    def _solve(
        self, training: Training, problems: Sequence[Problem], names: Sequence[str]
    ) -> list[Solution]:
        n_jobs = None if self.n_jobs is None else thread_count(self.n_jobs)
        seed = seed_of(self.random_state)
        solver = linear_solver(problems[0], self.solver, n_jobs=n_jobs, seed=seed)
        self.solver_: str = _METHODS[solver.name]
        stop = Stop(
            gap=float(self.tol),
            time_limit=self._time_left(training),
            max_iter=min(int(self.max_iter), _MOST_ITERATIONS),
        )
        warm = self._last_fit(problems)
        return self._solve_all(training, problems, names, solver, stop, warm)

    # Prediction ---------------------------------------------------------------------------------

    def _scores(self, X: Any) -> Floats:
        """Return w'x + b of each machine."""
        check_is_fitted(self)
        kind = {"accept_sparse": "csr", "dtype": (np.float64, np.float32)}
        try:
            X = validate_data(self, X, reset=False, **kind)
        except ValueError as error:
            raise explained(error, X, model=self) from None
        weights = self.coef_ if self.coef_.ndim == 2 else self.coef_.reshape(1, -1)
        return np.asarray(safe_sparse_dot(X, weights.T, dense_output=True) + self.intercept_)

    def sparsify(self) -> Self:
        """Keep only the weights that are not zero, in a sparse matrix."""
        check_is_fitted(self)
        self.coef_ = sparse.csr_array(np.atleast_2d(self.coef_))
        return self

    def densify(self) -> Self:
        """Keep the weights in an array, as `fit` leaves them."""
        check_is_fitted(self)
        if sparse.issparse(self.coef_):
            self.coef_ = self.coef_.toarray()
        return self


#: What `solver_` calls the solvers.
_METHODS = {
    "coordinate-descent": "coordinate-descent",
    "linear-interior-point": "interior-point",
    "primal-newton": "newton",
    "l1-descent": "coordinate-descent",
    "crammer-singer-descent": "coordinate-descent",
    "crammer-singer-interior-point": "interior-point",
}
