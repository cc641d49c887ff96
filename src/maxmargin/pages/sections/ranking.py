"""The sections of a study: the best machine, the ranking, costs along the grid, calibration."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.pages import pictures
from maxmargin.pages.result import Study
from maxmargin.pages.sections.grid import Grid, curve_parameter
from maxmargin.plot.axes import NEGATIVE, POSITIVE, SERIES, reveal_hidden

__all__ = ["calibration_section", "grid_section"]

_COSTS = {
    "minDCF": "min_dcf",
    "actDCF as trained": "act_dcf",
    "actDCF calibrated": "calibrated_act_dcf",
}

# An axis is logarithmic if its largest value is more than this many times the smallest.
_WIDE = 20.0


def grid_section(study: Study) -> dict[str, Any] | None:
    """Return how costs and support vectors change along the grid, if anything varies."""
    points = [{"machine": row.group_text, **row.params} for row in study.table]
    scores = -np.array([row.min_dcf for row in study.table])
    grid = Grid(points, scores, np.zeros(len(points)), "neg_minDCF", "minDCF", "machine")
    curves = grid.curves()
    if curves is None:
        return None
    return {"curves": curves, "heat_maps": grid.heat_maps(), **_best_along(study)}


def _best_along(study: Study) -> dict[str, Any]:
    """Return costs and support vectors of the machines that differ from the best in one way."""
    best = study.best
    mine = [row for row in study.table if row.group == best.group]
    along = curve_parameter([row.params for row in mine])
    if along is None:
        return {"along": None}
    rest = {name: value for name, value in best.params.items() if name != along}
    line = [row for row in mine if row.params | rest == row.params]
    line.sort(key=lambda row: row.params[along])
    at = [float(row.params[along]) for row in line]
    costs, ax = pictures.new_figure()
    for colour, (label, name) in zip(SERIES, _COSTS.items(), strict=False):
        values = [getattr(row, name) for row in line]
        ax.plot(at, values, color=colour, marker="o", markersize=3.5, lw=1.6, label=label)
    ax.set(ylabel="normalised DCF", ylim=(0.0, None))
    support, ax = pictures.new_figure()
    bounded = np.array([row.n_bounded for row in line])
    everything = bounded + [row.n_free for row in line]
    ax.fill_between(at, bounded, color=NEGATIVE, alpha=0.75, lw=0, label="bounded")
    ax.fill_between(at, bounded, everything, color=POSITIVE, alpha=0.75, lw=0, label="free")
    ax.set(ylabel="support vectors", ylim=(0, None), xlim=(at[0], at[-1]))
    for figure in (costs, support):
        is_wide = at[0] > 0 and at[-1] > _WIDE * at[0]
        figure.axes[0].set(xlabel=along, xscale="log" if is_wide else "linear")
        reveal_hidden(figure.axes[0])
        pictures.legend_below(figure)
    return {"along": along, "rest": rest, "costs": costs, "support": support}


def calibration_section(study: Study) -> dict[str, Any]:
    """Return DET curves of all groups, and what calibration does to the best machine's scores."""
    scores, threshold = study.best.scores, study.setting.threshold
    leaders = {row.group_text: (row.scores.positive, row.scores.raw) for row in study.leaders}
    both = {"as trained": (scores.raw, NEGATIVE), "calibrated": (scores.calibrated, POSITIVE)}
    return {
        "det": pictures.det_curves(leaders),
        "bayes": pictures.bayes_error_plot(scores.positive, both, threshold, "the study's costs"),
        "histograms": [
            pictures.score_histograms(scores.positive, study.labels, values, threshold)
            for values in (scores.raw, scores.calibrated)
        ],
    }
