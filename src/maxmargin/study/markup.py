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
    """A cell of a table: its text, its class, and the share of it that a bar fills."""

    text: str
    kind: str = "number"
    share: float | None = None

    def html(self) -> str:
        """Return the element."""
        if self.share is None:
            return f'<td class="{escape(self.kind)}">{escape(self.text)}</td>'
        width = f"--share:{100 * min(max(self.share, 0.0), 1.0):.1f}%"
        return f'<td class="{escape(self.kind)} bar" style="{width}">{escape(self.text)}</td>'


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
    caption: str, headings: Sequence[Cell], rows: Iterable[Sequence[Cell]], *, best: bool = False
) -> str:
    """Return a table that scrolls sideways; `best` marks its first row."""
    head = "".join(
        f'<th scope="col" class="{escape(cell.kind)}">{escape(cell.text)}</th>' for cell in headings
    )
    lines = []
    for k, row in enumerate(rows):
        mark = ' class="best"' if best and k == 0 else ""
        lines.append(f"<tr{mark}>" + "".join(cell.html() for cell in row) + "</tr>")
    body = "\n".join(lines)
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(caption)}">'
        f"<table><caption>{escape(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>"
    )
