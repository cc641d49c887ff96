"""Support vectors: rows of numbers, sequences, or columns of a frame that hold either."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.kernels.columns import Columns
from maxmargin.kernels.data import holds_numbers
from maxmargin.kernels.encoding import encode
from maxmargin.persist.reading import Reader
from maxmargin.persist.values import decoded, encoded
from maxmargin.persist.writing import Writer

__all__ = ["describe_points", "restore_columns", "restore_sequences"]


def describe_points(points: Any, name: str, out: Writer) -> None:
    """Write points of any kind that a kernel of `maxmargin.kernels` compares."""
    if isinstance(points, Columns):
        held = out.child(name)
        held.json("columns", [_listed(names) for names in points.parts])
        for k, part in enumerate(points.parts.values()):
            describe_points(part, f"part{k}", held)
    elif holds_numbers(points):
        out.matrix(name, points)
    else:
        _describe_sequences(points, out.child(name))


def restore_columns(held: Reader, n_points: int) -> Columns:
    """Return columns, each with its points."""
    listed = held.json("columns")
    held.require(isinstance(listed, list), "columns", "is not a list")
    parts = {}
    for k, names in enumerate(listed):
        wanted = _names(names)
        held.require(wanted is not None, "columns", "holds something that is no name")
        place = held.child(f"part{k}")
        if place.has("sequences"):
            parts[wanted] = restore_sequences(place, n_points)
        else:
            parts[wanted] = held.matrix(f"part{k}", (n_points, None))
    return Columns(parts, n_points)


def _listed(names: str | tuple[str, ...]) -> str | list[str]:
    return names if isinstance(names, str) else list(names)


def _names(found: Any) -> Any:
    if isinstance(found, str):
        return found
    good = isinstance(found, list) and all(isinstance(name, str) for name in found)
    return tuple(found) if good else None


def _describe_sequences(sequences: Any, held: Writer) -> None:
    if all(isinstance(item, str) for item in sequences):
        held.json("sequences", "text")
        _write_bytes([item.encode("utf-8", "surrogatepass") for item in sequences], held)
    elif all(isinstance(item, bytes) for item in sequences):
        held.json("sequences", "bytes")
        _write_bytes(list(sequences), held)
    else:
        as_tuples = np.empty(len(sequences), dtype=object)
        as_tuples[:] = [tuple(item) for item in sequences]
        (found,) = encode(as_tuples)
        tokens = dict(zip(found.codes.tolist(), _flat(as_tuples), strict=True))
        held.json("sequences", "tokens")
        held.json("tokens", [encoded(tokens[code], "a token") for code in range(len(tokens))])
        held.array("codes", found.codes, np.int32)
        held.array("starts", found.starts, np.int64)


def _flat(sequences: Any) -> list[Any]:
    return [token for sequence in sequences for token in sequence]


def _write_bytes(items: list[bytes], held: Writer) -> None:
    held.array("codes", np.frombuffer(b"".join(items), dtype=np.uint8))
    held.array("starts", np.cumsum([0, *map(len, items)]), np.int64)


def restore_sequences(held: Reader, n_points: int) -> Any:
    """Return sequences as a kernel takes them."""
    kind = held.text("sequences", {"text", "bytes", "tokens"})
    starts = held.array("starts", "int64", (n_points + 1,))
    codes = held.array("codes", "int32" if kind == "tokens" else "uint8", (None,))
    fits = starts[0] == 0 and starts[-1] == len(codes) and (np.diff(starts) >= 0).all()
    held.require(fits, "starts", "do not cut the codes into sequences")
    spans = list(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True))
    points = np.empty(n_points, dtype=object)
    if kind == "tokens":
        listed = held.json("tokens")
        held.require(isinstance(listed, list), "tokens", "is not a list")
        tokens = [decoded(token, "a token") for token in listed]
        inside = not len(codes) or (codes.min() >= 0 and codes.max() < len(tokens))
        held.require(inside, "codes", "are not all tokens")
        points[:] = [tuple(tokens[code] for code in codes[a:b].tolist()) for a, b in spans]
        return points
    text = codes.tobytes()
    pieces: list[Any] = [text[a:b] for a, b in spans]
    if kind == "text":
        try:
            pieces = [piece.decode("utf-8", "surrogatepass") for piece in pieces]
        except UnicodeDecodeError:
            held.refuse("codes", "are no text in UTF-8")
    points[:] = pieces
    return points
