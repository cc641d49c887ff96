"""The warning if columns have very different ranges before a kernel of distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.errors import ScalingWarning
from maxmargin.machines.endings import warn

__all__ = ["LARGEST_RATIO", "warn_of_scales"]

#: Ranges that are this many times apart are worth a warning.
LARGEST_RATIO = 1e3
#: A number this many times smaller than others is rounding.
_ROUNDING = 1e-6


def warn_of_scales(X: Any, names: Any, model: Any) -> None:
    """Warn if ranges of columns are far apart and the columns do not look prepared."""
    ranges = np.ptp(X, axis=0)
    varying = np.flatnonzero(ranges > 0)
    widest, narrowest = (int(varying[find(ranges[varying])]) for find in (np.argmax, np.argmin))
    if ranges[widest] <= LARGEST_RATIO * ranges[narrowest] or _is_prepared(X[:, varying]):
        return
    of_widest, of_narrowest = (
        f"column {k if names is None else names[k]!r}" for k in (widest, narrowest)
    )
    warn(
        f"The columns of X have very different ranges: {of_widest} spans {ranges[widest]:.2g}, "
        f"{of_narrowest} only {ranges[narrowest]:.2g}, so that the kernel hardly sees the smaller "
        f"ones. Scale them: make_pipeline(StandardScaler(), {type(model).__name__}()).",
        ScalingWarning,
    )


def _is_prepared(X: Any) -> bool:
    """Return whether all columns are centred or have the same largest value.

    StandardScaler and PCA leave means of zero, RobustScaler medians of zero, and MaxAbsScaler equal
    largest values. What is left then, such as small components, is meant to be small.
    """
    spread = X.std(axis=0)
    largest = np.abs(X).max(axis=0)
    return bool(
        (np.abs(X.mean(axis=0)) <= _ROUNDING * spread).all()
        or (np.abs(np.median(X, axis=0)) <= _ROUNDING * spread).all()
        or np.ptp(largest) <= _ROUNDING * largest.max()
    )
