"""Lines in LIBSVM's format, ``label [qid:n] index:value ... # comment``, to arrays and back.

The compiled core does the work; see native/text.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

import numpy as np
from scipy import sparse

import maxmargin._native as _native
from maxmargin.errors import InvalidInputError
from maxmargin.typing import Floats, Integers

__all__ = [
    "MOST_COLUMNS",
    "NO_QUERY",
    "Format",
    "FormatError",
    "Lines",
    "formatted",
    "is_compressed",
    "joined",
    "opened",
    "parse",
    "read_lines",
]

#: The query of a row that names none.
NO_QUERY = -1

#: Columns that a matrix of 32-bit indices may have.
MOST_COLUMNS = 2**31 - 1

# Bytes that are read and parsed at once.
_BLOCK = 1 << 20

# Characters of a wrong token that a message shows.
_SHOWN = 40

_OPENERS: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


class FormatError(Exception):
    """What is wrong with a line, and the byte of the text at which the line begins."""

    def __init__(self, offset: int, what: str) -> None:
        super().__init__(what)
        self.offset = offset
        self.what = what


@dataclass(frozen=True)
class Format:
    """How lines are read: the number of features (None: any), the first index, the type."""

    n_features: int | None
    first_index: int
    dtype: Any

    @property
    def n_columns(self) -> int:
        """Columns that indices may name."""
        return min(self.n_features or MOST_COLUMNS, MOST_COLUMNS)


@dataclass(frozen=True, eq=False)
class Lines:
    """The rows that some lines hold; `columns` and `starts` are the indices of a CSR matrix."""

    values: Any
    columns: Any
    starts: Integers
    labels: Floats
    queries: Integers
    widest: int

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.labels)

    def matrix(self, n_features: int) -> sparse.csr_array:
        """Return the rows as a matrix with this many columns."""
        narrow = self.starts[-1] <= np.iinfo(np.int32).max
        starts = self.starts.astype(np.int32 if narrow else np.int64, copy=False)
        columns = self.columns.astype(starts.dtype, copy=False)
        matrix = sparse.csr_array(
            (self.values, columns, starts), shape=(self.n_rows, n_features), copy=False
        )
        matrix.has_canonical_format = True
        return matrix


def is_compressed(path: Path) -> bool:
    """Say whether a file of this name is decompressed when read."""
    return path.suffix in _OPENERS


def opened(path: Path, mode: Literal["rb", "wb"] = "rb", *, named: Path | None = None) -> BinaryIO:
    """Open a file, compressed if its name (or the name of `named`) says so."""
    suffix = (path if named is None else named).suffix
    return cast(BinaryIO, _OPENERS.get(suffix, open)(path, mode))


def read_lines(file: BinaryIO, form: Format, name: str) -> Iterator[Lines]:
    """Parse a file block by block; an error names the line."""
    n_before = 0
    for text in _whole_lines(file, name):
        try:
            yield parse(text, form)
        except FormatError as fault:
            line = n_before + text.count(b"\n", 0, fault.offset) + 1
            raise InvalidInputError(f"{name}, line {line}: {fault.what}") from None
        n_before += text.count(b"\n")


def _whole_lines(file: BinaryIO, name: str) -> Iterator[bytes]:
    try:
        while block := file.read(_BLOCK):
            yield block + file.readline()
    except (EOFError, OSError, lzma.LZMAError, zlib.error) as error:
        # Errors of the system have a number; errors of a decompressor have none.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise InvalidInputError(f"{name} cannot be decompressed: {error}") from None


def parse(text: bytes, form: Format) -> Lines:
    """Return the rows of whole lines, or raise a `FormatError` about the first wrong one."""
    narrow = form.dtype == np.float32
    read = _native.parse_libsvm32 if narrow else _native.parse_libsvm64
    fault, line, begin, end, found = read(text, form.first_index, form.n_columns)
    if fault:
        raise FormatError(line, _sentence(fault, text[begin:end], form))
    values, columns, starts, labels, queries, widest = found
    # The core's 64 bits are NumPy's long long, which prints as another type than its int64.
    return Lines(values, columns, starts.view(np.int64), labels, queries.view(np.int64), widest)


def joined(blocks: Sequence[Lines]) -> Lines:
    """Return the rows of one or more blocks together."""
    if len(blocks) == 1:
        return blocks[0]
    counts = np.concatenate([np.diff(block.starts) for block in blocks])
    return Lines(
        np.concatenate([block.values for block in blocks]),
        np.concatenate([block.columns for block in blocks]),
        np.concatenate([[0], np.cumsum(counts)]),
        np.concatenate([block.labels for block in blocks]),
        np.concatenate([block.queries for block in blocks]),
        max(block.widest for block in blocks),
    )


def formatted(
    X: sparse.csr_array, labels: Floats, queries: Integers | None, first_index: int
) -> bytes:
    """Return rows as lines, with as few digits as read back the same numbers."""
    return _native.format_libsvm(
        np.ascontiguousarray(X.data, np.float64),
        np.ascontiguousarray(X.indices, np.int32),
        np.ascontiguousarray(X.indptr, np.int64),
        np.ascontiguousarray(labels, np.float64),
        None if queries is None else np.ascontiguousarray(queries, np.int64),
        first_index,
    )


def _sentence(fault: str, token: bytes, form: Format) -> str:
    shown = repr(token[:_SHOWN].decode("ascii", "replace"))
    index = token.partition(b":")[0][:_SHOWN].decode("ascii", "replace")
    last = form.n_columns - 1 + form.first_index
    return {
        "label": f"the label {shown} is not a finite number.",
        "query": f"{shown} is not qid, a colon and a whole number.",
        "entry": f"{shown} is not a whole index, a colon and a finite number.",
        "below_first": "the index 0 appears, but indices begin at 1: give zero_based=True.",
        "above_last": f"the index {index} is larger than n_features allows, {last}.",
        "repeated": "an index appears twice.",
    }[fault]
