"""From one score to a log-likelihood ratio.

Each method fits posterior log-odds at the weighted prior of its points. The log-likelihood ratio is
the posterior log-odds minus the prior log-odds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, logit
from sklearn.isotonic import IsotonicRegression

from maxmargin.machines.logistic import fit_log_odds, platt_targets
from maxmargin.typing import Bools, Floats

__all__ = [
    "CALIBRATIONS",
    "Calibrator",
    "IsotonicCalibrator",
    "LogisticCalibrator",
    "fit_logistic",
]


@dataclass(frozen=True)
class LogisticCalibrator:
    """A line: log-likelihood ratio = slope * score + shift.

    Attributes
    ----------
    slope, shift : float
        The line.
    prior : float
        The prior of the positive class at which the line was fitted.

    Examples
    --------
    >>> from maxmargin.calibration import LogisticCalibrator
    >>> LogisticCalibrator(2.0, -1.0, prior=0.5).log_likelihood_ratio([0.0, 1.0]).tolist()
    [-1.0, 1.0]
    """

    slope: float
    shift: float
    prior: float

    def log_likelihood_ratio(self, scores: Any) -> Floats:
        """Return log P(score | positive) - log P(score | negative)."""
        return self.slope * np.asarray(scores, dtype=np.float64) + self.shift


@dataclass(frozen=True, eq=False)
class IsotonicCalibrator:
    """A curve that never falls.

    Attributes
    ----------
    regression : IsotonicRegression
        scikit-learn's, from scores to probabilities of the positive class.
    prior : float
        The fraction of the positive class in the points that it was fitted to.
    smallest : float
        Probabilities keep this distance from 0 and 1: one over the number of points plus two.

    Examples
    --------
    >>> from sklearn.isotonic import IsotonicRegression
    >>> from maxmargin.calibration import IsotonicCalibrator
    >>> curve = IsotonicRegression(out_of_bounds="clip").fit([0, 1, 2, 3], [0, 1, 0, 1])
    >>> steps = IsotonicCalibrator(curve, prior=0.5, smallest=0.1)
    >>> steps.log_likelihood_ratio([-9, 1, 2, 9]).round(3) + 0.0
    array([-2.197,  0.   ,  0.   ,  2.197])
    """

    regression: Any
    prior: float
    smallest: float

    def log_likelihood_ratio(self, scores: Any) -> Floats:
        """Return log P(score | positive) - log P(score | negative)."""
        chance = self.regression.predict(np.asarray(scores, dtype=np.float64))
        ratios: Floats = logit(np.clip(chance, self.smallest, 1 - self.smallest))
        return np.asarray(ratios - logit(self.prior))


Calibrator = LogisticCalibrator | IsotonicCalibrator


def fit_platt(scores: Floats, positive: Bools, weight: Floats, prior: float) -> LogisticCalibrator:
    """Fit Platt's sigmoid, with his targets, at the prior of the points."""
    del prior
    slope, shift = fit_log_odds(scores, platt_targets(positive, weight), weight)
    share = float(np.average(positive, weights=weight))
    return LogisticCalibrator(slope, shift - float(logit(share)), share)


def fit_logistic(
    scores: Floats, positive: Bools, weight: Floats, prior: float
) -> LogisticCalibrator:
    """Fit a logistic regression in which the classes have the weights of the prior.

    If a threshold separates the classes, the likelihood has no maximum. The targets are then the
    probabilities that the sizes of the classes support.
    """
    target = positive.astype(np.float64)
    if _are_separated(scores, positive):
        target = expit(_ratios_by_succession(positive, weight) + logit(prior))
    share = float(np.average(positive, weights=weight))
    by_prior = weight * np.where(positive, prior / share, (1 - prior) / (1 - share))
    slope, shift = fit_log_odds(scores, target, by_prior)
    return LogisticCalibrator(slope, shift - float(logit(prior)), prior)


def _ratios_by_succession(positive: Bools, weight: Floats) -> Floats:
    """Return the log-likelihood ratio of being on the side of one's class.

    If all n points of a class are on one side, Laplace's rule of succession expects n + 1 of n + 2
    further points there.
    """
    n_positive, n_negative = float(weight[positive].sum()), float(weight[~positive].sum())
    with_positive = np.log((n_positive + 1) / (n_positive + 2) * (n_negative + 2))
    with_negative = np.log((n_negative + 1) / (n_negative + 2) * (n_positive + 2))
    ratios: Floats = np.where(positive, with_positive, -with_negative)
    return ratios


def _are_separated(scores: Floats, positive: Bools) -> bool:
    ours, others = scores[positive], scores[~positive]
    apart = ours.min() >= others.max() or ours.max() <= others.min()
    return bool(apart and scores.min() < scores.max())


def fit_isotonic(
    scores: Floats, positive: Bools, weight: Floats, prior: float
) -> IsotonicCalibrator:
    """Fit probabilities that never fall with the score, by least squares to the labels."""
    del prior
    curve = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    curve.fit(scores, positive.astype(np.float64), sample_weight=weight)
    share = float(np.average(positive, weights=weight))
    return IsotonicCalibrator(curve, share, 1 / (float(weight.sum()) + 2))


#: The fit of each method to scores, positive points, weights and the prior that was asked for.
CALIBRATIONS: dict[str, Callable[[Floats, Bools, Floats, float], Calibrator]] = {
    "platt": fit_platt,
    "isotonic": fit_isotonic,
    "logistic": fit_logistic,
}
