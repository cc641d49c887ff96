"""Class labels and names of features."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from maxmargin.errors import ModelFileError
from maxmargin.persist.reading import Reader
from maxmargin.persist.writing import Writer

__all__ = [
    "describe_features",
    "describe_labels",
    "restore_features",
    "restore_labels",
    "strings_as_array",
    "whole_labels",
]

_MOST_FEATURES = 2**31 - 1
_LARGEST_LABEL = 2**31
_MODERATE = 1 << 20
_MOST_SLACK = 64

#: How labels of each kind are held: an array of numbers, or strings.
_NUMBERS = {"b": np.uint8, "i": np.int64, "f": np.float64}


def describe_labels(classes: Any, out: Writer) -> None:
    """Write the labels, and in which type they come back."""
    held = out.child("classes")
    kind = classes.dtype.kind
    if kind in "US" or (kind == "O" and all(isinstance(label, str) for label in classes)):
        if kind == "S":
            raise ModelFileError("The class labels are bytes: fit with strings instead.")
        held.json("type", "object" if kind == "O" else "string")
        held.json("labels", [str(label) for label in classes])
        return
    small = kind == "u" and (classes <= np.iinfo(np.int64).max).all()
    stored = _NUMBERS.get("i" if small else kind)
    if stored is None or classes.dtype.itemsize > 8:
        raise ModelFileError(
            f"The class labels are of type {classes.dtype}, which a model file cannot hold: fit "
            "with numbers or strings."
        )
    held.json("type", classes.dtype.name)
    held.array("labels", classes, stored)


def restore_labels(held: Reader) -> Any:
    """Return at least two labels in ascending order."""
    found = held.child("classes")
    kind = found.text("type")
    if kind in ("string", "object"):
        strings = found.strings("labels")
        classes = strings_as_array(strings, found, "labels")
        if kind == "object":
            classes = classes.astype(object)
        ordered = all(a < b for a, b in pairwise(strings))
    else:
        classes = _numbers(found, kind)
        ordered = bool((classes[1:] > classes[:-1]).all())
    found.require(len(classes) >= 2, "labels", "are fewer than two")
    found.require(ordered, "labels", "do not ascend")
    return classes


def strings_as_array(strings: list[str], held: Reader, name: str) -> Any:
    """Return strings as an array, in which all have the room of the longest."""
    longest = max(map(len, strings), default=0)
    room = max(_MODERATE, _MOST_SLACK * sum(map(len, strings)))
    held.require(longest * len(strings) <= room, name, "differ too much in length")
    held.require(not any("\0" in item for item in strings), name, "contain zeros")
    return np.array(strings, dtype=np.str_)


def _numbers(found: Reader, kind: str) -> Any:
    wholes = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
    found.text("type", {"bool", "float16", "float32", "float64", *wholes})
    wanted = np.dtype(kind)
    stored = {"b": "uint8", "f": "float64"}.get(wanted.kind, "int64")
    values = found.array("labels", stored, (None,))  # type: ignore[arg-type]
    with np.errstate(over="ignore"):
        classes = values.astype(wanted)
    found.require((classes == values).all(), "labels", f"are not all of type {kind}")
    return classes


def describe_features(model: Any, out: Writer) -> None:
    """Write how many features there are, and their names if the data had them."""
    attributes = vars(model)
    if "n_features_in_" in attributes:
        out.value("n_features", int(model.n_features_in_))
    if "feature_names_in_" in attributes:
        out.json("feature_names", [str(name) for name in model.feature_names_in_])


def restore_features(model: Any, held: Reader) -> int:
    """Set the number of features and their names; return the former."""
    count = held.whole("n_features", least=1, most=_MOST_FEATURES)
    model.n_features_in_ = count
    if held.has("feature_names"):
        names = held.strings("feature_names")
        held.require(len(names) == count, "feature_names", "are not one a feature")
        model.feature_names_in_ = np.array(names, dtype=object)
    return count


def whole_labels(classes: Any, program: str) -> list[int]:
    """Return labels as the whole numbers that another program knows."""
    numbers = classes.dtype.kind in "iuf" and bool((classes == np.floor(classes)).all())
    if not numbers or np.abs(classes.astype(np.float64)).max() >= _LARGEST_LABEL:
        raise ModelFileError(
            f"{program}'s labels are whole numbers of 32 bits: encode the classes before fit, for "
            "example with LabelEncoder."
        )
    return [int(label) for label in classes]
