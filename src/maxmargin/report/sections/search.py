"""A search: its best candidates, scores over two parameters, scores along one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from sklearn.metrics._scorer import _BaseScorer

from maxmargin import plot
from maxmargin.report.drawing import draw
from maxmargin.report.graphs import heat_map, legend_below
from maxmargin.report.grids import price_of, short, varied
from maxmargin.report.markup import (
    Cell,
    Picture,
    figures,
    long_table,
    numbers,
    paragraph,
    tiles,
    warning,
)
from maxmargin.report.subject import Subject, Task
from maxmargin.report.words import counted, measured, params_text, seconds

__all__ = ["search"]

# More curves than this cannot be told apart.
_MOST_CURVES = 7

# Of large grids the best candidates are listed.
_MOST_ROWS = 200

_DEFAULT_SCORES = {
    Task.TWO_CLASSES: "accuracy",
    Task.CLASSES: "accuracy",
    Task.REGRESSION: "R²",
}


def search(subject: Subject) -> list[str]:
    """Return what the search found."""
    found = subject.search
    results, name = _score_of(subject)
    # Costs are shown, not their negatives.
    shown_name = name.removeprefix("neg_")
    sign = -1.0 if name.startswith("neg_") else 1.0
    # Adding zero makes minus zero plain.
    mean = sign * np.asarray(results[f"mean_test_{name}"], dtype=np.float64) + 0.0
    std = np.asarray(results[f"std_test_{name}"], dtype=np.float64)
    best = int(found.best_index_)
    words = (
        f"Of {counted(len(mean), 'candidate')}, {_named(found.best_params_)} was chosen by "
        f"{counted(int(found.n_splits_), 'fold')}, each scored on rows that it was not trained on. "
        "The best of many such scores flatters a little."
    )
    facts = {
        f"best mean {shown_name}": measured(mean[best]),
        "standard deviation over folds": measured(std[best]),
        "candidates": f"{len(mean):,}",
        "folds": f"{int(found.n_splits_)}",
    }
    parts = []
    lacking = int(np.count_nonzero(~np.isfinite(mean)))
    if lacking:
        parts.append(
            warning(
                f"{counted(lacking, 'candidate has', 'candidates have')} no score: their fits "
                "failed, or the search ended before them."
            )
        )
    parts += [paragraph(words), tiles(facts)]
    pictures = [*_curves(results, name, shown_name), *_heat_maps(results, name, shown_name)]
    if pictures:
        parts.append(figures(pictures))
    return [*parts, *_ranking(results, name, shown_name, mean, std)]


def _score_of(subject: Subject) -> tuple[Mapping[str, Any], str]:
    """Return the table and the score in it that decided, by a name that says what it is."""
    found = subject.search
    if found.multimetric_:
        name = found.refit if isinstance(found.refit, str) else next(iter(found.scorer_))
        return found.cv_results_, name
    name = _name_of(found.scoring, _DEFAULT_SCORES.get(subject.task, "score"))
    renamed = {
        key.removesuffix("score") + name if key.endswith("_test_score") else key: values
        for key, values in found.cv_results_.items()
    }
    return renamed, name


def _name_of(scoring: Any, default: str) -> str:
    if scoring is None:
        return default
    if isinstance(scoring, _BaseScorer):
        sign = "" if scoring._sign > 0 else "neg_"
        return f"{sign}{scoring._score_func.__name__}"
    return scoring if isinstance(scoring, str) else "score"


def _curves(results: Mapping[str, Any], name: str, shown_name: str) -> list[Picture]:
    price = price_of(results["params"])
    if price is None:
        return []
    x = short(price)
    others = [key for key in _parameters(results) if key != price]
    drawn = results
    if len(others) != 1 or _n_values(results, others[0]) > _MOST_CURVES:
        kernels = [key for key in others if short(key) == "kernel"]
        drawn = _only(results, [price, *kernels])

    def fill(figure: Figure) -> None:
        ax = plot.score_curves(drawn, figure.subplots(), x=price, score=name, legend=False)
        ax.set(xlabel=x, ylabel=f"mean {shown_name}")
        legend_below(figure, ax)

    caption = (
        f"Mean {shown_name} against {x}; where other parameters are not told apart, each point is "
        "the best of them. Bands are one standard deviation over the folds."
    )
    return [draw("curves", f"Mean {shown_name} against {x}", caption, fill, (5.0, 4.6))]


def _heat_maps(results: Mapping[str, Any], name: str, shown_name: str) -> list[Picture]:
    """Return a map for each value of what is not a number, such as the kernel."""
    pictures = []
    groups: dict[str, list[int]] = {}
    for place, point in enumerate(results["params"]):
        rest = {key: value for key, value in point.items() if not _is_number(value)}
        groups.setdefault(_named(rest) if rest else "", []).append(place)
    for k, (words, places) in enumerate(groups.items()):
        points = [results["params"][place] for place in places]
        price = price_of(points)
        others = [key for key in varied(points) if key != price]
        if price is None or not others:
            continue
        # Grids in a list need not have the same parameters.
        shared = [p for p in places if {price, others[0]} <= results["params"][p].keys()]
        mine = _rows(_only(results, [price, others[0]]), shared)
        bright = "low" if name.startswith("neg_") else "high"
        about = f"{words}: mean" if words else "Mean"
        caption = (
            f"{about} {shown_name} over {short(price)} and {short(others[0])}; bright is {bright}, "
            "and the star is the best."
        )
        fill = heat_map(mine, price, others[0], f"mean {shown_name}", name)
        alternative = f"Heat map of the mean {shown_name} {words}".rstrip()
        pictures.append(draw(f"heat{k}", alternative, caption, fill, (5.0, 4.3)))
    return pictures


def _ranking(
    results: Mapping[str, Any], name: str, shown_name: str, mean: Any, std: Any
) -> list[str]:
    ranks = np.asarray(results[f"rank_test_{name}"])
    order = np.argsort(ranks, kind="stable")[:_MOST_ROWS]
    headings = [Cell("#"), Cell("parameters", "text"), *numbers(f"mean {shown_name}", "deviation")]
    headings += numbers("time of a fit")
    highest = float(np.nanmax(np.abs(mean))) if np.isfinite(mean).any() else 1.0
    body = [
        [
            Cell(str(int(ranks[place]))),
            Cell(_named(results["params"][place]), "text"),
            Cell(_text(mean[place]), share=_share(mean[place], highest)),
            *numbers(_text(std[place]), seconds(float(results["mean_fit_time"][place]))),
        ]
        for place in order
    ]
    parts = long_table("The candidates, best first", headings, body, "candidates", best=True)
    if len(ranks) > len(order):
        words = counted(len(ranks) - len(order), "further candidate is", "further candidates are")
        parts.append(paragraph(f"{words} not listed."))
    return parts


def _text(value: float) -> str:
    return measured(value) if np.isfinite(value) else "none"


def _share(value: float, highest: float) -> float | None:
    return value / highest if np.isfinite(value) and highest > 0 else None


def _parameters(results: Mapping[str, Any]) -> list[str]:
    return [key.removeprefix("param_") for key in results if key.startswith("param_")]


def _n_values(results: Mapping[str, Any], name: str) -> int:
    return len({str(point.get(name)) for point in results["params"]})


def _only(results: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return a table of results with some of its parameters."""
    return {
        key: values
        for key, values in results.items()
        if not key.startswith("param_") or key.removeprefix("param_") in names
    }


def _rows(results: Mapping[str, Any], places: Sequence[int]) -> dict[str, Any]:
    return {key: [values[place] for place in places] for key, values in results.items()}


def _named(params: Mapping[str, Any]) -> str:
    return params_text({short(key): value for key, value in params.items()})


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)
