"""Tables of results: to the terminal, and to CSV or JSON files."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import click

from maxmargin.cli.session import plain
from maxmargin.files import replacing

__all__ = ["as_lines", "cell", "csv_text", "write_rows", "write_text"]


def cell(value: Any) -> str:
    """Return a value in the fewest digits that read back alike."""
    value = plain(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return "" if value is None else str(value)


def csv_text(rows: Sequence[Mapping[str, Any]], separator: str = ",") -> str:
    """Return rows as CSV, with the first one's keys for a header."""
    out = StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\n")
    if rows:
        writer.writerow(list(rows[0]))
    writer.writerows([cell(value) for value in row.values()] for row in rows)
    return out.getvalue()


def write_rows(rows: Sequence[Mapping[str, Any]], path: str | None) -> None:
    """Write rows to a file, JSON if its name says so and CSV otherwise, or to standard output."""
    if path is not None and Path(path).suffix.lower() == ".json":
        write_text(json.dumps([plain(dict(row)) for row in rows], indent=1) + "\n", path)
    else:
        write_text(csv_text(rows), path)


def write_text(text: str, path: str | None) -> None:
    """Write text in the place of a file, or to standard output."""
    if path is None or path == "-":
        click.echo(text, nl=False)
        return
    with replacing(path) as new:
        new.write_text(text, encoding="utf-8")


def as_lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return rows as lines of aligned columns under a header."""
    if not rows:
        return []
    table = [list(rows[0]), *([_shown(value) for value in row.values()] for row in rows)]
    widths = [max(len(line[k]) for line in table) for k in range(len(table[0]))]
    return [
        "  ".join(word.rjust(width) for word, width in zip(line, widths, strict=True))
        for line in table
    ]


def _shown(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else cell(value)
