"""Any Python function as a kernel."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import sparse

from maxmargin.errors import InvalidInputError
from maxmargin.kernels.base import Kernel
from maxmargin.kernels.data import as_vectors, count, take
from maxmargin.kernels.semidefinite import is_positive_semidefinite
from maxmargin.typing import Floats, Integers

__all__ = ["Function"]

# Points per call for the diagonal: a call costs more than the values that are not needed.
_DIAGONAL_BLOCK = 64

# Points on which a function is checked.
_SAMPLE = 50

# Relative to the largest value and to the largest row sum. Certificates find smaller deviations.
_SYMMETRY_TOLERANCE = 1e-5
_EIGENVALUE_TOLERANCE = 1e-8


@dataclass(frozen=True)
class Function(Kernel):
    """A kernel given as a function of two blocks of points.

    The function must be symmetric on a sample of the training points. If it is not positive
    semidefinite there, a warning says so.

    Parameters
    ----------
    function : callable
        ``function(A, B)`` returns the matrix of similarities, of shape (len(A), len(B)). It must
        be symmetric: k(a, b) = k(b, a). `of_points` takes a function of two points.

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

    @classmethod
    def of_points(cls, function: Callable[[Any, Any], float]) -> Self:
        """Make a kernel from a function of two points, which is called for each pair.

        Examples
        --------
        >>> from maxmargin.kernels import Function
        >>> same_start = Function.of_points(lambda a, b: float(a[0] == b[0]))
        >>> same_start.block(["cane", "pane"], ["cat"])
        array([[1.],
               [0.]])
        """
        if not callable(function):
            raise InvalidInputError(
                f"Function.of_points needs a callable of two points; got {function!r}."
            )
        return cls(_OfPoints(function))

    def block(self, A: Any, B: Any) -> Floats:
        """Call the function and check its result."""
        result = self.function(A, B)
        result = result.toarray() if sparse.issparse(result) else result
        if np.iscomplexobj(result):
            raise InvalidInputError(
                "The kernel function returned complex numbers: a kernel has real values."
            )
        values = np.asarray(result, dtype=np.float64)
        expected = (count(A), count(B))
        if values.shape != expected:
            raise InvalidInputError(
                f"The kernel function returned shape {values.shape} where {expected} is needed: "
                "it takes two blocks of points and returns one value for each pair. A function of "
                "two points is made a kernel by Function.of_points."
            )
        if not np.isfinite(values).all():
            raise InvalidInputError("The kernel function returned NaN or infinity.")
        return values

    def diag(self, A: Any) -> Floats:
        """Return k(a, a) for each point a of A, by small blocks."""
        starts = range(0, count(A), _DIAGONAL_BLOCK)
        parts = (A[start : start + _DIAGONAL_BLOCK] for start in starts)
        return np.concatenate([np.diag(self.block(part, part)) for part in parts])

    def within(self, X: Any) -> Callable[[Integers, Integers | None], Floats]:
        """Check symmetry and definiteness on a sample, then return blocks within X."""
        self._examine(X)
        return super().within(X)

    def _examine(self, X: Any) -> None:
        sample = np.unique(np.linspace(0, count(X) - 1, _SAMPLE).astype(np.int64))
        points = take(X, sample)
        gram = self.block(points, points)
        asymmetry = np.abs(gram - gram.T)
        if asymmetry.max() > _SYMMETRY_TOLERANCE * np.abs(gram).max():
            i, j = np.unravel_index(int(np.argmax(asymmetry)), gram.shape)
            raise InvalidInputError(
                f"{self!r} is not symmetric: of points {sample[i]} and {sample[j]} it returns "
                f"{gram[i, j]:.6g}, and {gram[j, i]:.6g} in the other order. A kernel must not "
                "depend on the order of its arguments."
            )
        rounding = _EIGENVALUE_TOLERANCE * float(np.abs(gram).sum(axis=1).max())
        found = is_positive_semidefinite(0.5 * (gram + gram.T), tolerance=rounding)
        if not found:
            warnings.warn(
                f"{self!r} is not positive semidefinite: on {len(sample)} of the points its "
                f"smallest eigenvalue is {found.eigenvalue:.3g}. The problem is not convex, and "
                "the solution may be a local optimum; its certificate says what can be claimed.",
                stacklevel=3,
            )

    def validate(self, X: Any, name: str = "X") -> Any:
        """Accept rows of numbers, or a list of any objects that the function accepts."""
        if sparse.issparse(X) or (isinstance(X, np.ndarray) and X.dtype.kind in "fiub"):
            return as_vectors(X, name)
        points = list(X if isinstance(X, list | tuple) else np.asarray(X))
        if not points:
            raise InvalidInputError(f"{name} has no rows: at least one point is needed.")
        if all(np.ndim(p) == 1 and np.asarray(p).dtype.kind in "fiub" for p in points):
            return as_vectors(points, name)
        return points


@dataclass(frozen=True)
class _OfPoints:
    """A function of two blocks of points that calls a function of two points."""

    function: Callable[[Any, Any], float]

    def __call__(self, A: Any, B: Any) -> Floats:
        left = A.toarray() if sparse.issparse(A) else A
        right = B.toarray() if sparse.issparse(B) else B
        values = [[_number(self.function(a, b)) for b in right] for a in left]
        return np.array(values).reshape(len(left), len(right))


def _number(value: Any) -> Any:
    # `Function.block` refuses complex numbers, with a sentence.
    return complex(value) if np.iscomplexobj(value) else float(value)
