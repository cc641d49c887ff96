"""A Gram matrix computed elsewhere, used as a kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.errors import InvalidInputError
from maxmargin.kernels.base import Kernel
from maxmargin.kernels.data import as_vectors
from maxmargin.kernels.rounding import Bounds
from maxmargin.typing import Floats, Integers

__all__ = ["Precomputed"]

# Larger differences between k(a, b) and k(b, a), relative to the largest value, are refused.
_SYMMETRY_TOLERANCE = 1e-8


@dataclass(frozen=True)
class Precomputed(Kernel):
    """The kernel of a given Gram matrix: X holds similarities instead of points.

    A problem takes X of shape (n, n). A decision for m new points takes their similarities to the
    n training points, of shape (m, n).

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import solve
    >>> from maxmargin.kernels import Precomputed
    >>> from maxmargin.problems import HardMargin
    >>> points = np.array([[1.0], [-1.0]])
    >>> solution = solve(HardMargin(points @ points.T, [1, -1], kernel=Precomputed()))
    >>> solution.decision([[3.0, -3.0]]).round(6)
    array([3.])
    """

    compares_similarities = True

    def block(self, A: Any, B: Any) -> Floats:
        """Return A: the similarities of its rows to the points of B."""
        similarities = np.asarray(A, dtype=np.float64)
        points = len(B)
        if similarities.ndim != 2 or similarities.shape[1] != points:
            raise InvalidInputError(
                f"With a precomputed kernel X must hold similarities to the {points} training "
                f"points, one column each; got shape {similarities.shape}."
            )
        return similarities

    def within(self, X: Any) -> Callable[[Integers, Integers | None], Floats]:
        """Return a function that selects rows and columns of the Gram matrix."""

        def block(rows: Integers, columns: Integers | None) -> Floats:
            values = X[rows] if columns is None else X[np.ix_(rows, columns)]
            return np.asarray(values, dtype=np.float64)

        return block

    def diag(self, A: Any) -> Floats:
        """Return the diagonal of a square Gram matrix."""
        gram = np.asarray(A)
        if gram.ndim != 2 or gram.shape[0] != gram.shape[1]:
            raise InvalidInputError(
                "A precomputed kernel takes k(x, x) from a square Gram matrix; "
                f"got shape {gram.shape}."
            )
        return np.array(np.diag(gram), dtype=np.float64)

    def bounds(self, A: Any) -> Bounds:
        """Return the size of the largest similarity; the similarities are exact."""
        largest = float(np.abs(np.asarray(A)).max(initial=0.0))
        return Bounds(np.full(len(A), np.sqrt(largest)), np.zeros(len(A)))

    def validate_new(self, X: Any, name: str = "X") -> Any:
        """Check that X holds finite similarities, one row per new point."""
        similarities = as_vectors(X, name)
        return similarities if isinstance(similarities, np.ndarray) else similarities.toarray()

    def validate(self, X: Any, name: str = "X") -> Any:
        """Check that X is a square symmetric matrix."""
        gram = self.validate_new(X, name)
        if gram.shape[0] != gram.shape[1]:
            raise InvalidInputError(
                f"{name} must be a square Gram matrix with a precomputed kernel; got shape "
                f"{gram.shape}."
            )
        asymmetry = float(np.abs(gram - gram.T).max())
        if asymmetry > _SYMMETRY_TOLERANCE * float(np.abs(gram).max()):
            raise InvalidInputError(
                f"{name} is not symmetric (entries differ by up to {asymmetry:.3g}), so it is not "
                f"a Gram matrix: use ({name} + {name}.T) / 2 if the difference is noise."
            )
        return gram
