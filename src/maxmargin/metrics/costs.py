"""Prior and costs in one number, the effective prior, which is all that a decision needs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import logit

from maxmargin.errors import InvalidInputError
from maxmargin.kernels.base import positive, real
from maxmargin.metrics.inputs import numbers
from maxmargin.typing import Floats

__all__ = [
    "DEFAULT_PRIOR",
    "bayes_threshold",
    "effective_prior",
    "error_costs",
    "log_likelihood_ratio",
]

#: Probability of the positive class unless another is given. Detection is about a rare class:
#: NIST's evaluations of speaker recognition combine a prior of 0.01 with a miss that costs ten
#: times as much as a false alarm, which is an effective prior of 0.09.
DEFAULT_PRIOR = 0.1


def effective_prior(prior: float, cost_fn: float = 1.0, cost_fp: float = 1.0) -> float:
    """Return the prior that leads to the same decisions at unit costs.

    Parameters
    ----------
    prior : float
        Probability of the positive class where the decisions will be taken, in (0, 1).
    cost_fn, cost_fp : float
        Costs of a false negative (a miss) and of a false positive (a false alarm).

    Returns
    -------
    float
        prior * cost_fn / (prior * cost_fn + (1 - prior) * cost_fp).

    Examples
    --------
    >>> from maxmargin.metrics import effective_prior
    >>> round(effective_prior(0.5, cost_fn=1, cost_fp=9), 3)
    0.1
    """
    of_miss, of_false_alarm = error_costs(prior, cost_fn, cost_fp, normalize=True)
    return of_miss / (of_miss + of_false_alarm)


def bayes_threshold(
    prior: float = DEFAULT_PRIOR, cost_fn: float = 1.0, cost_fp: float = 1.0
) -> float:
    """Return the threshold above which the positive decision costs less.

    It is minus the log-odds of the effective prior, and holds for calibrated scores, that is
    log P(x | positive) - log P(x | negative). For other scores see `best_threshold`.

    Parameters
    ----------
    prior, cost_fn, cost_fp : float
        See `effective_prior`.

    Returns
    -------
    float
        log((1 - prior) * cost_fp) - log(prior * cost_fn).

    Examples
    --------
    >>> from maxmargin.metrics import bayes_threshold
    >>> round(bayes_threshold(prior=0.1), 4)  # log 9
    2.1972
    >>> bayes_threshold(prior=0.5)
    0.0
    """
    of_miss, of_false_alarm = error_costs(prior, cost_fn, cost_fp, normalize=True)
    return math.log(of_false_alarm) - math.log(of_miss)


def log_likelihood_ratio(probability: Any, prior: float) -> Floats:
    """Return log-likelihood ratios from the posterior probabilities of a classifier.

    Parameters
    ----------
    probability : array-like of shape (n,)
        Probabilities of the positive class, such as ``predict_proba(X)[:, 1]``.
    prior : float
        The prior behind them: the fraction of positive points that the classifier was trained or
        calibrated on, by weight.

    Returns
    -------
    ndarray of shape (n,)
        logit(probability) - logit(prior); infinite for the probabilities 0 and 1.

    Examples
    --------
    >>> from maxmargin.metrics import log_likelihood_ratio
    >>> log_likelihood_ratio([0.1, 0.5], prior=0.1).round(4).tolist()
    [0.0, 2.1972]
    """
    values = numbers(probability, "probability")
    if ((values < 0) | (values > 1)).any():
        raise InvalidInputError(
            f"probability must lie in [0, 1]; it reaches from {values.min():g} to "
            f"{values.max():g}. Decision values are not probabilities."
        )
    ratios: Floats = np.asarray(logit(values) - logit(_open_prior(prior)), dtype=np.float64)
    return ratios


def error_costs(prior: Any, cost_fn: Any, cost_fp: Any, *, normalize: bool) -> tuple[float, float]:
    """Return the factors of the miss rate and of the false alarm rate in the DCF."""
    chance = _open_prior(prior)
    of_miss = chance * positive(cost_fn, "cost_fn")
    of_false_alarm = (1.0 - chance) * positive(cost_fp, "cost_fp")
    lower, upper = sorted((of_miss, of_false_alarm))
    if lower == 0.0 or math.isinf(upper) or math.isinf(upper / lower):
        raise InvalidInputError(
            f"prior, cost_fn and cost_fp ({prior!r}, {cost_fn!r}, {cost_fp!r}) weigh the two "
            "errors so differently that floating point cannot hold it: give moderate numbers."
        )
    if normalize:
        return of_miss / lower, of_false_alarm / lower
    return of_miss, of_false_alarm


def _open_prior(prior: Any) -> float:
    value = real(prior, "prior")
    if not 0.0 < value < 1.0:
        raise InvalidInputError(
            f"prior must lie strictly between 0 and 1, because it is the probability of the "
            f"positive class; got {prior!r}."
        )
    return value
