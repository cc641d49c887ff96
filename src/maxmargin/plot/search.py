"""A search's scores: a heat map over two parameters, curves over one.

Scores named "neg_..." are drawn as the costs that they negate, with the least one marked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from maxmargin.errors import InvalidInputError
from maxmargin.plot.axes import SERIES, axes_or_new, ink
from maxmargin.typing import Floats

__all__ = ["heat_map", "score_curves"]

# Values that span more than this are drawn on a logarithmic axis.
_WIDE = 20.0

# More values than this are written aslant below a heat map.
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

    Where other parameters vary too, each field shows the best of them.

    Parameters
    ----------
    search : fitted search, or its ``cv_results_``
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
        Those drawn on.

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
    across, down = table.values(x), table.values(y)
    names = _sorted(across), _sorted(down)
    best = np.full((len(names[1]), len(names[0])), np.nan)
    for value, place in zip(table.mean, zip(down, across, strict=True), strict=True):
        field = names[1].index(place[0]), names[0].index(place[1])
        best[field] = np.nanmax([best[field], value]) if np.isfinite(value) else best[field]
    ax = axes_or_new(ax)
    # Bright is good, also where less is better.
    colours = "viridis" if table.sign > 0 else "viridis_r"
    image = ax.pcolormesh(table.sign * best, cmap=colours, edgecolors="face")
    for axis, found in ((ax.xaxis, names[0]), (ax.yaxis, names[1])):
        axis.set_ticks(np.arange(len(found)) + 0.5, [_text(value) for value in found])
    if len(names[0]) > _MANY:
        for label in ax.get_xticklabels():
            label.set(rotation=45, horizontalalignment="right", rotation_mode="anchor")
    if np.isfinite(best).any():
        row, column = np.unravel_index(np.nanargmax(best), best.shape)
        shown = table.text(best[row, column])
        ax.plot(
            column + 0.5,
            row + 0.5,
            marker="*",
            markersize=14,
            color="white",
            markeredgecolor="black",
            linestyle="none",
            label=f"best, {shown}",
        )
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
    """Draw the mean score against one parameter, a curve for each value of another.

    Where still others vary, each point is the best of them; bands are one standard deviation over
    the folds. The optimum is marked.

    Parameters
    ----------
    search : fitted search, or its ``cv_results_``
        Of `maxmargin.SVMSearchCV` or scikit-learn.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    x : str
        The parameter of the horizontal axis.
    by : str, optional
        The parameter of the curves; by default the kernel, else the other one if there is only
        one other.
    score : str, optional
        Which one of several scorers; the first by default.
    legend : bool
        Whether to add a legend.

    Returns
    -------
    matplotlib Axes
        Those drawn on.

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
    across = table.values(x)
    by = table.other(x) if by is None else by
    owner = [None] * len(across) if by is None else table.values(by)
    ax = axes_or_new(ax)
    numeric = all(isinstance(value, int | float | np.number) for value in across)
    places = _sorted(across)
    for k, series in enumerate(_sorted(owner)):
        points = _best_by(table, across, [own == series for own in owner])
        shown = [place for place in places if place in points]
        at = np.array(shown if numeric else [places.index(place) for place in shown], dtype=float)
        mean = table.sign * np.array([points[place][0] for place in shown])
        std = np.array([points[place][1] for place in shown])
        colour = SERIES[k % len(SERIES)]
        label = None if by is None else f"{by} = {_text(series)}"
        ax.plot(at, mean, color=colour, marker="o", markersize=3.5, linewidth=1.6, label=label)
        ax.fill_between(at, mean - std, mean + std, color=colour, alpha=0.12, linewidth=0)
    _mark_best(ax, table, across, places, numeric)
    _lay_out_axis(ax, places, numeric)
    ax.set(xlabel=x, ylabel=f"mean {table.score}")
    if legend:
        ax.legend(fontsize="small")
    return ax


def _best_by(
    table: _Table, across: Sequence[Any], mine: Sequence[bool]
) -> dict[Any, tuple[float, float]]:
    """Return mean and deviation of the best candidate at each value, among some of them."""
    best: dict[Any, tuple[float, float]] = {}
    for value, own, mean, std in zip(across, mine, table.mean, table.std, strict=True):
        if own and np.isfinite(mean) and (value not in best or mean > best[value][0]):
            best[value] = (float(mean), float(std))
    return best


def _mark_best(
    ax: Axes, table: _Table, across: Sequence[Any], places: list[Any], numeric: bool
) -> None:
    if not np.isfinite(table.mean).any():
        return
    best = int(np.nanargmax(table.mean))
    at = float(across[best]) if numeric else float(places.index(across[best]))
    ax.plot(
        at,
        table.sign * table.mean[best],
        marker="*",
        markersize=13,
        color=ink(),
        linestyle="none",
        label=f"best, {table.text(table.mean[best])}",
    )


def _lay_out_axis(ax: Axes, places: list[Any], numeric: bool) -> None:
    if not numeric:
        ax.set_xticks(np.arange(len(places)), [_text(place) for place in places])
    elif min(places) > 0 and max(places) > _WIDE * min(places):
        ax.set_xscale("log")


@dataclass(frozen=True, eq=False)
class _Table:
    """What is drawn of a search's table: parameters, and one score's mean and deviation.

    Times sign, a score is what is drawn: itself, or the cost that it negates.
    """

    params: dict[str, list[Any]]
    score: str
    sign: float
    mean: Floats
    std: Floats

    @classmethod
    def of(cls, search: Any, score: str | None) -> _Table:
        results = search if isinstance(search, Mapping) else getattr(search, "cv_results_", None)
        if not isinstance(results, Mapping) or "params" not in results:
            raise InvalidInputError(
                "search must be a fitted search, such as SVMSearchCV, or its cv_results_; got "
                f"{type(search).__name__}."
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
        mean, std = results[f"mean_test_{chosen}"], results[f"std_test_{chosen}"]
        sign = -1.0 if chosen.startswith("neg_") else 1.0
        return cls(params, chosen.removeprefix("neg_"), sign, mean, std)

    def text(self, value: float) -> str:
        """Return a score as it is drawn."""
        return f"{self.sign * value + 0.0:.4g}"

    def name(self, parameter: str) -> str:
        """Return a parameter's full name."""
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

    def values(self, parameter: str) -> list[Any]:
        """Return the parameter of each candidate."""
        return self.params[self.name(parameter)]

    def other(self, parameter: str) -> str | None:
        """Return the parameter that tells curves apart."""
        others = [name for name in self.params if name != self.name(parameter)]
        kernels = [name for name in others if name.rpartition("__")[2] == "kernel"]
        chosen = kernels or others
        return chosen[0].rpartition("__")[2] if len(chosen) == 1 else None


def _sorted(values: Sequence[Any]) -> list[Any]:
    """Return the different values, numbers ascending, others in the order they came."""
    different: list[Any] = []
    for value in values:
        if not any(value is known or value == known for known in different):
            different.append(value)
    if all(isinstance(value, int | float | np.number) for value in different):
        return sorted(different)
    return different


def _text(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float | np.floating) else str(value)
