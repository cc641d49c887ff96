"""Is the dual convex? If the kernel is indefinite, what can still be claimed?

With an indefinite Gram matrix the dual may have several stationary points; SMO-type methods end at
one of them (Lin, Lin 2003). Its curvature along the free multipliers tells whether it is at least
a local minimum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import null_space
from scipy.sparse.linalg import LinearOperator, eigsh

from maxmargin.kernels import is_positive_semidefinite
from maxmargin.problems import BoxQP, Case, Problem
from maxmargin.typing import Floats

__all__ = ["Convexity", "examine_convexity"]

_DENSE_EIGENVALUES_UP_TO = 3000


@dataclass(frozen=True)
class Convexity:
    """Whether the dual is convex, and by what evidence.

    Attributes
    ----------
    holds : bool
        True where a theorem or the spectrum of the Gram matrix says so.
    smallest_eigenvalue : float or None
        Of the Gram matrix, where it was computed.
    locally_convex : bool
        Whether the dual is convex along the free multipliers.

    Examples
    --------
    >>> from maxmargin import certify, solve
    >>> from maxmargin.kernels import Sigmoid
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0]], [-1, 1], kernel=Sigmoid(gamma=1, coef0=-1))
    >>> certify(problem, solve(problem)).convexity.holds
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
            "a local minimum of the dual as far as the free multipliers go"
            if self.locally_convex
            else "a stationary point of the dual, not even a local minimum"
        )
        return (
            f"The kernel is indefinite on this data (smallest eigenvalue "
            f"{self.smallest_eigenvalue:.3g}), so the problem is not convex and the gap proves "
            f"nothing about the global optimum. A small KKT violation says that this is {place}."
        )


def examine_convexity(problem: Problem, case: NDArray[np.int8]) -> Convexity:
    """Examine the dual of a problem at multipliers in the given cases."""
    if problem.dual_kernel.positive_semidefinite:
        return Convexity(True)
    qp = problem.dual()
    if qp.gram.n_points <= _DENSE_EIGENVALUES_UP_TO:
        answer = is_positive_semidefinite(qp.gram.matrix)
        smallest, holds = answer.eigenvalue, answer.holds
    else:
        smallest, largest = _extreme_eigenvalues(qp)
        holds = smallest >= -1e-10 * abs(largest)
    if holds:
        return Convexity(True, smallest)
    return Convexity(False, smallest, _convex_on_face(qp, case))


def _extreme_eigenvalues(qp: BoxQP) -> tuple[float, float]:
    n = qp.gram.n_points
    product = LinearOperator((n, n), matvec=lambda v: qp.gram @ np.ravel(v), dtype=np.float64)
    start = np.ones(n) / np.sqrt(n)
    values: Floats = eigsh(product, k=2, which="BE", v0=start, return_eigenvectors=False, tol=1e-6)
    return float(values.min()), float(values.max())


def _convex_on_face(qp: BoxQP, case: NDArray[np.int8]) -> bool:
    free = np.flatnonzero(case == Case.FREE)[:_DENSE_EIGENVALUES_UP_TO]
    if len(free) == 0:
        return True
    curvature = qp.hessian_rows(free)[:, free]
    directions = null_space(qp.equality[:, free]) if len(qp.equality) else np.eye(len(free))
    if directions.shape[1] == 0:
        return True
    reduced = directions.T @ curvature @ directions
    return bool(is_positive_semidefinite(0.5 * (reduced + reduced.T)))
