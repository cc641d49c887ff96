"""Is the dual convex? If the kernel is indefinite, what can still be claimed?

With an indefinite Gram matrix the dual may have several stationary points, and SMO-type methods end
at one of them (Lin, Lin 2003). The curvature along the free multipliers says whether it is at least
a local minimum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cholesky, null_space

from maxmargin.kernels import is_positive_semidefinite
from maxmargin.problems import BoxQP, Case, KernelProblem
from maxmargin.typing import Floats

__all__ = ["Convexity", "examine_convexity"]

# The largest matrix whose eigenvalues are computed; that takes some seconds.
_EIGENVALUES_UP_TO = 3000


@dataclass(frozen=True)
class Convexity:
    """Whether the dual is convex, and what is known if it is not.

    Attributes
    ----------
    holds : bool
        True if a theorem or the eigenvalues of the Gram matrix say so.
    smallest_eigenvalue : float or None
        Of the Gram matrix or, for many points, of a part of it; None if it is not known.
    locally_convex : bool
        Whether the dual is convex along the free multipliers.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.kernels import Sigmoid
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0]], [-1, 1], kernel=Sigmoid(gamma=1, coef0=-1))
    >>> solve(problem).certificate.convexity.holds
    False
    """

    holds: bool
    smallest_eigenvalue: float | None = None
    locally_convex: bool = True

    @property
    def claim(self) -> str:
        """A sentence for an indefinite kernel; empty for a convex problem."""
        if self.holds:
            return ""
        place = (
            "a local minimum of the dual with respect to the free multipliers"
            if self.locally_convex
            else "a stationary point of the dual, not even a local minimum"
        )
        found = (
            "The kernel may be indefinite, and its matrix is too large to tell"
            if self.smallest_eigenvalue is None
            else f"The kernel is indefinite on this data (smallest eigenvalue at most "
            f"{self.smallest_eigenvalue:.3g}), so the problem is not convex"
        )
        return (
            f"{found}: the gap proves nothing about the global optimum. A small KKT violation says "
            f"that this is {place}."
        )


def examine_convexity(problem: KernelProblem, case: NDArray[np.int8]) -> Convexity:
    """Examine the dual of a problem with a kernel that is not known to be semidefinite."""
    qp = problem.dual()
    if qp.n_points <= _EIGENVALUES_UP_TO:
        found = qp.semidefiniteness
        if found:
            return Convexity(True, found.eigenvalue)
    else:
        if qp.points.fits and _has_cholesky_factor(qp.gram):
            return Convexity(True)
        # The smallest eigenvalue of a part is at least that of the whole matrix (Cauchy).
        sample = np.linspace(0, qp.n_points - 1, _EIGENVALUES_UP_TO).astype(np.int64)
        found = is_positive_semidefinite(qp.gram_rows(sample)[:, sample])
    smallest = None if found else found.eigenvalue
    return Convexity(False, smallest, _convex_on_face(qp, case))


def _has_cholesky_factor(gram: Floats) -> bool:
    """Say whether the matrix is positive semidefinite up to rounding, by factoring it."""
    rounding = 4 * len(gram) * float(np.finfo(np.float64).eps)
    shifted = gram + rounding * float(np.abs(gram).sum(axis=1).max()) * np.eye(len(gram))
    try:
        cholesky(shifted, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return False
    return True


def _convex_on_face(qp: BoxQP, case: NDArray[np.int8]) -> bool:
    """Say whether the dual is convex in the free multipliers that keep Ab = d."""
    free = np.flatnonzero(case == Case.FREE)[:_EIGENVALUES_UP_TO]
    if len(free) == 0:
        return True
    curvature = qp.hessian_rows(free)[:, free]
    directions = null_space(qp.equality[:, free]) if len(qp.equality) else np.eye(len(free))
    if directions.shape[1] == 0:
        return True
    reduced = directions.T @ curvature @ directions
    return bool(is_positive_semidefinite(0.5 * (reduced + reduced.T)))
