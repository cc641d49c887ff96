"""Any Python function as a kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.errors import InvalidInputError
from maxmargin.kernels.base import Kernel
from maxmargin.kernels.data import as_vectors, count
from maxmargin.typing import Floats

__all__ = ["Function"]

_DIAGONAL_BLOCK = 64


@dataclass(frozen=True)
class Function(Kernel):
    """A kernel given as a function of two blocks of points.

    Parameters
    ----------
    function : callable
        ``function(A, B)`` returns the matrix of similarities, of shape (len(A), len(B)). It must
        be symmetric: k(a, b) = k(b, a).

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernels import Function
    >>> overlap = Function(lambda A, B: np.minimum(A[:, None], B[None]).sum(axis=2))
    >>> overlap.block(np.array([[1.0, 2.0]]), np.array([[2.0, 1.0]]))
    array([[2.]])
    """

    function: Callable[[Any, Any], Any]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InvalidInputError(
                f"Function needs a callable of two blocks of points; got {self.function!r}."
            )

    def block(self, A: Any, B: Any) -> Floats:
        """Call the function and check what it returns."""
        values = np.asarray(self.function(A, B), dtype=np.float64)
        expected = (count(A), count(B))
        if values.shape != expected:
            raise InvalidInputError(
                f"The kernel function returned shape {values.shape} where {expected} is needed: "
                "it takes two blocks of points and returns one value for each pair."
            )
        if not np.isfinite(values).all():
            raise InvalidInputError("The kernel function returned NaN or infinity.")
        return values

    def diag(self, A: Any) -> Floats:
        """Evaluate k(a, a) in small blocks, for a call costs more than a few values too many."""
        starts = range(0, count(A), _DIAGONAL_BLOCK)
        parts = (A[start : start + _DIAGONAL_BLOCK] for start in starts)
        return np.concatenate([np.diag(self.block(part, part)) for part in parts])

    def validate(self, X: Any, name: str = "X") -> Any:
        """Accept numeric rows, or a list of any objects that the function understands."""
        if sparse.issparse(X) or (isinstance(X, np.ndarray) and X.dtype.kind in "fiub"):
            return as_vectors(X, name)
        points = list(X if isinstance(X, list | tuple) else np.asarray(X))
        if not points:
            raise InvalidInputError(f"{name} has no rows: at least one point is needed.")
        if all(np.ndim(p) == 1 and np.asarray(p).dtype.kind in "fiub" for p in points):
            return as_vectors(points, name)
        return points
