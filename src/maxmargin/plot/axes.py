"""What all pictures share: axes, colours that most eyes tell apart, the legend below the axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.transforms import ScaledTranslation
from scipy.spatial import cKDTree

from maxmargin.errors import InvalidInputError
from maxmargin.typing import Floats

__all__ = [
    "GREY",
    "NEGATIVE",
    "POSITIVE",
    "SERIES",
    "add_legend",
    "axes_or_new",
    "class_colours",
    "class_text",
    "ink",
    "label_of",
    "reveal_hidden",
]

# Blue against orange, from the palette of Okabe and Ito, moved to be legible on white and on black.
POSITIVE = "#2a7fc9"
NEGATIVE = "#d9620c"
GREY = "#8a8f98"
SERIES = (POSITIVE, NEGATIVE, "#12967a", "#b8609a", "#b58900", "#4fa8dc", GREY)


# A legend begins this many heights of a letter below the axes, under ticks and label.
_BELOW = 3.4

# The width of a letter in heights, and of a legend's sample with its spaces.
_LETTER, _SAMPLE = 0.56, 4.5

# Constrained layout makes axes wider than they are before it, by about this factor.
_LAID_OUT = 1.25

# Pixels within which two curves look like one, and the share of a curve that makes it hidden.
_PIXELS, _HIDDEN = 2.0, 0.8


def axes_or_new(ax: Axes | None) -> Axes:
    """Return the given axes, or those of a new pyplot figure."""
    if ax is None:
        from matplotlib import pyplot as plt

        return plt.subplots(layout="constrained")[1]
    if not isinstance(ax, Axes):
        raise InvalidInputError(f"ax must be a matplotlib Axes; got {type(ax).__name__}.")
    return ax


def add_legend(ax: Axes) -> None:
    """Put the legend below the axes, where it covers nothing."""
    figure = ax.get_figure()
    _, labels = ax.get_legend_handles_labels()
    if figure is None or not labels:
        return
    letter = FontProperties(size="small").get_size_in_points()
    width = 72.0 * _LAID_OUT * ax.get_window_extent().width / figure.dpi
    longest = letter * (_LETTER * max(map(len, labels)) + _SAMPLE)
    drop = _BELOW * mpl.rcParams["font.size"] / 72.0
    below = ScaledTranslation(0.0, -drop, figure.dpi_scale_trans)
    ax.legend(
        fontsize="small",
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        bbox_transform=ax.transAxes + below,
        borderaxespad=0.0,
        ncols=max(1, min(3, len(labels), int(width / longest))),
        frameon=False,
    )


def reveal_hidden(ax: Axes) -> None:
    """Draw curves that lie under others as broad bands behind them.

    Call this when the limits of the axes are final: what counts is whether curves coincide on the
    page.
    """
    labelled = (line for line in ax.lines if not str(line.get_label()).startswith("_"))
    lines = [line for line in labelled if np.shape(line.get_path().vertices)[0] > 2]
    drawn = [_on_page(ax, line) for line in lines]
    for k, line in enumerate(lines):
        below = sum(_is_hidden(drawn[k], other) for other in drawn[k + 1 :])
        if below and line.get_alpha() is None:
            line.set(linewidth=line.get_linewidth() * (1.0 + 2.2 * below), alpha=0.45)


def _on_page(ax: Axes, line: Line2D) -> Floats:
    """Return points along a curve, a pixel apart, as far as it is on the page."""
    places = line.get_transform().transform(line.get_path().vertices)
    places = places[np.isfinite(places).all(axis=1)]
    if len(places) < 2:
        return np.empty((0, 2))
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    at = np.linspace(0.0, along[-1], max(2, min(2000, int(along[-1]))))
    found = np.column_stack([np.interp(at, along, column) for column in places.T])
    box = ax.bbox
    inside = (found >= [box.x0, box.y0]) & (found <= [box.x1, box.y1])
    return found[inside.all(axis=1)]


def _is_hidden(curve: Floats, other: Floats) -> bool:
    """Say whether most of a curve lies under another one."""
    if not len(curve) or not len(other):
        return False
    distance, _ = cKDTree(other).query(curve)
    return bool(np.mean(distance <= _PIXELS) >= _HIDDEN)


def class_colours(n_classes: int) -> list[str]:
    """Return one colour per class."""
    if n_classes < len(SERIES):
        return list(SERIES[:n_classes])
    shares = [k / (n_classes - 1) for k in range(n_classes)]
    return [to_hex(colour) for colour in mpl.colormaps["turbo"](shares)]


def class_text(label: Any) -> str:
    """Return a label as it reads in a legend; a number alone would not say what it is."""
    return str(label) if isinstance(label, str) else f"class {label}"


def ink() -> str:
    """Return the colour of lines and outlines, which follows the style in use."""
    return str(mpl.rcParams["text.color"])


def label_of(value: str, name: str, labels: Mapping[str, str]) -> str:
    """Return the label of one of the values that an argument may have."""
    if value not in labels:
        known = " or ".join(map(repr, labels))
        raise InvalidInputError(f"{name} must be {known}; got {value!r}.")
    return labels[value]
