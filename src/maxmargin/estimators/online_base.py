"""What the online machines share: checks, fits to data in memory or in chunks, attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from numbers import Integral, Real
from time import perf_counter
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from maxmargin.errors import InvalidInputError
from maxmargin.interrupts import AbortError, heed, pending
from maxmargin.kernels.data import largest_entry
from maxmargin.machines.callbacks import CallbackSupportMixin, FitTasks
from maxmargin.machines.endings import warn
from maxmargin.machines.machine import HasMachines, Machine
from maxmargin.machines.progress import Bar
from maxmargin.machines.refusals import explained
from maxmargin.machines.threads import thread_count
from maxmargin.machines.training import LARGEST_LINEAR_ENTRY, positive_rows, refuse_large
from maxmargin.problems import Problem
from maxmargin.problems.checks import moderate
from maxmargin.solvers import Ending, Stop, solve_all
from maxmargin.solvers.online import Learnt, OnlineDescent, OnlineLearner, OnlineRule, Rows
from maxmargin.solvers.stop import Raising
from maxmargin.typing import Floats

__all__ = ["OnlineMachine"]

_CAUSES = {
    Ending.MAX_ITER: "tol={tol} was not reached after max_iter={max_iter} passes. "
    "Raise max_iter or tol.",
    Ending.STALLED: "at this rate tol={tol} would not be reached within max_iter={max_iter} "
    "passes. Raise them or tol, scale the features, or take an estimator that is not online.",
    Ending.TIME_LIMIT: "time_limit={time_limit} was reached. Raise it, or tol.",
    Ending.CALLBACK: "a callback asked for it.",
    Ending.INTERRUPT: "the fit was interrupted. With warm_start=True another one goes on from "
    "here; another interrupt within two seconds raises KeyboardInterrupt.",
}

_FROM_A_STREAM = (
    "{name} learnt from a stream, whose rows it does not keep: fit it to rows in memory for its "
    "solutions and certificates."
)


class OnlineMachine(HasMachines, CallbackSupportMixin, BaseEstimator):
    """Base of the online estimators."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "average": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="left"), None],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
        "warm_start": ["boolean"],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "callback": [callable, None],
        "trace": ["boolean"],
    }

    n_jobs: int | None = None

    @property
    def _step(self) -> Literal["adaptive", "pegasos"]:
        """What the stochastic steps are called in the solver."""
        return "adaptive"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # What a machine adds ------------------------------------------------------------------------

    def _rule(self) -> OnlineRule:
        raise NotImplementedError

    def _new_learner(self, n_features: int) -> OnlineLearner:
        raise NotImplementedError

    def _publish(self) -> None:
        """Set the attributes that the learner's state implies."""
        raise NotImplementedError

    # Learning -----------------------------------------------------------------------------------

    def _checked(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
        kind = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "reset": reset}
        try:
            if y is None and not self.__sklearn_tags__().target_tags.required:
                X = validate_data(self, X, **kind)
            else:
                X, y = validate_data(self, X, y, **kind)
        except ValueError as error:
            raise explained(error, X, y, model=self) from None
        largest = largest_entry(X)
        if not largest <= LARGEST_LINEAR_ENTRY:
            refuse_large(largest)
        return X, y

    @staticmethod
    def _weight(sample_weight: Any, X: Any) -> Floats:
        n = X.shape[0]
        if sample_weight is None:
            return np.ones(n)
        given = np.asarray(sample_weight)
        if given.shape == (n,) and not given.any():
            return np.zeros(n)
        weight: Floats = _check_sample_weight(sample_weight, X, dtype=np.float64)
        moderate(weight, "sample_weight")
        return weight

    def _positive_weight(self, sample_weight: Any, X: Any) -> Floats:
        """Return the weights of a fit's rows, one of which must be positive; none is negative."""
        weight = self._weight(sample_weight, X)
        positive_rows(weight)
        return np.maximum(weight, 0.0)

    def _begin(self, n_features: int) -> None:
        """Start from zero, or where the last fit ended."""
        last: OnlineLearner | None = self.__dict__.get("_learner")
        fresh = self._new_learner(n_features)
        if self.warm_start and last is not None and last.like(fresh):
            return
        self._learner = fresh
        self._generator = _generator(self.random_state)

    def _fit_problems(
        self,
        problems: Sequence[Problem],
        classes: Sequence[tuple[Any, ...]],
        counts: Floats,
        given: tuple[Any, Any, Any],
    ) -> None:
        """Learn rows in memory, pass after pass, until the measured gap is within tol.

        `counts` says how many rows each row counts for, `given` is what `fit` was called with.
        """
        self.n_iter_ = 0
        solver = OnlineDescent(
            self._step,
            self.average,
            self.tol is not None,
            self.shuffle,
            self._generator,
            thread_count(self.n_jobs),
            self._learner,
            counts,
        )
        limit = None if self.time_limit is None else float(self.time_limit)
        with _Watch(self, given, self.max_iter if self.tol is None else None) as watch:

            def after_pass(progress: Any) -> bool:
                self.n_iter_ = progress.iteration
                stops = self.callback is not None and bool(self.callback(progress))
                # All problems are learnt in the same pass.
                is_last = progress.problem == len(problems) - 1
                return (is_last and watch.see("pass")) or stops

            solutions = solve_all(
                problems,
                solver,
                trace=self.trace,
                stop=Stop(gap=self.tol or None, time_limit=limit, max_iter=int(self.max_iter)),
                callback=after_pass if watch.is_needed else None,
            )
        self.n_iter_ = solutions[0].iterations
        self._machines = [
            Machine(solution, about, slice(None))
            for solution, about in zip(solutions, classes, strict=True)
        ]
        self._n_training_rows = len(counts)
        self._publish()
        watch.tasks.end({})
        short = [one for one in solutions if not one.converged]
        if short and (self.tol is not None or short[0].ending is not Ending.MAX_ITER):
            gap = max(solution.estimate.relative_gap for solution in solutions)
            self._warn_of(
                short[0].ending,
                f" Its objective is above the optimum by at most a fraction of {gap:.2g} of it.",
            )

    def _fit_passes(self, passes: Callable[[], Iterator[Rows]], n_passes: int) -> None:
        """Learn the chunks of a stream as often as asked; keep the model so far at an interrupt."""
        deadline = None if self.time_limit is None else perf_counter() + float(self.time_limit)
        self.n_iter_ = 0
        ending: Ending | None = None
        with _Watch(self, (None, None, None), n_passes) as watch:
            try:
                while self.n_iter_ < n_passes and ending is None:
                    ending = self._learn_chunks(passes(), deadline, watch)
                    self.n_iter_ += 1
            except AbortError:
                raise
            except KeyboardInterrupt:
                if self.__dict__.get("_learner") is None:
                    raise
                ending = Ending.INTERRUPT
        if ending is Ending.INTERRUPT:
            heed()
        self._forget_rows()
        self._publish()
        watch.tasks.end({})
        self._warn_of(ending)

    def _learn_chunks(
        self, chunks: Iterator[Rows], deadline: float | None, watch: _Watch
    ) -> Ending | None:
        n_chunks = 0
        while True:
            with Raising():  # a source that waits knows nothing of interrupts
                rows = next(chunks, None)
            if rows is None:
                break
            n_chunks += 1
            learnt = self._learn(rows, deadline)
            if learnt.ending is not None:
                return learnt.ending
            if learnt.n_rows and watch.see("chunk"):
                return Ending.CALLBACK
        if n_chunks == 0:
            raise InvalidInputError("The stream has no rows: give one with at least a chunk.")
        return None

    def _learn_chunk(self, rows: Rows) -> Self:
        """Learn one chunk of a stream that the caller reads."""
        learnt = self._learn(rows)
        self._forget_rows()
        self._publish()
        if learnt.ending is Ending.INTERRUPT:
            # The caller's loop over the chunks is to end with it.
            heed()
            raise KeyboardInterrupt(
                f"{type(self).__name__} has learnt {learnt.n_rows} rows of this chunk and keeps "
                "the model so far."
            )
        return self

    def _learn(self, rows: Rows, deadline: float | None = None) -> Learnt:
        """Learn the rows of positive weight once, in random order if they are to be shuffled."""
        rows = rows.with_weight()
        if rows.n_rows == 0:
            return Learnt(0, None)
        order = self._generator.permutation(rows.n_rows) if self.shuffle else None
        left = None if deadline is None else max(0.0, deadline - perf_counter())
        n_jobs = thread_count(self.n_jobs)
        learnt = self._learner.learn(rows, self._rule(), order=order, n_jobs=n_jobs, seconds=left)
        # The core looks neither at the clock nor for interrupts while it learns a few rows.
        if learnt.ending is None and deadline is not None and perf_counter() >= deadline:
            return Learnt(learnt.n_rows, Ending.TIME_LIMIT)
        if learnt.ending is None and pending():
            return Learnt(learnt.n_rows, Ending.INTERRUPT)
        return learnt

    def _forget_rows(self) -> None:
        why_not = _FROM_A_STREAM.format(name=type(self).__name__)
        self._machines = [Machine.unproved((), why_not)]
        self._n_training_rows = 0

    def _warn_of(self, ending: Ending | None, quality: str = "") -> None:
        """Warn of an early end, and say how good the model is."""
        if ending is None or ending not in _CAUSES:
            return
        cause = _CAUSES[ending].format(**self.get_params(deep=False))
        warn(f"{type(self).__name__} keeps the model so far: {cause}{quality}")

    # Results ------------------------------------------------------------------------------------

    def _weights(self) -> tuple[Floats, Floats]:
        rule = self._rule()
        weights, bias = self._learner.weights(rule, average=self.average)
        if not (np.isfinite(weights).all() and np.isfinite(bias).all()):
            raise InvalidInputError(
                "The weights are not finite. X may contain large values: scale the features, and "
                "the weights of the rows to moderate numbers."
            )
        return weights, bias

    def _objectives(self, loss: Floats) -> Floats:
        """Return the objective of each machine whose mean loss is this."""
        return self._learner.objectives(self._rule(), loss)

    @property
    def t_(self) -> float:
        """The weight of all rows learnt so far."""
        return self._fitted("t_").seen

    @property
    def loss_(self) -> Any:
        """The loss of the mean weights on each row before it was learnt, recent ones first."""
        return _single(self._fitted("loss_").loss)

    @property
    def objective_estimate_(self) -> Any:
        """The objective with `loss_` in the place of the mean loss."""
        return _single(self._objectives(self._fitted("objective_estimate_").loss))

    def _fitted(self, name: str) -> OnlineLearner:
        learner: OnlineLearner | None = self.__dict__.get("_learner")
        if learner is None:
            raise AttributeError(f"{type(self).__name__} has no {name} before fit.")
        return learner

    def _scores(self, X: Any) -> Floats:
        """Return the products of new rows with each machine's weights."""
        check_is_fitted(self)
        kind = {"reset": False, "accept_sparse": "csr", "dtype": [np.float64, np.float32]}
        try:
            X = validate_data(self, X, **kind)
        except ValueError as error:
            raise explained(error, X, model=self) from None
        scores: Floats = safe_sparse_dot(X, self.coef_.T, dense_output=True)
        return scores


def _single(values: Floats) -> Any:
    return float(values[0]) if len(values) == 1 else values


def _generator(random_state: Any) -> np.random.Generator:
    """Return a generator of the fit's own, from a seed or a state that is scikit-learn's."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(np.iinfo(np.int32).max))
    return np.random.default_rng(random_state)


class _Watch(Bar):
    """Shows what is learnt, and tells scikit-learn's callbacks."""

    def __init__(self, estimator: Any, given: tuple[Any, Any, Any], n_passes: int | None) -> None:
        X, y, sample_weight = given
        told = None if sample_weight is None else {"sample_weight": sample_weight}
        self.estimator = estimator
        self.tasks = FitTasks(estimator, 1, X, y, told)
        super().__init__(type(estimator).__name__, n_passes, shown=bool(estimator.verbose))

    @property
    def is_needed(self) -> bool:
        """Whether anybody watches."""
        estimator = self.estimator
        return bool(estimator.verbose) or estimator.callback is not None or self.tasks.active

    def see(self, part: Literal["pass", "chunk"]) -> bool:
        """Show a part that was learnt; return whether a callback asks to stop."""
        estimator, learner = self.estimator, self.estimator._learner
        if estimator.verbose:
            objective = float(np.sum(estimator._objectives(learner.loss)))
            self.show(f"{learner.seen:.0f} rows, objective {objective:.4g}", estimator.n_iter_)

        def fitted() -> dict[str, Any]:
            estimator._publish()
            return {}

        return self.tasks.part(part, fitted)
