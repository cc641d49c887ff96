"""A few HTML elements as strings. Text is escaped here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from demonstration.pictures import Picture


def paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def section(identity: str, title: str, *parts: str) -> str:
    heading = f"<h2 id={_quoted(identity + '-title')}>{escape(title)}</h2>"
    body = "\n".join(parts)
    return (
        f"<section id={_quoted(identity)} aria-labelledby={_quoted(identity + '-title')}>\n"
        f"{heading}\n{body}\n</section>"
    )


def preformatted(text: str) -> str:
    return f'<pre tabindex="0">{escape(text)}</pre>'


def figure(picture: Picture) -> str:
    size = f'width="{picture.width}" height="{picture.height}"'
    return (
        "<figure><picture>"
        f'<source media="(prefers-color-scheme: dark)" srcset={_quoted(picture.uri("dark"))}>'
        f"<img src={_quoted(picture.uri('light'))} alt={_quoted(picture.alternative)} {size}>"
        f"</picture><figcaption>{escape(picture.caption)}</figcaption></figure>"
    )


def figures(pictures: Iterable[Picture]) -> str:
    return '<div class="figures">' + "\n".join(figure(picture) for picture in pictures) + "</div>"


def table(
    caption: str, headings: Sequence[str], rows: Iterable[Sequence[str]], *, words: set[int]
) -> str:
    """Return a table that scrolls sideways; the columns in words hold text, the others numbers."""
    kinds = ["text" if i in words else "number" for i in range(len(headings))]
    head = "".join(
        f'<th scope="col" class="{kind}">{escape(heading)}</th>'
        for heading, kind in zip(headings, kinds, strict=True)
    )
    body = "\n".join(
        "<tr>" + "".join(_cell(cell, kind) for cell, kind in zip(row, kinds, strict=True)) + "</tr>"
        for row in rows
    )
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label={_quoted(caption)}>'
        f"<table><caption>{escape(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>"
    )


def verdict(certified: bool) -> str:
    return "certified" if certified else "refused"


def _cell(cell: str, kind: str) -> str:
    mark = f" {cell}" if cell in ("certified", "refused") else ""
    return f'<td class="{kind}{mark}">{escape(cell)}</td>'


def _quoted(text: str) -> str:
    return f'"{escape(text)}"'
