"""Cllr, the cost of log-likelihood ratios (Brümmer, du Preez 2006), and its minimum."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import rel_entr

from maxmargin.metrics.inputs import scored
from maxmargin.metrics.rates import error_rates
from maxmargin.typing import Floats

__all__ = ["cllr", "min_cllr"]


def cllr(y: Any, scores: Any, *, pos_label: Any = None, sample_weight: Any = None) -> float:
    """Return the mean number of bits that scores, read as log-likelihood ratios, leave unknown.

    With scores s it is half the mean of log2(1 + exp(-s)) over the positive points plus half that
    of log2(1 + exp(s)) over the negative ones. Zero is perfect, 1 is what scores of zero have,
    and misleading scores may exceed it. It is the Bayes error integrated over all prior log-odds,
    so it judges calibration for every application at once.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels of two classes, both present.
    scores : array-like of shape (n,)
        Natural logarithms of likelihood ratios. An infinite one that is wrong costs infinity.
    pos_label, sample_weight : see `dcf`
        The same.

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
    nats = sum(_mean(surprise[side], points.weight[side]) for side in sides) / 2
    return float(nats / np.log(2.0))


def min_cllr(y: Any, scores: Any, *, pos_label: Any = None, sample_weight: Any = None) -> float:
    """Return the Cllr after the best calibration that keeps the order of the scores.

    That calibration pools adjacent violators. What `cllr` exceeds min_cllr by is lost to
    miscalibration; what is left is 1 minus the Jensen-Shannon divergence, in bits, between the
    classes' shares in the pools.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels of two classes, both present.
    scores : array-like of shape (n,)
        Higher for the positive class. Only their order counts.
    pos_label, sample_weight : see `dcf`
        The same.

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


def _mean(values: Floats, weight: Floats) -> float:
    return float(np.sum(values * weight) / weight.sum())
