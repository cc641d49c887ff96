"""What all pictures share: axes, colours that most eyes tell apart, marks of support vectors."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes

from maxmargin.errors import InvalidInputError
from maxmargin.problems import Case, Solution
from maxmargin.typing import Floats, Integers

__all__ = [
    "GREY",
    "NEGATIVE",
    "POSITIVE",
    "SERIES",
    "add_legend",
    "axes_or_new",
    "ink",
    "mark_support",
    "require",
    "support_points",
]

# Blue against orange, from the palette of Okabe and Ito, moved to be legible on white and on black.
POSITIVE = "#2a7fc9"
NEGATIVE = "#d9620c"
GREY = "#8a8f98"
SERIES = (POSITIVE, NEGATIVE, "#12967a", "#b8609a", "#b58900", "#4fa8dc", GREY)


def axes_or_new(ax: Axes | None) -> Axes:
    """Return the axes given, or those of a new pyplot figure."""
    if ax is not None:
        require(Axes, ax, "ax", "a matplotlib Axes")
        return ax
    from matplotlib import pyplot as plt

    return plt.subplots(layout="constrained")[1]


def require(kind: type, value: object, name: str, advice: str) -> None:
    """Raise a sentence unless the value is of the kind that a picture is drawn from."""
    if not isinstance(value, kind):
        raise InvalidInputError(f"{name} must be {advice}; got {type(value).__name__}.")


def add_legend(ax: Axes) -> None:
    """Put the legend below the axes, where it covers nothing."""
    ax.legend(
        fontsize="small",
        loc="upper center",
        bbox_to_anchor=(0.5, -0.14),
        ncols=3,
        frameon=False,
    )


def ink() -> str:
    """Return the colour of lines and outlines, which follows the style in use."""
    return str(mpl.rcParams["text.color"])


def support_points(solution: Solution) -> tuple[Integers, Integers]:
    """Return the points with a free and those with a bounded multiplier."""
    qp = solution.problem.dual()
    case = qp.case(solution.dual)
    return np.unique(qp.point[case == Case.FREE]), np.unique(qp.point[case == Case.BOUNDED])


def mark_support(ax: Axes, places: Floats, solution: Solution) -> None:
    """Ring the free support vectors, box the bounded ones."""
    free, bounded = support_points(solution)
    capped = bool(np.isfinite(solution.problem.dual().cost).any())
    free_label = "free support vector" if capped else "support vector"
    for chosen, marker, size, label in (
        (free, "o", 110, free_label),
        (bounded, "s", 100, "bounded support vector"),
    ):
        if len(chosen):
            ax.scatter(
                places[chosen, 0],
                places[chosen, 1],
                s=size,
                marker=marker,
                facecolors="none",
                edgecolors=ink(),
                linewidths=1.4,
                label=label,
                zorder=4,
            )
