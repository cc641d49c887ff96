"""Pictures of scores that studies and reports share; each function returns what fills a figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.stats import norm
from sklearn.metrics import DetCurveDisplay

from maxmargin import plot
from maxmargin.plot.axes import GREY, SERIES
from maxmargin.report.grids import short
from maxmargin.typing import Bools, Floats

__all__ = [
    "Fill",
    "bayes_error_curves",
    "det_curves",
    "heat_map",
    "legend_below",
    "score_histograms",
]

Fill = Callable[[Figure], None]

_LEAST_RATE, _LARGEST_RATE = 8e-4, 0.6
_RATES = [0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4]
_BINS = 50


def legend_below(figure: Figure, ax: Axes, without: Sequence[str] = ()) -> None:
    """Put the legend of the axes below the figure, without some beginnings of its labels."""
    legend = ax.get_legend()
    if legend is not None:
        legend.remove()
    handles, labels = ax.get_legend_handles_labels()
    for beginning in without:
        labels = [label.removeprefix(beginning) for label in labels]
    figure.legend(handles, labels, loc="outside lower center", ncols=2)


def det_curves(curves: Mapping[str, tuple[Bools, Floats]]) -> Fill:
    """Draw misses against false alarms, for scores by name and which points are positive."""

    def fill(figure: Figure) -> None:
        ax = figure.subplots()
        for k, (name, (positive, scores)) in enumerate(curves.items()):
            DetCurveDisplay.from_predictions(
                positive,
                scores,
                name=name,
                ax=ax,
                color=SERIES[k % len(SERIES)],
                linewidth=1.6,
            )
        # From one error in a thousand to a class that is guessed.
        shown = norm.ppf([_LEAST_RATE, _LARGEST_RATE])
        ax.set(xlabel="false alarms", ylabel="misses", xlim=shown, ylim=shown)
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_ticks(norm.ppf(_RATES), [f"{rate:.3g}%" for rate in 100 * np.array(_RATES)])
        legend_below(figure, ax)

    return fill


def bayes_error_curves(
    positive: Bools, scores: Mapping[str, tuple[Floats, str]], log_odds: float, setting: str
) -> Fill:
    """Draw the cost over all priors, of scores by name with a colour; mark a setting's log-odds."""
    reach = max(4.0, abs(log_odds) + 1.0)

    def fill(figure: Figure) -> None:
        ax = figure.subplots()
        for name, (values, colour) in scores.items():
            plot.BayesErrorDisplay.from_predictions(
                positive,
                values,
                log_odds=np.linspace(-reach, reach, 161),
                name=name,
                ax=ax,
                color=colour,
            )
        ax.axvline(log_odds, color=GREY, linewidth=1.0, linestyle=":", label=setting)
        ax.set_ylim(0.0, 1.2)
        legend_below(figure, ax)

    return fill


def score_histograms(
    positive: Bools, labels: tuple[Any, Any], scores: Floats, threshold: float
) -> Fill:
    """Draw the scores of both classes, the negative label first, and a threshold."""
    names = str(labels[0]), str(labels[1])

    def fill(figure: Figure) -> None:
        # A few far scores would leave the rest no room.
        low, high = np.quantile(scores, [0.002, 0.998])
        low, high = min(low, threshold), max(high, threshold)
        if low == high:
            low, high = low - 0.5, high + 0.5
        plot.ScoreHistogramDisplay.from_predictions(
            np.where(positive, names[1], names[0]),
            scores,
            bins=np.linspace(low, high, _BINS + 1),
            threshold=threshold,
            pos_label=names[1],
            ax=figure.subplots(),
        )

    return fill


def heat_map(search: Any, x: str, y: str, label: str, score: str | None = None) -> Fill:
    """Draw the scores of a search over two parameters; the label is that of its colours."""

    def fill(figure: Figure) -> None:
        ax = plot.heat_map(search, figure.subplots(), x=x, y=y, score=score)
        ax.set(xlabel=short(x), ylabel=short(y))
        figure.axes[-1].set_ylabel(label)

    return fill
