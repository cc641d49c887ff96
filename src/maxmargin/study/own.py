"""Sections of a report that its author wrote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from maxmargin.report.markup import Cell, numbers, paragraph, table

__all__ = ["Section"]


@dataclass(frozen=True)
class Section:
    """A section of your own in a report: paragraphs, then a table.

    Parameters
    ----------
    title : str
        Its heading.
    paragraphs : sequence of str
        Plain text.
    headings : sequence of str
        Of the table's columns; without any there is no table.
    rows : sequence of sequences of str
        The table's cells. The first column is set as words, the others as numbers.
    caption : str
        Of the table.

    Examples
    --------
    >>> from maxmargin.study import Section
    >>> Section("Source", ["Measured in May."]).title
    'Source'
    """

    title: str
    paragraphs: Sequence[str] = ()
    headings: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    caption: str = ""

    def parts(self) -> list[str]:
        """Return its elements."""
        parts = [paragraph(text) for text in self.paragraphs]
        if self.headings:
            first, *others = self.headings
            body = [[Cell(row[0], "text", names_row=True), *numbers(*row[1:])] for row in self.rows]
            headings = [Cell(first, "text"), *numbers(*others)]
            parts.append(table(self.caption or self.title, headings, body))
        return parts
