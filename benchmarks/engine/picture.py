"""The growth picture: fit time against n, both axes logarithmic, one panel per data set.

The background is transparent, and all colours are legible on white and on black.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from benchmarks.engine.libraries import LIBRARIES

INK = "#848b95"
COLOURS = ("#d9620c", "#f0a35e", "#2a7fc9", "#12967a", "#5bb99f", "#b8609a", "#d394bd", "#b58900")
MARKS = "o8sDdv^P"


def draw(curves: dict[str, dict[str, dict[int, float]]], titles: dict[str, str], to: Path) -> None:
    style = {
        "text.color": INK,
        "axes.edgecolor": INK,
        "axes.labelcolor": INK,
        "axes.titlecolor": INK,
        "xtick.color": INK,
        "ytick.color": INK,
        "grid.color": INK,
        "svg.hashsalt": "growth",
        "svg.fonttype": "path",
    }
    with mpl.rc_context(style):
        figure = Figure(figsize=(9, 4.6), layout="constrained")
        panels = figure.subplots(1, len(curves), sharey=True, squeeze=False)[0]
        drawn = {}
        for ax, (family, lines) in zip(panels, curves.items(), strict=True):
            for library, colour, mark in zip(LIBRARIES, COLOURS, MARKS, strict=True):
                if library.name in lines:
                    curve = lines[library.name]
                    (line,) = ax.loglog(
                        list(curve),
                        list(curve.values()),
                        color=colour,
                        marker=mark,
                        markersize=5,
                        linewidth=2.6 if library.is_ours else 1.4,
                        zorder=3 if library.is_ours else 2,
                    )
                    drawn[library.title] = line
            ax.set_title(titles.get(family, family), fontsize="medium")
            ax.set_xlabel("training points")
            ax.grid(alpha=0.25)
            ax.patch.set_alpha(0)
        panels[0].set_ylabel("fit (s)")
        figure.legend(
            drawn.values(), drawn.keys(), loc="outside lower center", ncols=4, frameon=False
        )
        figure.savefig(to, transparent=True, metadata={"Date": None})
