"""Support vectors: rows of numbers, sequences, or columns of a frame."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from maxmargin.errors import InvalidInputError, ModelFileError
from maxmargin.estimators.training import aligned
from maxmargin.kernels import Kernel, On, Product, Scaled, Sum
from maxmargin.kernels.columns import Columns
from maxmargin.kernels.encoding import Strings
from maxmargin.persist.reading import Reader
from maxmargin.persist.values import decoded, encoded
from maxmargin.persist.writing import Writer

__all__ = ["describe_points", "restore_points"]

_MOST_TOKENS = 2**31 - 1


def describe_points(points: Any, name: str, out: Writer) -> None:
    """Write points that a kernel compares."""
    if isinstance(points, Columns):
        held = out.child(name)
        names = list(points.parts)
        held.json("columns", [one if isinstance(one, str) else list(one) for one in names])
        for k, part in enumerate(points.parts.values()):
            describe_points(part, f"part{k}", held)
    elif isinstance(points, np.ndarray) and points.dtype == np.object_:
        _describe_sequences(points, out.child(name))
    else:
        out.matrix(name, points)


def restore_points(
    held: Reader, name: str, kernel: Kernel, n_points: int, n_features: int | None
) -> Any:
    """Return points that the kernel can compare, in the types that it leaves them in."""
    points: Any
    if kernel.compares_columns:
        points = _restore_columns(held.child(name), kernel, n_points)
    elif kernel.compares_sequences:
        points = _restore_sequences(held.child(name), n_points)
    else:
        points = held.matrix(name, (n_points, n_features))
    if n_points:
        _check(held, name, kernel, points)
    return points if isinstance(points, np.ndarray | Columns) else aligned(points)


def _check(held: Reader, name: str, kernel: Kernel, points: Any) -> None:
    try:
        kernel.validate(points)
    except InvalidInputError as error:
        held.refuse(name, f"are impossible: {str(error).rstrip('.')}")


# Columns of a frame -----------------------------------------------------------------------------


def _restore_columns(held: Reader, kernel: Kernel, n_points: int) -> Columns:
    parts: dict[Any, Any] = {}
    kernels = dict(_on_columns(kernel))
    names = held.json("columns")
    held.require(isinstance(names, list), "columns", "is not a list")
    for k, raw in enumerate(names):
        one = tuple(raw) if isinstance(raw, list) else raw
        known = isinstance(one, str | tuple) and all(isinstance(part, str) for part in one)
        held.require(
            known and one in kernels and one not in parts, "columns", "are not the kernel's"
        )
        parts[one] = restore_points(held, f"part{k}", kernels[one], n_points, None)
    held.require(len(parts) == len(kernels), "columns", "are fewer than the kernel compares")
    return Columns(parts, n_points)


def _on_columns(kernel: Kernel) -> Any:
    """Return pairs of names of columns and a kernel that compares them."""
    if isinstance(kernel, On):
        return [(kernel.columns, kernel.kernel)]
    if isinstance(kernel, Scaled):
        return _on_columns(kernel.kernel)
    parts = kernel.parts if isinstance(kernel, Sum | Product) else ()
    return list(chain.from_iterable(map(_on_columns, parts)))


# Sequences --------------------------------------------------------------------------------------


def _describe_sequences(points: Strings, out: Writer) -> None:
    """Write strings in UTF-8, bytes as they are, and others by numbers in a list of tokens."""
    for kind, form in ((str, "text"), (bytes, "bytes")):
        if len(points) and all(type(item) is kind for item in points):
            out.json("sequences", form)
            raw = [
                item.encode("utf-8", "surrogatepass") if kind is str else item for item in points
            ]
            out.array("letters", np.frombuffer(b"".join(raw), dtype=np.uint8))
            out.array("starts", _starts(raw))
            return
    numbers: dict[Any, int] = {}
    codes = [numbers.setdefault(token, len(numbers)) for item in points for token in item]
    if any(token != token for token in numbers):
        raise ModelFileError("A support vector holds NaN as a token, which equals nothing.")
    out.json("sequences", "tokens")
    out.json("tokens", [encoded(token, "A token of a support vector") for token in numbers])
    out.array("codes", codes, np.int32)
    out.array("starts", _starts(points))


def _starts(items: Any) -> Any:
    return np.cumsum([0, *map(len, items)], dtype=np.int64)


def _restore_sequences(held: Reader, count: int) -> Strings:
    form = held.text("sequences", ("text", "bytes", "tokens"))
    points: Strings = np.empty(count, dtype=object)
    if form == "tokens":
        tokens = _tokens(held)
        codes = held.wholes("codes", "int32", None, most=len(tokens) - 1)
        for k, (begin, end) in enumerate(_places(held, count, len(codes))):
            points[k] = tuple(tokens[code] for code in codes[begin:end])
        return points
    letters = held.array("letters", "uint8", (None,)).tobytes()
    for k, (begin, end) in enumerate(_places(held, count, len(letters))):
        part = letters[begin:end]
        points[k] = part if form == "bytes" else _text(held, part)
    return points


def _text(held: Reader, raw: bytes) -> str:
    try:
        return raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        held.refuse("letters", "are not UTF-8")


def _tokens(held: Reader) -> list[Any]:
    raw = held.json("tokens")
    held.require(isinstance(raw, list) and len(raw) <= _MOST_TOKENS, "tokens", "are not a list")
    tokens = [decoded(item, held.prefix + "tokens") for item in raw]
    try:
        distinct = len(set(tokens))
    except TypeError:
        held.refuse("tokens", "hold what cannot be compared")
    held.require(distinct == len(tokens), "tokens", "hold one twice")
    return tokens


def _places(held: Reader, count: int, size: int) -> Any:
    starts = held.array("starts", "int64", (count + 1,))
    fits = starts[0] == 0 and starts[-1] == size and (np.diff(starts) >= 0).all()
    held.require(fits, "starts", "do not fit the sequences")
    return zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
