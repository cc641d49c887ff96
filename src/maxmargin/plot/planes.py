"""Functions on the plane: a grid around the points, contour lines and the areas between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from contourpy import LineType, contour_generator
from matplotlib.axes import Axes

from maxmargin.plot.views import View
from maxmargin.typing import Floats

__all__ = ["Plane", "padded", "span"]

Found = TypeVar("Found")


@dataclass(frozen=True, eq=False)
class Plane:
    """A function on a grid.

    Attributes
    ----------
    first, second : ndarray
        The coordinates of the grid along each axis.
    values : ndarray of shape (len(second), len(first)) or (len(second), len(first), k)
        The function, or k of them.
    """

    first: Floats
    second: Floats
    values: Floats

    @classmethod
    def of(
        cls, view: View, resolution: int, padding: float, function: Callable[[Floats], Floats]
    ) -> Plane:
        """Return a function on a grid around the points of a view."""
        columns = np.concatenate(view.places).T

        def on_grid(border: float) -> Plane:
            first, second = (np.linspace(*span(column, border), resolution) for column in columns)
            grid = np.stack(np.meshgrid(first, second), axis=-1)
            values = function(grid.reshape(-1, 2))
            return cls(first, second, values.reshape(*grid.shape[:2], *values.shape[1:]))

        return padded(padding, on_grid)

    def part(self, k: int) -> Plane:
        """Return the k-th of several functions."""
        return Plane(self.first, self.second, self.values[..., k])

    def fill(self, ax: Axes, low: float, high: float, colour: str, label: str | None) -> None:
        """Shade where the function is between two values."""
        highest = float(self.values.max())
        if highest <= low:
            return
        grid = (self.first, self.second, self.values)
        ax.contourf(*grid, levels=[low, min(high, highest + 1.0)], colors=[colour], alpha=0.18)
        if label:
            ax.fill([], [], color=colour, alpha=0.18, linewidth=0, label=label)

    def draw_line(
        self, ax: Axes, value: float, colour: str, style: str = "-", label: str | None = None
    ) -> None:
        """Draw the contour line at a value."""
        if not self.values.min() < value < self.values.max():
            return
        ax.contour(
            self.first,
            self.second,
            self.values,
            levels=[value],
            colors=[colour],
            linestyles=[style],
            linewidths=[2.0 if value == 0 else 1.2],
        )
        if label:
            ax.plot([], [], color=colour, linestyle=style, linewidth=2.0, label=label)

    def lines(self, value: float) -> list[Floats]:
        """Return the pieces of the contour line at a value."""
        generator = contour_generator(
            self.first, self.second, self.values, line_type=LineType.Separate
        )
        return [np.asarray(line, dtype=np.float64) for line in generator.lines(value)]

    def lay_out(self, ax: Axes, names: tuple[str, ...] | None) -> None:
        """Show the extent of the grid, and the names of its axes."""
        first, second = names or ("$x_1$", "$x_2$")
        ax.set(
            xlabel=first,
            ylabel=second,
            xlim=(self.first[0], self.first[-1]),
            ylim=(self.second[0], self.second[-1]),
        )


def padded(padding: float, make: Callable[[float], Found]) -> Found:
    """Return what `make` finds with a border around the points, or without one if that fails.

    Some functions are defined on part of the space only: the chi-squared kernel and logarithms end
    at the axes.
    """
    with np.errstate(all="ignore"):
        try:
            return make(padding)
        except ValueError:
            return make(0.0)


def span(values: Floats, padding: float) -> tuple[float, float]:
    """Return the interval of the values, widened at both ends by a fraction of its length."""
    low, high = float(values.min()), float(values.max())
    margin = padding * ((high - low) or 1.0)
    return low - margin, high + margin
