"""The scores of a search: a heat map over two parameters, curves over one.

Scores named "neg_..." are drawn as the costs that they negate, with the smallest one marked.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.patches import Rectangle

from maxmargin.plot.axes import SERIES, add_legend, axes_or_new, ink, reveal_hidden
from maxmargin.plot.score_table import ScoreTable
from maxmargin.typing import Floats
from maxmargin.wording import number_text

__all__ = ["heat_map", "score_curves"]

# Positive values whose ratio exceeds this are drawn on a logarithmic axis.
_WIDE = 20.0

# If a heat map has more columns than this, their values are written at an angle to fit below it.
_MANY = 6

# Points: sizes of the numbers in the cells of a heat map; smaller ones could not be read.
_LARGEST_FONT, _SMALLEST_FONT = 9.0, 4.5

# The colour bar takes some of the width of the axes.
_BESIDE_BAR = 0.8


def heat_map(
    search: Any,
    ax: Axes | None = None,
    *,
    x: str = "C",
    y: str = "gamma",
    score: str | None = None,
    colorbar: bool = True,
) -> Axes:
    """Draw the mean score over two parameters, with the optimum framed.

    The scores are written into the cells where there is room. If other parameters vary too, each
    cell shows the best of them.

    Parameters
    ----------
    search : fitted search, its ``cv_results_``, or a pipeline that ends in a search
        Of `maxmargin.SVMSearchCV` or scikit-learn.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    x, y : str
        Parameters, with or without the name of a pipeline's step.
    score : str, optional
        Which one of several scorers; the first by default.
    colorbar : bool
        Whether to add one.

    Returns
    -------
    matplotlib Axes
        The given or new ones.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC, SVMSearchCV, plot
    >>> grid = {"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1]}
    >>> search = SVMSearchCV(SVC(), grid, cv=3).fit(*load_iris(return_X_y=True))
    >>> ax = plot.heat_map(search, Figure().subplots())
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('C', 'gamma')
    """
    table = ScoreTable.of(search, score)
    (columns, across), (rows, down) = table.values(x), table.values(y)
    mean = np.full((len(rows), len(columns)), np.nan)
    for place, k in table.best(down, across).items():
        mean[place] = table.mean[k]
    ax = axes_or_new(ax)
    # Bright is good, also for costs.
    colours = "viridis" if table.sign > 0 else "viridis_r"
    image = ax.pcolormesh(table.sign * mean, cmap=colours, edgecolors="face")
    for axis, found in ((ax.xaxis, columns), (ax.yaxis, rows)):
        axis.set_ticks(np.arange(len(found)) + 0.5, [number_text(value) for value in found])
    if len(columns) > _MANY:
        for label in ax.get_xticklabels():
            label.set(rotation=45, horizontalalignment="right", rotation_mode="anchor")
    if np.isfinite(mean).any():
        row, column = np.unravel_index(np.nanargmax(mean), mean.shape)
        _write_cells(ax, image, table.sign * mean)
        _frame(ax, float(column), float(row))
        ax.set_title(f"best {table.name}: {table.text(mean[row, column])}", fontsize="medium")
    if colorbar and ax.figure is not None:
        ax.figure.colorbar(image, ax=ax, label=f"mean {table.name}")
    ax.set(xlabel=x, ylabel=y)
    return ax


def score_curves(
    search: Any,
    ax: Axes | None = None,
    *,
    x: str = "C",
    by: str | None = None,
    score: str | None = None,
    legend: bool = True,
) -> Axes:
    """Draw the mean score against one parameter, with one curve per value of another.

    If further parameters vary, each point shows the best of them; bands are one standard deviation
    over the folds. The optimum is marked.

    Parameters
    ----------
    x : str
        The parameter of the horizontal axis.
    by : str, optional
        The parameter of the curves; by default the kernel, or the other one if there are two.
    search, ax, score, legend
        See `heat_map` and `boundary`.

    Returns
    -------
    matplotlib Axes
        The given or new ones.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC, SVMSearchCV, plot
    >>> grid = {"C": [0.1, 1.0, 10.0], "kernel": ["linear", "rbf"]}
    >>> search = SVMSearchCV(SVC(), grid, cv=3).fit(*load_iris(return_X_y=True))
    >>> ax = plot.score_curves(search, Figure().subplots())
    >>> [text.get_text() for text in ax.get_legend().get_texts()][:2]
    ['kernel = linear', 'kernel = rbf']
    """
    table = ScoreTable.of(search, score)
    by = table.other(x) if by is None else by
    values, across = table.values(x)
    curves, curve = ([None], [0] * len(across)) if by is None else table.values(by)
    best = table.best(curve, across)
    numeric = all(isinstance(value, int | float | np.number) for value in values)
    positions = np.array(values if numeric else range(len(values)), dtype=float)
    ax = axes_or_new(ax)
    for k, name in enumerate(curves):
        at = [place for place in range(len(values)) if (k, place) in best]
        chosen = [best[k, place] for place in at]
        mean, std = table.sign * table.mean[chosen], table.std[chosen]
        colour = SERIES[k % len(SERIES)]
        label = None if by is None else f"{by} = {number_text(name)}"
        x_at = positions[at]
        ax.plot(x_at, mean, color=colour, marker="o", markersize=3.5, linewidth=1.6, label=label)
        ax.fill_between(x_at, mean - std, mean + std, color=colour, alpha=0.12, linewidth=0)
    if best:
        k = int(np.nanargmax(table.mean))
        shown, place = table.text(table.mean[k]), positions[across[k]]
        style: dict[str, Any] = {"marker": "*", "markersize": 14, "linestyle": "none"}
        best_label = f"best, {shown}"
        ax.plot(place, table.sign * table.mean[k], color=ink(), label=best_label, **style)
    if not numeric:
        ax.set_xticks(positions, [number_text(value) for value in values])
    elif min(values) > 0 and max(values) > _WIDE * min(values):
        ax.set_xscale("log")
    ax.set(xlabel=x, ylabel=f"mean {table.name}")
    reveal_hidden(ax)
    if legend:
        add_legend(ax)
    return ax


def _frame(ax: Axes, x: float, y: float) -> None:
    """Draw a frame around a cell, black on white to be seen on any colour."""
    for colour, width in (("white", 4.0), ("black", 1.8)):
        cell = Rectangle((x, y), 1.0, 1.0, fill=False, edgecolor=colour, linewidth=width)
        cell.set(clip_on=False, zorder=3)
        ax.add_patch(cell)


def _write_cells(ax: Axes, image: QuadMesh, values: Floats) -> None:
    """Write the values into the cells of a heat map, if they fit."""
    figure = ax.get_figure()
    if figure is None:
        return
    decimals = max(0, 2 - int(np.floor(np.log10(max(np.nanmax(np.abs(values)), 1e-12)))))
    texts = {at: f"{value:.{min(decimals, 3)}f}" for at, value in np.ndenumerate(values)}
    box, n_rows, n_columns = ax.get_window_extent(), *values.shape
    width = _BESIDE_BAR * box.width / n_columns / figure.dpi * 72.0
    height = box.height / n_rows / figure.dpi * 72.0
    longest = max(map(len, texts.values()))
    size = min(_LARGEST_FONT, width / (0.66 * longest), 0.7 * height)
    if size < _SMALLEST_FONT:
        return
    for (row, column), text in texts.items():
        value = values[row, column]
        if np.isfinite(value):
            red, green, blue, _ = image.cmap(image.norm(value))
            is_bright = 0.299 * red + 0.587 * green + 0.114 * blue > 0.5
            colour = "black" if is_bright else "white"
            place: dict[str, Any] = {"ha": "center", "va": "center"}
            ax.text(column + 0.5, row + 0.5, text, fontsize=size, color=colour, **place)
