"""What the online machines share: checks, passes over data in memory or in chunks, attributes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from numbers import Integral, Real
from time import perf_counter
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from maxmargin.errors import InvalidInputError
from maxmargin.estimators.callbacks import CallbackSupportMixin, FitTasks
from maxmargin.estimators.interrupts import heed_interrupt
from maxmargin.estimators.online_progress import LearningWatch
from maxmargin.estimators.online_rows import Rows
from maxmargin.estimators.threads import thread_count
from maxmargin.estimators.training import positive_rows, require_moderate
from maxmargin.solvers.answers import Ending
from maxmargin.solvers.online_engine import Learnt, OnlineLearner, OnlineRule
from maxmargin.typing import Floats

__all__ = ["OnlineMachine"]

# Up to this many rows a fit merges equal ones and sorts them: the model then depends neither on
# their order nor on whether a row is given twice or with a weight of two.
_SMALL = 1024

# A fit does not end before so many steps, for few rows are learnt in no time, nor unless so many
# passes in a row have lowered the objective by less than the tolerance.
_FEWEST_STEPS = 20_000
_PATIENCE = 2

# The tolerance is a fraction of the objective, or of this much of that in the first pass where it
# has fallen further.
_NEGLIGIBLE = 0.01

_CAUSES = {
    "steps": "the objective still fell after max_iter={max_iter} passes. Raise max_iter or tol.",
    "seconds": "time_limit={time_limit} was reached. Raise it, or tol.",
    "watch": "a callback asked for it.",
    "interrupt": "the fit was interrupted. With warm_start=True another one goes on from here; "
    "another interrupt within two seconds raises KeyboardInterrupt.",
}
_STACK = 6


class OnlineMachine(CallbackSupportMixin, BaseEstimator):
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
    }

    n_jobs: int | None = None

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
        if y is None and not self.__sklearn_tags__().target_tags.required:
            X = validate_data(self, X, **kind)
        else:
            X, y = validate_data(self, X, y, **kind)
        require_moderate(X)
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
        return weight

    def _begin(self, n_features: int) -> None:
        """Start from nothing, or where the last fit ended."""
        former: OnlineLearner | None = self.__dict__.get("_learner")
        fresh = self._new_learner(n_features)
        if self.warm_start and former is not None and former.like(fresh):
            return
        self._learner = fresh
        self._generator = _generator(self.random_state)

    def _deadline(self) -> float | None:
        return None if self.time_limit is None else perf_counter() + float(self.time_limit)

    def _learn(self, rows: Rows, deadline: float | None = None) -> Learnt:
        """Learn rows once, in a new order if the rows are to be shuffled."""
        order = self._generator.permutation(rows.n_rows) if self.shuffle else None
        left = None if deadline is None else max(0.0, deadline - perf_counter())
        learnt = self._learner.learn(
            rows.X,
            rows.labels,
            rows.weight,
            rows.prices,
            self._rule(),
            order=order,
            n_threads=thread_count(self.n_jobs),
            seconds=left,
        )
        if learnt.ending is None and deadline is not None and perf_counter() >= deadline:
            # The core does not look at the clock while it learns a few rows.
            return Learnt(learnt.n_rows, "seconds")
        return learnt

    def _fit_rows(self, rows: Rows, given: tuple[Any, Any, Any]) -> None:
        """Learn the rows again and again until the objective stays where it is."""
        deadline = self._deadline()
        rows = rows.take(positive_rows(rows.weight))
        if rows.n_rows <= _SMALL:
            rows = rows.merged()
        n_passes = self.max_iter if self.tol is None else None
        self._fit(lambda watch: self._learn_passes(rows, deadline, watch), given, n_passes)

    def _fit_passes(self, passes: Callable[[], Iterator[Rows]], n_passes: int) -> None:
        """Learn the chunks of a stream as often as asked."""
        deadline = self._deadline()

        def learn(watch: LearningWatch) -> Ending | None:
            ending: Ending | None = None
            while self.n_iter_ < n_passes and ending is None:
                ending = self._learn_chunks(passes(), deadline, watch)
                self.n_iter_ += 1
            return ending

        self._fit(learn, (None, None, None), n_passes)

    def _fit(
        self,
        learn: Callable[[LearningWatch], Ending | None],
        given: tuple[Any, Any, Any],
        n_passes: int | None,
    ) -> None:
        """Learn under the eyes of whoever watches; keep the model so far at an interrupt."""
        self.n_iter_ = 0
        X, y, sample_weight = given
        told = None if sample_weight is None else {"sample_weight": sample_weight}
        tasks = FitTasks(self, 1, X, y, told)
        with LearningWatch(tasks, bool(self.verbose), type(self).__name__, n_passes) as watch:
            try:
                ending = learn(watch)
            except KeyboardInterrupt:
                if self.__dict__.get("_learner") is None:
                    raise
                ending = "interrupt"
        self._publish()
        tasks.end({})
        self._tell(ending)

    def _learn_passes(
        self, rows: Rows, deadline: float | None, watch: LearningWatch
    ) -> Ending | None:
        last, negligible, n_still, n_steps = np.inf, 0.0, 0, 0
        while self.n_iter_ < self.max_iter:
            seen, total = self._learner.seen, self._learner.total_loss
            learnt = self._learn(rows, deadline)
            self.n_iter_ += 1
            if learnt.ending is not None:
                return learnt.ending
            if self._show(watch, "pass"):
                return "watch"
            n_steps += rows.n_rows
            if self.tol is None:
                continue
            of_pass = (self._learner.total_loss - total) / (self._learner.seen - seen)
            value = float(np.sum(self._objectives(of_pass)))
            if self.n_iter_ == 1:
                negligible = _NEGLIGIBLE * abs(value)
            still = last - value <= self.tol * max(abs(value), negligible)
            n_still = n_still + 1 if still else 0
            last = value
            if n_still >= _PATIENCE and n_steps >= _FEWEST_STEPS:
                return None
        return None if self.tol is None or n_still >= _PATIENCE else "steps"

    def _learn_chunks(
        self, chunks: Iterator[Rows], deadline: float | None, watch: LearningWatch
    ) -> Ending | None:
        n_chunks = 0
        for rows in chunks:
            n_chunks += 1
            counted = rows.counting()
            if counted.n_rows == 0:
                continue
            learnt = self._learn(counted, deadline)
            if learnt.ending is not None:
                return learnt.ending
            if self._show(watch, "chunk"):
                return "watch"
        if n_chunks == 0:
            raise InvalidInputError("The stream has no rows: give one with at least a chunk.")
        return None

    def _show(self, watch: LearningWatch, part: Literal["pass", "chunk"]) -> bool:
        """Return whether one who watches asks to stop."""

        def fitted() -> dict[str, Any]:
            self._publish()
            return {}

        def objective() -> float:
            return float(np.sum(self._objectives(self._learner.loss)))

        return watch.see(part, self.n_iter_, self._learner.seen, objective, fitted)

    def _learn_chunk(self, rows: Rows) -> Self:
        """Learn one chunk of a stream that the caller reads."""
        counted = rows.counting()
        learnt = self._learn(counted) if counted.n_rows else Learnt(0, None)
        self._publish()
        if learnt.ending == "interrupt":
            # The loop over the chunks is the caller's, and to be ended with it.
            raise KeyboardInterrupt
        return self

    def _tell(self, ending: Ending | None) -> None:
        """Warn of an early end."""
        if ending is None:
            return
        if ending == "interrupt":
            heed_interrupt()
        cause = _CAUSES[ending].format(**self.get_params(deep=False))
        message = f"{type(self).__name__} keeps the model so far: {cause}"
        warnings.warn(message, ConvergenceWarning, stacklevel=_STACK)

    # Results ------------------------------------------------------------------------------------

    def _weights(self) -> tuple[Floats, Floats]:
        rule = self._rule()
        weights, bias = self._learner.mean(rule) if self.average else self._learner.last(rule)
        if not (np.isfinite(weights).all() and np.isfinite(bias).all()):
            raise InvalidInputError(
                "The weights are not finite. X may contain large values: scale the features, and "
                "the weights of the rows to moderate numbers."
            )
        return weights, bias

    def _objectives(self, loss: Floats) -> Floats:
        """Return the objective of each machine whose mean loss is this."""
        rule = self._rule()
        weights, bias = self._learner.mean(rule)
        norm = (weights**2).sum(axis=1) + (bias**2 if rule.bias == "regularised" else 0.0)
        values: Floats = 0.5 * rule.alpha * norm + rule.bias_slope * bias + loss
        return values

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
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32])
        scores: Floats = safe_sparse_dot(X, self.coef_.T, dense_output=True)
        return scores


def _single(values: Floats) -> Any:
    return float(values[0]) if len(values) == 1 else values


def _generator(random_state: Any) -> np.random.Generator:
    """Return a generator of the fit's own, from a seed or a state that is scikit-learn's."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(np.iinfo(np.int32).max))
    return np.random.default_rng(random_state)
