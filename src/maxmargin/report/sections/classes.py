"""Right and wrong labels: the confusion matrix, precision and recall of each class."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from sklearn.calibration import CalibrationDisplay
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    confusion_matrix,
    log_loss,
    precision_recall_fscore_support,
)

from maxmargin.plot.axes import GREY, POSITIVE
from maxmargin.report.drawing import draw
from maxmargin.report.graphs import Fill, legend_below
from maxmargin.report.judged import Judged
from maxmargin.report.markup import (
    Cell,
    figures,
    long_table,
    numbers,
    paragraph,
    table,
    tiles,
)
from maxmargin.report.subject import Subject
from maxmargin.report.words import exact_percent, measured
from maxmargin.typing import Bools, Floats, Integers

__all__ = ["classes", "label_facts", "reliability"]

# Larger matrices are hard to read; the most frequent confusions say more.
_LARGEST = 30
_MOST_CONFUSIONS = 20
_BINS = 10


def label_facts(judged: Judged) -> dict[str, str]:
    """Return how many labels are right."""
    y = judged.y
    assert y is not None
    facts = {"accuracy": exact_percent(float(accuracy_score(y, judged.predicted)))}
    # A class that the rows lack has no recall.
    if set(np.unique(judged.predicted).tolist()) <= set(np.unique(y).tolist()):
        balanced = float(balanced_accuracy_score(y, judged.predicted))
        facts["balanced accuracy"] = exact_percent(balanced)
    return facts


def classes(subject: Subject, judged: Judged) -> list[str]:
    """Return the confusion matrix and what follows from it."""
    y = judged.y
    assert y is not None
    labels = subject.classes
    matrix = confusion_matrix(y, judged.predicted, labels=labels)
    facts = label_facts(judged) | {"errors": f"{int((y != judged.predicted).sum()):,}"}
    parts = []
    if judged.probabilities is not None:
        loss = float(log_loss(y, judged.probabilities, labels=labels))
        facts["log loss"] = measured(loss)
    names = [str(label) for label in labels.tolist()]
    if len(names) <= _LARGEST:
        parts.append(_matrix(matrix, names))
    else:
        parts.append(_confusions(matrix, names))
    parts += _by_class(judged, subject, names)
    if judged.probabilities is not None:
        parts.append(_confidence(judged, subject, judged.probabilities))
    return [tiles(facts), *parts]


def _matrix(matrix: Integers, names: list[str]) -> str:
    held = np.maximum(matrix.sum(axis=1), 1)
    body = [
        [
            Cell(name, "text", names_row=True),
            *(Cell(f"{n:,}", "number", f"{n / h:.1%}" if n else "", n / h) for n in row),
        ]
        for name, row, h in zip(names, matrix.tolist(), held.tolist(), strict=True)
    ]
    headings = [Cell("class", "text"), *numbers(*names)]
    caption = "Confusion matrix: a row for each class, its rows by the class that was predicted"
    return table(caption, headings, body, groups=[("", 1), ("predicted", len(names))])


def _confusions(matrix: Integers, names: list[str]) -> str:
    wrong = matrix.copy()
    np.fill_diagonal(wrong, 0)
    order = np.argsort(wrong, axis=None, kind="stable")[::-1][:_MOST_CONFUSIONS]
    body = []
    for place in order:
        row, column = np.unravel_index(place, wrong.shape)
        if wrong[row, column]:
            pair = [Cell(names[row], "text", names_row=True), Cell(names[column], "text")]
            body.append([*pair, Cell(f"{wrong[row, column]:,}")])
    headings = [Cell("class", "text"), Cell("predicted", "text"), Cell("rows")]
    return table("The most frequent confusions", headings, body)


def _by_class(judged: Judged, subject: Subject, names: list[str]) -> list[str]:
    measures = precision_recall_fscore_support(
        judged.y, judged.predicted, labels=subject.classes, zero_division=0
    )
    headings = [Cell("class", "text"), *numbers("precision", "recall", "F1", "rows")]
    body = [
        [
            Cell(name, "text", names_row=True),
            *numbers(exact_percent(precision)),
            Cell(exact_percent(recall), share=recall),
            *numbers(f"{f1:.4f}", f"{held:,}"),
        ]
        for name, precision, recall, f1, held in zip(names, *measures, strict=True)
    ]
    words = (
        "Precision is the share of a class's predictions that are right, recall the share of its "
        "rows that are found, and F1 their harmonic mean."
    )
    return [paragraph(words), *long_table("Class by class", headings, body, "classes")]


def _confidence(judged: Judged, subject: Subject, probabilities: Floats) -> str:
    chosen = probabilities.argmax(axis=1)
    right: Bools = subject.classes[chosen] == judged.y
    caption = (
        "How often the most probable class is right, against the probability it was given. On the "
        "diagonal the probabilities are what they say."
    )
    fill = reliability(right, probabilities.max(axis=1), "the model")
    alternative = "Calibration curve of the most probable class"
    return figures([draw("confidence", alternative, caption, fill, (5.0, 4.3))])


def reliability(positive: Bools, probability: Floats, name: str) -> Fill:
    """Draw how often something is true against the probability it was given."""

    def fill(figure: Figure) -> None:
        ax = figure.subplots()
        ax.axline((0.0, 0.0), slope=1.0, color=GREY, linewidth=0.8, label="as it should be")
        CalibrationDisplay.from_predictions(
            positive,
            probability,
            n_bins=_BINS,
            strategy="quantile",
            name=name,
            ax=ax,
            ref_line=False,
            color=POSITIVE,
            marker="o",
            markersize=4,
        )
        ax.set(xlabel="probability", ylabel="observed", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        legend_below(figure, ax)

    return fill
