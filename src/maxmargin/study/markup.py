"""A few HTML elements as strings. Text is escaped here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

__all__ = ["Cell", "Section", "details", "figures", "paragraph", "section", "table", "tiles"]


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


@dataclass(frozen=True)
class Cell:
    """A cell of a table: its text, its class, a second line, and how much of it a bar fills."""

    text: str
    kind: str = "number"
    note: str = ""
    share: float | None = None

    def html(self) -> str:
        """Return the element."""
        kind, style = self.kind, ""
        if self.share is not None:
            kind = f"{kind} bar"
            style = f' style="--share:{100 * min(max(self.share, 0.0), 1.0):.1f}%"'
        note = f"<small>{escape(self.note)}</small>" if self.note else ""
        return f'<td class="{escape(kind)}"{style}>{escape(self.text)}{note}</td>'


def paragraph(text: str) -> str:
    """Return a paragraph of plain text."""
    return f"<p>{escape(text)}</p>"


def section(identity: str, title: str, parts: Iterable[str]) -> str:
    """Return a section with its heading."""
    body = "\n".join(parts)
    return (
        f'<section id="{escape(identity)}" aria-labelledby="{escape(identity)}-title">\n'
        f'<h2 id="{escape(identity)}-title">{escape(title)}</h2>\n{body}\n</section>'
    )


def details(summary: str, *parts: str) -> str:
    """Return parts that are shown on demand."""
    body = "\n".join(parts)
    return f"<details><summary>{escape(summary)}</summary>\n{body}\n</details>"


def tiles(facts: Mapping[str, str]) -> str:
    """Return a few large numbers with what they are."""
    inner = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        for name, value in facts.items()
    )
    return f'<dl class="tiles">{inner}</dl>'


def figures(pictures: Iterable[tuple[str, str]]) -> str:
    """Return SVG elements with their captions, side by side where there is room."""
    inner = "\n".join(
        f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"
        for svg, caption in pictures
    )
    return f'<div class="figures">{inner}</div>'


def table(
    caption: str,
    headings: Sequence[Cell],
    rows: Iterable[Sequence[Cell]],
    *,
    groups: Sequence[tuple[str, int]] = (),
    best: bool = False,
) -> str:
    """Return a table that scrolls sideways.

    Parameters
    ----------
    caption : str
        Above it.
    headings : sequence of Cell
        Of the columns.
    rows : iterable of sequences of Cell
        The rest.
    groups : sequence of (str, int)
        Headings of so many columns each, above the others.
    best : bool
        Whether to mark the first row.
    """
    head = "".join(
        f'<th scope="col" class="{escape(cell.kind)}">{escape(cell.text)}</th>' for cell in headings
    )
    above = "".join(
        f'<th scope="colgroup" class="group" colspan="{span}">{escape(text)}</th>'
        if text
        else f'<td class="group" colspan="{span}"></td>'
        for text, span in groups
    )
    above = f"<tr>{above}</tr>\n" if above else ""
    lines = []
    for k, row in enumerate(rows):
        mark = ' class="best"' if best and k == 0 else ""
        lines.append(f"<tr{mark}>" + "".join(cell.html() for cell in row) + "</tr>")
    body = "\n".join(lines)
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(caption)}">'
        f"<table><caption>{escape(caption)}</caption>"
        f"<thead>{above}<tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>"
    )
