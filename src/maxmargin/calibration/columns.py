"""What the scores of a classifier are about: one column for each two-class decision in it.

Of two classes there is one column, positive for the second. A kernel machine of this library with
`multi_class="ovo"`, or a pipeline that ends in one, has a column for each pair of classes, positive
for the first: their probabilities are coupled. Any other classifier has one for each class against
the rest, its `decision_function`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from maxmargin.errors import InvalidInputError
from maxmargin.estimators.classifier import KernelClassifier
from maxmargin.estimators.decision import pairs_of
from maxmargin.typing import Bools, Floats, Integers

__all__ = ["Columns"]


@dataclass(frozen=True)
class Columns:
    """The columns of the scores.

    Attributes
    ----------
    sides : tuple of (int, int or None)
        The positive and the negative class of each column; None for all others.
    """

    sides: tuple[tuple[int, int | None], ...]
    n_classes: int

    @classmethod
    def of(cls, estimator: Any, n_classes: int) -> Columns:
        """Return the columns that an estimator has for so many classes."""
        if n_classes == 2:
            return cls(((1, 0),), n_classes)
        last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
        if isinstance(last, KernelClassifier) and last.multi_class == "ovo":
            return cls(tuple(pairs_of(n_classes)), n_classes)
        return cls(tuple((c, None) for c in range(n_classes)), n_classes)

    @property
    def are_pairs(self) -> bool:
        """Whether each column compares two classes."""
        return self.sides[0][1] is not None

    def rows(self, column: int, labels: Integers) -> tuple[Bools, Bools]:
        """Say which rows a column is about, and which of all rows are positive in it."""
        positive, negative = self.sides[column]
        is_positive: Bools = labels == positive
        about = np.ones(len(labels), dtype=np.bool_)
        return about if negative is None else is_positive | (labels == negative), is_positive

    def scores(self, estimator: Any, X: Any) -> Floats:
        """Return the scores of a fitted estimator, a row for each row of X."""
        if self.n_classes > 2 and self.are_pairs:
            if isinstance(estimator, Pipeline):
                if len(estimator.steps) > 1:
                    X = estimator[:-1].transform(X)
                estimator = estimator.steps[-1][1]
            values: Floats = estimator._machine_values(X)
            return values
        values = np.asarray(estimator.decision_function(X), dtype=np.float64)
        values = values.reshape(len(values), -1)
        if values.shape[1] != len(self.sides):
            raise InvalidInputError(
                f"estimator returns {values.shape[1]} decision values a row for {self.n_classes} "
                f"classes, but {len(self.sides)} are needed: one a class, or one for two classes."
            )
        return values
