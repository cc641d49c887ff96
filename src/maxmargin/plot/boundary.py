"""A machine on the plane: its boundary, the band of its margin, support vectors and slacks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from contourpy import LineType, contour_generator
from matplotlib.axes import Axes

from maxmargin.errors import InvalidInputError
from maxmargin.kernels import Linear
from maxmargin.plot.axes import (
    GREY,
    NEGATIVE,
    POSITIVE,
    add_legend,
    axes_or_new,
    ink,
    mark_support,
    require,
)
from maxmargin.plot.curve import draw_curve
from maxmargin.plot.slacks import draw_segments, has_slack, margin_feet, nearest_on
from maxmargin.plot.view import inputs, span
from maxmargin.problems import EpsilonTube, NuTube, Solution
from maxmargin.typing import Floats

__all__ = ["boundary"]


def boundary(
    solution: Solution,
    ax: Axes | None = None,
    *,
    resolution: int = 250,
    padding: float = 0.08,
    legend: bool = True,
) -> Axes:
    """Draw a machine whose points have two features, or a regression on one.

    Two classes: the boundary f = 0, the band |f| < level, the points by label. One class: the
    boundary and its inside. Regression: the curve and its tube. In all of them free support
    vectors (on the margin) are ringed, bounded ones boxed, and a dotted segment joins each point
    that has slack with its margin: perpendicular and slack / |w| long for a linear kernel,
    vertical and as long as the slack in regression, to the nearest point of the margin line in
    view otherwise (there its length is a distance on the page, not the slack). Right angles look
    right after ``ax.set_aspect("equal")``.

    Parameters
    ----------
    solution : Solution
        Of any problem and kernel on points with as many features as the picture needs.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    resolution : int
        Grid points along each axis.
    padding : float
        Empty border, as a fraction of the data's extent.
    legend : bool
        Whether to add a legend below the axes; a figure with ``layout="constrained"`` makes room
        for it. Every artist is labelled, so that another legend can take its place.

    Returns
    -------
    matplotlib Axes
        Those drawn on.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from maxmargin import plot, solve
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0, 0], [1, 2], [3, 1], [4, 3]], [-1, -1, 1, 1], C=10)
    >>> ax = plot.boundary(solve(problem), Figure().subplots())
    >>> ax.get_xlabel()
    '$x_1$'
    """
    require(Solution, solution, "solution", "a Solution, as solve(problem) returns it")
    if resolution < 2:
        raise InvalidInputError(f"resolution must be at least 2 grid points; got {resolution!r}.")
    if not padding >= 0:
        raise InvalidInputError(f"padding must be zero or more; got {padding!r}.")
    if isinstance(solution.problem, EpsilonTube | NuTube):
        inputs(solution, 1)
        ax = axes_or_new(ax)
        draw_curve(ax, solution, resolution, padding)
    else:
        plane = _plane(solution, resolution, padding)
        ax = axes_or_new(ax)
        _draw_plane(ax, solution, plane)
    if legend:
        add_legend(ax)
    return ax


@dataclass(frozen=True)
class _Plane:
    """The points and the decision function on a grid around them."""

    points: Floats
    first: Floats
    second: Floats
    values: Floats


def _plane(solution: Solution, resolution: int, padding: float) -> _Plane:
    points = inputs(solution, 2)
    try:
        return _grid(solution, points, resolution, padding)
    except InvalidInputError:
        # Some kernels live on part of the plane: chi-squared ends at the axes.
        return _grid(solution, points, resolution, 0.0)


def _grid(solution: Solution, points: Floats, resolution: int, padding: float) -> _Plane:
    first, second = (np.linspace(*span(column, padding), resolution) for column in points.T)
    grid = np.stack(np.meshgrid(first, second), axis=-1)
    values = solution.decision(grid.reshape(-1, 2)).reshape(grid.shape[:2])
    return _Plane(points, first, second, values)


def _draw_plane(ax: Axes, solution: Solution, plane: _Plane) -> None:
    two_classes = solution.problem.has_two_classes
    if two_classes:
        level = solution.level
        _fill(ax, plane, -level, level, GREY, f"margin band, |f| < {level:.3g}")
        _contour(ax, plane, -level, NEGATIVE, "--", None)
        _contour(ax, plane, level, POSITIVE, "--", None)
    else:
        _fill(ax, plane, 0.0, np.inf, POSITIVE, "inside, f > 0")
    _contour(ax, plane, 0.0, ink(), "-", "boundary, f = 0")
    _draw_points(ax, solution, plane.points)
    mark_support(ax, plane.points, solution)
    _draw_slacks(ax, solution, plane)
    ax.set(
        xlabel="$x_1$",
        ylabel="$x_2$",
        xlim=(plane.first[0], plane.first[-1]),
        ylim=(plane.second[0], plane.second[-1]),
    )


def _fill(ax: Axes, plane: _Plane, low: float, high: float, colour: str, label: str) -> None:
    top = min(high, float(plane.values.max()) + 1.0)
    if low < top:
        levels = [low, top]
        ax.contourf(
            plane.first, plane.second, plane.values, levels=levels, colors=[colour], alpha=0.18
        )
        ax.fill([], [], color=colour, alpha=0.18, linewidth=0, label=label)


def _contour(
    ax: Axes, plane: _Plane, value: float, colour: str, style: str, label: str | None
) -> None:
    if plane.values.min() < value < plane.values.max():
        ax.contour(
            plane.first,
            plane.second,
            plane.values,
            levels=[value],
            colors=[colour],
            linestyles=[style],
            linewidths=[2.0 if value == 0 else 1.2],
        )
        if label:
            ax.plot([], [], color=colour, linestyle=style, linewidth=2.0, label=label)


def _draw_points(ax: Axes, solution: Solution, points: Floats) -> None:
    problem = solution.problem
    if not problem.has_two_classes:
        ax.scatter(points[:, 0], points[:, 1], s=28, color=POSITIVE, label="point", zorder=3)
        return
    for sign, colour, marker in ((1, POSITIVE, "o"), (-1, NEGATIVE, "^")):
        first, second = points[problem.y == sign].T
        ax.scatter(
            first, second, s=28, color=colour, marker=marker, label=f"y = {sign:+d}", zorder=3
        )


def _draw_slacks(ax: Axes, solution: Solution, plane: _Plane) -> None:
    problem = solution.problem
    chosen = has_slack(solution)
    two_classes = problem.has_two_classes
    if two_classes and isinstance(problem.kernel, Linear):
        if np.any(solution.w):
            feet = margin_feet(solution, plane.points, chosen)
            draw_segments(ax, plane.points[chosen], feet)
        return
    starts, ends = [], []
    for sign in (1.0, -1.0):
        lines = _lines(plane, sign * solution.level if two_classes else 0.0)
        members = plane.points[chosen & (problem.dual().sign == sign)] if lines else []
        starts += list(members)
        ends += [nearest_on(lines, point) for point in members]
    draw_segments(ax, np.array(starts), np.array(ends))


def _lines(plane: _Plane, value: float) -> list[Floats]:
    generator = contour_generator(
        plane.first, plane.second, plane.values, line_type=LineType.Separate
    )
    return [np.asarray(line, dtype=np.float64) for line in generator.lines(value)]
