"""Bounds on the rounding errors of a certificate's numbers, so that it claims only what is true.

The multipliers b and the offsets mu are exact: they are the solution. Everything computed from them
in float64 is off by at most the bounds below, which follow Higham 2002, chapter 3. With the size
m_i and the error e_i of `maxmargin.kernels.rounding`, the kernel expansion at point i is off by

    gamma_(n + D) m_i sum_j |b_j| m_j  +  e_i sum_j |b_j| e_j,

where D is the length of a feature map through which it may be computed. For a linear kernel w is
summed in extended precision if the data are not too large.

A dual point that misses Ab = d by r still gives a lower bound. Weak duality holds up to r'mu*, with
the offsets mu* of an optimum. For fixed w the primal is piecewise linear in each offset, so that an
optimal one equals phi(x_i)'w* + p_i, up to its sign, for some i: |mu*| <= max m |w*| + max |p|.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum, sqrt

import numpy as np

from maxmargin.kernels.rounding import PER_TERM, UNIT_ROUNDOFF
from maxmargin.problems import BoxQP, KernelProblem, Points, Sphere
from maxmargin.typing import Floats

__all__ = [
    "EXTENDED",
    "Rounding",
    "combination_error",
    "exactly_balanced",
    "linear_error",
    "offset_bound",
    "sum_residuals",
]

#: gamma_n is at most this times n in extended precision.
EXTENDED = 1.01 * 2.0**-64

# Corrections of a sum, each of which leaves the rounding error of the one before.
_MOST_BALANCINGS = 8

# The bounds are themselves computed with rounding.
_GENEROUS = 1.01


@dataclass(frozen=True, eq=False)
class Rounding:
    """Rounding errors of what is computed from a dual point.

    Attributes
    ----------
    gradient : ndarray of shape (m,)
        Bounds on the errors of Hb + p.
    square : float
        Bound on the error of b'Hb, and of |w|^2.
    slope : float
        Bound on the error of p'b.
    """

    gradient: Floats
    square: float
    slope: float

    @classmethod
    def of(cls, problem: KernelProblem, signed: Floats, gradient: Floats) -> Rounding:
        """Return the bounds for signed multipliers and the computed gradient."""
        qp = problem.dual()
        bounds, coefficients = qp.points.bounds, np.abs(qp.coefficients(signed))
        total = float(coefficients.sum())
        n_terms = int(np.count_nonzero(coefficients)) + (qp.n_features or 0) + 4
        long_sum = PER_TERM * n_terms
        size = float(coefficients @ bounds.size)
        if qp.points.has_extended_weights:
            # w is known up to its last digit, so that only its own size counts.
            missed = n_terms * EXTENDED * size
            norm = sqrt(max(qp.norm_squared(signed, gradient), 0.0)) + missed
            length = PER_TERM * ((qp.n_features or 0) + 4)
            expansion = bounds.size * (1.01 * length * norm + missed)
            expansion = expansion + long_sum * qp.constant * total
        else:
            error = float(coefficients @ bounds.error)
            expansion = long_sum * (bounds.size * size + qp.constant * total)
            expansion = expansion + bounds.error * error
        kernel_part = np.abs(gradient) + np.abs(qp.linear) + 2 * qp.ridge * np.abs(signed)
        off = qp.by_variable(expansion) + 4 * UNIT_ROUNDOFF * kernel_part
        magnitude = np.abs(signed)
        slope = PER_TERM * qp.n_variables * float(magnitude @ np.abs(qp.linear))
        if isinstance(problem, Sphere):  # p is made of kernel values
            off_linear = bounds.error**2
            off = off + off_linear
            slope += float(magnitude @ off_linear)
        square = float(magnitude @ off) + PER_TERM * (qp.n_variables + 2) * float(
            magnitude @ kernel_part
        )
        return cls(_GENEROUS * off, _GENEROUS * square, _GENEROUS * slope)

    def of_constraint(self, qp: BoxQP, gradient: Floats, offsets: Floats) -> Floats:
        """Return bounds on the errors of the constraints c."""
        terms = np.abs(gradient) + np.abs(qp.pull(offsets))
        return np.asarray(self.gradient + 4 * UNIT_ROUNDOFF * terms)


def sum_residuals(qp: BoxQP, signed: Floats) -> Floats:
    """Return how far the sums Ab are from d, exactly but for one rounding each."""
    values = signed if qp.direction is None else qp.direction * signed
    if len(qp.total) == 0:
        return np.zeros(0)
    own = [values] if qp.group is None else [values[members] for members in qp.groups]
    pairs = zip(own, qp.total, strict=True)
    return np.array([abs(fsum([*summed.tolist(), -float(d)])) for summed, d in pairs])


def exactly_balanced(values: Floats) -> Floats:
    """Return values that sum to zero exactly, if rounding alone keeps them from it.

    The smallest values that are large enough take up what is left, towards zero.
    """
    found = values.copy()
    for _ in range(_MOST_BALANCINGS):
        left = fsum(found.tolist())
        takes = np.flatnonzero((np.sign(found) == np.sign(left)) & (np.abs(found) >= abs(left)))
        if left == 0 or len(takes) == 0:
            break
        found[takes[np.argmin(np.abs(found[takes]))]] -= left
    return found


def offset_bound(qp: BoxQP, primal: float) -> float:
    """Return a bound on the sizes of optimal offsets, given a primal value.

    |w*|^2 / 2 is at most the primal value if d is zero. Otherwise the multipliers of an optimum
    have the sums d, and |w*| is at most sum |d| times the largest |phi(x)|.
    """
    size = sqrt(float(qp.points.bounds.size.max(initial=0.0)) ** 2 + qp.constant)
    total = float(np.abs(qp.total).sum())
    norm = size * total if total > 0 else sqrt(2.0 * max(primal, 0.0))
    return norm * size + float(np.abs(qp.linear).max(initial=0.0))


def linear_error(points: Points, weights: Floats, bias: float) -> Floats:
    """Return bounds on the errors of w'x + b at the points of a linear machine."""
    sizes = float(np.linalg.norm(weights)) * points.bounds.size
    return _GENEROUS * PER_TERM * (len(weights) + 4) * (sizes + abs(bias))


def combination_error(qp: BoxQP, signed: Floats, combined: Floats) -> float:
    """Return a bound on the error of the dual value of a linear machine.

    `combined` is sum_j b_j x_j, each coordinate of which is a sum of n products.
    """
    magnitude = np.abs(signed)
    coefficients = np.abs(qp.coefficients(signed))
    long_sum = PER_TERM * (qp.n_variables + len(combined) + 4)
    each = EXTENDED if qp.points.has_extended_weights else PER_TERM
    off = each * (qp.n_variables + 4) * float(coefficients @ qp.points.bounds.size)
    off += UNIT_ROUNDOFF * float(np.linalg.norm(combined))
    norm = float(np.linalg.norm(combined))
    total, off_total = abs(fsum(signed.tolist())), long_sum * float(coefficients.sum())
    curvature = norm**2 + qp.constant * total**2 + float(qp.ridge @ signed**2)
    square = 2 * norm * off + off**2 + 4 * long_sum * curvature
    square += qp.constant * (2 * total * off_total + off_total**2)
    return _GENEROUS * (0.5 * square + long_sum * float(magnitude @ np.abs(qp.linear)))
