"""Plain values as JSON: None, booleans, numbers, strings, and tuples and maps of them.

JSON has neither infinity nor tuples nor keys that are numbers; these become objects with one key
that says what they are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from maxmargin.errors import ModelFileError

__all__ = ["decoded", "decoded_key", "encoded", "is_list_of_pairs"]

_LARGEST_WHOLE = 2**63 - 1
_SPECIAL = {"inf": math.inf, "-inf": -math.inf, "nan": np.nan}


def encoded(value: Any, name: str) -> Any:
    """Return a value as JSON, or say that it cannot be saved."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int) and abs(value) <= _LARGEST_WHOLE:
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": repr(value)}
    if isinstance(value, tuple):
        return {"tuple": [encoded(item, name) for item in value]}
    if isinstance(value, Mapping):
        pairs = [[encoded(key, name), encoded(item, name)] for key, item in value.items()]
        return {"map": pairs}
    if name == "random_state":
        raise ModelFileError(
            f"random_state is a {type(value).__name__}, which is not saved: set it to a seed or "
            "None with set_params before."
        )
    raise ModelFileError(
        f"{name} is a {type(value).__name__}, which a model file cannot hold: it holds numbers, "
        "strings, and tuples and maps of them."
    )


def decoded(value: Any, name: str) -> Any:
    """Return the value that some JSON stands for."""
    if value is None or isinstance(value, bool | str | float):
        return value
    if isinstance(value, int) and abs(value) <= _LARGEST_WHOLE:
        return value
    if isinstance(value, dict) and len(value) == 1:
        ((kind, inner),) = value.items()
        if kind == "float" and isinstance(inner, str) and inner in _SPECIAL:
            return _SPECIAL[inner]
        if kind == "tuple" and isinstance(inner, list):
            return tuple(decoded(item, name) for item in inner)
        if kind == "map" and is_list_of_pairs(inner):
            return {decoded_key(key, name): decoded(item, name) for key, item in inner}
    raise ModelFileError(f"{name} is not a value that a model has.")


def is_list_of_pairs(value: Any) -> bool:
    """Say whether this can be the content of a map."""
    return isinstance(value, list) and all(isinstance(p, list) and len(p) == 2 for p in value)


def decoded_key(value: Any, name: str) -> Any:
    """Return a key of a map."""
    key = decoded(value, name)
    if not isinstance(key, bool | int | float | str):
        raise ModelFileError(f"{name} has a key that is neither a number nor a string.")
    return key
