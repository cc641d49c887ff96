"""Bounds on the sizes and the rounding errors of kernel values.

A sum of n products in floating point is off by at most gamma_n sum |x_i y_i|, in any order of
summation, with gamma_n = n u / (1 - n u) and the unit roundoff u (Higham 2002, section 3.1).

Bounds on k(a, b) are products m_a m_b: for a positive semidefinite kernel m_a^2 = k(a, a), by the
Cauchy-Schwarz inequality. Sums and products of kernels keep this form, because
sum_i m_ia m_ib <= sqrt(sum_i m_ia^2) sqrt(sum_i m_ib^2).
"""

from __future__ import annotations

from dataclasses import dataclass

from maxmargin.typing import Floats

__all__ = ["FUNCTION_ERROR", "PER_TERM", "UNIT_ROUNDOFF", "Bounds"]

#: u: the largest relative error of one operation in float64.
UNIT_ROUNDOFF = 2.0**-53

#: gamma_n is at most this times n, for sums of up to 10^13 terms.
PER_TERM = 1.01 * UNIT_ROUNDOFF

#: Largest relative error of exp, tanh and a power in the compiled loops, in units of u. They are
#: tested to be within 1e-15, or 9 u (tests/native/test_accuracy.py).
FUNCTION_ERROR = 16


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
