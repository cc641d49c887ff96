"""Regression on one feature: the curve, its tube, the points that carry it."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from maxmargin.plot.axes import NEGATIVE, POSITIVE, mark_support
from maxmargin.plot.slacks import draw_segments, has_slack
from maxmargin.plot.view import inputs, span
from maxmargin.problems import EpsilonTube, NuTube, Solution

__all__ = ["draw_curve"]


def draw_curve(ax: Axes, solution: Solution, resolution: int, padding: float) -> None:
    """Draw f, the tube of half-width epsilon, the targets and their slacks."""
    problem = solution.problem
    assert isinstance(problem, EpsilonTube | NuTube)
    x = inputs(solution, 1)[:, 0]
    line = np.linspace(*span(x, padding), resolution)
    values = solution.decision(line[:, None])
    epsilon = solution.level
    ax.fill_between(
        line,
        values - epsilon,
        values + epsilon,
        color=POSITIVE,
        alpha=0.18,
        linewidth=0,
        label=f"tube, ±{epsilon:.3g}",
    )
    ax.plot(line, values, color=POSITIVE, linewidth=2, label="f(x)")
    places = np.column_stack([x, problem.y])
    ax.scatter(x, problem.y, s=22, color=NEGATIVE, label="target", zorder=3)
    mark_support(ax, places, solution)
    chosen = has_slack(solution)
    # The slack is vertical here, and its length is its value.
    residual = problem.y - solution.decision(x[:, None])
    feet = np.column_stack([x, problem.y - np.sign(residual) * solution.slack])
    draw_segments(ax, places[chosen], feet[chosen])
    ax.set(xlabel="x", ylabel="y", xlim=(line[0], line[-1]))
