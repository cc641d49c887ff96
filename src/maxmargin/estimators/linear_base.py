"""What all linear estimators share: parameters, checks, the run, the proof."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral, Real
from time import perf_counter
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, validate_data

from maxmargin.estimators.callbacks import CallbackSupportMixin, FitTasks
from maxmargin.estimators.certified import Certified
from maxmargin.estimators.interrupts import heed_interrupt
from maxmargin.estimators.linear_classes import are_one
from maxmargin.estimators.progress import Watcher
from maxmargin.estimators.proof import Proof, Provable
from maxmargin.estimators.run import Limits, warn_unless_converged
from maxmargin.estimators.threads import thread_count
from maxmargin.estimators.training import positive_rows, require_moderate
from maxmargin.problems import Bias, Free, Regularised
from maxmargin.problems.base import slack_price
from maxmargin.solvers.linear_choice import fitting_method
from maxmargin.solvers.linear_engine import LinearAnswer, LinearEngine, LinearProgram, Method
from maxmargin.typing import Floats, Integers

__all__ = ["LinearData", "LinearMachine", "bias_weight"]

#: scikit-learn takes C=inf for a very large one.
_LARGEST_C = 1e10

_MOST_ITERATIONS = 1 << 31

# Up to this many points the accuracy of rounding costs next to nothing, and makes the model
# independent of how its points are given.
_SMALL = 256
_ROUNDING = 1e-15


@dataclass(frozen=True, eq=False)
class LinearData:
    """Checked training data: the rows that count, and which of all rows they are."""

    X: Any
    y: Any
    weight: Floats
    rows: Integers | slice
    n_points: int
    given: tuple[Any, Any, Any]
    started: float


@dataclass(frozen=True, eq=False)
class _Outcome:
    """An answer as the warnings read it."""

    answer: Any

    def gap(self) -> tuple[float, float]:
        primal, dual = self.answer.primal, self.answer.dual
        if not (np.isfinite(primal) and np.isfinite(dual)):
            return np.inf, np.inf
        return primal - dual, (primal - dual) / (max(abs(primal), abs(dual)) or 1.0)


class LinearMachine(Certified, CallbackSupportMixin, BaseEstimator):
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
        "bias": [StrOptions({"free", "regularised"})],
        "n_jobs": [Integral, None],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "warm_start": ["boolean"],
    }

    #: Whether y holds numbers.
    _numeric_targets: ClassVar[bool] = False

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
        bias: Literal["free", "regularised"],
        n_jobs: int | None,
        time_limit: float | None,
        warm_start: bool,
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # Fitting ------------------------------------------------------------------------------------

    def _prepare(self, X: Any, y: Any, sample_weight: Any) -> LinearData:
        """Check the training data; nothing is copied but where some points do not count."""
        started = perf_counter()
        self._proof: Proof | None = None
        given = (X, y, sample_weight)
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=(np.float64, np.float32),
            y_numeric=self._numeric_targets,
        )
        require_moderate(X)
        n = X.shape[0]
        weight = np.broadcast_to(1.0, n)
        if sample_weight is not None:
            if not np.any(np.asarray(sample_weight)):
                positive_rows(np.zeros(1))
            weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        return LinearData(X, y, weight, slice(None), n, given, started)

    @staticmethod
    def _counting(data: LinearData) -> LinearData:
        """Leave out the points of weight zero or less."""
        if data.weight.min() > 0:
            return data
        rows = positive_rows(data.weight)
        return replace(data, X=data.X[rows], y=data.y[rows], weight=data.weight[rows], rows=rows)

    def _bias(self) -> Bias:
        if not self.fit_intercept:
            return Regularised(0.0)
        return Free() if self.bias == "free" else Regularised(float(self.intercept_scaling))

    def _price(self) -> float:
        return min(float(self.C), _LARGEST_C)

    def _slack_price(self, weight: Floats, *, squared: bool) -> tuple[Floats, Floats]:
        """Return what the slack of each point costs; where all cost the same, found once."""
        if not are_one(weight):
            return slack_price(self._price() * weight, squared=squared)
        cost, ridge = slack_price(np.array([self._price()]), squared=squared)
        return np.full(len(weight), cost), np.full(len(weight), ridge)

    def _seed(self) -> int:
        if self.random_state is None:
            return 0
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _limits(self, data: LinearData) -> Limits:
        most = min(int(self.max_iter), _MOST_ITERATIONS)
        return Limits.of(self.tol, most, self.time_limit, data.started)

    def _method(self, X: Any, *, squared: bool) -> Method:
        method = fitting_method(X, squared=squared) if self.solver == "auto" else self.solver
        # Newton steps need a curvature, which the other losses do not have.
        return "interior-point" if method == "newton" and not squared else method

    def _run(
        self, data: LinearData, solve: Callable[..., list[Any]], n_machines: int
    ) -> tuple[list[Any], FitTasks]:
        """Call a solver with what limits and watches it; its answers, and the tasks to be ended."""
        X, y, sample_weight = data.given
        told = None if sample_weight is None else {"sample_weight": sample_weight}
        tasks = FitTasks(self, n_machines, X, y, told)
        watcher = Watcher(tasks, bool(self.verbose), type(self).__name__)
        limits = self._limits(data)
        to_rounding = data.X.shape[0] <= _SMALL and self.solver_ != "coordinate-descent"
        with watcher:
            answers = solve(
                gap=min(limits.tol, _ROUNDING) if to_rounding else limits.tol,
                max_iterations=limits.max_steps or 0,
                seconds=limits.seconds,
                watch=watcher.watch,
                seed=self._seed(),
            )
            answers = [_judged(answer, limits.tol) for answer in answers]
            self._end_run(answers, tasks, watcher)
        return answers, tasks

    def _solve_programs(
        self, data: LinearData, programs: Sequence[LinearProgram], *, squared: bool
    ) -> tuple[list[LinearAnswer], FitTasks]:
        """Solve l2 machines from where the last fit ended, with the solver that suits them."""
        self.solver_: str = self._method(data.X, squared=squared)
        engine = LinearEngine(data.X, thread_count(self.n_jobs))
        starts = self._starts(programs, data.X.shape[1])
        solve = partial(engine.solve, programs, self.solver_, starts=starts)
        answers, tasks = self._run(data, solve, len(programs))
        if self.warm_start:
            self._formers = (answers, [program.cost for program in programs])
        return answers, tasks

    def _end_run(
        self,
        answers: Sequence[Any],
        tasks: FitTasks,
        watcher: Watcher,
    ) -> None:
        outcomes = [_Outcome(answer) for answer in answers]
        tasks.end_run(sum(bool(np.isfinite(outcome.gap()[0])) for outcome in outcomes))
        if self.verbose:
            steps = sum(answer.iterations for answer in answers)
            watcher.show_end(max(outcome.gap()[0] for outcome in outcomes), steps)
        if any(answer.ending == "interrupt" for answer in answers):
            heed_interrupt()
        names = self._machine_names()
        warn_unless_converged(outcomes, names, self.get_params(deep=False))
        self.n_iter_ = int(max(answer.iterations for answer in answers))

    def _starts(
        self, programs: Sequence[LinearProgram], n_features: int
    ) -> list[LinearAnswer | None] | None:
        """Return where the last fit ended, its multipliers scaled with the costs."""
        former = self.__dict__.pop("_formers", None)
        if former is None or not self.warm_start:
            return None
        answers, costs = former
        fits = len(answers) == len(programs) and all(
            len(answer.weights) == n_features and len(cost) == len(program.cost)
            for answer, cost, program in zip(answers, costs, programs, strict=True)
        )
        if not fits:
            return None
        return [
            replace(answer, multipliers=_scaled(answer.multipliers, cost, program))
            for answer, cost, program in zip(answers, costs, programs, strict=True)
        ]

    def _machine_names(self) -> list[str]:
        """Return what the warnings call each machine."""
        return [type(self).__name__]

    def _finish(self, data: LinearData, tasks: FitTasks, machines: Sequence[Provable]) -> None:
        self.fit_time_ = perf_counter() - data.started
        tasks.end({})
        self._proof = Proof(machines, data.n_points)


def _judged(answer: Any, tol: float) -> Any:
    """Return the answer as converged if it is within the tolerance, whatever it aimed at."""
    reached = answer.ending in ("steps", "stalled") and _Outcome(answer).gap()[1] <= tol
    return replace(answer, ending="converged") if reached else answer


def bias_weight(bias: Bias) -> float:
    """Return what b^2 / 2 costs in the primal."""
    if isinstance(bias, Free):
        return 0.0
    return float("inf") if bias.scale == 0 else bias.scale**-2


def _scaled(multipliers: Floats, cost: Floats, program: LinearProgram) -> Floats:
    finite = np.isfinite(cost) & np.isfinite(program.cost) & (cost > 0)
    growth = np.divide(program.cost, cost, out=np.ones(len(cost)), where=finite)
    return np.clip(growth * multipliers, 0.0, program.cost)
