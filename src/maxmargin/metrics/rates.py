"""Rates of misses and false alarms at every threshold, and their lower convex hull.

SciPy finds the hull by pooling adjacent violators (PAV and the convex hull of the ROC curve are the
same: Fawcett, Niculescu-Mizil 2007).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import isotonic_regression

from maxmargin.metrics.inputs import Scored
from maxmargin.typing import Floats

__all__ = ["ErrorRates", "error_rates"]


@dataclass(frozen=True, eq=False)
class ErrorRates:
    """The errors of deciding "positive above a threshold", for each threshold.

    Attributes
    ----------
    score : ndarray of shape (m,)
        The distinct scores, ascending.
    positive, negative : ndarray of shape (m,)
        The weight of each class at each score.
    """

    score: Floats
    positive: Floats
    negative: Floats

    @property
    def misses(self) -> Floats:
        """The false negative rate if the first k scores are called negative, k = 0..m."""
        below: Floats = np.concatenate([[0.0], np.cumsum(self.positive)])
        return np.asarray(below / below[-1])

    @property
    def false_alarms(self) -> Floats:
        """The false positive rate if the first k scores are called negative, k = 0..m."""
        below: Floats = np.concatenate([[0.0], np.cumsum(self.negative)])
        return np.asarray((below[-1] - below) / below[-1])

    def at(self, threshold: Floats) -> tuple[Floats, Floats]:
        """Return both rates at each threshold; scores equal to it are called negative."""
        k = np.searchsorted(self.score, threshold, side="right")
        return self.misses[k], self.false_alarms[k]

    def shares(self) -> tuple[Floats, Floats]:
        """Return the fraction of each class at each score."""
        return self.positive / self.positive.sum(), self.negative / self.negative.sum()

    def calibrated(self) -> ErrorRates:
        """Return the vertices of the convex hull, with log-likelihood ratios as scores.

        Neighbouring scores are pooled until the ratio of the classes' shares increases: for every
        prior, this is the best calibration that keeps the order of the scores.
        """
        positive, negative = self.shares()
        total = positive + negative
        starts = isotonic_regression(positive / total, weights=total).blocks[:-1]
        pooled = ErrorRates(
            self.score[starts],
            np.add.reduceat(self.positive, starts),
            np.add.reduceat(self.negative, starts),
        )
        positive, negative = pooled.shares()
        with np.errstate(divide="ignore"):
            ratio = np.log(positive) - np.log(negative)
        return ErrorRates(ratio, pooled.positive, pooled.negative)


def error_rates(points: Scored) -> ErrorRates:
    """Sort the scores and add up the weights of equal ones."""
    order = np.argsort(points.score, kind="stable")
    score = points.score[order]
    weight = points.weight[order]
    positive = points.positive[order]
    starts = np.flatnonzero(np.concatenate([[True], score[1:] != score[:-1]]))
    return ErrorRates(
        score[starts],
        np.add.reduceat(np.where(positive, weight, 0.0), starts),
        np.add.reduceat(np.where(positive, 0.0, weight), starts),
    )
