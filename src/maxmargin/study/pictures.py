"""The pictures of a study: costs along parameters, support vectors, scores, calibration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.stats import norm
from sklearn.metrics import DetCurveDisplay

from maxmargin import plot
from maxmargin.plot.axes import GREY, NEGATIVE, POSITIVE, SERIES
from maxmargin.study.drawing import Picture, draw
from maxmargin.study.groups import (
    costs_table,
    group_rows,
    minimum_table,
    price_of,
    same_but,
    varied,
)
from maxmargin.study.result import StudyResult
from maxmargin.study.rows import StudyRow
from maxmargin.study.words import cost, group_text, number, params_text
from maxmargin.typing import Floats

__all__ = ["calibration", "curves", "heat_maps", "separation"]

_LEAST_RATE, _LARGEST_RATE = 8e-4, 0.6
_RATES = [0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4]


def curves(result: StudyResult) -> list[Picture]:
    """Return what costs and support vectors do along C, where anything varies."""
    pictures = []
    price = price_of(result.table)
    if price is not None:
        pictures.append(_minimum_curves(result, price))
    own = price_of(group_rows(result.table)[result.best.group])
    if own is not None:
        line = same_but(result.table, result.best, own)
        pictures += [_cost_curves(result, line, own), _support(result, line, own)]
    return pictures


def heat_maps(result: StudyResult) -> list[Picture]:
    """Return minDCF over two parameters, for each group in which two vary."""
    pictures = []
    for k, (group, rows) in enumerate(group_rows(result.table).items()):
        names = varied(rows)
        price = price_of(rows)
        others = [name for name in names if name != price]
        if price is None or not others:
            continue
        best = rows[0]
        caption = (
            f"{group_text(group)}: minDCF over {price} and {others[0]}, bright is cheap. The star "
            f"is at {params_text(best.params)}."
        )
        fill = _heat_map(minimum_table(rows, names), price, others[0])
        pictures.append(draw(f"heat{k}", f"Heat map of minDCF, {group_text(group)}", caption, fill))
    return pictures


def separation(result: StudyResult) -> Picture:
    """Return the errors of both kinds that each group's best machine trades against each other."""

    def fill(figure: Figure) -> None:
        ax = figure.subplots()
        for k, row in enumerate(result.leaders):
            DetCurveDisplay.from_predictions(
                row.scores.positive,
                row.scores.raw,
                name=group_text(row.group),
                ax=ax,
                color=SERIES[k % len(SERIES)],
                linewidth=1.6,
            )
        # From one error in a thousand to a class that is guessed.
        shown = norm.ppf([_LEAST_RATE, _LARGEST_RATE])
        ax.set(xlabel="false alarms", ylabel="misses", xlim=shown, ylim=shown)
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_ticks(norm.ppf(_RATES), [f"{rate:.3g}%" for rate in 100 * np.array(_RATES)])
        _legend_below(figure, ax)

    caption = "DET curves of the best machine of each group: misses against false alarms."
    return draw("det", "DET curves", caption, fill, (5.0, 4.3))


def calibration(result: StudyResult) -> list[Picture]:
    """Return what calibration does to the scores of the best machine."""
    best, threshold = result.best, result.setting.threshold
    scores = best.scores
    log_odds = -threshold
    reach = max(4.0, abs(log_odds) + 1.0)

    def bayes(figure: Figure) -> None:
        ax = figure.subplots()
        for name, values, colour in (
            ("as trained", scores.raw, NEGATIVE),
            ("calibrated", scores.calibrated, POSITIVE),
        ):
            plot.BayesErrorDisplay.from_predictions(
                scores.positive,
                values,
                log_odds=np.linspace(-reach, reach, 161),
                name=name,
                ax=ax,
                color=colour,
            )
        ax.axvline(log_odds, color=GREY, linewidth=1.0, linestyle=":", label="the study's costs")
        ax.set_ylim(0.0, 1.2)
        _legend_below(figure, ax)

    words = f"actDCF goes from {cost(best.act_dcf)} to {cost(best.calibrated_act_dcf)}"
    pictures = [
        draw(
            "bayes",
            "Bayes error plot of the best machine before and after calibration",
            "Cost over all priors, for the best machine. What a solid line is above the dashed one "
            f"is lost to miscalibration; at the dotted line {words}.",
            bayes,
            (5.0, 4.3),
        )
    ]
    for name, title, values in (
        ("raw", "Scores as trained", scores.raw),
        ("ratios", "Calibrated scores: log-likelihood ratios", scores.calibrated),
    ):
        pictures.append(
            draw(
                f"scores{name}",
                f"{title}: histograms of both classes",
                f"{title}. The dashed line is the theoretical threshold, {threshold:.2f}: to its "
                f"right, {result.labels[1]!r} is decided.",
                _histogram(result, values),
            )
        )
    return pictures


def _heat_map(table: Mapping[str, Any], x: str, y: str) -> Callable[[Figure], None]:
    def fill(figure: Figure) -> None:
        plot.heat_map(table, figure.subplots(), x=x, y=y)
        # There is but one value a field.
        figure.axes[-1].set_ylabel("minDCF")

    return fill


def _minimum_curves(result: StudyResult, price: str) -> Picture:
    def fill(figure: Figure) -> None:
        rows = [row for row in result.table if price in row.params]
        ax = plot.score_curves(
            minimum_table(rows, [price]), figure.subplots(), x=price, by="machine", legend=False
        )
        ax.set_ylabel("minDCF")
        _legend_below(figure, ax)

    caption = f"Minimum cost against {price}, each point the best of what else the grid varies."
    return draw("curves", f"minDCF against {price}", caption, fill, (5.0, 4.3))


def _cost_curves(result: StudyResult, line: list[StudyRow], price: str) -> Picture:
    def fill(figure: Figure) -> None:
        ax = plot.score_curves(
            costs_table(line, price), figure.subplots(), x=price, by="cost", legend=False
        )
        # The star would mark the least of three different costs.
        ax.lines[-1].remove()
        ax.set_ylabel("DCF")
        _legend_below(figure, ax)

    caption = (
        f"{group_text(result.best.group)} along {price}{_rest(result.best, price)}: minimum cost, "
        "actual cost of the scores as trained, and of the calibrated ones."
    )
    return draw("costs", f"Three costs against {price}", caption, fill, (5.0, 4.3))


def _support(result: StudyResult, line: list[StudyRow], price: str) -> Picture:
    def fill(figure: Figure) -> None:
        ax = figure.subplots()
        at = np.array([float(row.params[price]) for row in line])
        free = np.array([row.n_free for row in line])
        bounded = np.array([row.n_bounded for row in line])
        ax.fill_between(at, 0, bounded, color=NEGATIVE, alpha=0.75, linewidth=0, label="bounded")
        ax.fill_between(
            at, bounded, bounded + free, color=POSITIVE, alpha=0.75, linewidth=0, label="free"
        )
        if at.min() > 0 and at.max() > 20 * at.min():
            ax.set_xscale("log")
        ax.set(xlabel=price, ylabel="support vectors", ylim=(0, None), xlim=(at[0], at[-1]))
        _legend_below(figure, ax)

    caption = (
        f"Support vectors of the same machines: free ones lie on the margin, bounded ones inside "
        f"it or on the wrong side. The best, at {price} = {number(result.best.params[price])}, "
        f"has {result.best.n_free} free and {result.best.n_bounded} bounded."
    )
    return draw("support", f"Support vectors against {price}", caption, fill, (5.0, 4.3))


def _histogram(result: StudyResult, values: Floats) -> Callable[[Figure], None]:
    threshold = result.setting.threshold
    negative, positive = map(str, result.labels)
    labels = np.where(result.best.scores.positive, positive, negative)

    def fill(figure: Figure) -> None:
        ax = figure.subplots()
        # A few far scores would leave the rest no room.
        low, high = np.quantile(values, [0.002, 0.998])
        low, high = min(low, threshold), max(high, threshold)
        plot.ScoreHistogramDisplay.from_predictions(
            labels,
            values,
            bins=np.linspace(low, high, 51),
            threshold=threshold,
            pos_label=positive,
            ax=ax,
        )

    return fill


def _rest(row: StudyRow, name: str) -> str:
    others = {key: value for key, value in row.params.items() if key != name}
    return f" at {params_text(others)}" if others else ""


def _legend_below(figure: Figure, ax: Axes) -> None:
    legend = ax.get_legend()
    if legend is not None:
        legend.remove()
    handles, labels = ax.get_legend_handles_labels()
    labels = [label.removeprefix("machine = ").removeprefix("cost = ") for label in labels]
    figure.legend(handles, labels, loc="outside lower center", ncols=2)
