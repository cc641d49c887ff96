"""The position at one C, from a solution of the problem there: where a path starts, or restarts.

The solver's multipliers have many correct digits, but a path needs exact sets, and free points
whose equations have a unique solution. A free point that depends linearly on others is exchanged
with them, which changes no decision, until one of the multipliers reaches a bound.
"""

from __future__ import annotations

import numpy as np

from maxmargin.paths.position import Position
from maxmargin.problems import Case, Free, SoftMargin
from maxmargin.solvers import Solution, Stop, solve
from maxmargin.solvers.qp.polish import polish
from maxmargin.typing import Floats

__all__ = ["first_penalty", "position_at"]

_TIGHT = Stop(gap=1e-10, kkt=1e-10)

# A point depends on the free ones below this squared distance, in units of the largest k(x, x).
_DEPENDENT = 1e-12

# The largest number of changes of sets until all conditions hold.
_MOST_CHANGES = 200

# The largest violation of a margin condition that is left alone; larger if rounding is.
_GOOD_ENOUGH = 1e-11

# The first C is this share of the one up to which the path is known to be straight.
_WELL_INSIDE = 0.1


def first_penalty(problem: SoftMargin) -> float:
    """Return a C below which the multipliers are proportional to C.

    As long as |f - b| < 1 everywhere, no point of the lighter class (with a regularised bias, no
    point at all) reaches its margin.
    """
    weight = problem.sample_weight
    qp = problem.dual()
    sizes = qp.points.diagonal + qp.constant
    if isinstance(problem.bias, Free):
        # With a free bias the origin is arbitrary: take the mean, which is near to all points.
        mean = qp.expansion(weight / weight.sum())
        centre = float(mean @ weight) / float(weight.sum())
        sizes = np.maximum(sizes - 2 * mean + centre, 0.0)
    largest = float(sizes[weight > 0].max())
    return _WELL_INSIDE / (float(weight.sum()) * (largest or 1.0))


def position_at(problem: SoftMargin, C: float, warm: Solution | None = None) -> Position:
    """Solve the problem at one C and return the position there."""
    posed = problem.replace(C=C)
    qp = posed.dual()
    solution = solve(posed, "decomposition", stop=_TIGHT, warm=warm)
    signed, offsets = polish(posed, qp.sign * solution.dual, solution.offsets)
    position = Position(problem, C)
    multipliers = (qp.sign * signed)[position.points]
    case = qp.case(qp.sign * signed)[position.points]
    position.place(case)
    if position.has_free_bias:
        position.bias = float(-offsets.mean())
    # Begin with the free points that are farthest from their bounds.
    depth = np.minimum(multipliers, C * position.weight - multipliers)
    free = np.flatnonzero(case == Case.FREE)
    for point in free[np.argsort(-depth[free], kind="stable")]:
        _take(position, int(point), float(multipliers[point]))
    _settle(position)
    return position


def _take(position: Position, point: int, multiplier: float) -> None:
    """Make a point free, unless it depends on the free ones and is exchanged with them."""
    elbow = position.elbow
    if len(elbow) > 0 or not elbow.has_bias:
        combination, bias, distance = elbow.dependence(point)
        if distance <= _DEPENDENT * position.kernel_size:
            multiplier = _exchange(position, point, multiplier, combination, bias)
            if multiplier <= 0 or multiplier >= position.C * position.weight[point]:
                position.move(point, Case.BOUNDED if multiplier > 0 else Case.ZERO)
                return
    position.move(point, Case.FREE)
    position.multiplier[point] = multiplier


def _exchange(
    position: Position, point: int, multiplier: float, combination: Floats, bias: float
) -> float:
    """Exchange a point with those it depends on until one is at a bound; return its multiplier."""
    points = np.append(position.elbow.members, point)
    y = position.y[points]
    before = np.append(position.multiplier[points[:-1]], multiplier)
    limit = position.C * position.weight[points]
    rates = y * np.append(-combination, 1.0)
    signs = [1.0, -1.0]
    if multiplier <= 0 or multiplier >= limit[-1]:
        # A point at a bound can only leave it.
        signs = [rates[-1] if multiplier <= 0 else -rates[-1]]
    steps = []
    for sign in signs:
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(sign * rates > 0, limit - before, before) / np.abs(rates)
        room[np.abs(rates) < 1e-300] = np.inf
        steps.append((float(room.min()), int(room.argmin()), sign))
    length, first, sign = min(steps)
    after = np.clip(before + sign * length * rates, 0.0, limit)
    after[first] = limit[first] if sign * rates[first] > 0 else 0.0
    position.multiplier[points[:-1]] = after[:-1]
    position.bias -= sign * length * bias
    if first < len(points) - 1:
        position.move(int(points[first]), Case.BOUNDED if after[first] > 0 else Case.ZERO)
    return float(after[-1])


def _settle(position: Position) -> None:
    """Solve the equations of the free points, and move points until all conditions hold."""
    for _ in range(_MOST_CHANGES):
        members = position.elbow.members
        if len(members) == 0 and position.has_free_bias:
            position.center_bias()
            return
        own = -position.y[members] * position.excess()[members]
        change, bias = position.elbow.solve(own, position.missing_sum())
        wanted = position.multiplier[members] + position.y[members] * change
        limit = position.C * position.weight[members]
        outside = np.maximum(-wanted, wanted - limit) / limit
        if len(members) and outside.max() > 0:
            worst = int(outside.argmax())
            position.move(int(members[worst]), Case.BOUNDED if wanted[worst] > 0 else Case.ZERO)
            continue
        position.multiplier[members] = wanted
        position.bias += bias
        excess = position.excess()
        wrong = np.where(position.case == Case.BOUNDED, excess, -excess)
        wrong[position.case == Case.FREE] = 0.0
        worst = int(wrong.argmax())
        if wrong[worst] <= max(_GOOD_ENOUGH, 100 * position.rounding):
            return
        bounded = position.case[worst] == Case.BOUNDED
        _take(position, worst, position.C * position.weight[worst] if bounded else 0.0)
