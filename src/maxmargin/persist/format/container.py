"""The file itself: safetensors, with the description of the model as JSON in its metadata."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from maxmargin.errors import ModelFileError
from maxmargin.files import replacing

__all__ = ["VERSION", "read", "write"]

#: The version of the format, not of the library.
VERSION = 2

_FORMAT = "maxmargin"
#: In bytes: safetensors reads no longer header.
_LARGEST_HEADER = 100_000_000
#: In bytes: where the arrays begin, in safetensors.
_ALIGNMENT = 8
#: Longer versions are refused before they are turned into a number, which would take long.
_MOST_DIGITS = 9


def write(
    path: str | PathLike[str], document: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Replace the file by one with a description and its arrays."""
    metadata = {
        "format": _FORMAT,
        "version": str(VERSION),
        "model": json.dumps(document, allow_nan=False, separators=(",", ":")),
    }
    # Not its save_file: that makes a temporary file of its own, which a kill would leave behind.
    content = save({name: np.ascontiguousarray(one) for name, one in arrays.items()}, metadata)
    length = int.from_bytes(content[:8], "little")
    header = _ordered(content[8 : 8 + length])
    if len(header) > _LARGEST_HEADER:
        raise ModelFileError(
            f"The model's description has more than {_LARGEST_HEADER} bytes, because a parameter "
            "is very long: set it to a shorter one with set_params before."
        )
    with replacing(path) as new:
        new.write_bytes(len(header).to_bytes(8, "little") + header + content[8 + length :])


def _ordered(header: bytes) -> bytes:
    """Return a header with its entries in order.

    safetensors writes those of the metadata in an order that differs from call to call, and the
    same model has the same bytes.
    """
    entries = json.dumps(json.loads(header), sort_keys=True, separators=(",", ":")).encode()
    return entries + b" " * (-len(entries) % _ALIGNMENT)


def read(path: str | PathLike[str]) -> tuple[Any, dict[str, NDArray[Any]]]:
    """Return the description and the arrays of a file.

    safetensors checks the sizes and places of all arrays before it allocates memory for them.
    """
    try:
        with safe_open(fspath(path), framework="np") as file:
            document = _description(file.metadata() or {})
            return document, {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, TypeError, AttributeError) as error:
        raise ModelFileError(f"it is not a whole file of safetensors ({error}).") from None


def _description(metadata: Mapping[str, str]) -> Any:
    if metadata.get("format") != _FORMAT:
        raise ModelFileError("it is a safetensors file, but not one that maxmargin wrote.")
    version = metadata.get("version", "")
    if not version.isdecimal() or len(version) > _MOST_DIGITS or int(version) < 1:
        raise ModelFileError("its version is not a whole number of at least 1.")
    if int(version) > VERSION:
        raise ModelFileError(
            f"it has version {int(version)} of the format, but this maxmargin reads versions up to "
            f"{VERSION}: install a later maxmargin."
        )
    try:
        return json.loads(
            metadata.get("model", ""), object_pairs_hook=_unique, parse_constant=_refuse_constant
        )
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"the description is not valid JSON ({error}).") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key appears twice")
    return found


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")
