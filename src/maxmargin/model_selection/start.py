"""Where a path starts, and starts again: a solved problem, read as sets of points.

The solver's multipliers are good to many digits, but a path needs the sets exactly and free points
that determine each other's multipliers. Free points that depend on others are moved along their
dependence, which changes no decision, until a multiplier reaches a bound.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from maxmargin.model_selection.position import Position
from maxmargin.problems import Case, Free, SoftMargin, Solution
from maxmargin.solvers import Stop, solve
from maxmargin.solvers.polish import polish
from maxmargin.typing import Floats

__all__ = ["at_price", "first_price", "settled"]

_TIGHT = Stop(gap=1e-10, kkt=1e-10)
_DEPENDENT = 1e-12
_ROUNDS = 200
_GOOD_ENOUGH = 1e-11
_WELL_INSIDE = 0.1


def at_price(problem: SoftMargin, C: float) -> SoftMargin:
    """Return the same problem at another C, with the same Gram matrix."""
    other = replace(problem, C=C)
    other._set(_program=replace(other.dual(), gram=problem.dual().gram))
    return other


def first_price(problem: SoftMargin) -> float:
    """Return a C below which the multipliers are proportional to C.

    While |f - b| stays below 1 everywhere no point of the lighter class (with a regularised bias,
    no point at all) reaches its margin.
    """
    weight = problem.sample_weight
    gram = problem.dual().gram
    sizes = gram.diagonal
    if isinstance(problem.bias, Free):
        # A free bias makes the origin arbitrary: take the mean, from which no point is far.
        mean = gram @ (weight / weight.sum())
        centre = float(mean @ weight) / float(weight.sum())
        sizes = np.maximum(sizes - 2 * mean + centre, 0.0)
    largest = float(sizes[weight > 0].max())
    return _WELL_INSIDE / (float(weight.sum()) * (largest or 1.0))


def settled(problem: SoftMargin, C: float, warm: Solution | None = None) -> Position:
    """Solve the problem at one C and return the position there."""
    posed = at_price(problem, C)
    qp = posed.dual()
    solution = solve(posed, "decomposition", stop=_TIGHT, warm=warm)
    signed, offsets = polish(posed, qp.sign * solution.dual, solution.offsets)
    multipliers = qp.sign * signed
    position = Position(problem, C)
    position.place(qp.case(multipliers)[position.points])
    if position.has_free_bias:
        position.bias = float(-offsets.mean())
    _take_free(position, multipliers[position.points], qp.case(multipliers)[position.points])
    _settle(position)
    return position


def _take_free(position: Position, multipliers: Floats, case: NDArray[np.int8]) -> None:
    """Make the free points free, the least doubtful first, none that depends on those before."""
    free = np.flatnonzero(case == Case.FREE)
    depth = np.minimum(multipliers, position.C * position.weight - multipliers)
    for point in free[np.argsort(-depth[free], kind="stable")]:
        _take(position, int(point), float(multipliers[point]))


def _take(position: Position, point: int, multiplier: float) -> None:
    elbow = position.elbow
    if len(elbow) == 0 and elbow.has_bias:
        combination, bias, left = np.zeros(0), 0.0, np.inf
    else:
        combination, bias, left = elbow.dependence(point)
    if left <= _DEPENDENT * position.kernel_size:
        multiplier = _along_dependence(position, point, multiplier, combination, bias)
        if multiplier <= 0 or multiplier >= position.C * position.weight[point]:
            position.move(point, Case.BOUNDED if multiplier > 0 else Case.ZERO)
            return
    position.move(point, Case.FREE)
    position.multiplier[point] = multiplier


def _along_dependence(
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
        # At a bound there is one way only.
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
    """Solve the equations of the free points; move those that do not fit into their set."""
    for _ in range(_ROUNDS):
        members = position.elbow.members
        if len(members) == 0 and position.has_free_bias:
            low, high, _ = position.bias_interval(position.C)
            position.bias = 0.5 * (low + high)
            return
        excess = position.excess()
        own = -position.y[members] * excess[members]
        missing = -position.C * position.pull_sum - float(
            position.y[members] @ position.multiplier[members]
        )
        change, bias = position.elbow.solve(own, missing)
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
