"""From scores to log-likelihood ratios, by logistic regression that weighs classes by a prior."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from maxmargin.calibration.calibrators import fit_logistic
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
    found = fit_logistic(scores, positive, np.ones(len(scores)), prior)
    return LogisticMap(found.slope, found.shift)
