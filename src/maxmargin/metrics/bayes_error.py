"""Bayes error: the detection cost over all effective priors, as Brümmer and de Villiers plot it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from maxmargin.errors import InvalidInputError
from maxmargin.metrics.inputs import numbers, scored
from maxmargin.metrics.rates import error_rates
from maxmargin.typing import Floats

__all__ = ["BayesErrorCurve", "bayes_error_curve"]

_LARGEST_LOG_ODDS = 700.0


class BayesErrorCurve(NamedTuple):
    """What `bayes_error_curve` returns; it unpacks as a tuple.

    Attributes
    ----------
    log_odds : ndarray of shape (m,)
        log(p / (1 - p)) of the effective priors p.
    min_dcf, act_dcf : ndarray of shape (m,)
        The minimum cost and the cost at the Bayes threshold, minus the log-odds.

    Examples
    --------
    >>> from maxmargin.metrics import bayes_error_curve
    >>> curve = bayes_error_curve([0, 1], [-1.0, 1.0], log_odds=[0.0, 2.0])
    >>> curve.act_dcf - curve.min_dcf  # what miscalibration costs
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
    1 / (1 + exp(-log_odds)). Any prior and costs are found there at the log-odds of their
    `effective_prior`, that is at ``-bayes_threshold(prior, cost_fn, cost_fp)``.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels of two classes, both present.
    scores : array-like of shape (n,)
        Log-likelihood ratios, or scores to be judged as if they were.
    log_odds : array-like of shape (m,), optional
        Prior log-odds; 101 values from -5 to 5 by default.
    normalize, pos_label, sample_weight : see `dcf`
        The same.

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
    # The least cost at a prior is the actual cost of scores that are calibrated.
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
