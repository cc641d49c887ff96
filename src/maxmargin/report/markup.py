"""A few HTML elements as strings. Text is escaped here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TypeVar

__all__ = [
    "Cell",
    "Picture",
    "code",
    "details",
    "figures",
    "long_table",
    "numbers",
    "paragraph",
    "section",
    "shown_and_folded",
    "table",
    "tiles",
    "warning",
]

# So many rows of a long table are shown at once; a few more are not worth folding.
_SHOWN = 15
_FEW = 3

_Row = TypeVar("_Row")


@dataclass(frozen=True)
class Cell:
    """A cell of a table: its text, its class, a second line, and how much of it a bar fills.

    One of the class "text" that names its row is a heading.
    """

    text: str
    kind: str = "number"
    note: str = ""
    share: float | None = None
    names_row: bool = False

    def html(self) -> str:
        """Return the element."""
        kind, style = self.kind, ""
        if self.share is not None:
            kind = f"{kind} bar"
            style = f' style="--share:{100 * min(max(self.share, 0.0), 1.0):.1f}%"'
        note = f"<small>{escape(self.note)}</small>" if self.note else ""
        inner = f"{escape(self.text)}{note}"
        if self.names_row:
            return f'<th scope="row" class="{escape(kind)}">{inner}</th>'
        return f'<td class="{escape(kind)}"{style}>{inner}</td>'


@dataclass(frozen=True)
class Picture:
    """An SVG element and the sentence below it."""

    svg: str
    caption: str


def numbers(*texts: str) -> list[Cell]:
    """Return cells of numbers."""
    return [Cell(text) for text in texts]


def paragraph(text: str) -> str:
    """Return a paragraph of plain text."""
    return f"<p>{escape(text)}</p>"


def warning(text: str) -> str:
    """Return a paragraph that nobody overlooks."""
    return f'<p class="warning" role="note"><strong>Beware.</strong> {escape(text)}</p>'


def code(text: str, name: str) -> str:
    """Return lines to copy, with what they are for those who do not see them."""
    return (
        f'<pre role="region" tabindex="0" aria-label="{escape(name)}">'
        f"<code>{escape(text)}</code></pre>"
    )


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


def shown_and_folded(rows: Sequence[_Row]) -> tuple[Sequence[_Row], Sequence[_Row]]:
    """Return the rows of a long table that are shown at once, and those that unfold.

    Examples
    --------
    >>> from maxmargin.report.markup import shown_and_folded
    >>> [len(part) for part in shown_and_folded(range(18))]
    [18, 0]
    >>> [len(part) for part in shown_and_folded(range(19))]
    [15, 4]
    """
    end = len(rows) if len(rows) <= _SHOWN + _FEW else _SHOWN
    return rows[:end], rows[end:]


def figures(pictures: Iterable[Picture]) -> str:
    """Return pictures with their captions, side by side where there is room."""
    inner = "\n".join(
        f"<figure>{picture.svg}<figcaption>{escape(picture.caption)}</figcaption></figure>"
        for picture in pictures
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


def long_table(
    caption: str,
    headings: Sequence[Cell],
    rows: Sequence[Sequence[Cell]],
    what: str,
    *,
    best: bool = False,
) -> list[str]:
    """Return a table of which the rows beyond the first ones unfold; what they are, in plural."""
    shown, folded = shown_and_folded(rows)
    parts = [table(caption, headings, shown, best=best)]
    if folded:
        rest = table(f"{caption}: the other {what}", headings, folded)
        parts.append(details(f"{len(folded)} more {what}", rest))
    return parts
