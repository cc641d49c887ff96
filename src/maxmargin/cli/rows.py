"""Tables of results: to the terminal, and to CSV or JSON files."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from maxmargin.cli.formats import STDIN
from maxmargin.cli.session import plain
from maxmargin.files import replacing

__all__ = ["as_lines", "cell", "write_columns", "write_rows", "write_text"]

_ROWS_AT_ONCE = 10_000


def cell(value: Any) -> str:
    """Return a value in the fewest digits that read back alike."""
    value = plain(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return "" if value is None else str(value)


def write_columns(columns: Mapping[str, Any], path: str | None, separator: str = ",") -> None:
    """Write arrays of equal length as CSV under their names, some rows at a time."""
    with _opened(path) as file:
        writer = csv.writer(file, delimiter=separator, lineterminator="\n")
        writer.writerow(columns)
        n_rows = len(next(iter(columns.values())))
        for begin in range(0, n_rows, _ROWS_AT_ONCE):
            part = slice(begin, begin + _ROWS_AT_ONCE)
            lists = [values[part].tolist() for values in columns.values()]
            writer.writerows([cell(value) for value in row] for row in zip(*lists, strict=True))


def write_rows(rows: Sequence[Mapping[str, Any]], path: str | None) -> None:
    """Write rows to a file, JSON if its name says so and CSV otherwise, or to standard output."""
    if path is not None and Path(path).suffix.lower() == ".json":
        write_text(json.dumps([plain(dict(row)) for row in rows], indent=1) + "\n", path)
        return
    with _opened(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        if rows:
            writer.writerow(rows[0])
        writer.writerows([cell(value) for value in row.values()] for row in rows)


def write_text(text: str, path: str | None) -> None:
    """Write text in the place of a file, or to standard output."""
    with _opened(path) as file:
        file.write(text)


@contextmanager
def _opened(path: str | None) -> Iterator[TextIO]:
    if path is None or path == STDIN:
        yield sys.stdout
        sys.stdout.flush()
        return
    with replacing(path) as new, new.open("w", encoding="utf-8", newline="") as file:
        yield file


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
