"""Bounds on the sizes and the rounding errors of kernel values.

A sum of n products in floating point is off by at most gamma_n sum |x_i y_i|, in any order of
summation, with gamma_n = n u / (1 - n u) and the unit roundoff u (Higham 2002, section 3.1).

Bounds on k(a, b) are products m_a m_b: for a positive semidefinite kernel m_a^2 = k(a, a), by the
Cauchy-Schwarz inequality. Sums and products of kernels keep this form, because
sum_i m_ia m_ib <= sqrt(sum_i m_ia^2) sqrt(sum_i m_ib^2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.typing import Floats

__all__ = [
    "FUNCTION_ERROR",
    "UNIT_ROUNDOFF",
    "Bounds",
    "largest_squared_norm",
    "product_error",
]

#: u: the largest relative error of one operation in float64.
UNIT_ROUNDOFF = 2.0**-53

#: Largest relative error of exp, tanh and a power in the compiled loops, in units of u. They are
#: tested to be within 1e-15, or 9 u (tests/native/test_accuracy.py).
FUNCTION_ERROR = 16

# Entries of the data that are centred at one time.
_BLOCK_ENTRIES = 1 << 20


@dataclass(frozen=True, eq=False)
class Bounds:
    """Numbers per point with |k(a, b)| <= size_a size_b and |error of k(a, b)| <= error_a error_b.

    Attributes
    ----------
    size, error : ndarray of shape (n,)
        Both at least zero.
    """

    size: Floats
    error: Floats

    def of(self, rows: Any) -> Bounds:
        """Return the bounds of some of the points."""
        return Bounds(self.size[rows], self.error[rows])


def product_error(n: int) -> float:
    """Return gamma_n: the relative error of a sum of n products, in any order.

    Examples
    --------
    >>> from maxmargin.kernels.rounding import product_error
    >>> product_error(1000) < 1.2e-13
    True
    """
    return n * UNIT_ROUNDOFF / (1.0 - n * UNIT_ROUNDOFF)


def largest_squared_norm(A: Any) -> float:
    """Return the largest squared distance of a row from the mean, or from zero if A is sparse."""
    if sparse.issparse(A):
        squares = A.multiply(A).sum(axis=1)
        return float(np.max(squares)) if A.shape[0] else 0.0
    rows = np.asarray(A)
    mean = rows.mean(axis=0, dtype=np.float64)
    step, largest = max(1, _BLOCK_ENTRIES // max(rows.shape[1], 1)), 0.0
    for start in range(0, len(rows), step):
        centred = rows[start : start + step] - mean
        largest = max(largest, float(np.einsum("ij,ij->i", centred, centred).max(initial=0.0)))
    return largest
