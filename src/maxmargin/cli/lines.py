"""What is wrong with the lines of a CSV file."""

from __future__ import annotations

import csv
import lzma
import zlib
from io import BytesIO, TextIOWrapper
from pathlib import Path

from maxmargin.errors import InvalidInputError
from maxmargin.streams.text import opened

__all__ = ["refuse_ragged"]


def refuse_ragged(name: str, content: str | BytesIO, separator: str) -> None:
    """Raise an error about a line that has more or fewer cells than the first, if there is one."""
    if len(separator) > 1:
        return
    if isinstance(content, BytesIO):
        content.seek(0)
    binary = content if isinstance(content, BytesIO) else opened(Path(content))
    with TextIOWrapper(binary, encoding="utf-8-sig", errors="replace", newline="") as file:
        lines = csv.reader(file, delimiter=separator, skipinitialspace=True)
        first, begin = 0, 1
        try:
            for cells in lines:
                first = first or len(cells)
                if cells and len(cells) != first:
                    _refuse(name, begin, cells, first, separator)
                begin = lines.line_num + 1
        except (csv.Error, EOFError, OSError, lzma.LZMAError, zlib.error):
            # The reader of the table says what is wrong.
            return


def _refuse(name: str, line: int, cells: list[str], first: int, separator: str) -> None:
    if any("\n" in cell for cell in cells):
        raise InvalidInputError(
            f"{name} has a quotation mark in line {line} that is not closed there: close it, or "
            "double it if it is part of the text."
        )
    count = f"{len(cells)} cell{'s' if len(cells) > 1 else ''}"
    raise InvalidInputError(
        f"{name} has {count} in line {line}, but {first} in its first line: give all lines the "
        f"same number, and put cells that contain {separator!r} in quotation marks."
    )
