"""The best multiple of an unfinished dual point: what a run that was cut short should keep.

Early on a run has raised many multipliers too far, and its machine can be worse than the constant
one. For t times the multipliers, w is multiplied by t too, and the primal value with the best
offsets is convex in t: a line search from the constant machine (t = 0) to the point itself (t = 1)
needs no kernel values.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from maxmargin.problems import BoxQP, KernelProblem
from maxmargin.solvers.kernel.batch import Found
from maxmargin.typing import Floats

__all__ = ["best_multiple"]

# Sections of the search by the golden ratio: the last interval has 0.618^_SECTIONS of the length.
_SECTIONS = 16
_RATIO = 0.5 * (5**0.5 - 1)

# The point itself is kept unless another multiple has a value lower by this fraction.
_WORTH_SCALING = 1e-3


def best_multiple(problem: KernelProblem, found: Found) -> tuple[Found, Floats]:
    """Return the multiple of a dual point with the lowest primal value, and its offsets.

    Sums other than zero allow no multiples, and infinite costs have no best offsets at hand: then
    the point is returned as it is.
    """
    qp = problem.dual()
    own = qp.offsets(found.signed, found.gradient)
    if qp.total.any() or not np.isfinite(qp.cost).all():
        return found, own
    value = _value(problem, qp, found, own)
    low, high = 0.0, 1.0
    marks = [high - _RATIO * (high - low), low + _RATIO * (high - low)]
    values = [_at(problem, qp, found, t)[0] for t in marks]
    for _ in range(_SECTIONS):
        if values[0] <= values[1]:
            high, marks[1], values[1] = marks[1], marks[0], values[0]
            marks[0] = high - _RATIO * (high - low)
            values[0] = _at(problem, qp, found, marks[0])[0]
        else:
            low, marks[0], values[0] = marks[0], marks[1], values[1]
            marks[1] = low + _RATIO * (high - low)
            values[1] = _at(problem, qp, found, marks[1])[0]
    candidates = [_at(problem, qp, found, t) for t in (0.0, 0.5 * (low + high), 1.0)]
    least, scaled, offsets = min(candidates, key=lambda candidate: candidate[0])
    if least >= value - _WORTH_SCALING * abs(value):
        return found, own
    return scaled, offsets


def _at(problem: KernelProblem, qp: BoxQP, found: Found, t: float) -> tuple[float, Found, Floats]:
    """Return the primal value of a multiple with the best offsets, the multiple, the offsets."""
    gradient = t * (found.gradient - qp.linear) + qp.linear
    expansion = None if found.expansion is None else t * found.expansion
    scaled = replace(found, signed=t * found.signed, gradient=gradient, expansion=expansion)
    offsets = qp.vertex(gradient)[1]
    return _value(problem, qp, scaled, offsets), scaled, offsets


def _value(problem: KernelProblem, qp: BoxQP, found: Found, offsets: Floats) -> float:
    norm_squared = qp.norm_squared(found.signed, found.gradient)
    constraint = qp.constraint(found.signed, found.gradient, offsets)
    return problem.primal_value(norm_squared, constraint, offsets)
