"""The scores of a one-class machine: how many rows are inside, and how far."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from maxmargin.plot.axes import POSITIVE, ink
from maxmargin.report.drawing import draw
from maxmargin.report.graphs import Fill, legend_below
from maxmargin.report.judged import Judged
from maxmargin.report.markup import figures, paragraph, tiles
from maxmargin.report.origin import Origin
from maxmargin.report.subject import Subject
from maxmargin.report.words import exact_percent, measured, number
from maxmargin.typing import Floats

__all__ = ["novelty", "novelty_facts"]

_BINS = 50


def novelty_facts(judged: Judged) -> dict[str, str]:
    """Return how many rows the model calls unusual."""
    outside = judged.predicted == -1
    return {
        "rows outside": f"{np.count_nonzero(outside):,}",
        "share outside": exact_percent(float(outside.mean())),
    }


def novelty(subject: Subject, judged: Judged, origin: Origin) -> list[str]:
    """Return how the scores are distributed."""
    scores = judged.scores
    assert scores is not None
    nu = number(float(subject.machine.nu))
    words = (
        "A row is inside where its score is positive, outside where it is negative, and the more "
        f"usual the higher. At the optimum at most a fraction nu = {nu} of the training rows is "
        "outside."
    )
    if origin.is_training:
        words += f" Of these training rows {novelty_facts(judged)['share outside']} are."
    facts = novelty_facts(judged) | {
        "least score": measured(float(scores.min())),
        "median score": measured(float(np.median(scores))),
        "largest score": measured(float(scores.max())),
    }
    caption = "How many rows have which score. The dashed line is the boundary."
    picture = draw("distribution", "Histogram of the scores", caption, _fill(scores), (5.0, 4.3))
    return [paragraph(words), tiles(facts), figures([picture])]


def _fill(scores: Floats) -> Fill:
    def fill(figure: Figure) -> None:
        ax = figure.subplots()
        ax.hist(scores, bins=_BINS, color=POSITIVE, alpha=0.75, label="rows")
        ax.axvline(0.0, color=ink(), linestyle="--", linewidth=1.2, label="boundary")
        ax.set(xlabel="score", ylabel="rows")
        legend_below(figure, ax)

    return fill
