"""Sequences as data: what counts as a sequence, and how its tokens become whole numbers.

The code of a character is its code point, that of a byte its value. Other tokens are numbered in
the order in which they appear in all collections that are compared with each other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.errors import InvalidInputError

__all__ = ["Codes", "Strings", "as_sequences", "encode"]

#: An array whose entries are sequences: str, bytes or tuples of tokens.
Strings = NDArray[np.object_]


class Codes(NamedTuple):
    """Concatenated sequences of codes: the i-th is ``codes[starts[i]:starts[i + 1]]``."""

    codes: NDArray[np.int32]
    starts: NDArray[np.int64]


def as_sequences(X: Any, name: str = "X") -> Strings:
    """Return a column of strings, bytes or sequences of tokens as an array of objects."""
    rows = _rows(X, name)
    points = np.empty(len(rows), dtype=object)
    for i, item in enumerate(rows):
        points[i] = item if type(item) is str else _as_sequence(item, f"row {i} of {name}")
    if len(points) == 0:
        raise InvalidInputError(f"{name} has no rows: at least one sequence is needed.")
    return points


def _as_sequence(item: Any, name: str) -> str | bytes | tuple[Any, ...]:
    if isinstance(item, str):
        return str(item)
    if isinstance(item, bytes | bytearray | memoryview):
        return bytes(item)
    if isinstance(item, np.ndarray) and item.ndim == 1:
        return tuple(item.tolist())
    if isinstance(item, Collection) and not isinstance(item, Set | Mapping | np.ndarray):
        return tuple(item)
    raise InvalidInputError(
        f"{name} is {item!r}, which is no sequence: a sequence kernel compares strings, bytes or "
        "lists of tokens. Replace missing values, for example by empty strings."
    )


def encode(*collections: Strings) -> list[Codes]:
    """Return the codes of collections of sequences; equal tokens have equal codes."""
    kinds = {type(item) for collection in collections for item in collection}
    if kinds == {str}:
        return [_encode_text(collection) for collection in collections]
    if kinds == {bytes}:
        return [_encode_bytes(collection) for collection in collections]
    if kinds >= {str, bytes}:
        raise InvalidInputError(
            "Some sequences are str and others bytes, which have no letter in common: decode the "
            "bytes, or encode the strings."
        )
    numbers: dict[Any, int] = {}
    return [_encode_tokens(collection, numbers) for collection in collections]


def _rows(X: Any, name: str) -> Sequence[Any]:
    if isinstance(X, str | bytes):
        raise InvalidInputError(f"{name} is a single sequence: give a list of them, [{name}].")
    if sparse.issparse(X):
        raise InvalidInputError(f"{name} is a sparse matrix; a sequence kernel compares sequences.")
    if isinstance(X, list | tuple):
        return X
    rows = np.asarray(X)
    if rows.ndim == 2 and rows.shape[1] == 1:
        rows = rows[:, 0]
    if rows.ndim == 2 and rows.dtype.kind in "iu":
        return list(rows)
    if rows.ndim != 1:
        raise InvalidInputError(
            f"{name} has shape {rows.shape}; a sequence kernel compares one column of sequences: "
            "choose it, or wrap the kernel as kernels.On(column, kernel)."
        )
    return list(rows.tolist())


def _starts(collection: Strings) -> NDArray[np.int64]:
    lengths = np.fromiter(map(len, collection), dtype=np.int64, count=len(collection))
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])


def _encode_text(collection: Strings) -> Codes:
    text = "".join(collection).encode("utf-32-le", "surrogatepass")
    return Codes(np.frombuffer(text, dtype="<i4").astype(np.int32, copy=False), _starts(collection))


def _encode_bytes(collection: Strings) -> Codes:
    return Codes(
        np.frombuffer(b"".join(collection), dtype=np.uint8).astype(np.int32), _starts(collection)
    )


def _encode_tokens(collection: Strings, numbers: dict[Any, int]) -> Codes:
    tokens: Iterable[Any] = chain.from_iterable(collection)
    try:
        codes = [numbers.setdefault(token, len(numbers)) for token in tokens]
    except TypeError as error:
        raise InvalidInputError(
            f"A sequence holds a token that cannot be compared ({error}): tokens must be "
            "hashable, such as strings, numbers or tuples."
        ) from error
    return Codes(np.array(codes, dtype=np.int32), _starts(collection))
