"""Pictures as SVG inside a page: they take the page's colour of text, by day and by night."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from html import escape
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from maxmargin.plot.axes import GREY
from maxmargin.report.markup import Picture

__all__ = ["draw"]

# Stands for the page's colour of text, and occurs nowhere else.
_INK = "#010203"

_STYLE: dict[Any, Any] = {
    "font.size": 11.0,
    "text.color": _INK,
    "axes.labelcolor": _INK,
    "axes.edgecolor": GREY,
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11.0,
    "axes.titlecolor": _INK,
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "legend.frameon": False,
    "legend.fontsize": 10.0,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": _INK,
    "ytick.labelcolor": _INK,
    "svg.fonttype": "path",
    "svg.hashsalt": "maxmargin",
}


def draw(
    name: str,
    alternative: str,
    caption: str,
    fill: Callable[[Figure], None],
    size: tuple[float, float] = (5.0, 3.7),
) -> Picture:
    """Return a picture.

    Parameters
    ----------
    name : str
        Letters and digits; unique on the page.
    alternative : str
        What is seen, for those who do not see it.
    caption : str
        The sentence below.
    fill : callable
        Draws on a figure.
    size : (float, float)
        In inches: five are the width of a phone.
    """
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=size, layout="constrained")
        fill(figure)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    return Picture(_inline(buffer.getvalue().decode("utf-8"), name, alternative), caption)


def _inline(document: str, name: str, alternative: str) -> str:
    """Return the element of an SVG document, with identities that are unique on the page."""
    svg = document[document.index("<svg") :].strip()
    svg = re.sub(r"<(metadata|style)\b.*?</\1>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\s(xmlns(:xlink)?|version)="[^"]*"', "", svg)
    svg = svg.replace("xlink:href", "href").replace(_INK, "currentColor")
    svg = re.sub(r'(\bid="|\bhref="#|url\(#)', rf"\g<1>{name}-", svg)
    opening, rest = svg.split(">", 1)
    opening = re.sub(r'\s(width|height)="[^"]*"', "", opening)
    return f'{opening} role="img" aria-label="{escape(alternative)}">{rest}'
