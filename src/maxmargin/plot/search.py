"""The scores of a search: a heat map over two parameters, curves over one.

Scores named "neg_..." are drawn as the costs that they negate, with the smallest one marked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from sklearn.pipeline import Pipeline

from maxmargin.errors import InvalidInputError
from maxmargin.plot.axes import SERIES, axes_or_new, ink
from maxmargin.typing import Floats

__all__ = ["heat_map", "score_curves"]

# Positive values whose ratio exceeds this are drawn on a logarithmic axis.
_WIDE = 20.0

# If a heat map has more columns than this, their values are written at an angle to fit below it.
_MANY = 6


def heat_map(
    search: Any,
    ax: Axes | None = None,
    *,
    x: str = "C",
    y: str = "gamma",
    score: str | None = None,
    colorbar: bool = True,
) -> Axes:
    """Draw the mean score over two parameters, with the optimum marked.

    If other parameters vary too, each cell shows the best of them.

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
    table = _Table.of(search, score)
    (columns, across), (rows, down) = table.values(x), table.values(y)
    mean = np.full((len(rows), len(columns)), np.nan)
    for place, k in table.best(down, across).items():
        mean[place] = table.mean[k]
    ax = axes_or_new(ax)
    # Bright is good, also for costs.
    colours = "viridis" if table.sign > 0 else "viridis_r"
    image = ax.pcolormesh(table.sign * mean, cmap=colours, edgecolors="face")
    for axis, found in ((ax.xaxis, columns), (ax.yaxis, rows)):
        axis.set_ticks(np.arange(len(found)) + 0.5, [_text(value) for value in found])
    if len(columns) > _MANY:
        for label in ax.get_xticklabels():
            label.set(rotation=45, horizontalalignment="right", rotation_mode="anchor")
    if np.isfinite(mean).any():
        row, column = np.unravel_index(np.nanargmax(mean), mean.shape)
        shown = table.text(mean[row, column])
        _mark_best(ax, column + 0.5, row + 0.5, shown, "white", "black")
        ax.set_title(f"best {table.score}: {shown}", fontsize="medium")
    if colorbar and ax.figure is not None:
        ax.figure.colorbar(image, ax=ax, label=f"mean {table.score}")
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
    table = _Table.of(search, score)
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
        label = None if by is None else f"{by} = {_text(name)}"
        x_at = positions[at]
        ax.plot(x_at, mean, color=colour, marker="o", markersize=3.5, linewidth=1.6, label=label)
        ax.fill_between(x_at, mean - std, mean + std, color=colour, alpha=0.12, linewidth=0)
    if best:
        k = int(np.nanargmax(table.mean))
        shown, place = table.text(table.mean[k]), positions[across[k]]
        _mark_best(ax, place, table.sign * table.mean[k], shown, ink(), ink())
    if not numeric:
        ax.set_xticks(positions, [_text(value) for value in values])
    elif min(values) > 0 and max(values) > _WIDE * min(values):
        ax.set_xscale("log")
    ax.set(xlabel=x, ylabel=f"mean {table.score}")
    if legend:
        ax.legend(fontsize="small")
    return ax


@dataclass(frozen=True, eq=False)
class _Table:
    """What is drawn of a search: the parameters of all candidates, and one score of each.

    Scores times `sign` are drawn: themselves, or the costs that they negate. A mean that is not
    finite is NaN.
    """

    params: dict[str, list[Any]]
    score: str
    sign: float
    mean: Floats
    std: Floats

    @classmethod
    def of(cls, search: Any, score: str | None) -> _Table:
        while isinstance(search, Pipeline):
            search = search.steps[-1][1]
        results = search if isinstance(search, Mapping) else getattr(search, "cv_results_", None)
        if not isinstance(results, Mapping) or "params" not in results:
            raise InvalidInputError(
                "search must be a fitted search, such as SVMSearchCV, or its cv_results_, because "
                f"the picture is of its scores; got {type(search).__name__}."
            )
        prefix = "mean_test_"
        scores = [key.removeprefix(prefix) for key in results if key.startswith(prefix)]
        chosen = scores[0] if score is None else score
        if chosen not in scores:
            raise InvalidInputError(f"score must be one of {', '.join(scores)}; got {score!r}.")
        params = {
            key.removeprefix("param_"): [
                None if value is np.ma.masked else value for value in results[key]
            ]
            for key in results
            if key.startswith("param_")
        }
        mean, std = (np.asarray(results[f"{kind}_test_{chosen}"]) for kind in ("mean", "std"))
        sign = -1.0 if chosen.startswith("neg_") else 1.0
        mean = np.where(np.isfinite(mean), mean, np.nan)
        return cls(params, chosen.removeprefix("neg_"), sign, mean, std)

    def text(self, value: float) -> str:
        """Return a score as it is drawn."""
        return f"{self.sign * value + 0.0:.4g}"

    def values(self, parameter: str) -> tuple[list[Any], list[int]]:
        """Return the different values of a parameter, and the place of each candidate's among them.

        Numbers ascend; other values are in order of appearance.
        """
        given = self.params[self._name(parameter)]
        different: list[Any] = []
        for value in given:
            if value not in different:
                different.append(value)
        if all(isinstance(value, int | float | np.number) for value in different):
            different.sort()
        return different, [different.index(value) for value in given]

    def best(self, *places: Sequence[int]) -> dict[tuple[int, ...], int]:
        """Return the candidate with the best score at each combination of places."""
        found: dict[tuple[int, ...], int] = {}
        for k, place in enumerate(zip(*places, strict=True)):
            if np.isnan(self.mean[k]):
                continue
            if place not in found or self.mean[k] > self.mean[found[place]]:
                found[place] = k
        return found

    def other(self, parameter: str) -> str | None:
        """Return the parameter that tells curves apart."""
        others = [name for name in self.params if name != self._name(parameter)]
        kernels = [name for name in others if name.rpartition("__")[2] == "kernel"]
        chosen = kernels or others
        return chosen[0].rpartition("__")[2] if len(chosen) == 1 else None

    def _name(self, parameter: str) -> str:
        """Return the full name of a parameter."""
        found = [
            name for name in self.params if name == parameter or name.endswith(f"__{parameter}")
        ]
        if len(found) != 1:
            names = ", ".join(self.params)
            raise InvalidInputError(
                f"The search has {len(found) or 'no'} parameters called {parameter!r}: it has "
                f"{names}."
            )
        return found[0]


def _mark_best(ax: Axes, x: float, y: float, shown: str, colour: str, edge: str) -> None:
    style: dict[str, Any] = {"marker": "*", "markersize": 14, "linestyle": "none"}
    ax.plot(x, y, color=colour, markeredgecolor=edge, label=f"best, {shown}", **style)


def _text(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float | np.floating) else str(value)
