"""Marks on points: rings and boxes around support vectors, segments that show slack."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from maxmargin.certificates import constraints_of
from maxmargin.kernels import Linear
from maxmargin.machines.machine import Machine
from maxmargin.plot.axes import ink
from maxmargin.plot.planes import Plane
from maxmargin.plot.subjects import rows_of, sides_of
from maxmargin.plot.views import View
from maxmargin.problems import Case, CrammerSinger
from maxmargin.solvers import Solution
from maxmargin.typing import Bools, Floats

__all__ = ["by_row", "draw_segments", "draw_slacks", "has_slack", "mark_support"]

# Slack below this fraction of the larger of margin and largest slack is rounding and not drawn.
_VISIBLE = 1e-5


def by_row(machines: Sequence[Machine], places: Sequence[Floats]) -> Floats:
    """Return the place of each training row; NaN for rows of weight zero, which no machine has."""
    n_rows = max(int(rows_of(machine).max()) for machine in machines) + 1
    found = np.full((n_rows, 2), np.nan)
    for machine, own in zip(machines, places, strict=True):
        found[rows_of(machine)] = own
    return found


def mark_support(ax: Axes, machines: Sequence[Machine], places: Sequence[Floats]) -> None:
    """Ring the free support vectors and box the bounded ones.

    A row is boxed if it is bounded in any machine, and otherwise ringed if it is free in any.
    """
    at = by_row(machines, places)
    free, bounded = np.zeros((2, len(at)), dtype=np.bool_)
    is_capped = False
    for machine in machines:
        found = constraints_of(machine.problem, machine.solution)
        row = rows_of(machine)[found.point]
        free[row[found.case == Case.FREE]] = True
        bounded[row[found.case == Case.BOUNDED]] = True
        is_capped |= bool(np.isfinite(found.cost[found.cost > 0]).any())
    free_label = "free support vector" if is_capped else "support vector"
    for chosen, marker, size, label in (
        (free & ~bounded, "o", 110, free_label),
        (bounded, "s", 100, "bounded support vector"),
    ):
        if chosen.any():
            ax.scatter(
                at[chosen, 0],
                at[chosen, 1],
                s=size,
                marker=marker,
                facecolors="none",
                edgecolors=ink(),
                linewidths=1.4,
                label=label,
                zorder=4,
            )


def has_slack(solution: Solution) -> Bools:
    """Say which points have slack beyond rounding."""
    slack: Floats = solution.slack
    threshold = _VISIBLE * max(abs(solution.level), float(slack.max(initial=0.0)))
    return slack > threshold


def draw_slacks(ax: Axes, view: View, plane: Plane, level: float | None) -> None:
    """Join each point that has slack with the line at its level; without a level, with f = 0."""
    (machine,), (places,) = view.subject.machines, view.places
    chosen, is_direct = has_slack(machine.solution), not view.subject.steps
    if is_direct and level is not None and isinstance(machine.problem.kernel, Linear):
        if np.any(machine.solution.w):
            draw_segments(ax, places[chosen], _margin_feet(machine, places)[chosen])
        return
    sides = np.ones(len(places)) if level is None else sides_of(machine)
    # The columns of a pipeline's input may have different units: distances are those on the page.
    unit = np.ones(2) if is_direct else np.array([np.ptp(plane.first), np.ptp(plane.second)])
    starts, ends = [], []
    for sign in (1.0, -1.0):
        lines = plane.lines(sign * (level or 0.0))
        members = places[chosen & (sides == sign)] if lines else []
        starts += list(members)
        ends += [_nearest_on(lines, point, unit) for point in members]
    draw_segments(ax, np.array(starts), np.array(ends))


def _margin_feet(machine: Machine, places: Floats) -> Floats:
    """Return the feet of the perpendiculars to the margin planes of a linear machine.

    They are slack / |w| away.
    """
    w = machine.solution.w
    if isinstance(machine.problem, CrammerSinger):
        w = w[1] - w[0]
    step = sides_of(machine) * machine.solution.slack / (w @ w)
    return np.asarray(places + step[:, None] * w)


def _nearest_on(lines: Sequence[Floats], point: Floats, unit: Floats) -> Floats:
    """Return the point of some polylines that is nearest to a given point.

    Distances along each axis are measured in its unit.
    """
    starts = np.concatenate([line[:-1] for line in lines])
    steps = np.concatenate([np.diff(line, axis=0) for line in lines])
    scaled = steps / unit
    lengths = np.maximum((scaled**2).sum(axis=1), np.finfo(float).tiny)
    share = np.clip(((point - starts) / unit * scaled).sum(axis=1) / lengths, 0.0, 1.0)
    feet = starts + share[:, None] * steps
    nearest: Floats = feet[(((feet - point) / unit) ** 2).sum(axis=1).argmin()]
    return nearest


def draw_segments(ax: Axes, starts: Floats, ends: Floats) -> None:
    """Draw slacks as dotted segments."""
    if len(starts):
        segments = list(np.stack([starts, ends], axis=1))
        ax.add_collection(
            LineCollection(segments, colors=ink(), linestyles=":", linewidths=1.3, label="slack"),
            autolim=False,
        )
