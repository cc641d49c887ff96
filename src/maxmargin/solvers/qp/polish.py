"""From an interior point to a vertex of accuracy: Newton steps on the free multipliers.

An interior-point method leaves each multiplier slightly off its bound. Guessing from it which are
zero, which are at their cost and which are free, the free ones and the offsets solve a linear
system; the guess is corrected until it repeats (primal-dual active sets, Hintermüller, Ito,
Kunisch 2002). The result is kept only where it measures better.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, lstsq

from maxmargin.certificates import Measures, measure_multipliers
from maxmargin.interior_point import InteriorPoint
from maxmargin.problems import BoxQP, KernelProblem
from maxmargin.solvers.monitor import Monitor
from maxmargin.solvers.solution import Solution
from maxmargin.solvers.starts import snap
from maxmargin.typing import Bools, Floats

__all__ = ["polish", "polished_solution"]

_ROUNDS = 12
_LARGEST_SYSTEM = 4000
_LARGEST_SINGULAR_SYSTEM = 1000


def polished_solution(
    solver: str, monitor: Monitor, result: InteriorPoint, signed: Floats, offsets: Floats
) -> Solution:
    """End a run of an interior-point method, polishing what no limit cut short."""
    if monitor.over_limit(result.iterations) or monitor.ended_early:
        signed = snap(monitor.problem, signed)
    else:
        signed, offsets = polish(monitor.problem, signed, offsets)
    reason = (
        "rounding limits the method on this data"
        if "Solved" in result.ending
        else f"the interior-point method ended with {result.ending}"
    )
    return monitor.solution(solver, signed, offsets, reason=reason)


# A violation below this is rounding.
_ROUNDING = 1e-13


def polish(problem: KernelProblem, signed: Floats, offsets: Floats) -> tuple[Floats, Floats]:
    """Return a point with a smaller KKT violation, or the given one if none was found.

    Parameters
    ----------
    problem : Problem
        What the point nearly solves.
    signed, offsets : ndarray
        The point: signed dual variables and multipliers of the equality constraints.
    """
    qp = problem.dual()
    gradient = qp.gradient(signed)
    snapped = snap(problem, signed)
    best = (snapped, offsets)
    least = _violation(measure_multipliers(problem, snapped, offsets))
    previous = b""
    for _ in range(_ROUNDS):
        low, high = _guess(qp, signed, qp.stationarity(gradient, offsets))
        if np.count_nonzero(~(low | high)) > _LARGEST_SYSTEM:
            break
        signed, offsets = _solve_free(qp, low, high, signed, offsets)
        gradient = qp.gradient(signed)
        inside = np.clip(signed, qp.lower, qp.upper)
        violation = _violation(measure_multipliers(problem, inside, offsets))
        guess = np.packbits([low, high]).tobytes()
        if violation >= least and guess == previous:
            break
        # Of points that are equal up to rounding the stationary one has the middle offsets.
        if violation <= max(least, _ROUNDING):
            best, least = (inside, offsets), violation
        previous = guess
    return best


def _violation(measures: Measures) -> float:
    # What rounding may hide is the same for all points nearby.
    known = 1.0 - measures.rounding / measures.gap if measures.gap > 0 else 1.0
    return max(measures.kkt_violation, measures.feasibility, abs(known * measures.relative_gap))


def _guess(qp: BoxQP, signed: Floats, stationarity: Floats) -> tuple[Bools, Bools]:
    """Say which multipliers a Newton step would put at zero and which at their cost."""
    multipliers = qp.sign * signed
    target = multipliers - qp.step_scale() * stationarity
    used = qp.cost > 0
    return ~used | (target <= 0), used & (target >= qp.cost)


def _solve_free(
    qp: BoxQP, low: Bools, high: Bools, signed: Floats, offsets: Floats
) -> tuple[Floats, Floats]:
    """Fix the multipliers at their bounds and make the free ones and the offsets stationary."""
    free = np.flatnonzero(~(low | high))
    fixed = np.where(high, qp.sign * qp.cost, 0.0)
    if len(free) == 0:
        return fixed, qp.offsets(fixed, qp.gradient(fixed))
    sums = np.flatnonzero(np.abs(qp.equality[:, free]).any(axis=1))
    incidence = qp.equality[np.ix_(sums, free)]
    size = len(free)
    system = np.zeros((size + len(sums), size + len(sums)))
    system[:size, :size] = qp.hessian_rows(free)[:, free]
    system[:size, size:] = -incidence.T
    system[size:, :size] = incidence
    start = fixed.copy()
    start[free] = signed[free]
    residual = np.concatenate(
        [
            -(qp.gradient(start)[free] - qp.equality[:, free].T @ offsets),
            (qp.total - qp.equality @ start)[sums],
        ]
    )
    change = _least_squares(system, residual)
    start[free] += change[:size]
    moved = offsets.copy()
    moved[sums] += change[size:]
    return start, moved


def _least_squares(system: Floats, residual: Floats) -> Floats:
    """Solve the system; if it is singular, by the solution of least norm."""
    try:
        with np.errstate(all="ignore"):
            solution = np.asarray(np.linalg.solve(system, residual), dtype=np.float64)
        error = np.abs(system @ solution - residual).max(initial=0.0)
        if error <= 1e-8 * np.abs(residual).max(initial=0.0):
            return solution
    except np.linalg.LinAlgError:
        pass
    if len(residual) > _LARGEST_SINGULAR_SYSTEM:
        return np.zeros_like(residual)
    try:
        smallest: Floats = lstsq(system, residual, cond=1e-13)[0]
    except LinAlgError:
        return np.zeros_like(residual)
    return smallest
