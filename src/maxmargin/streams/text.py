"""Lines in LIBSVM's format, ``label index:value index:value ... # comment``, as a CSR matrix.

A block of lines is parsed as a whole; where it is not well-formed, line by line to find out why.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.typing import Floats

__all__ = ["Format", "FormatError", "parse"]

_COMMENT = re.compile(rb"#[^\n]*")
_NEWLINE, _COLON, _SPACE = 10, 58, 32


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


def parse(text: bytes, form: Format) -> tuple[Any, Floats]:
    """Return the matrix and the labels of whole lines; raise a `FormatError` where that fails."""
    if b"#" in text:
        # Blanks of the same length keep every offset.
        text = _COMMENT.sub(lambda found: b" " * len(found[0]), text)
    if not text.endswith(b"\n"):
        text += b"\n"
    shape = _Shape.of(text)
    numbers = _numbers(text) if shape.n_lines else np.empty(0)
    if not shape.is_regular() or len(numbers) != shape.n_lines + 2 * len(shape.colons):
        raise _first_fault(text, form)
    # Each label is followed by its line's pairs.
    at_label = np.arange(shape.n_lines) + 2 * shape.starts[:-1]
    is_entry = np.ones(len(numbers), bool)
    is_entry[at_label] = False
    pairs = numbers[is_entry].reshape(-1, 2)
    indices = pairs[:, 0] - form.first_index
    whole = bool((indices == np.floor(indices)).all())
    inside = indices.min(initial=0) >= 0 and indices.max(initial=0) < (form.n_features or 2**31)
    if not (whole and inside and np.isfinite(numbers).all()):
        raise _first_fault(text, form)
    width = form.n_features or int(indices.max(initial=-1)) + 1
    values, columns = pairs[:, 1].astype(form.dtype), indices.astype(np.int32)
    matrix = sparse.csr_array(
        (values, columns, shape.starts.astype(np.int32)), shape=(shape.n_lines, width)
    )
    return matrix, numbers[at_label]


@dataclass(frozen=True)
class _Shape:
    """Where the tokens and colons of a block are."""

    n_lines: int  # that are not blank
    colons: Any  # the token of each colon
    others: Any  # the tokens that do not begin a line
    starts: Any  # colons before each line, and in all
    has_empty_part: bool  # a colon without anything before or after it

    @classmethod
    def of(cls, text: bytes) -> _Shape:
        values = np.frombuffer(text, np.uint8)
        blank = values <= _SPACE
        is_first = ~blank
        is_first[1:] &= blank[:-1]
        token = np.cumsum(is_first) - 1
        ends = np.flatnonzero(values == _NEWLINE)
        # A line's first token follows the last one of the lines before.
        tokens_before = np.concatenate([[0], token[ends] + 1])
        has_token = np.diff(tokens_before) > 0
        first_tokens = tokens_before[:-1][has_token]
        is_colon = values == _COLON
        at_colon = np.flatnonzero(is_colon)
        apart = blank[at_colon + 1] | is_first[at_colon]
        colons_so_far = np.cumsum(is_colon)
        starts = np.concatenate([[0], colons_so_far[ends][has_token]])
        is_other = np.ones(int(token[-1]) + 1, bool)
        is_other[first_tokens] = False
        return cls(
            len(first_tokens),
            token[at_colon],
            np.flatnonzero(is_other),
            starts,
            bool(apart.any()),
        )

    def is_regular(self) -> bool:
        """Whether each token but a line's first is two parts and a colon, and that one has none.

        Each part is then at least one number, and exactly one if there are as many in all.
        """
        return not self.has_empty_part and bool(np.array_equal(self.colons, self.others))


def _numbers(text: bytes) -> Floats:
    with warnings.catch_warnings():
        # Something is left that is no number: an error only in later versions of NumPy.
        warnings.simplefilter("error", DeprecationWarning)
        try:
            return np.fromstring(text.replace(b":", b" ").decode("ascii", "replace"), sep=" ")
        except (ValueError, DeprecationWarning):
            return np.empty(0)


def _first_fault(text: bytes, form: Format) -> FormatError:
    offset = 0
    for line in text.split(b"\n"):
        what = _fault_of(line.split(), form)
        if what is not None:
            return FormatError(offset, what)
        offset += len(line) + 1
    return FormatError(0, "the block of lines from here on is not in LIBSVM's format.")


def _fault_of(tokens: list[bytes], form: Format) -> str | None:
    if not tokens:
        return None
    if _finite(tokens[0]) is None:
        return f"the label {_shown(tokens[0])} is not a finite number."
    for token in tokens[1:]:
        index, colon, value = token.partition(b":")
        if not colon or _finite(value) is None or not index.isdigit():
            return f"{_shown(token)} is not a whole index, a colon and a finite number."
        if int(index) < form.first_index:
            return "the index 0 appears, but indices begin at 1: give zero_based=True."
        last = (form.n_features or 2**31) - 1 + form.first_index
        if int(index) > last:
            return f"the index {int(index)} is larger than n_features allows, {last}."
    return None


def _finite(token: bytes) -> float | None:
    try:
        value = float(token)
    except ValueError:
        return None
    return value if np.isfinite(value) else None


def _shown(token: bytes) -> str:
    return repr(token[:40].decode("ascii", "replace"))
