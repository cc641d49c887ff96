"""What the displays of scores share: scikit-learn's interface, and the scores of any subject."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from sklearn.base import is_classifier, is_outlier_detector
from sklearn.utils.validation import check_is_fitted

from maxmargin.errors import InvalidInputError
from maxmargin.machines.machine import Machine
from maxmargin.plot.subjects import Subject, decision_of
from maxmargin.problems import OneClass, Sphere
from maxmargin.solvers import Solution
from maxmargin.typing import Floats

__all__ = ["ScoreDisplay"]


class ScoreDisplay(ABC):
    """A picture of the scores of two classes, in the manner of scikit-learn's displays."""

    ax_: Axes
    figure_: Figure | SubFigure

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        pos_label: Any = None,
        machine: int | None = None,
        **options: Any,
    ) -> Self:
        """Plot the decision values of a fitted estimator.

        Parameters
        ----------
        estimator : classifier, outlier detector, pipeline or search of them, or Solution
            With two classes, or with `machine`. Any estimator with a ``decision_function`` will do.
        X, y : data
            Points, best those that it was not fitted on, and their labels.
        sample_weight : array-like of shape (n,), optional
            How many points each counts as.
        pos_label : label, optional
            The positive class; ``classes_[1]`` by default.
        machine : int, optional
            Which of several machines to judge, as ``machines_`` lists them: on the points of its
            two classes, or of its class against the rest.
        **options
            Passed on to `from_predictions`.

        Returns
        -------
        The display.
        """
        if machine is None and not isinstance(estimator, Solution | Machine):
            classes, scores = _scores_of_estimator(estimator, X)
        else:
            shown = Subject.of_one(estimator, machine)
            classes, kept, y = _points_of(shown.machines[0], np.asarray(y))
            scores = decision_of(shown.machines[0], shown.transformed(X))[kept]
            sample_weight = None if sample_weight is None else np.asarray(sample_weight)[kept]
        if pos_label is None:
            pos_label = classes[1]
        elif pos_label not in classes:
            raise InvalidInputError(
                f"pos_label is {pos_label!r}, which is not among the classes of the estimator: "
                f"{classes[0]!r}, {classes[1]!r}."
            )
        return cls.from_predictions(
            y,
            -scores if pos_label == classes[0] else scores,
            sample_weight=sample_weight,
            pos_label=pos_label,
            **options,
        )

    @classmethod
    @abstractmethod
    def from_predictions(cls, y: Any, scores: Any, **options: Any) -> Self:
        """Plot scores."""


def _scores_of_estimator(estimator: Any, X: Any) -> tuple[list[Any], Floats]:
    """Return the classes of any estimator, the positive one last, and its decision values."""
    name = type(estimator).__name__
    if is_classifier(estimator):
        check_is_fitted(estimator)
        classes = np.asarray(estimator.classes_).tolist()
    elif is_outlier_detector(estimator):
        classes = [-1, 1]
    else:
        raise InvalidInputError(
            "estimator must be a classifier or an outlier detector, or a Solution of such a "
            f"problem; got {name}."
        )
    if len(classes) != 2:
        raise InvalidInputError(
            f"estimator knows {len(classes)} classes: errors of two kinds need two. Say which "
            "machine of machines_ to judge with machine=..., or give from_predictions the scores "
            "of one class against the rest."
        )
    decide = getattr(estimator, "decision_function", None)
    if decide is None:
        raise InvalidInputError(
            f"{name} has no decision_function: give from_predictions its scores, for example "
            "metrics.log_likelihood_ratio(estimator.predict_proba(X)[:, 1], prior)."
        )
    return classes, np.asarray(decide(X), dtype=np.float64)


def _points_of(machine: Machine, y: Any) -> tuple[list[Any], Any, Any]:
    """Return the two classes of a machine, which points belong to them, and their labels.

    Against the rest the labels are the class and "the rest", as text.
    """
    problem, everything = machine.problem, np.ones(len(y), dtype=np.bool_)
    if not machine.classes:
        if not (problem.has_two_classes or isinstance(problem, OneClass | Sphere)):
            raise InvalidInputError(
                "errors of two kinds need a problem of two classes, or of one class and its "
                f"outliers; got {type(problem).__name__}."
            )
        return [-1, 1], everything, y
    if len(machine.classes) > 2:
        raise InvalidInputError(
            f"one machine separates {len(machine.classes)} classes here: give from_predictions "
            "the scores of one class against the rest."
        )
    first, second = machine.classes
    if second is None:
        return ["the rest", str(first)], everything, np.where(y == first, str(first), "the rest")
    kept = np.isin(y, [first, second])
    return [first, second], kept, y[kept]
