"""How far a position can go in its direction: until a point reaches its margin or a bound."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from maxmargin.model_selection.direction import Direction
from maxmargin.model_selection.elbow import SingularElbowError
from maxmargin.model_selection.position import Position
from maxmargin.problems import Case
from maxmargin.typing import Bools, Floats, Integers

__all__ = ["Leg", "next_leg"]

_TOGETHER = 1e-14
_NEWTON_STEPS = 200


@dataclass(frozen=True, eq=False)
class Leg:
    """The way to the next breakpoint.

    Attributes
    ----------
    end : float
        C there.
    bias : float
        The bias's slope on the way.
    reached : ndarray
        The points that reach their margin or a bound at the end.
    """

    end: float
    bias: float
    reached: Integers


def next_leg(
    position: Position, direction: Direction, excess: Floats, tied: Bools, C_max: float
) -> Leg:
    """Return the way to the next breakpoint, or to C_max.

    Parameters
    ----------
    position, direction : Position, Direction
        Where the path is and where it goes.
    excess : ndarray of shape (n,)
        y f(x) - 1.
    tied : ndarray of bool
        Points on their margin that stay at their bound: they do not end the leg.
    C_max : float
        Where to end at the latest.
    """
    if len(position.elbow) == 0 and position.has_free_bias:
        return _without_free_points(position, C_max)
    members = position.elbow.members
    lengths = np.full(len(position.y), np.inf)
    lengths[members] = _until_bound(position, direction, members)
    away = np.where(position.case == Case.BOUNDED, -1.0, 1.0)
    approach = -away * direction.excess
    coming = (position.case != Case.FREE) & ~tied & (approach > direction.rounding)
    lengths[coming] = np.maximum(away[coming] * excess[coming], 0.0) / approach[coming]
    length = float(lengths.min())
    end = position.C + length
    if end >= C_max:
        return Leg(C_max, direction.bias, np.zeros(0, dtype=np.int64))
    reached = np.flatnonzero(lengths <= length + _TOGETHER * end)
    return Leg(end, direction.bias, reached)


def _until_bound(position: Position, direction: Direction, members: Integers) -> Floats:
    multiplier, slope = position.multiplier[members], direction.multiplier
    growth = position.weight[members]
    with np.errstate(divide="ignore", invalid="ignore"):
        to_zero = np.where(slope < 0, multiplier / -slope, np.inf)
        room = position.C * growth - multiplier
        to_limit = np.where(slope > growth, room / (slope - growth), np.inf)
    return np.maximum(np.minimum(to_zero, to_limit), 0.0)


def _without_free_points(position: Position, C_max: float) -> Leg:
    """Go on while some b suits all points; b goes straight to where the last one does.

    The room for b is a concave function of C, so that Newton's method from the right finds where
    it vanishes, and b, linear in between, keeps within it.
    """
    end, reached = C_max, np.zeros(0, dtype=np.int64)
    for _ in range(_NEWTON_STEPS):
        low, high, limiting = position.bias_interval(end)
        if low <= high:
            break
        reached = limiting
        upper, lower = limiting
        closing = float(position.pull[upper] - position.pull[lower])
        if closing <= 0:
            raise SingularElbowError
        before, end = end, float(position.y[upper] - position.y[lower]) / closing
        if end >= before:
            break
    end = min(max(end, position.C), C_max)
    low, high, _ = position.bias_interval(end)
    length = end - position.C
    slope = (0.5 * (low + high) - position.bias) / length if length > 0 else 0.0
    return Leg(end, slope, reached)
