"""What all pictures share: axes, colours that most eyes tell apart, the legend below the axes."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.colors import to_hex

from maxmargin.errors import InvalidInputError

__all__ = [
    "GREY",
    "NEGATIVE",
    "POSITIVE",
    "SERIES",
    "add_legend",
    "axes_or_new",
    "class_colours",
    "ink",
    "label_of",
]

# Blue against orange, from the palette of Okabe and Ito, moved to be legible on white and on black.
POSITIVE = "#2a7fc9"
NEGATIVE = "#d9620c"
GREY = "#8a8f98"
SERIES = (POSITIVE, NEGATIVE, "#12967a", "#b8609a", "#b58900", "#4fa8dc", GREY)


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
    ax.legend(
        fontsize="small",
        loc="upper center",
        bbox_to_anchor=(0.5, -0.14),
        ncols=3,
        frameon=False,
    )


def class_colours(n_classes: int) -> list[str]:
    """Return one colour per class."""
    if n_classes < len(SERIES):
        return list(SERIES[:n_classes])
    shares = [k / (n_classes - 1) for k in range(n_classes)]
    return [to_hex(colour) for colour in mpl.colormaps["turbo"](shares)]


def ink() -> str:
    """Return the colour of lines and outlines, which follows the style in use."""
    return str(mpl.rcParams["text.color"])


def label_of(value: str, name: str, labels: Mapping[str, str]) -> str:
    """Return the label of one of the values that an argument may have."""
    if value not in labels:
        known = " or ".join(map(repr, labels))
        raise InvalidInputError(f"{name} must be {known}; got {value!r}.")
    return labels[value]
