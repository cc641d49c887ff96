"""Slack drawn as a segment from each point that has some to the line it should be behind."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from maxmargin.plot.axes import ink
from maxmargin.problems import Solution
from maxmargin.typing import Bools, Floats

__all__ = ["draw_segments", "has_slack", "margin_feet", "nearest_on"]

_VISIBLE = 1e-5


def has_slack(solution: Solution) -> Bools:
    """Say which points have slack beyond what rounding explains."""
    slack: Floats = solution.slack
    threshold = _VISIBLE * max(abs(solution.level), float(slack.max(initial=0.0)))
    return slack > threshold


def margin_feet(solution: Solution, points: Floats, chosen: Bools) -> Floats:
    """Return the feet of the perpendiculars on the margin planes of a linear machine.

    They are slack / |w| away.
    """
    w = solution.w
    step = solution.problem.dual().sign * solution.slack / (w @ w)
    return points[chosen] + step[chosen, None] * w


def nearest_on(lines: Sequence[Floats], point: Floats) -> Floats:
    """Return the point of some polylines that is nearest to a given one."""
    starts = np.concatenate([line[:-1] for line in lines])
    steps = np.concatenate([np.diff(line, axis=0) for line in lines])
    lengths = np.maximum((steps**2).sum(axis=1), np.finfo(float).tiny)
    share = np.clip(((point - starts) * steps).sum(axis=1) / lengths, 0.0, 1.0)
    feet = starts + share[:, None] * steps
    nearest: Floats = feet[((feet - point) ** 2).sum(axis=1).argmin()]
    return nearest


def draw_segments(ax: Axes, starts: Floats, ends: Floats) -> None:
    """Draw the slacks."""
    if len(starts):
        segments = np.stack([starts, ends], axis=1)
        ax.add_collection(
            LineCollection(
                list(segments), colors=ink(), linestyles=":", linewidths=1.3, label="slack"
            ),
            autolim=False,
        )
