"""The columns of a classifier's scores, one per two-class decision, and what follows from them.

For two classes there is one column, positive for the second class. A kernel machine of this library
with `multi_class="ovo"`, or a pipeline that ends in one, has one column per pair of classes,
positive for the first; their probabilities are coupled. Any other classifier has one column per
class against the rest, its `decision_function`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.pipeline import Pipeline

from maxmargin.errors import InvalidInputError
from maxmargin.machines.classes import pairs_of
from maxmargin.machines.family import ClassifierFamily
from maxmargin.machines.probability import against_rest, couple
from maxmargin.metrics.costs import effective_prior
from maxmargin.typing import Bools, Floats, Integers

__all__ = ["Columns", "class_priors"]

# Priors may miss a sum of 1 by this much, as those that a user rounds to six digits do.
_SUMS_TO_ONE = 1e-6


@dataclass(frozen=True)
class Columns:
    """The columns of the scores.

    Attributes
    ----------
    sides : tuple of (int, int or None)
        The positive and the negative class of each column; None stands for all others.
    n_classes : int
        The number of classes.
    """

    sides: tuple[tuple[int, int | None], ...]
    n_classes: int

    @classmethod
    def of(cls, estimator: Any, n_classes: int) -> Columns:
        """Return the columns that an estimator has for this many classes."""
        if n_classes == 2:
            return cls(((1, 0),), n_classes)
        last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
        if isinstance(last, ClassifierFamily) and last.multi_class == "ovo":
            return cls(tuple(pairs_of(n_classes)), n_classes)
        return cls(tuple((c, None) for c in range(n_classes)), n_classes)

    @property
    def are_pairs(self) -> bool:
        """Whether each column compares two classes."""
        return self.sides[0][1] is not None

    def rows(self, column: int, labels: Integers) -> tuple[Bools, Bools]:
        """Say which rows belong to the classes of a column, and which are positive in it."""
        positive, negative = self.sides[column]
        is_positive: Bools = labels == positive
        if negative is None:
            return np.ones(len(labels), dtype=np.bool_), is_positive
        return is_positive | (labels == negative), is_positive

    def scores(self, estimator: Any, X: Any) -> Floats:
        """Return the scores of a fitted estimator, one row per row of X."""
        if self.n_classes > 2 and self.are_pairs:
            if isinstance(estimator, Pipeline):
                for _, step in estimator.steps[:-1]:
                    X = X if step is None or step == "passthrough" else step.transform(X)
                estimator = estimator.steps[-1][1]
            values: Floats = estimator._machine_values(X)
            return values
        values = np.asarray(estimator.decision_function(X), dtype=np.float64)
        values = values.reshape(len(values), -1)
        if values.shape[1] != len(self.sides):
            raise InvalidInputError(
                f"estimator returns {values.shape[1]} decision values per row for {self.n_classes} "
                f"classes, but {len(self.sides)} are needed: one per class, or one for two classes."
            )
        return values

    def log_odds(self, priors: Floats) -> Floats:
        """Return the prior log-odds of the two sides of each column."""
        positive = priors[[side for side, _ in self.sides]]
        negative = [
            1 - priors[one] if other is None else priors[other] for one, other in self.sides
        ]
        return np.asarray(np.log(positive) - np.log(negative))

    def probabilities(self, log_odds: Floats) -> Floats:
        """Return the probabilities of all classes from the posterior log-odds of each column."""
        if self.n_classes == 2:
            return np.asarray(expit(np.hstack([-log_odds, log_odds])))
        if self.are_pairs:
            return couple(expit(log_odds), self.n_classes)
        return against_rest(expit(log_odds))


def class_priors(prior: Any, n_classes: int) -> Floats:
    """Return the prior of each class from the user's: that of the second of two, or all of them."""
    if np.ndim(prior) == 0:
        if n_classes > 2:
            raise InvalidInputError(
                f"prior is one number, {prior!r}, for {n_classes} classes: give one for each, "
                "in the order of classes_."
            )
        positive = effective_prior(prior)
        return np.array([1 - positive, positive])
    priors = np.asarray(prior, dtype=np.float64)
    good = priors.shape == (n_classes,) and (priors > 0).all()
    if not good or abs(priors.sum() - 1) > _SUMS_TO_ONE:
        raise InvalidInputError(
            f"prior must hold {n_classes} positive numbers that sum to 1, one for each class in "
            f"the order of classes_; got {prior!r}."
        )
    return np.asarray(priors / priors.sum())
