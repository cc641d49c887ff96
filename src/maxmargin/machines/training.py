"""Checked training data of a kernel machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import _check_sample_weight

from maxmargin.errors import InvalidInputError
from maxmargin.problems import Points
from maxmargin.problems.checks import moderate
from maxmargin.typing import Floats, Integers

__all__ = [
    "LARGEST_ENTRY",
    "LARGEST_LINEAR_ENTRY",
    "Training",
    "aligned",
    "checked_weight",
    "positive_rows",
    "refuse_large",
    "refuse_strings",
]

#: Numbers beyond this have squares that overflow.
LARGEST_ENTRY = 1e150

#: Certificates take squared norms up to 1e100; this leaves room for rows of 10^10 features.
LARGEST_LINEAR_ENTRY = 1e45


@dataclass(frozen=True, eq=False)
class Training:
    """What a fit works with.

    Attributes
    ----------
    points : Points
        All training rows, and the kernel with numbers for its parameters.
    y : ndarray or None
        Labels or targets.
    sample_weight : ndarray or None
        One per row.
    started : float
        `time.perf_counter` when the fit began.
    weight : ndarray
        `sample_weight`, or ones that take no memory.
    """

    points: Points
    y: Any
    sample_weight: Floats | None
    started: float
    weight: Floats

    def metadata(self) -> dict[str, Floats] | None:
        """Return what callbacks are told beside X and y."""
        return None if self.sample_weight is None else {"sample_weight": self.sample_weight}


def checked_weight(sample_weight: Any, X: Any) -> Floats:
    """Return one finite weight per row, one of which is not zero."""
    if not np.any(np.asarray(sample_weight)):
        positive_rows(np.zeros(1))
    weight: Floats = _check_sample_weight(sample_weight, X, dtype=np.float64)
    moderate(weight, "sample_weight")
    return weight


def positive_rows(weight: Floats) -> Integers | None:
    """Return the rows of positive weight; None for all of them. There must be at least one."""
    positive = weight > 0
    if positive.all():
        return None
    if not positive.any():
        raise InvalidInputError(
            "Invalid input - all samples have zero or negative weights. Give sample_weight a "
            "positive value for at least one point."
        )
    return np.flatnonzero(positive)


def refuse_strings(X: Any) -> None:
    """Refuse a column of strings for a kernel on numbers, and name kernels that take it."""
    is_column = isinstance(X, list | tuple) or getattr(X, "ndim", 0) == 1
    if is_column and len(X) and isinstance(next(iter(X)), str):
        raise InvalidInputError(
            "X holds strings, which this kernel does not compare: give a kernel on sequences, such "
            "as kernel=kernels.Spectrum(3), or turn the strings into numbers."
        )


def refuse_large(largest: float) -> None:
    """Refuse NaN, and numbers that are too large to compute with."""
    if np.isnan(largest):
        raise InvalidInputError("X contains NaN: remove or impute such rows.")
    raise InvalidInputError(
        "The dual coefficients or intercepts are not finite, because X reaches "
        f"{largest:.3g}, which is too large to compute with: scale the features."
    )


def aligned(matrix: Any) -> Any:
    """Return a sparse matrix in the interface that scikit-learn is set to."""
    try:
        from sklearn.utils._sparse import _align_api_if_sparse
    except ImportError:
        return sparse.csr_matrix(matrix)
    return _align_api_if_sparse(matrix)
