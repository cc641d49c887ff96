"""The equal error rate."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from maxmargin.errors import InvalidInputError
from maxmargin.metrics.inputs import scored
from maxmargin.metrics.rates import error_rates

__all__ = ["eer"]


def eer(
    y: Any,
    scores: Any,
    *,
    method: Literal["hull", "interpolated"] = "hull",
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    """Return the rate at which misses and false alarms are equally frequent.

    Few thresholds, or none, make them exactly equal. ``"hull"`` takes the point where they are on
    the lower convex hull of the error rates. It needs no convention, is at most 1/2, and is the
    largest Bayes error over all priors: the maximum of ``min_dcf(..., normalize=False)`` at unit
    costs. ``"interpolated"`` takes the point on the straight line between the two thresholds
    where one rate overtakes the other, as most tools do. It is never below the hull's.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels of two classes, both present.
    scores : array-like of shape (n,)
        Higher for the positive class. Only their order counts.
    method : {"hull", "interpolated"}
        Where to look for the point.
    pos_label, sample_weight : see `dcf`
        The same.

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
