"""From a converged point of a small quadratic program to the accuracy of rounding.

With the bounded variables fixed, the free ones and the multipliers mu of the sums solve a linear
system. A step that would leave the box ends at the first bound, whose variable is then fixed too.
If the whole step fits, the two variables that violate the conditions most are freed (an active-set
method; Nocedal, Wright 2006, section 16.5).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.linalg import lstsq
from scipy.linalg.lapack import dsycon, dsysv

from maxmargin.kernels.blas_threads import single_threaded_blas
from maxmargin.problems import BoxQP, Case
from maxmargin.solvers.kernel.batch import Found
from maxmargin.typing import Bools, Floats, Integers

__all__ = ["refined"]

# At most this many changes of the active set, and no more work than the fit took or, if that is
# less, than this: in steps times variables, as in the decomposition; about 10 ms.
_ROUNDS = 60
_LITTLE_WORK = 1 << 22

# The work of a factorisation and of a least-squares solution, as a share of the cube of their size,
# and the condition that needs the latter.
_FACTORISATION, _LEAST_SQUARES = 1 / 16, 1.0
_SINGULAR = 1e-13

# A step that leaves a larger relative infeasibility is not taken; a smaller relative violation is
# rounding.
_FEASIBLE = 1e-12
_ROUNDING = 1e-14


def refined(qp: BoxQP, found: Found) -> Found:
    """Return the point solved to rounding, or as it is if that is no better."""
    with single_threaded_blas:
        return _refined(qp, found)


def _refined(qp: BoxQP, found: Found) -> Found:
    most_work = max(_LITTLE_WORK, found.steps * qp.n_variables)
    work = 0.0
    hessian = qp.hessian()
    signed = found.signed.copy()
    case = qp.case(np.abs(signed))
    free = case == Case.FREE
    signed[case == Case.ZERO] = 0.0
    signed[case == Case.BOUNDED] = (qp.sign * qp.cost)[case == Case.BOUNDED]
    best, least = found, _violation(qp, found.signed, found.gradient)[0]
    for _ in range(_ROUNDS):
        size = np.count_nonzero(free) + len(qp.total)
        work += _FACTORISATION * size**3
        if work > most_work:
            break
        blocked, extra = _newton_step(qp, hessian, signed, free, most_work - work)
        work += extra
        if blocked.any():
            free &= ~blocked
            continue
        if not np.isfinite(signed).all() or qp.infeasibility(signed) > _FEASIBLE:
            break
        gradient = hessian @ signed + qp.linear
        violation, violators = _violation(qp, signed, gradient)
        if violation <= least:
            best = replace(found, signed=signed.copy(), gradient=gradient, violation=violation)
            least = violation
        if violation <= _ROUNDING * qp.value_scale or free[violators].all():
            break
        free[violators] = True
    return best


def _newton_step(
    qp: BoxQP, hessian: Floats, signed: Floats, free: Bools, most_work: float
) -> tuple[Bools, float]:
    """Move the free variables as far towards their optimum as the box allows, in place.

    Returns the variables that stop at a bound, and what a least-squares solution cost.
    """
    members = np.flatnonzero(free)
    blocked = np.zeros(len(free), dtype=bool)
    if len(members) == 0:
        return blocked, 0.0
    used = np.abs(qp.equality[:, members]).any(axis=1)
    block = hessian[np.ix_(members, members)]
    scale = float(np.abs(block).max()) or 1.0
    A = scale * qp.equality[np.ix_(used, members)]
    sums = scale * (qp.total - qp.equality @ signed)[used]
    gradient = hessian[members] @ signed + qp.linear[members]
    system = np.block([[block, A.T], [A, np.zeros((len(A), len(A)))]])
    solution, work = _solved(system, np.concatenate([-gradient, sums]), most_work)
    if solution is None:
        return blocked, work
    step = solution[: len(members)]
    room = np.where(step > 0, qp.upper[members], qp.lower[members]) - signed[members]
    ratio = np.divide(room, step, out=np.full(len(step), np.inf), where=step != 0)
    length = min(1.0, float(ratio.min(initial=1.0)))
    signed[members] += length * step
    if length < 1.0:
        stops = members[ratio <= length]
        signed[stops] = np.where(step[ratio <= length] > 0, qp.upper[stops], qp.lower[stops])
        blocked[stops] = True
    return blocked, work


def _solved(system: Floats, right: Floats, most_work: float) -> tuple[Floats | None, float]:
    """Solve a symmetric system; if it is singular by least squares, unless that is too much work.

    Returns the solution and the work of the least squares.
    """
    factor, pivots, solution, info = dsysv(system, right)
    norm = float(np.abs(system).sum(axis=0).max())
    if info == 0 and dsycon(factor, pivots, norm)[0] > _SINGULAR:
        return solution, 0.0
    work = _LEAST_SQUARES * len(right) ** 3
    return None if work > most_work else lstsq(system, right, check_finite=False)[0], work


def _violation(qp: BoxQP, signed: Floats, gradient: Floats) -> tuple[float, Integers]:
    """Return the largest m(a) - M(a) over the sums, and the variables that cause it."""
    can_rise, can_fall = signed < qp.upper, signed > qp.lower
    if len(qp.equality) == 0:
        wrong = np.maximum(np.where(can_rise, -gradient, 0.0), np.where(can_fall, gradient, 0.0))
        worst = int(np.argmax(wrong))
        return float(max(wrong[worst], 0.0)), np.array([worst])
    largest, violators = 0.0, np.empty(0, dtype=np.int64)
    for k, members in enumerate(qp.groups):
        direction = qp.equality[k, members]
        slope = direction * gradient[members]
        up = direction > 0
        falls = members[np.where(up, can_fall[members], can_rise[members])]
        rises = members[np.where(up, can_rise[members], can_fall[members])]
        if len(falls) == 0 or len(rises) == 0:
            continue
        slopes = np.zeros(qp.n_variables)
        slopes[members] = slope
        high, low = falls[np.argmax(slopes[falls])], rises[np.argmin(slopes[rises])]
        if slopes[high] - slopes[low] > largest:
            largest, violators = float(slopes[high] - slopes[low]), np.array([high, low])
    return largest, violators
