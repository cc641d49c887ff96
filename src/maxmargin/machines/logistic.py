"""Logistic regression on one score, as calibration needs it: Lin, Lin, Weng 2007."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logit

from maxmargin.typing import Bools, Floats

__all__ = ["fit_log_odds", "platt_targets"]

_MOST_STEPS = 100
_MOST_HALVINGS = 40
_ROUNDING = 1e-14

# Newton's method doubles the digits: after a step this short they are all there.
_SHORT = 1e-9


def platt_targets(positive: Bools, weight: Floats) -> Floats:
    """Return probabilities drawn in a little from 0 and 1, as far as the size of a class asks."""
    n_positive = float(weight[positive].sum())
    n_negative = float(weight[~positive].sum())
    return np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))


def fit_log_odds(scores: Floats, target: Floats, weight: Floats) -> tuple[float, float]:
    """Return slope and shift of the log-odds that make the targets most likely.

    Minimises the weighted mean of log(1 + exp(z)) - target z, z = slope * score + shift, by
    Newton's method with backtracking. The minimum must exist: targets strictly between 0 and 1, or
    classes that no threshold separates.

    Parameters
    ----------
    scores, target, weight : ndarray of shape (n,)
        Of each point; the targets are probabilities.

    Returns
    -------
    slope, shift : float
        Of the log-odds.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.machines.logistic import fit_log_odds
    >>> scores, target = np.array([-1.0, 0.0, 1.0]), np.array([0.1, 0.5, 0.9])
    >>> slope, shift = fit_log_odds(scores, target, np.ones(3))
    >>> round(slope, 6), round(shift, 6) + 0.0  # log 9
    (2.197225, 0.0)
    """
    weight = weight / weight.sum()
    unit = float(np.abs(scores).max(initial=0.0)) or 1.0
    features = np.stack([scores / unit, np.ones(len(scores))])

    def loss(parameters: Floats) -> float:
        z = parameters @ features
        # log(1 + exp(z)), without overflow
        surprise = np.maximum(z, 0.0) + np.log1p(np.exp(-np.abs(z)))
        return float(weight @ (surprise - target * z))

    found = np.array([0.0, logit(weight @ target)])
    least = loss(found)
    for _ in range(_MOST_STEPS):
        chance = expit(found @ features)
        gradient = features @ (weight * (chance - target))
        curvature = (features * (weight * chance * (1 - chance))) @ features.T
        # Scores that are all equal leave the slope open.
        step = -np.linalg.lstsq(curvature, gradient, rcond=_ROUNDING)[0]
        for _ in range(_MOST_HALVINGS):
            reached = loss(found + step)
            if reached <= least + _ROUNDING:
                break
            step = 0.5 * step
        else:
            break
        found, least = found + step, reached
        if np.abs(step).max() <= _SHORT * np.abs(found).max():
            break
    return float(found[0] / unit), float(found[1])
