"""From scores to log-likelihood ratios, by logistic regression that weighs classes by a prior."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from maxmargin.typing import Bools, Floats

__all__ = ["LogisticMap", "logistic_map"]


@dataclass(frozen=True)
class LogisticMap:
    """The log-likelihood ratio slope * score + offset."""

    slope: float
    offset: float

    def __call__(self, scores: Floats) -> Floats:
        """Return the log-likelihood ratios of scores."""
        return self.slope * scores + self.offset


def logistic_map(scores: Floats, positive: Bools, prior: float) -> LogisticMap:
    """Fit the map to scores of points that their machines were not trained on.

    The positive points weigh prior in all and the negative ones 1 - prior, so that the fit is best
    where decisions at that prior are taken.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.study.calibrate import logistic_map
    >>> positive = np.array([True, True, True, False, False, False])
    >>> ratio = logistic_map(np.array([3.0, 2.0, 0.0, -3.0, -2.0, 0.0]), positive, prior=0.1)
    >>> ratio.slope > 0
    True
    """
    weight = np.where(positive, prior / positive.sum(), (1.0 - prior) / (~positive).sum())
    centre, spread = float(scores.mean()), float(scores.std()) or 1.0
    with warnings.catch_warnings():
        # Where a threshold separates the classes there is no best slope: any large one will do.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LogisticRegression(C=np.inf, tol=1e-8, max_iter=1000)
        model.fit(((scores - centre) / spread)[:, None], positive, sample_weight=weight)
    slope = float(model.coef_[0, 0]) / spread
    log_odds = math.log(prior) - math.log1p(-prior)
    return LogisticMap(slope, float(model.intercept_[0]) - slope * centre - log_odds)
