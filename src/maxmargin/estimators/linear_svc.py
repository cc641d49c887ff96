"""Linear support vector classification at any size."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import ClassifierMixin, _fit_context
from sklearn.utils._param_validation import StrOptions

from maxmargin.errors import InvalidInputError
from maxmargin.estimators.callbacks import FitTasks
from maxmargin.estimators.linear_base import LinearData, LinearMachine, bias_weight
from maxmargin.estimators.linear_classes import (
    Contest,
    class_weights,
    contests_of,
    encoded,
    machine_names,
    plain,
)
from maxmargin.estimators.linear_prediction import WeightedPrediction
from maxmargin.estimators.linear_proof import ClassMachine, SparseMachine, WeightedMachine
from maxmargin.estimators.proof import Provable
from maxmargin.estimators.threads import thread_count
from maxmargin.problems import Bias, Problem, Regularised, SoftMargin
from maxmargin.solvers.class_interior_point import ClassInteriorPoint
from maxmargin.solvers.crammer_singer import ClassAnswer, ClassProgram, CrammerSingerEngine
from maxmargin.solvers.l1 import L1Engine, L1Program
from maxmargin.solvers.linear_choice import fitting_class_method
from maxmargin.solvers.linear_engine import LinearAnswer, LinearProgram
from maxmargin.typing import Floats, Integers

__all__ = ["LinearSVC"]


class LinearSVC(ClassifierMixin, WeightedPrediction, LinearMachine):
    """Linear support vector classification, with scikit-learn's interface and a certificate.

    It minimises 1/2 |w|^2 + C sum_i s_i loss(max(0, 1 - y_i f(x_i))), for many classes one machine
    a class against the rest.

    Parameters
    ----------
    penalty : {"l2", "l1"}
        "l1" makes weights sparse; with the squared hinge only.
    loss : {"squared_hinge", "hinge"}
        The price of slack.
    dual : bool or "auto"
        Has no effect; here for scikit-learn's sake.
    tol : float
        Relative duality gap at which to stop.
    C : float
        Price of slack.
    multi_class : {"ovr", "crammer_singer"}
        One machine a class against the rest, or one objective for all classes.
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
        Iterations at most, in the solver's own unit.
    solver : {"auto", "coordinate-descent", "interior-point", "newton"}
        "auto" factorises where features (with Crammer and Singer's machine, times classes) are few
        and descends along coordinates where they are many. "newton" is for the squared hinge.
    bias : {"regularised", "free"}
        Whether the intercept is penalised like the weights, as LIBLINEAR does, or left free.
    n_jobs : int, optional
        Threads; by default as many as there are CPUs. The result does not depend on them.
    time_limit : float, optional
        Seconds at most; the best model so far is kept.
    warm_start : bool
        Start a fit where the last one ended, scaled with C.

    Attributes
    ----------
    classes_, coef_, intercept_, n_iter_
        As in scikit-learn.
    solver_ : str
        The solver that was used.
    certificate_, slack_, margin_, fit_time_
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
        **LinearMachine._parameter_constraints,
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
        bias: Literal["free", "regularised"] = "regularised",
        n_jobs: int | None = None,
        time_limit: float | None = None,
        warm_start: bool = False,
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
        )
        self.penalty = penalty
        self.multi_class = multi_class
        self.class_weight = class_weight

    @_fit_context(prefer_skip_nested_validation=True)
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
        self._check_combination()
        data = self._prepare(X, y, sample_weight)
        labels = self._encode(data.y)
        data = self._counting(data)
        labels = labels[data.rows]
        class_weight = class_weights(self.class_weight, self.classes_, labels, data.weight)
        self._names = machine_names(self.classes_)
        if self.multi_class == "crammer_singer":
            machines, tasks = self._fit_all_classes(data, labels, class_weight)
        else:
            contests = contests_of(labels, len(self.classes_), class_weight, data.weight)
            fit_machines = self._fit_sparse if self.penalty == "l1" else self._fit_machines
            machines, tasks = fit_machines(data, contests)
        if not self.fit_intercept:
            self.intercept_ = 0.0
        self._finish(data, tasks, machines)
        return self

    def _check_combination(self) -> None:
        if self.multi_class == "crammer_singer":
            if self.fit_intercept and self.bias == "free":
                raise InvalidInputError(
                    "multi_class='crammer_singer' penalises its intercepts: use bias='regularised' "
                    "with a large intercept_scaling, or multi_class='ovr'."
                )
        elif self.penalty == "l1" and self.loss == "hinge":
            raise InvalidInputError(
                "Unsupported set of arguments: The combination of penalty='l1' and loss='hinge' is "
                "not supported: use loss='squared_hinge', or penalty='l2'."
            )

    def _fit_machines(
        self, data: LinearData, contests: Sequence[Contest]
    ) -> tuple[list[Provable], FitTasks]:
        """Fit each machine with the l2 penalty."""
        squared, bias = self.loss == "squared_hinge", self._bias()
        programs = [
            LinearProgram(
                sign, -sign, *self._slack_price(weight, squared=squared), bias_weight(bias)
            )
            for sign, weight in contests
        ]
        answers, tasks = self._solve_programs(data, programs, squared=squared)
        self._keep(answers)
        return [
            WeightedMachine(
                partial(_problem, data.X, contest, self._price(), self.loss, bias),
                answer,
                data.rows,
                name,
            )
            for contest, answer, name in zip(contests, answers, self._names, strict=True)
        ], tasks

    def _fit_sparse(
        self, data: LinearData, contests: Sequence[Contest]
    ) -> tuple[list[Provable], FitTasks]:
        """Fit each machine with the l1 penalty."""
        bias = self._bias()
        programs = [L1Program(sign, self._price() * price, bias) for sign, price in contests]
        former = self.__dict__.pop("_former_weights", None)
        fits = former is not None and [len(a.weights) for a in former] == [data.X.shape[1]] * len(
            programs
        )
        engine = L1Engine(data.X, thread_count(self.n_jobs))
        self.solver_ = "coordinate-descent"
        solve = partial(engine.solve, programs, starts=former if fits else None)
        answers, tasks = self._run(data, solve, len(programs))
        if self.warm_start:
            self._former_weights = answers
        self._keep(answers)
        return [
            SparseMachine(data.X, program, answer, data.rows, name)
            for program, answer, name in zip(programs, answers, self._names, strict=True)
        ], tasks

    def _fit_all_classes(
        self, data: LinearData, labels: Integers, class_weight: Floats
    ) -> tuple[list[Provable], FitTasks]:
        """Fit one machine for all classes."""
        cost = self._price() * data.weight * class_weight[labels]
        scale = float(self.intercept_scaling) if self.fit_intercept else 0.0
        program = ClassProgram(labels, cost, len(self.classes_), Regularised(scale))
        former = self.__dict__.pop("_former_classes", None)
        shape = (len(labels), len(self.classes_))
        fits = former is not None and former.multipliers.shape == shape
        self.solver_ = self._class_method(data.X)
        engine: ClassInteriorPoint | CrammerSingerEngine
        if self.solver_ == "interior-point":
            engine = ClassInteriorPoint(data.X)
        else:
            engine = CrammerSingerEngine(data.X, thread_count(self.n_jobs))

        def solve(**limits: Any) -> list[ClassAnswer]:
            return [engine.solve(program, start=former if fits else None, **limits)]

        (answer,), tasks = self._run(data, solve, 1)
        if self.warm_start:
            self._former_classes = answer
        self.coef_, self.intercept_ = answer.weights, answer.bias
        if len(self.classes_) == 2:
            self.coef_ = self.coef_[1:] - self.coef_[:1]
            self.intercept_ = self.intercept_[1:] - self.intercept_[:1]
        classes = tuple(plain(label) for label in self.classes_)
        return [ClassMachine(data.X, program, answer, data.rows, classes)], tasks

    def _class_method(self, X: Any) -> str:
        if self.solver == "auto":
            return fitting_class_method(X, len(self.classes_))
        return "coordinate-descent" if self.solver == "coordinate-descent" else "interior-point"

    def _keep(self, answers: Sequence[LinearAnswer]) -> None:
        self.coef_ = np.array([answer.weights for answer in answers])
        self.intercept_: Any = np.array([answer.bias for answer in answers])

    def _machine_names(self) -> list[str]:
        return [str(name) for name in self._names]

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

    def _encode(self, y: Any) -> Integers:
        self.classes_, labels = encoded(y)
        if len(self.classes_) < 2:
            raise InvalidInputError(
                "This solver needs samples of at least 2 classes in the data, but the data "
                f"contains only one class: {plain(self.classes_[0])!r}"
            )
        return labels


def _problem(X: Any, contest: Contest, C: float, loss: Any, bias: Bias) -> Problem:
    sign, weight = contest
    return SoftMargin(X, sign, C=C, loss=loss, bias=bias, sample_weight=weight)
