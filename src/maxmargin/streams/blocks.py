"""Whole lines of a text file, many at a time, decompressed on the way."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

from maxmargin.errors import InvalidInputError

__all__ = ["BLOCK", "is_compressed", "line_at", "opened", "whole_lines"]

BLOCK = 1 << 20

_OPENERS: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


def is_compressed(path: Path) -> bool:
    """Say whether a file of this name is decompressed when read."""
    return path.suffix in _OPENERS


def opened(path: Path, mode: Literal["rb", "wb"] = "rb", *, named: Path | None = None) -> BinaryIO:
    """Open a file, compressed if its name (or that of `named`) says so."""
    suffix = (path if named is None else named).suffix
    return cast(BinaryIO, _OPENERS.get(suffix, open)(path, mode))


def whole_lines(file: BinaryIO, name: str) -> Iterator[bytes]:
    """Return the text in blocks that end with a line; the last may lack its line end."""
    held: list[bytes] = []
    while block := _read(file, BLOCK, name):
        end = block.rfind(b"\n") + 1
        if end == 0:
            held.append(block)
            continue
        yield b"".join([*held, block[:end]])
        held = [block[end:]]
    rest = b"".join(held)
    if rest:
        yield rest


def line_at(file: BinaryIO, offset: int, name: str) -> int:
    """Return the number of the line that begins there, from 1."""
    line = 1
    while offset > 0 and (block := _read(file, min(BLOCK, offset), name)):
        line += block.count(b"\n")
        offset -= len(block)
    return line


def _read(file: BinaryIO, size: int, name: str) -> bytes:
    try:
        return file.read(size)
    except (EOFError, OSError, lzma.LZMAError, zlib.error) as error:
        # The system's own errors have a number; those of a decompressor have none.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise InvalidInputError(f"{name} cannot be decompressed: {error}") from None
