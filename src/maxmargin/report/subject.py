"""What a report is about: the machine inside a search, a calibration or a pipeline."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from maxmargin.calibration import CalibratedSVC
from maxmargin.errors import InvalidInputError
from maxmargin.estimators.base import KernelMachine
from maxmargin.estimators.linear_base import LinearMachine
from maxmargin.estimators.online_base import OnlineMachine

__all__ = ["Subject", "Task", "subject_of"]

_MACHINES = (
    "SVC, NuSVC, SVR, NuSVR, OneClassSVM, LinearSVC, LinearSVR, OnlineSVC or OnlineOneClassSVM"
)


class Task(Enum):
    """What the model decides."""

    TWO_CLASSES = "classification into two classes"
    CLASSES = "classification"
    REGRESSION = "regression"
    NOVELTY = "novelty detection"


@dataclass(frozen=True, eq=False)
class Subject:
    """A fitted model, taken apart.

    Attributes
    ----------
    model : estimator
        As it was given.
    predictor : estimator
        What predicts: the model, or what its search found best.
    machine : estimator
        The support vector machine itself.
    search : search or None
        Around it.
    calibrated : CalibratedSVC or None
        Around it.
    preparation : tuple of (str, transformer)
        The steps before it.
    """

    model: Any
    predictor: Any
    machine: Any
    search: Any
    calibrated: CalibratedSVC | None
    preparation: tuple[tuple[str, Any], ...]

    @property
    def name(self) -> str:
        """The name of the machine's class."""
        return type(self.machine).__name__

    @property
    def task(self) -> Task:
        """What the model decides."""
        if is_classifier(self.machine):
            return Task.TWO_CLASSES if len(self.classes) == 2 else Task.CLASSES
        return Task.REGRESSION if is_regressor(self.machine) else Task.NOVELTY

    @property
    def classes(self) -> NDArray[Any]:
        """The labels that a classifier, or one who judges a novelty detector, knows."""
        if is_classifier(self.machine):
            return np.asarray(self.machine.classes_)
        return np.array([-1, 1])

    @property
    def compares_rows_of_numbers(self) -> bool:
        """Whether the machine itself is given rows of numbers, not sequences or similarities."""
        kernel = getattr(self.machine, "kernel_", None)
        return kernel is None or not (
            kernel.compares_similarities or kernel.compares_sequences or kernel.compares_columns
        )

    def prepared(self, X: Any) -> Any:
        """Return the rows as the machine is given them."""
        for _, step in self.preparation:
            X = step.transform(X)
        return X if sparse.issparse(X) else np.asarray(X)


def subject_of(model: Any) -> Subject:
    """Take a model apart, or say in a sentence why that cannot be done."""
    search: Any = None
    calibrated: CalibratedSVC | None = None
    preparation: list[tuple[str, Any]] = []
    predictor = inner = model
    while isinstance(inner, BaseSearchCV | Pipeline | CalibratedSVC):
        if isinstance(inner, Pipeline):
            steps = [(name, step) for name, step in inner.steps[:-1] if _transforms(step)]
            preparation += steps
            inner = inner.steps[-1][1]
        elif isinstance(inner, CalibratedSVC):
            _require_fitted(inner, "estimator_")
            calibrated, inner = inner, inner.estimator_
        else:
            _require_fitted(inner, "cv_results_")
            if "best_estimator_" not in vars(inner):
                raise InvalidInputError(
                    "model is a search with refit=False, which keeps no model to report on: use "
                    "refit=True and fit it again."
                )
            # A search inside a pipeline is a step of it, and what predicts is the whole.
            predictor = inner.best_estimator_ if inner is model else predictor
            search, inner = inner, inner.best_estimator_
    if not isinstance(inner, KernelMachine | LinearMachine | OnlineMachine):
        raise InvalidInputError(
            f"model must be, or end in, {_MACHINES} of maxmargin; got {type(inner).__name__}."
        )
    try:
        check_is_fitted(inner)
    except NotFittedError:
        raise InvalidInputError(_not_fitted(inner)) from None
    return Subject(model, predictor, inner, search, calibrated, tuple(preparation))


def _transforms(step: Any) -> bool:
    return step is not None and not isinstance(step, str)


def _require_fitted(estimator: Any, attribute: str) -> None:
    if attribute not in vars(estimator):
        raise InvalidInputError(_not_fitted(estimator))


def _not_fitted(estimator: Any) -> str:
    return f"model is not fitted: call fit before a report on this {type(estimator).__name__}."
