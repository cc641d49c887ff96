"""The rows: how many, of which classes, in which ranges, with what missing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from maxmargin.report.columns import Column, contents_of
from maxmargin.report.judged import Judged
from maxmargin.report.markup import Cell, long_table, numbers, paragraph, tiles
from maxmargin.report.origin import Origin
from maxmargin.report.subject import Subject, Task
from maxmargin.report.words import counted, exact_percent, measured

__all__ = ["data"]


def data(subject: Subject, judged: Judged, origin: Origin) -> list[str]:
    """Describe the rows that the model is judged on."""
    kernel = getattr(subject.machine, "kernel_", None)
    similarities = kernel is not None and kernel.compares_similarities and not subject.preparation
    held = contents_of(judged.X, judged.names, similarities=similarities)
    facts = {"rows": f"{judged.n_rows:,}"}
    if judged.names:
        facts["columns"] = f"{len(judged.names):,}"
    facts |= held.facts
    facts["missing values"] = f"{held.n_missing:,}"
    parts = [paragraph(f"These are the {origin.rows} that the model is judged on."), tiles(facts)]
    parts += _targets(subject, judged)
    if held.columns:
        parts += _columns(held.columns)
    if held.n_left_out:
        words = counted(held.n_left_out, "further column is", "further columns are")
        parts.append(paragraph(f"{words} not listed."))
    return parts


def _targets(subject: Subject, judged: Judged) -> list[str]:
    y = judged.y
    if y is None:
        return [paragraph("The rows have no labels that say which of them are usual.")]
    if subject.task is Task.REGRESSION:
        spread = {
            "least target": measured(float(y.min())),
            "mean target": measured(float(y.mean())),
            "largest target": measured(float(y.max())),
            "standard deviation": measured(float(y.std())),
        }
        return [tiles(spread)]
    labels = subject.classes.tolist()
    held = [int(np.count_nonzero(y == label)) for label in labels]
    body = [
        [
            Cell(str(label), "text", names_row=True),
            Cell(f"{n:,}", share=n / len(y)),
            *numbers(exact_percent(n / len(y))),
        ]
        for label, n in zip(labels, held, strict=True)
    ]
    headings = [Cell("class", "text"), *numbers("rows", "share")]
    return long_table("The classes", headings, body, "classes")


def _columns(columns: Sequence[Column]) -> list[str]:
    headings = [Cell("column", "text"), *numbers("least", "mean", "largest", "missing")]
    body = []
    for column in columns:
        cells = [Cell(column.name, "text", names_row=True)]
        if column.n_different is not None:
            different = counted(column.n_different, "different value")
            cells += numbers(different, "", "")
        else:
            values = (column.low, column.mean, column.high)
            cells += numbers(*("" if value is None else measured(value) for value in values))
        body.append([*cells, *numbers(f"{column.n_missing:,}")])
    return long_table("The columns", headings, body, "columns")
