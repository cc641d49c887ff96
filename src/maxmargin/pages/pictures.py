"""Pictures as SVG inside a page, and those that reports and studies share.

Text and axes take the page's colours, light or dark.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from html import escape
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.stats import norm
from sklearn.calibration import CalibrationDisplay
from sklearn.metrics import DetCurveDisplay

from maxmargin.plot import BayesErrorDisplay, ScoreHistogramDisplay
from maxmargin.plot.axes import GREY, POSITIVE, SERIES, class_text, reveal_hidden
from maxmargin.typing import Bools, Floats

__all__ = [
    "INK",
    "as_svg",
    "bayes_error_plot",
    "calibration_curve",
    "det_curves",
    "legend_below",
    "new_figure",
    "page_style",
    "score_histograms",
]

#: Stands for the page's text colour, and occurs nowhere else.
INK = "#010203"

# The DET curve goes from one error in a thousand to a class that is guessed.
_LEAST_RATE, _LARGEST_RATE = 8e-4, 0.6
_RATES = [0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4]

# Bins of the histograms, and of the calibration curve.
_SCORE_BINS, _PROBABILITY_BINS = 50, 10


def page_style() -> AbstractContextManager[None]:
    """Return the context in which the pictures of a page are made, over the user's settings."""
    sheet = Path(__file__).parent / "templates" / "pictures.mplstyle"
    return mpl.rc_context(mpl.rc_params_from_file(sheet, use_default_template=False))


def new_figure(height: float = 4.3) -> tuple[Figure, Axes]:
    """Return an empty figure and its axes, by default tall enough for a legend below.

    The height is in inches. The width is five, which a phone can show.
    """
    figure = Figure(figsize=(5.0, height), layout="constrained")
    return figure, figure.subplots()


def legend_below(figure: Figure, without: str = "") -> Figure:
    """Put the legend of the first axes below the figure, its labels without a prefix."""
    ax = figure.axes[0]
    legend = ax.get_legend()
    if legend is not None:
        legend.remove()
    handles, labels = ax.get_legend_handles_labels()
    labels = [label.removeprefix(without) for label in labels]
    figure.legend(handles, labels, loc="outside lower center", ncols=2)
    return figure


def as_svg(figure: Figure, name: str, alternative: str) -> str:
    """Return a figure as an SVG element; templates use this function as a filter.

    The name, letters and digits, is unique on the page. The alternative says what the picture
    shows, for those who do not see it.
    """
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    document = buffer.getvalue()
    svg = document[document.index("<svg") :].strip()
    svg = re.sub(r"<(metadata|style)\b.*?</\1>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\s(xmlns(:xlink)?|version)="[^"]*"', "", svg)
    svg = svg.replace("xlink:href", "href").replace(INK, "currentColor")
    svg = re.sub(r'(\bid="|\bhref="#|url\(#)', rf"\g<1>{name}-", svg)
    opening, rest = svg.split(">", 1)
    opening = re.sub(r'\s(width|height)="[^"]*"', "", opening)
    return f'{opening} role="img" aria-label="{escape(alternative)}">{rest}'


def det_curves(curves: Mapping[str, tuple[Bools, Floats]]) -> Figure:
    """Draw misses against false alarms, for scores by name and which points are positive."""
    figure, ax = new_figure()
    for k, (name, (positive, scores)) in enumerate(curves.items()):
        style: dict[str, Any] = {"color": SERIES[k % len(SERIES)], "linewidth": 1.6}
        DetCurveDisplay.from_predictions(positive, scores, name=name, ax=ax, **style)
    shown = norm.ppf([_LEAST_RATE, _LARGEST_RATE])
    ax.set(xlabel="false alarms", ylabel="misses", xlim=shown, ylim=shown)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks(norm.ppf(_RATES), [f"{rate:.3g}%" for rate in 100 * np.array(_RATES)])
    reveal_hidden(ax)
    return legend_below(figure)


def bayes_error_plot(
    positive: Bools, scores: Mapping[str, tuple[Floats, str]], threshold: float, setting: str
) -> Figure:
    """Draw the cost over all priors, of scores by name with a colour; mark a setting's prior."""
    figure, ax = new_figure()
    reach = max(4.0, abs(threshold) + 1.0)
    log_odds = np.linspace(-reach, reach, 161)
    for name, (values, colour) in scores.items():
        BayesErrorDisplay.from_predictions(
            positive, values, log_odds=log_odds, name=name, ax=ax, color=colour
        )
    ax.axvline(-threshold, color=GREY, linewidth=1.0, linestyle=":", label=setting)
    ax.set_ylim(0.0, 1.2)
    return legend_below(figure)


def score_histograms(
    positive: Bools,
    labels: Sequence[Any],
    scores: Floats,
    threshold: float,
) -> Figure:
    """Draw the scores of both classes, the negative label first, and a threshold."""
    # A few far scores would leave the rest no room.
    low, high = np.quantile(scores, [0.002, 0.998])
    low, high = min(low, threshold), max(high, threshold)
    if low == high:
        low, high = low - 0.5, high + 0.5
    names = [class_text(label) for label in labels]
    figure, ax = new_figure()
    ScoreHistogramDisplay.from_predictions(
        np.where(positive, names[1], names[0]),
        scores,
        bins=np.linspace(low, high, _SCORE_BINS + 1),
        threshold=threshold,
        pos_label=names[1],
        ax=ax,
    )
    return legend_below(figure)


def calibration_curve(true: Bools, probability: Floats, name: str) -> Figure:
    """Draw how often something is true against the probability it was given."""
    figure, ax = new_figure()
    ax.axline((0.0, 0.0), slope=1.0, color=GREY, linewidth=0.8, label="calibrated")
    style: dict[str, Any] = {"color": POSITIVE, "marker": "o", "markersize": 4}
    bins: dict[str, Any] = {"n_bins": _PROBABILITY_BINS, "strategy": "quantile"}
    CalibrationDisplay.from_predictions(
        true, probability, **bins, name=name, ax=ax, ref_line=False, **style
    )
    ax.set(
        xlabel="probability by the scores",
        ylabel="observed frequency",
        xlim=(-0.02, 1.02),
        ylim=(-0.02, 1.02),
    )
    return legend_below(figure)
