"""Is a Gram matrix positive semidefinite? An eigenvector is the witness if it is not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh

from maxmargin.errors import InvalidInputError
from maxmargin.typing import Floats

__all__ = ["Semidefiniteness", "is_positive_semidefinite"]


@dataclass(frozen=True, eq=False)
class Semidefiniteness:
    """The result of `is_positive_semidefinite`; true or false in a condition.

    Attributes
    ----------
    holds : bool
        Whether the smallest eigenvalue is zero or more, up to rounding.
    eigenvalue : float
        The smallest eigenvalue.
    vector : ndarray of shape (n,)
        Its unit eigenvector v: the witness, v'Kv = eigenvalue.
    tolerance : float
        How far below zero an eigenvalue counted as rounding.

    Examples
    --------
    >>> from maxmargin.kernels import is_positive_semidefinite
    >>> found = is_positive_semidefinite([[1.0, 2.0], [2.0, 1.0]])
    >>> found.holds, (found.vector**2).round(4)
    (False, array([0.5, 0.5]))
    """

    holds: bool
    eigenvalue: float
    vector: Floats
    tolerance: float

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        verdict = "positive semidefinite" if self.holds else "not positive semidefinite"
        return f"<{verdict}: smallest eigenvalue {self.eigenvalue:.6g}>"


def is_positive_semidefinite(K: ArrayLike, tolerance: float | None = None) -> Semidefiniteness:
    """Decide whether a symmetric matrix is positive semidefinite, with a witness.

    Parameters
    ----------
    K : array-like of shape (n, n)
        A symmetric matrix.
    tolerance : float, optional
        How far below zero an eigenvalue may lie and still count as rounding. By default 4n times
        the machine precision times the largest absolute row sum, which bounds all eigenvalues.

    Returns
    -------
    Semidefiniteness
        True or false in a condition, with the smallest eigenvalue and its vector.

    Examples
    --------
    >>> from maxmargin.kernels import is_positive_semidefinite
    >>> found = is_positive_semidefinite([[1.0, 2.0], [2.0, 1.0]])
    >>> bool(found), round(found.eigenvalue, 6)
    (False, -1.0)
    """
    gram = np.asarray(K, dtype=np.float64)
    if gram.ndim != 2 or gram.shape[0] != gram.shape[1] or gram.size == 0:
        raise InvalidInputError(f"K must be a square matrix; got shape {gram.shape}.")
    if not np.isfinite(gram).all():
        raise InvalidInputError("K contains NaN or infinity: it has no eigenvalues.")
    size = float(np.abs(gram).sum(axis=1).max())
    if np.abs(gram - gram.T).max() > 1e-8 * max(size, 1e-300):
        raise InvalidInputError("K is not symmetric, so it is not a Gram matrix.")
    values, vectors = eigh(gram, subset_by_index=(0, 0))
    if tolerance is None:
        tolerance = 4 * len(gram) * float(np.finfo(np.float64).eps) * size
    smallest = float(values[0])
    return Semidefiniteness(smallest >= -tolerance, smallest, vectors[:, 0], tolerance)
