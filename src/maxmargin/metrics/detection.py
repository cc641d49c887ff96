"""The detection cost function: the expected cost of decisions at a prior and costs of errors.

DCF = prior * cost_fn * (rate of misses) + (1 - prior) * cost_fp * (rate of false alarms). The
normalised DCF divides by min(prior * cost_fn, (1 - prior) * cost_fp), the cost of the better
constant decision: at 1 or above the scores are of no use.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.errors import InvalidInputError
from maxmargin.kernels.base import real
from maxmargin.metrics.costs import DEFAULT_PRIOR, bayes_threshold, error_costs
from maxmargin.metrics.inputs import Labelled, labelled, labels_of, scored
from maxmargin.metrics.rates import ErrorRates, error_rates
from maxmargin.typing import Bools, Floats

__all__ = ["act_dcf", "best_threshold", "dcf", "min_dcf"]


def dcf(
    y: Any,
    y_pred: Any,
    prior: float = DEFAULT_PRIOR,
    cost_fn: float = 1.0,
    cost_fp: float = 1.0,
    *,
    normalize: bool = True,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    """Return the cost of decisions already taken.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels of two classes, both present. How often each occurs does not matter: the prior
        says how often it will.
    y_pred : array-like of shape (n,)
        The labels that were decided on. (Scores go to `act_dcf` and `min_dcf`.)
    prior, cost_fn, cost_fp : float
        See `effective_prior`.
    normalize : bool
        Whether to divide by the cost of the better constant decision.
    pos_label : label, optional
        The positive class. If y holds {0, 1} or {-1, 1} it is 1 by default.
    sample_weight : array-like of shape (n,), optional
        How many points each counts as.

    Returns
    -------
    float
        Zero if every decision is right; if normalised, 1 for the better constant decision.

    Examples
    --------
    >>> from maxmargin.metrics import dcf
    >>> y, y_pred = [1, 1, 0, 0, 0], [1, 0, 0, 0, 1]
    >>> round(dcf(y, y_pred, prior=0.5, normalize=False), 4)  # (1/2 + 1/3) / 2
    0.4167
    >>> dcf(y, [0, 0, 0, 0, 0])
    1.0
    """
    costs = error_costs(prior, cost_fn, cost_fp, normalize=normalize)
    points = labelled(y, pos_label=pos_label, sample_weight=sample_weight)
    decided, _ = labels_of(y_pred, "y_pred")
    points.require_one_each(decided, "y_pred")
    negative, positive = points.labels
    accepted = np.asarray(decided == positive, dtype=np.bool_)
    unknown = decided[~accepted & np.asarray(decided != negative, dtype=np.bool_)]
    if len(unknown):
        raise InvalidInputError(
            f"y_pred holds {unknown.tolist()[0]!r}, which is not a label of y ({negative!r} or "
            f"{positive!r}): give decisions here, and scores to act_dcf or min_dcf."
        )
    return _cost(points, accepted, costs)


def act_dcf(
    y: Any,
    scores: Any,
    prior: float = DEFAULT_PRIOR,
    cost_fn: float = 1.0,
    cost_fp: float = 1.0,
    *,
    threshold: float | None = None,
    normalize: bool = True,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    """Return the actual cost: the cost of deciding by the Bayes threshold, or by a given one.

    Scores above the threshold are called positive, so that ``threshold=0`` gives the cost of what
    an SVM predicts. The difference to `min_dcf` is the cost of miscalibration.

    Parameters
    ----------
    scores : array-like of shape (n,)
        Higher for the positive class; for the Bayes threshold to make sense, log-likelihood
        ratios. Infinite ones are allowed.
    threshold : float, optional
        Where to decide instead of at ``bayes_threshold(prior, cost_fn, cost_fp)``.
    y, prior, cost_fn, cost_fp, normalize, pos_label, sample_weight
        See `dcf`.

    Returns
    -------
    float
        The cost, normalised unless asked otherwise.

    Examples
    --------
    >>> from maxmargin.metrics import act_dcf
    >>> y, scores = [1, 1, 0, 0, 0], [4.0, 1.0, 3.0, -1.0, -2.0]
    >>> round(act_dcf(y, scores), 6)  # at log 9: one miss of two, one false alarm of three
    3.5
    >>> act_dcf(y, scores, threshold=3)
    0.5
    """
    costs = error_costs(prior, cost_fn, cost_fp, normalize=normalize)
    cut = bayes_threshold(prior, cost_fn, cost_fp) if threshold is None else _level(threshold)
    points = scored(y, scores, pos_label=pos_label, sample_weight=sample_weight)
    return _cost(points, points.score > cut, costs)


def min_dcf(
    y: Any,
    scores: Any,
    prior: float = DEFAULT_PRIOR,
    cost_fn: float = 1.0,
    cost_fp: float = 1.0,
    *,
    normalize: bool = True,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    """Return the minimum cost over all thresholds: what calibration could make of the scores.

    Only the order of the scores counts.

    Parameters
    ----------
    scores : array-like of shape (n,)
        Higher for the positive class; equal ones are decided alike.
    y, prior, cost_fn, cost_fp, normalize, pos_label, sample_weight
        See `dcf`.

    Returns
    -------
    float
        The cost, normalised unless asked otherwise: then between 0 and 1.

    Examples
    --------
    >>> from maxmargin.metrics import min_dcf
    >>> min_dcf([1, 1, 0, 0, 0], [4.0, 1.0, 3.0, -1.0, -2.0])  # one miss of two
    0.5
    """
    costs = error_costs(prior, cost_fn, cost_fp, normalize=normalize)
    points = scored(y, scores, pos_label=pos_label, sample_weight=sample_weight)
    return float(_costs(error_rates(points), costs).min())


def best_threshold(
    y: Any,
    scores: Any,
    prior: float = DEFAULT_PRIOR,
    cost_fn: float = 1.0,
    cost_fp: float = 1.0,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    """Return the threshold of least cost: deciding "positive above it" costs `min_dcf`.

    It is the best one for these scores, so take scores of points that the machine was not trained
    on. scikit-learn's ``TunedThresholdClassifierCV`` does so for a whole classifier, with
    ``scoring=make_dcf_scorer("dcf")``.

    Parameters
    ----------
    scores : array-like of shape (n,)
        Higher for the positive class, finite.
    y, prior, cost_fn, cost_fp, pos_label, sample_weight
        See `dcf`.

    Returns
    -------
    float
        Halfway between two scores; minus infinity if it is best to call every point positive,
        infinity if none. Of several equally good thresholds, the lowest.

    Examples
    --------
    >>> from maxmargin.metrics import act_dcf, best_threshold
    >>> y, scores = [1, 1, 0, 0, 0], [4.0, 1.0, 3.0, -1.0, -2.0]
    >>> best_threshold(y, scores)
    3.5
    >>> act_dcf(y, scores, threshold=3.5)
    0.5
    """
    costs = error_costs(prior, cost_fn, cost_fp, normalize=True)
    points = scored(y, scores, pos_label=pos_label, sample_weight=sample_weight)
    if np.isinf(points.score).any():
        raise InvalidInputError(
            "scores contains infinity, beyond which there is no threshold: clip the scores first."
        )
    rates = error_rates(points)
    k = int(_costs(rates, costs).argmin())
    if k == 0:
        return -np.inf
    if k == len(rates.score):
        return np.inf
    return _between(float(rates.score[k - 1]), float(rates.score[k]))


def _cost(points: Labelled, accepted: Bools, costs: tuple[float, float]) -> float:
    """Return the cost of decisions."""
    positive, weight = points.positive, points.weight
    misses = np.average(~accepted[positive], weights=weight[positive])
    false_alarms = np.average(accepted[~positive], weights=weight[~positive])
    return float(costs[0] * misses + costs[1] * false_alarms)


def _costs(rates: ErrorRates, costs: tuple[float, float]) -> Floats:
    """Return the cost at each threshold."""
    return costs[0] * rates.misses + costs[1] * rates.false_alarms


def _between(lower: float, upper: float) -> float:
    """Return a number with lower <= number < upper: the middle, unless it rounds to upper."""
    middle = lower / 2 + upper / 2
    return middle if lower <= middle < upper else lower


def _level(threshold: Any) -> float:
    """Return a threshold, which may be infinite."""
    infinite = isinstance(threshold, float | np.floating) and np.isinf(threshold)
    return float(threshold) if infinite else real(threshold, "threshold")
