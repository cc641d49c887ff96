"""The pictures of a study: costs along parameters, support vectors, scores, calibration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from maxmargin import plot
from maxmargin.plot.axes import NEGATIVE, POSITIVE
from maxmargin.report.drawing import draw
from maxmargin.report.graphs import (
    bayes_error_curves,
    det_curves,
    heat_map,
    legend_below,
    score_histograms,
)
from maxmargin.report.grids import price_of, varied
from maxmargin.report.markup import Picture
from maxmargin.report.words import cost, number, params_text
from maxmargin.study.groups import costs_table, group_rows, group_text, minimum_table, same_but
from maxmargin.study.result import StudyResult
from maxmargin.study.rows import StudyRow

__all__ = ["calibration", "curves", "heat_maps", "separation"]

_BEGINNINGS = ("machine = ", "cost = ")


def curves(result: StudyResult) -> list[Picture]:
    """Return what costs and support vectors do along C, where anything varies."""
    pictures = []
    price = price_of(_params(result.table))
    if price is not None:
        pictures.append(_minimum_curves(result, price))
    own = price_of(_params(group_rows(result.table)[result.best.group]))
    if own is not None:
        line = same_but(result.table, result.best, own)
        pictures += [_cost_curves(result, line, own), _support(result, line, own)]
    return pictures


def heat_maps(result: StudyResult) -> list[Picture]:
    """Return minDCF over two parameters, for each group in which two vary."""
    pictures = []
    for k, (group, rows) in enumerate(group_rows(result.table).items()):
        names = varied(_params(rows))
        price = price_of(_params(rows))
        others = [name for name in names if name != price]
        if price is None or not others:
            continue
        best = rows[0]
        caption = (
            f"{group_text(group)}: minDCF over {price} and {others[0]}, bright is cheap. The star "
            f"is at {params_text(best.params)}."
        )
        # There is but one value a field.
        fill = heat_map(minimum_table(rows, names), price, others[0], "minDCF")
        pictures.append(draw(f"heat{k}", f"Heat map of minDCF, {group_text(group)}", caption, fill))
    return pictures


def separation(result: StudyResult) -> Picture:
    """Return the errors of both kinds that each group's best machine trades against each other."""
    curves = {
        group_text(row.group): (row.scores.positive, row.scores.raw) for row in result.leaders
    }
    caption = "DET curves of the best machine of each group: misses against false alarms."
    return draw("det", "DET curves", caption, det_curves(curves), (5.0, 4.3))


def calibration(result: StudyResult) -> list[Picture]:
    """Return what calibration does to the scores of the best machine."""
    best, threshold = result.best, result.setting.threshold
    scores = best.scores
    bayes = bayes_error_curves(
        scores.positive,
        {"as trained": (scores.raw, NEGATIVE), "calibrated": (scores.calibrated, POSITIVE)},
        -threshold,
        "the study's costs",
    )
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
                score_histograms(scores.positive, result.labels, values, threshold),
            )
        )
    return pictures


def _minimum_curves(result: StudyResult, price: str) -> Picture:
    def fill(figure: Figure) -> None:
        rows = [row for row in result.table if price in row.params]
        ax = plot.score_curves(
            minimum_table(rows, [price]), figure.subplots(), x=price, by="machine", legend=False
        )
        ax.set_ylabel("minDCF")
        legend_below(figure, ax, _BEGINNINGS)

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
        legend_below(figure, ax, _BEGINNINGS)

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
        legend_below(figure, ax, _BEGINNINGS)

    caption = (
        f"Support vectors of the same machines: free ones lie on the margin, bounded ones inside "
        f"it or on the wrong side. The best, at {price} = {number(result.best.params[price])}, "
        f"has {result.best.n_free} free and {result.best.n_bounded} bounded."
    )
    return draw("support", f"Support vectors against {price}", caption, fill, (5.0, 4.3))


def _rest(row: StudyRow, name: str) -> str:
    others = {key: value for key, value in row.params.items() if key != name}
    return f" at {params_text(others)}" if others else ""


def _params(rows: Sequence[StudyRow]) -> list[dict[str, Any]]:
    return [row.params for row in rows]
