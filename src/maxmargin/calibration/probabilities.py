"""From log-likelihood ratios to the probabilities of all classes at given priors."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from maxmargin.calibration.columns import Columns
from maxmargin.errors import InvalidInputError
from maxmargin.estimators.probability import against_rest, couple
from maxmargin.metrics.costs import effective_prior
from maxmargin.typing import Floats

__all__ = ["class_priors", "class_probabilities", "prior_log_odds"]

_SUMS_TO_ONE = 1e-6


def class_priors(prior: Any, n_classes: int) -> Floats:
    """Return the prior of each class from what a user gave: a number for two classes, or all.

    Examples
    --------
    >>> from maxmargin.calibration.probabilities import class_priors
    >>> class_priors(0.25, 2)
    array([0.75, 0.25])
    """
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


def prior_log_odds(columns: Columns, priors: Floats) -> Floats:
    """Return the log-odds of the two sides of each column."""
    found = []
    for positive, negative in columns.sides:
        other = 1 - priors[positive] if negative is None else priors[negative]
        found.append(np.log(priors[positive]) - np.log(other))
    return np.array(found)


def class_probabilities(columns: Columns, log_odds: Floats) -> Floats:
    """Return the probabilities of all classes from the posterior log-odds of each column."""
    if columns.n_classes == 2:
        return np.asarray(expit(np.hstack([-log_odds, log_odds])))
    probability = expit(log_odds)
    return (
        couple(probability, columns.n_classes) if columns.are_pairs else against_rest(probability)
    )
