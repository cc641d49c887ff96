"""Residuals, and the tube that costs nothing."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.metrics import (
    mean_absolute_error,
    median_absolute_error,
    r2_score,
    root_mean_squared_error,
)

from maxmargin.plot.axes import NEGATIVE, POSITIVE, ink
from maxmargin.report.drawing import draw
from maxmargin.report.graphs import legend_below
from maxmargin.report.judged import Judged
from maxmargin.report.markup import Picture, figures, paragraph, tiles
from maxmargin.report.proofs import Finding
from maxmargin.report.subject import Subject
from maxmargin.report.words import exact_percent, measured
from maxmargin.typing import Floats

__all__ = ["regression", "residual_facts"]

# More points than this are drawn as an image inside the picture.
_MANY = 1500
_BINS = 40
_TALL = (5.0, 4.3)


def residual_facts(judged: Judged) -> dict[str, str]:
    """Return how far off the predictions are."""
    y, predicted = judged.y, judged.predicted
    assert y is not None
    facts = {}
    if len(y) > 1:
        facts["R²"] = f"{float(r2_score(y, predicted)):.4f}"
    facts["mean absolute error"] = measured(float(mean_absolute_error(y, predicted)))
    facts["root mean squared error"] = measured(float(root_mean_squared_error(y, predicted)))
    return facts


def regression(subject: Subject, judged: Judged, finding: Finding) -> list[str]:
    """Return the residuals, in numbers and pictures."""
    y = judged.y
    assert y is not None
    residual = y - judged.predicted
    facts = residual_facts(judged)
    facts["median absolute error"] = measured(float(median_absolute_error(y, judged.predicted)))
    facts["largest error"] = measured(float(np.abs(residual).max()))
    epsilon = _half_width(subject, finding)
    words = "A residual is the target minus the prediction."
    if epsilon is not None:
        inside = float(np.mean(np.abs(residual) <= epsilon))
        facts["inside the tube"] = exact_percent(inside)
        words += (
            f" Those of at most {measured(epsilon)} lie inside the tube, which costs nothing in "
            "training."
        )
    pictures = [_against_targets(judged, y, epsilon), _residuals(judged, residual, epsilon)]
    pictures.append(_histogram(residual, epsilon))
    return [paragraph(words), tiles(facts), figures(pictures)]


def _half_width(subject: Subject, finding: Finding) -> float | None:
    if finding.margin is not None:
        return float(finding.margin[0])
    # That of nu regression is known only to the proof.
    epsilon = subject.machine.get_params(deep=False).get("epsilon")
    return None if epsilon is None else float(epsilon)


def _against_targets(judged: Judged, y: Floats, epsilon: float | None) -> Picture:
    def fill(figure: Figure) -> None:
        ax = figure.subplots()
        low = float(min(y.min(), judged.predicted.min()))
        high = float(max(y.max(), judged.predicted.max()))
        ends = np.array([low, high])
        if epsilon:
            ax.fill_between(
                ends,
                ends - epsilon,
                ends + epsilon,
                color=NEGATIVE,
                alpha=0.25,
                linewidth=0,
                label="tube",
            )
        ax.plot(ends, ends, color=ink(), linewidth=1.0, label="prediction = target")
        _scatter(ax, judged.predicted, y)
        ax.set(xlabel="prediction", ylabel="target")
        legend_below(figure, ax)

    caption = "Targets against predictions. On the line they agree, in the band they cost nothing."
    return draw("predictions", "Targets against predictions", caption, fill, _TALL)


def _residuals(judged: Judged, residual: Floats, epsilon: float | None) -> Picture:
    def fill(figure: Figure) -> None:
        ax = figure.subplots()
        if epsilon:
            ax.axhspan(-epsilon, epsilon, color=NEGATIVE, alpha=0.25, linewidth=0, label="tube")
        ax.axhline(0.0, color=ink(), linewidth=1.0)
        _scatter(ax, judged.predicted, residual)
        ax.set(xlabel="prediction", ylabel="residual")
        legend_below(figure, ax)

    caption = "Residuals against predictions. A shape in them is something the model has missed."
    return draw("residuals", "Residuals against predictions", caption, fill, _TALL)


def _histogram(residual: Floats, epsilon: float | None) -> Picture:
    def fill(figure: Figure) -> None:
        ax = figure.subplots()
        if epsilon:
            ax.axvspan(-epsilon, epsilon, color=NEGATIVE, alpha=0.25, linewidth=0, label="tube")
        ax.hist(residual, bins=_BINS, color=POSITIVE, alpha=0.75, label="rows")
        ax.set(xlabel="residual", ylabel="rows")
        legend_below(figure, ax)

    caption = "How many rows have which residual."
    return draw("errors", "Histogram of the residuals", caption, fill, _TALL)


def _scatter(ax: Axes, x: Floats, y: Floats) -> None:
    many = len(x) > _MANY
    ax.scatter(
        x,
        y,
        s=6 if many else 14,
        alpha=0.35 if many else 0.7,
        color=POSITIVE,
        linewidths=0,
        rasterized=many,
    )
    # A faint dot would not be seen in the legend.
    ax.plot([], [], color=POSITIVE, marker="o", markersize=5, linestyle="none", label="rows")
