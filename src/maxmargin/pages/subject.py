"""What a report is about: the machine inside a search, a calibration or a pipeline."""

from __future__ import annotations

import inspect
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from maxmargin.calibration import CalibratedSVC
from maxmargin.errors import InvalidInputError
from maxmargin.estimators.base import KernelEstimator
from maxmargin.estimators.linear_base import LinearEstimator
from maxmargin.estimators.online_base import OnlineMachine
from maxmargin.kernels import Kernel
from maxmargin.kernels.data import take
from maxmargin.machines import Machine
from maxmargin.machines.machine import HasMachines
from maxmargin.problems import CrammerSinger, EpsilonTube, KernelProblem, NuTube, OneClass, Sphere
from maxmargin.solvers import Solution
from maxmargin.typing import Floats, Integers

__all__ = ["SolvedModel", "Subject", "Task"]

_MACHINES = (
    "SVC, NuSVC, SVR, NuSVR, OneClassSVM, LinearSVC, LinearSVR, OnlineSVC or OnlineOneClassSVM"
)

# Points this close to the boundary, in units of the margin's scale, are inside.
_ROUNDING = 1e-9


class Task(Enum):
    """What the model decides."""

    TWO_CLASSES = "classification into two classes"
    CLASSES = "classification"
    REGRESSION = "regression"
    NOVELTY = "novelty detection"


class Subject:
    """A fitted model, taken apart.

    Attributes
    ----------
    model, predictor : estimator or Solution
        The model as it was given, and what predicts: the model, or what its search found best.
    machine : estimator or SolvedModel
        The support vector machine itself.
    search, calibrated : estimators or None
        Around it; a search may also be given beside the model.
    search_is_given : bool
        Whether the search is beside the model, not around its machine.
    preparation : list of (str, transformer)
        The steps before it.
    solution : Solution or None
        What the report is about, if it is one.
    classes : ndarray
        The labels of the classes; inside and outside are 1 and -1.
    compares_rows_of_numbers : bool
        Whether the machine itself is given rows of numbers, not sequences or similarities.
    is_squared : bool
        Whether slack is squared, which Crammer and Singer's machine never does.
    """

    def __init__(self, model: Any, search: Any = None) -> None:
        if search is not None:
            if not isinstance(search, BaseSearchCV):
                raise InvalidInputError(
                    "search must be a fitted search, such as SVMSearchCV; got "
                    f"{type(search).__name__}."
                )
            _require_fitted(search, "cv_results_")
        self.search: Any = None
        self.calibrated: CalibratedSVC | None = None
        self.preparation: list[tuple[str, Any]] = []
        self.solution: Solution | None = None
        if isinstance(model, Solution | Machine):
            self.solution = model.solution if isinstance(model, Machine) else model
            self.model: Any = self.solution
            self.predictor: Any = SolvedModel(self.solution)
            self.machine = self.predictor
        else:
            self.model = self.predictor = model
            self.machine = self._unwrap(model)
        self.search_is_given = search is not None and search is not self.search
        self.search = search if self.search_is_given else self.search
        machine = self.machine
        self.name = type(machine if self.solution is None else machine.problem).__name__
        self.task = _task(machine)
        has_classes = self.task in (Task.TWO_CLASSES, Task.CLASSES)
        self.classes = np.asarray(machine.classes_ if has_classes else [-1, 1])
        self.kernel: Kernel | None = vars(machine).get("kernel_")
        kernel = self.kernel
        self.compares_rows_of_numbers = kernel is None or not (
            kernel.compares_similarities or kernel.compares_sequences or kernel.compares_columns
        )
        self.has_support_vectors = isinstance(machine, KernelEstimator | SolvedModel)
        params = machine.get_params(deep=False)
        is_squared = "squared" in str(params.get("loss")) or self.name == "L1Margin"
        self.is_squared = is_squared and params.get("multi_class") != "crammer_singer"

    def _unwrap(self, model: Any) -> Any:
        """Return the machine; note what is around it, or say in a sentence what is wrong."""
        inner = model
        while isinstance(inner, BaseSearchCV | Pipeline | CalibratedSVC):
            if isinstance(inner, Pipeline):
                *before, (_, inner) = inner.steps
                self.preparation += [s for s in before if s[1] not in (None, "passthrough")]
            elif isinstance(inner, CalibratedSVC):
                _require_fitted(inner, "estimator_")
                self.calibrated, inner = inner, inner.estimator_
            else:
                _require_fitted(inner, "cv_results_")
                if "best_estimator_" not in vars(inner):
                    raise InvalidInputError(
                        "subject is a search with refit=False, which keeps no model to report on: "
                        "use refit=True and fit it again."
                    )
                # A search inside a pipeline is a step of it, and what predicts is the whole.
                if inner is model:
                    self.predictor = inner.best_estimator_
                self.search, inner = inner, inner.best_estimator_
        if not isinstance(inner, KernelEstimator | LinearEstimator | OnlineMachine):
            raise InvalidInputError(
                f"subject must be a Solution, or be or end in {_MACHINES} of maxmargin; got "
                f"{type(inner).__name__}."
            )
        _require_fitted(inner)
        return inner


def _task(machine: Any) -> Task:
    if isinstance(machine, SolvedModel):
        classifies, regresses = machine.classes_ is not None, machine.is_regressor
    else:
        classifies, regresses = is_classifier(machine), is_regressor(machine)
    if classifies:
        return Task.TWO_CLASSES if len(machine.classes_) == 2 else Task.CLASSES
    return Task.REGRESSION if regresses else Task.NOVELTY


def _require_fitted(estimator: Any, attribute: str | None = None) -> None:
    try:
        check_is_fitted(estimator, attribute)
    except NotFittedError:
        name = type(estimator).__name__
        raise InvalidInputError(
            f"subject is not fitted: call fit before a report on this {name}."
        ) from None


class SolvedModel(HasMachines):
    """A solution with the methods and fitted attributes of an estimator.

    `targets` are the labels or targets of the problem's own points, None if these are one class.
    """

    def __init__(self, solution: Solution) -> None:
        problem: Any = solution.problem
        self.solution, self.problem = solution, problem
        self._machines = [Machine(solution, (), slice(None))]
        self._n_training_rows = problem.n_points
        self.is_regressor = isinstance(problem, EpsilonTube | NuTube)
        self.classes_: Any = None
        if isinstance(problem, CrammerSinger):
            self.classes_, self.targets = problem.classes, problem.classes[problem.label]
        else:
            self.targets = None if isinstance(problem, OneClass | Sphere) else problem.y
            self.classes_ = np.array([-1, 1]) if problem.has_two_classes else None
        self.kernel_ = problem.kernel if isinstance(problem, KernelProblem) else None
        self.support_, self.shape_fit_ = solution.support, (problem.n_points,)
        self.solver_, self.n_iter_ = solution.solver, solution.iterations
        self.fit_time_ = solution.seconds

    @property
    def support_vectors_(self) -> Any:
        """The points with a multiplier other than zero."""
        return take(self.problem.X, self.support_)

    @property
    def n_support_(self) -> Integers:
        """Support vectors of each class."""
        held = self.targets[self.support_]
        return np.array([np.count_nonzero(held == label) for label in self.classes_])

    @property
    def nu(self) -> float:
        """The largest share of the points' weight that a problem of one class leaves outside."""
        if isinstance(self.problem, Sphere):
            return min(1.0, 1.0 / float(self.problem.C * self.problem.sample_weight.sum()))
        return float(self.problem.nu)

    def get_params(self, *, deep: bool = False) -> dict[str, Any]:
        """Return what the problem was made with, beside its points, labels and weights."""
        del deep
        known = inspect.signature(type(self.problem).__init__).parameters
        names = [name for name in self.problem.parameters if name in known]
        return {name: getattr(self.problem, name) for name in names}

    def decision_function(self, X: Any) -> Floats:
        """Return the scores, higher for the second of two classes."""
        values = self.solution.decision(X)
        is_pair = values.ndim == 2 and values.shape[1] == 2
        return np.asarray(values[:, 1] - values[:, 0]) if is_pair else values

    def predict(self, X: Any) -> NDArray[Any]:
        """Return labels, targets, or 1 inside and -1 outside."""
        values = self.solution.decision(X)
        if self.is_regressor:
            return values
        if values.ndim == 2:
            return np.asarray(self.classes_[values.argmax(axis=1)])
        # The support vectors of one class lie on the boundary up to rounding, and so inside.
        limit = 0.0 if self.classes_ is not None else -_ROUNDING * self.problem.margin_scale
        return np.where(values > limit, 1, -1)
