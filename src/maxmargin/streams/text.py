"""Lines in LIBSVM's format, ``label [qid:n] index:value ... # comment``, to arrays and back.

The compiled core does the work; see native/text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

import maxmargin._native as _native
from maxmargin.typing import Floats, Integers

__all__ = ["NO_QUERY", "Format", "FormatError", "Lines", "formatted", "joined", "parse"]

#: The query of a row that names none.
NO_QUERY = -1

# Columns that a matrix of 32-bit indices may have.
_MOST_COLUMNS = 2**31 - 1
_SHOWN = 40


class FormatError(Exception):
    """What is wrong with a block of lines, and at which of its bytes that line begins."""

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
        return min(self.n_features or _MOST_COLUMNS, _MOST_COLUMNS)


@dataclass(frozen=True, eq=False)
class Lines:
    """What a block of lines holds; `starts` and `columns` are those of a CSR matrix."""

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
        """Return the rows as a matrix with so many columns."""
        narrow = self.starts[-1] <= np.iinfo(np.int32).max
        starts = self.starts.astype(np.int32 if narrow else np.int64, copy=False)
        columns = self.columns.astype(starts.dtype, copy=False)
        matrix = sparse.csr_array(
            (self.values, columns, starts), shape=(self.n_rows, n_features), copy=False
        )
        matrix.has_canonical_format = True
        return matrix


def parse(text: bytes, form: Format) -> Lines:
    """Return what whole lines hold; raise a `FormatError` at the first that is wrong."""
    narrow = form.dtype == np.float32
    read = _native.parse_libsvm32 if narrow else _native.parse_libsvm64
    fault, line, begin, end, found = read(text, form.first_index, form.n_columns)
    if fault:
        raise FormatError(line, _sentence(fault, text[begin:end], form))
    values, columns, starts, labels, queries, widest = found
    # The core's 64 bits are NumPy's long long, which prints as another type than its int64.
    return Lines(values, columns, starts.view(np.int64), labels, queries.view(np.int64), widest)


def joined(blocks: Sequence[Lines]) -> Lines:
    """Return the rows of all blocks, of which there is at least one."""
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
    """Return rows as lines, each number in the fewest digits that read back alike."""
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
