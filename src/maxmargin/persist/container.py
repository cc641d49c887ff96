"""The container of a model file: safetensors, with the model's description in its header.

The header is checked here before anything is allocated for the arrays: names, types, shapes and
places must tile the file exactly. safetensors itself then writes and reads the arrays.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from maxmargin.errors import ModelFileError
from maxmargin.files import replacing

__all__ = ["VERSION", "read", "write"]

#: Of the format, not of the library.
VERSION = 1

_FORMAT = "maxmargin"
_LENGTH_BYTES = 8
_LARGEST_HEADER = 100_000_000
_MOST_DIMENSIONS = 2
_ITEM_BYTES = {"F64": 8, "F32": 4, "I64": 8, "I32": 4, "U8": 1}


def write(
    path: str | PathLike[str], document: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write a description and its arrays in the place of the file."""
    metadata = {
        "format": _FORMAT,
        "version": str(VERSION),
        "model": json.dumps(document, allow_nan=False, separators=(",", ":")),
    }
    flat = {name: np.ascontiguousarray(values) for name, values in arrays.items()}
    # Its save_file makes a temporary file of its own, which a kill would leave behind.
    content = save(flat, metadata)
    if int.from_bytes(content[:_LENGTH_BYTES], "little") > _LARGEST_HEADER:
        raise ModelFileError(
            f"The model's description has more than {_LARGEST_HEADER} bytes, for a parameter is "
            "very long: set it to a shorter one with set_params before."
        )
    with replacing(path) as new:
        new.write_bytes(content)


def read(path: str | PathLike[str]) -> tuple[Any, dict[str, NDArray[Any]]]:
    """Return the description and the arrays of a file that is what it says it is."""
    place = Path(fspath(path))
    with place.open("rb") as file:
        header = _header(file, place.stat().st_size)
    document = _document(header.pop("__metadata__", None))
    names = sorted(header)
    try:
        with safe_open(place, framework="np") as held:
            return document, {name: held.get_tensor(name) for name in names}
    except (SafetensorError, ValueError, KeyError) as error:
        raise ModelFileError(f"the arrays cannot be read ({error}).") from None


def _header(file: BinaryIO, size: int) -> dict[str, Any]:
    length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
    if size <= _LENGTH_BYTES or not 2 <= length <= min(size - _LENGTH_BYTES, _LARGEST_HEADER):
        raise ModelFileError("it is not in the safetensors format, or is cut off in its header.")
    raw = file.read(length)
    if len(raw) != length:
        raise ModelFileError("it is cut off in its header.")
    header = _parsed(raw, "the header")
    if not isinstance(header, dict):
        raise ModelFileError("its header is not a JSON object.")
    _check_places(header, size - _LENGTH_BYTES - length)
    return header


def _document(metadata: Any) -> Any:
    strings = isinstance(metadata, dict) and all(isinstance(v, str) for v in metadata.values())
    if not strings or metadata.get("format") != _FORMAT:
        raise ModelFileError("it is a safetensors file, but not one that maxmargin wrote.")
    version = metadata.get("version", "")
    if not (version.isascii() and version.isdigit() and len(version) <= 9 and int(version) >= 1):
        raise ModelFileError("its version is not a whole number of at least 1.")
    if int(version) > VERSION:
        raise ModelFileError(
            f"it has version {int(version)} of the format, where this maxmargin knows versions up "
            f"to {VERSION}: install a later maxmargin."
        )
    return _parsed(metadata.get("model", ""), "the description")


def _parsed(text: str | bytes, what: str) -> Any:
    try:
        return json.loads(
            text if isinstance(text, str) else text.decode("utf-8"),
            object_pairs_hook=_unique,
            parse_constant=_refuse_constant,
        )
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"{what} is not valid JSON ({error}).") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key appears twice")
    return found


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def _check_places(header: Mapping[str, Any], size: int) -> None:
    """Check that the arrays lie one after the other and fill the file."""
    places = sorted(_place(name, entry) for name, entry in header.items() if name != "__metadata__")
    reached = 0
    for begin, end in places:
        if begin != reached:
            raise ModelFileError("its arrays overlap or leave a gap.")
        reached = end
    if reached != size:
        raise ModelFileError(f"its arrays need {reached} bytes where the file has {size}.")


def _place(name: str, entry: Any) -> tuple[int, int]:
    """Return where an array begins and ends, which its type and shape must agree with."""
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise ModelFileError(f"the array {name[:80]!r} has no type, shape and place.")
    kind, shape, place = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(kind, str) or kind not in _ITEM_BYTES:
        raise ModelFileError(f"the array {name[:80]!r} has a type that no model has.")
    if not (_whole_list(shape) and len(shape) <= _MOST_DIMENSIONS):
        raise ModelFileError(f"the array {name[:80]!r} has a shape that no model has.")
    if not (_whole_list(place) and len(place) == 2):
        raise ModelFileError(f"the array {name[:80]!r} has no place in the file.")
    begin, end = place
    if end - begin != math.prod(shape) * _ITEM_BYTES[kind]:
        raise ModelFileError(f"the array {name[:80]!r} has a shape that does not fit its place.")
    return begin, end


def _whole_list(value: Any) -> bool:
    return isinstance(value, list) and all(
        type(item) is int and 0 <= item < 2**62 for item in value
    )
