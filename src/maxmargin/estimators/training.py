"""Checked training data, and rows of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.errors import InvalidInputError
from maxmargin.kernels import Kernel
from maxmargin.kernels.data import count, holds_numbers
from maxmargin.kernels.data import take as points_of
from maxmargin.typing import Floats, Integers

__all__ = [
    "Training",
    "aligned",
    "largest",
    "positive_rows",
    "refuse_strings",
    "require_moderate",
    "take",
]

_LARGEST = 1e150


@dataclass(frozen=True, eq=False)
class Training:
    """What a fit works with: the data as given, the same as the kernel's floats, weights."""

    given: Any
    points: Any
    y: Any
    sample_weight: Floats | None
    kernel: Kernel
    started: float

    @property
    def n_points(self) -> int:
        """The number of points."""
        return count(self.points)

    @property
    def weight(self) -> Floats:
        """One weight a point, ones by default."""
        return np.ones(self.n_points) if self.sample_weight is None else self.sample_weight

    def rows(self, rows: Integers) -> Any:
        """Return the given points as the kernel's data."""
        return take(self.points, rows, self.kernel)

    def given_rows(self, rows: Integers) -> Any:
        """Return the given points in the type they came in."""
        return take(self.given, rows, self.kernel)

    def for_proof(self) -> Training:
        """Return what a proof needs: the data in the type it came in, and no copy of it."""
        return replace(self, points=self.given)

    def metadata(self) -> dict[str, Floats] | None:
        """Return what callbacks are told beside X and y."""
        return None if self.sample_weight is None else {"sample_weight": self.sample_weight}


def take(X: Any, rows: Integers, kernel: Kernel) -> Any:
    """Return some points, without a copy if they are all of them in order."""
    if len(rows) == count(X) and np.array_equal(rows, np.arange(len(rows))):
        return X
    if kernel.compares_similarities:
        return X[np.ix_(rows, rows)]
    return points_of(X, rows)


def positive_rows(weight: Floats) -> Integers:
    """Return the points that count, of which there must be one."""
    rows = np.flatnonzero(weight > 0)
    if len(rows) == 0:
        raise InvalidInputError(
            "Invalid input - all samples have zero or negative weights. Give sample_weight a "
            "positive value for at least one point."
        )
    return rows


def refuse_strings(X: Any) -> None:
    """Tell those who give a column of strings to a kernel on numbers which kernels take it."""
    is_column = isinstance(X, list | tuple) or getattr(X, "ndim", 0) == 1
    if is_column and len(X) and isinstance(next(iter(X)), str):
        raise InvalidInputError(
            "X holds strings, which this kernel does not compare: give a kernel on sequences, such "
            "as kernel=kernels.Spectrum(3), or turn the strings into numbers."
        )


def require_moderate(points: Any) -> None:
    """Refuse numbers whose squares overflow."""
    if not holds_numbers(points):
        return
    reached = largest(points)
    if reached > _LARGEST:
        raise InvalidInputError(
            f"The dual coefficients or intercepts are not finite, for X reaches {reached:.3g}, "
            "whose square overflows: scale the features."
        )


def largest(points: Any) -> float:
    """Return the largest absolute value in rows of numbers."""
    values = points.data if sparse.issparse(points) else points
    return max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))


def aligned(matrix: Any) -> Any:
    """Return a sparse matrix in the interface that scikit-learn is set to."""
    try:
        from sklearn.utils._sparse import _align_api_if_sparse
    except ImportError:
        return sparse.csr_matrix(matrix)
    return _align_api_if_sparse(matrix)
