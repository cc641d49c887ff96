"""Scores over a grid, of a search or a study: curves along one parameter, heat maps over two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from maxmargin import plot
from maxmargin.pages.evidence import Evidence
from maxmargin.pages.pictures import legend_below, new_figure
from maxmargin.pages.subject import Subject, Task
from maxmargin.typing import Floats
from maxmargin.wording import name_of_scorer, number_text, score_text

__all__ = ["Grid", "curve_parameter", "search_section", "varied"]

# More curves than this cannot be told apart.
_MOST_CURVES = 7

# Candidates that are listed; of larger grids the best.
_MOST_ROWS = 200

_DEFAULT_SCORES = {Task.REGRESSION: "r2", Task.NOVELTY: "score"}


def search_section(evidence: Evidence) -> dict[str, Any] | None:
    """Return what a search found."""
    search = evidence.subject.search
    if search is None:
        return None
    results = search.cv_results_
    key, name = _score_of(evidence.subject)
    called = score_text(name)
    mean, std = (np.asarray(results[f"{part}_test_{key}"], float) for part in ("mean", "std"))
    grid = Grid(results["params"], mean, std, name, f"mean {called}")
    # Costs are shown, not their negatives. Adding zero turns minus zero into zero.
    shown = grid.sign * mean + 0.0
    names = [_named(point) or "default parameters" for point in results["params"]]
    ranks, times = results[f"rank_test_{key}"], results["mean_fit_time"]
    order = np.argsort(ranks, kind="stable")[:_MOST_ROWS]
    return {
        "n_candidates": len(mean),
        "n_unscored": np.count_nonzero(~np.isfinite(mean)),
        "highest": np.abs(shown[np.isfinite(shown)]).max(initial=0.0) or 1.0,
        "best": (names[search.best_index_], shown[search.best_index_], std[search.best_index_]),
        "grid": grid,
        "curves": grid.curves(),
        "heat_maps": grid.heat_maps(),
        "candidates": [(ranks[k], names[k], shown[k], std[k], times[k]) for k in order],
    }


def _score_of(subject: Subject) -> tuple[str, str]:
    """Return the score that decided: what the table calls it, and the scorer's name."""
    search = subject.search
    if search.multimetric_:
        name = search.refit if isinstance(search.refit, str) else next(iter(search.scorer_))
        return name, name
    scoring = search.scoring
    if scoring is None or isinstance(scoring, str):
        return "score", scoring or _DEFAULT_SCORES.get(subject.task, "accuracy")
    return "score", name_of_scorer(scoring) or "score"


class Grid(NamedTuple):
    """Points of a grid, and the score of each as mean and standard deviation over folds.

    A score "neg_..." is drawn as the cost that it negates. Curves and heat maps are drawn for each
    value of the group if a parameter of this name is given.
    """

    points: Sequence[Mapping[str, Any]]
    mean: Floats
    std: Floats
    score: str
    label: str
    group: str | None = None

    @property
    def sign(self) -> float:
        """What scores are multiplied by to be shown: -1 for costs."""
        return -1.0 if self.score.startswith("neg_") else 1.0

    def curves(self) -> tuple[Figure, str] | None:
        """Draw the score against one parameter, and name it; None if nothing varies."""
        along = curve_parameter(self.points)
        if along is None:
            return None
        by = self._told_apart(along) if self.group is None else self.group
        figure, ax = new_figure(4.6 if self.group is None else 4.3)
        results = self._results([along] if by is None else [along, by])
        plot.score_curves(results, ax, x=along, by=self.group, score=self.score, legend=False)
        ax.set(xlabel=_short(along), ylabel=self.label)
        return legend_below(figure, without=f"{self.group} = "), _short(along)

    def heat_maps(self) -> list[dict[str, Any]]:
        """Draw the score over two parameters, one map for each value of what is not a number."""
        places: dict[str, list[int]] = {}
        for place, point in enumerate(self.points):
            rest = {name: value for name, value in point.items() if not _is_number(value)}
            places.setdefault(_named(rest, self.group), []).append(place)
        maps = []
        for words, mine in places.items():
            points = [self.points[place] for place in mine]
            x = curve_parameter(points)
            y = next((name for name in varied(points) if name != x), None)
            if x is not None and y is not None:
                own = self._replace(points=points, mean=self.mean[mine], std=self.std[mine])
                figure, ax = new_figure()
                plot.heat_map(own._results([x, y]), ax, x=x, y=y, score=self.score)
                ax.set(xlabel=_short(x), ylabel=_short(y))
                figure.axes[-1].set_ylabel(self.label)
                maps.append({"figure": figure, "words": words, "x": _short(x), "y": _short(y)})
        return maps

    def _told_apart(self, along: str) -> str | None:
        """Return the parameter whose values are told apart: the only other one, or the kernel."""
        others = list({name: None for point in self.points for name in point if name != along})
        different = {str(point.get(others[0])) for point in self.points} if others else ()
        if len(others) == 1 and len(different) <= _MOST_CURVES:
            return others[0]
        return next((name for name in others if _short(name) == "kernel"), None)

    def _results(self, names: Sequence[str]) -> dict[str, Any]:
        """Return, as ``cv_results_``, the points that have all numbers among some parameters."""
        numbers = {name for name in names if name in varied(self.points)}
        rows = [k for k, point in enumerate(self.points) if numbers <= point.keys()]
        points = [self.points[k] for k in rows]
        return {
            "params": points,
            **{f"param_{name}": [point.get(name) for point in points] for name in names},
            f"mean_test_{self.score}": self.mean[rows],
            f"std_test_{self.score}": self.std[rows],
        }


def varied(points: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the parameters that take several values, all of them numbers."""
    values: dict[str, set[Any]] = {}
    for point in points:
        for name, value in point.items():
            values.setdefault(name, set()).add(float(value) if _is_number(value) else None)
    return [name for name, found in values.items() if len(found) > 1 and None not in found]


def curve_parameter(points: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the parameter that curves go along: C or nu, else the first that varies."""
    names = varied(points)
    penalties = [name for penalty in ("C", "nu") for name in names if _short(name) == penalty]
    return next(iter([*penalties, *names]), None)


def _named(params: Mapping[str, Any], group: str | None = None) -> str:
    """Return parameters in one line; of the one that names the group its value alone."""
    texts = {name: f"{_short(name)} = " if name != group else "" for name in params}
    return ", ".join(f"{texts[name]}{number_text(value)}" for name, value in params.items())


def _short(name: str) -> str:
    """Return a parameter's name without that of a pipeline's step."""
    return name.rpartition("__")[2]


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
