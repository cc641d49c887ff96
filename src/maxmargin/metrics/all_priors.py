"""Costs over all priors at once: the Bayes error curve, its maximum and its integral.

`bayes_error_curve` is the detection cost over the effective prior, as Brümmer and de Villiers plot
it; the equal error rate is the largest minimum cost; Cllr (Brümmer, du Preez 2006) is the integral.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import expit, rel_entr

from maxmargin.errors import InvalidInputError
from maxmargin.metrics.inputs import numbers, scored
from maxmargin.metrics.rates import error_rates
from maxmargin.typing import Floats

__all__ = ["BayesErrorCurve", "bayes_error_curve", "cllr", "eer", "min_cllr"]

# The exponential of 710 overflows double precision.
_LARGEST_LOG_ODDS = 700.0


class BayesErrorCurve(NamedTuple):
    """The result of `bayes_error_curve`; it unpacks as a tuple.

    Attributes
    ----------
    log_odds : ndarray of shape (m,)
        log(p / (1 - p)) of the effective priors p.
    min_dcf, act_dcf : ndarray of shape (m,)
        The minimum cost, and the cost at the Bayes threshold, which is minus the log-odds.

    Examples
    --------
    >>> from maxmargin.metrics import bayes_error_curve
    >>> curve = bayes_error_curve([0, 1], [-1.0, 1.0], log_odds=[0.0, 2.0])
    >>> curve.act_dcf - curve.min_dcf  # the cost of miscalibration
    array([0., 1.])
    """

    log_odds: Floats
    min_dcf: Floats
    act_dcf: Floats


def bayes_error_curve(
    y: Any,
    scores: Any,
    log_odds: Any = None,
    *,
    normalize: bool = True,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> BayesErrorCurve:
    """Return minimum and actual cost for many priors at once.

    A point of the curve is `min_dcf` and `act_dcf` at unit costs and the prior
    1 / (1 + exp(-log_odds)). Any other prior and costs are on the curve at the log-odds of their
    `effective_prior`, that is at ``-bayes_threshold(prior, cost_fn, cost_fp)``.

    Parameters
    ----------
    scores : array-like of shape (n,)
        Log-likelihood ratios, or scores to be judged as if they were.
    log_odds : array-like of shape (m,), optional
        Prior log-odds; 101 values from -5 to 5 by default.
    y, normalize, pos_label, sample_weight
        See `dcf`.

    Returns
    -------
    BayesErrorCurve
        ``log_odds, min_dcf, act_dcf``.

    Examples
    --------
    >>> from maxmargin.metrics import bayes_error_curve
    >>> y, scores = [1, 1, 0, 0, 0], [4.0, 1.0, 3.0, -1.0, -2.0]
    >>> log_odds, minimum, actual = bayes_error_curve(y, scores, [-4.0, 0.0])
    >>> minimum.round(4), actual.round(4)
    (array([0.5   , 0.3333]), array([1.    , 0.3333]))
    """
    points = scored(y, scores, pos_label=pos_label, sample_weight=sample_weight)
    odds = np.linspace(-5.0, 5.0, 101) if log_odds is None else _log_odds(log_odds)
    if normalize:
        of_miss, of_false_alarm = np.exp(np.maximum(odds, 0.0)), np.exp(np.maximum(-odds, 0.0))
    else:
        of_miss, of_false_alarm = expit(odds), expit(-odds)
    rates = error_rates(points)
    # The minimum cost at a prior is the actual cost after calibration.
    minimum, actual = (
        of_miss * misses + of_false_alarm * false_alarms
        for misses, false_alarms in (rates.calibrated().at(-odds), rates.at(-odds))
    )
    return BayesErrorCurve(odds, minimum, actual)


def _log_odds(values: Any) -> Floats:
    odds = numbers(values, "log_odds")
    if (np.abs(odds) > _LARGEST_LOG_ODDS).any():
        raise InvalidInputError(
            f"log_odds must lie between {-_LARGEST_LOG_ODDS:g} and {_LARGEST_LOG_ODDS:g}; it "
            f"reaches {odds[np.abs(odds).argmax()]:g}."
        )
    return odds


def eer(
    y: Any,
    scores: Any,
    *,
    method: Literal["hull", "interpolated"] = "hull",
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    """Return the rate at which misses and false alarms are equally frequent.

    Often no threshold makes them exactly equal. ``"hull"`` takes the point of the lower convex hull
    of the error rates at which they are equal. It needs no convention, is at most 1/2, and is the
    largest Bayes error over all priors: the maximum of ``min_dcf(..., normalize=False)`` at unit
    costs. ``"interpolated"``, as most tools do, takes the point on the straight line between the
    two thresholds where one rate overtakes the other. It is never below the hull's.

    Parameters
    ----------
    scores : array-like of shape (n,)
        Higher for the positive class. Only their order counts.
    method : {"hull", "interpolated"}
        How to find the point.
    y, pos_label, sample_weight
        See `dcf`.

    Returns
    -------
    float
        The equal error rate.

    Examples
    --------
    >>> from maxmargin.metrics import eer
    >>> y, scores = [1, 1, 0, 0, 0], [4.0, 1.0, 3.0, -1.0, -2.0]
    >>> round(eer(y, scores), 4), round(eer(y, scores, method="interpolated"), 4)
    (0.2, 0.3333)
    """
    if method not in ("hull", "interpolated"):
        raise InvalidInputError(f"method must be 'hull' or 'interpolated'; got {method!r}.")
    rates = error_rates(scored(y, scores, pos_label=pos_label, sample_weight=sample_weight))
    if method == "hull":
        rates = rates.calibrated()
    misses, false_alarms = rates.misses, rates.false_alarms
    excess = misses - false_alarms
    k = int(np.searchsorted(excess, 0.0))
    along = -excess[k - 1] / (excess[k] - excess[k - 1])
    return float(misses[k - 1] + along * (misses[k] - misses[k - 1]))


def cllr(y: Any, scores: Any, *, pos_label: Any = None, sample_weight: Any = None) -> float:
    """Return the cost of log-likelihood ratios: the mean uncertainty that they leave, in bits.

    With scores s it is half the mean of log2(1 + exp(-s)) over the positive points plus half the
    mean of log2(1 + exp(s)) over the negative ones. Zero is perfect, scores of zero have 1, and
    misleading scores more. It is the Bayes error integrated over all prior log-odds, so it judges
    calibration for every application at once.

    Parameters
    ----------
    scores : array-like of shape (n,)
        Natural logarithms of likelihood ratios. A wrong infinite one makes the cost infinite.
    y, pos_label, sample_weight
        See `dcf`.

    Returns
    -------
    float
        Cllr in bits.

    Examples
    --------
    >>> from maxmargin.metrics import cllr
    >>> cllr([0, 1], [0.0, 0.0])
    1.0
    >>> round(cllr([0, 0, 1, 1], [-3.0, -1.0, 0.5, 2.0]), 4)
    0.3473
    """
    points = scored(y, scores, pos_label=pos_label, sample_weight=sample_weight)
    surprise = np.logaddexp(0.0, np.where(points.positive, -points.score, points.score))
    sides = (points.positive, ~points.positive)
    nats = sum(np.average(surprise[side], weights=points.weight[side]) for side in sides) / 2
    return float(nats / np.log(2.0))


def min_cllr(y: Any, scores: Any, *, pos_label: Any = None, sample_weight: Any = None) -> float:
    """Return the Cllr after the best calibration that keeps the order of the scores.

    That calibration pools adjacent violators. The difference between `cllr` and min_cllr is the
    cost of miscalibration; min_cllr is 1 minus the Jensen-Shannon divergence, in bits, between the
    distributions of the two classes over the pools.

    Parameters
    ----------
    scores : array-like of shape (n,)
        Higher for the positive class. Only their order counts.
    y, pos_label, sample_weight
        See `dcf`.

    Returns
    -------
    float
        Between 0 (a threshold separates the classes) and 1.

    Examples
    --------
    >>> from maxmargin.metrics import min_cllr
    >>> min_cllr([0, 0, 1, 1], [-3.0, -1.0, 0.5, 2.0])
    0.0
    >>> round(min_cllr([0, 1, 0, 1], [-3.0, -1.0, 0.5, 2.0]), 4)
    0.5
    """
    rates = error_rates(scored(y, scores, pos_label=pos_label, sample_weight=sample_weight))
    positive, negative = rates.calibrated().shares()
    total = positive + negative
    nats = -(rel_entr(positive, total) + rel_entr(negative, total)).sum() / 2
    return float(nats / np.log(2.0)) + 0.0
