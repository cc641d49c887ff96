"""A model as a tree of JSON and arrays.

In a file an array has the name of its place: ``step2.support`` is "support" in "step2". JSON has
no infinity, no tuples and no keys that are numbers. Such values become JSON objects with a key
that says what they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import ModelFileError

__all__ = ["NUMBERS", "OBJECTS", "Arrays", "Codec", "Node", "decode", "encode", "flattened"]

Arrays = dict[str, NDArray[Any]]

#: The types of arrays of numbers.
NUMBERS = (
    *("bool", "float16", "float32", "float64"),
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
)
_LARGEST_WHOLE = 2**63 - 1
_SPECIAL = {"inf": math.inf, "-inf": -math.inf, "nan": np.nan}
_MISSING: Any = object()
#: Levels of objects and lists: few enough for Python's limit on recursion; models need fewer.
_DEEPEST = 64


def flattened(tree: dict[str, Any], arrays: Arrays, place: str = "", *, proof: bool) -> Any:
    """Return the JSON of a tree, and put its arrays into `arrays`.

    Functions in the tree compute certificates. They are called, or left out without `proof`.
    """
    if place.count(".") >= _DEEPEST:
        raise ModelFileError("The model is nested too deeply for a file: use a simpler kernel.")
    document: dict[str, Any] = {}
    for name, part in tree.items():
        if callable(part) and not proof:
            continue
        value = part() if callable(part) else part
        if isinstance(value, np.ndarray):
            arrays[f"{place}{name}".removesuffix(".")] = value
        elif isinstance(value, dict):
            document[name] = flattened(value, arrays, f"{place}{name}.", proof=proof)
        else:
            document[name] = value
    return document


@dataclass(frozen=True)
class Codec:
    """How values of one kind are written into a tree, and how they are checked and read again."""

    encode: Callable[[Any], Any]
    decode: Callable[[Node], Any]


@dataclass
class Node:
    """One place in the tree of a file: its JSON, its array, or both.

    Nothing in a file is trusted: every value is read by a codec that says what it may be. `sizes`
    holds the lengths of dimensions by name, as far as they are known.
    """

    _json: Any
    _arrays: Arrays
    place: str = ""
    depth: int = 0
    sizes: dict[str, int] = field(default_factory=dict)

    def refuse(self, what: str) -> NoReturn:
        """Raise an error that names the place and what is wrong there."""
        raise ModelFileError(f"{self.place[:80] or 'the description'} {what}.")

    def require(self, condition: Any, what: str) -> None:
        """Refuse the file unless the condition holds."""
        if not condition:
            self.refuse(what)

    @contextmanager
    def refusing(self, what: str) -> Iterator[None]:
        """Refuse the file, with the message of the error, if the block raises one."""
        try:
            yield
        except ModelFileError:
            raise
        except (TypeError, ValueError, AttributeError, OverflowError) as error:
            self.refuse(f"{what}: {str(error).rstrip('.')}")

    def __getitem__(self, name: str) -> Node:
        """Return a place inside this one, whether it holds something or not."""
        return self._inner(name, self.object.get(name, _MISSING))

    def __contains__(self, name: str) -> bool:
        inner = self[name]
        return inner._json not in (_MISSING, None) or inner.place in self._arrays

    def read(self, name: str, codec: Codec) -> Any:
        """Return the value of a place inside this one."""
        return codec.decode(self[name])

    @property
    def json(self) -> Any:
        """The JSON, unchecked."""
        self.require(self._json is not _MISSING, "is missing")
        return self._json

    @property
    def object(self) -> dict[str, Any]:
        """The JSON, which must be an object."""
        self.require(isinstance(self.json, dict), "is not a JSON object")
        found: dict[str, Any] = self.json
        return found

    @property
    def items(self) -> list[Node]:
        """The places in a list."""
        self.require(isinstance(self.json, list), "is not a list")
        return [self._inner(k, item) for k, item in enumerate(self.json)]

    def _inner(self, name: str | int, json: Any) -> Node:
        self.require(self.depth < _DEEPEST, "is nested too deeply")
        place = f"{self.place}.{name}" if self.place else str(name)
        return Node(json, self._arrays, place, self.depth + 1, self.sizes)

    def with_own_sizes(self) -> Node:
        """Return the same place for an object that knows no lengths yet."""
        return Node(self._json, self._arrays, self.place, self.depth)

    def take_array(self) -> NDArray[Any]:
        """Return the array, unchecked; each array is taken once."""
        self.require(self.place in self._arrays, "is missing")
        return self._arrays.pop(self.place)


# Values as JSON ---------------------------------------------------------------------------------

#: Objects that a value can be, by the key that marks them in JSON: a test that is true for them,
#: and their codec. `parameters` fills this in.
OBJECTS: dict[str, tuple[Callable[[Any], Any], Codec]] = {}


def encode(value: Any, name: str) -> Any:
    """Return a value as JSON, or say by the name of the value that it cannot be saved."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int) and abs(value) <= _LARGEST_WHOLE:
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": repr(value)}
    if isinstance(value, tuple | list | range):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [encode(item, name) for item in value]}
    if isinstance(value, Mapping):
        return {"map": [[encode(key, name), encode(item, name)] for key, item in value.items()]}
    if isinstance(value, np.ndarray):
        is_vector = value.ndim == 1 and value.dtype.name in NUMBERS
        items = encode(value.tolist(), name)
        return {"array": items["list"], "type": value.dtype.name} if is_vector else items
    for is_one, codec in OBJECTS.values():
        if is_one(value):
            return codec.encode(value)
    raise ModelFileError(_why_not(value, name))


def _why_not(value: Any, name: str) -> str:
    """Return a sentence on why a value cannot be saved."""
    kind = type(value).__name__
    if name == "random_state":
        return (
            f"random_state is a {kind}, which is not saved: set it to a seed or None with "
            "set_params before."
        )
    if callable(value):
        advice = (
            "fit with a kernel of maxmargin.kernels or with kernel='precomputed'"
            if name == "kernel"
            else "set it to a name or a value with set_params before"
        )
        return (
            f"The parameter {name} is code, which a model file cannot hold: {advice}, or use "
            "joblib."
        )
    return (
        f"{name} is a {kind}, which a model file cannot hold: it holds numbers, strings, and "
        "tuples, lists and maps of them."
    )


def decode(node: Node) -> Any:
    """Return the value that some JSON stands for."""
    raw = node.json
    if raw is None or isinstance(raw, bool | str | float):
        return raw
    if isinstance(raw, int) and abs(raw) <= _LARGEST_WHOLE:
        return raw
    node.require(isinstance(raw, dict), "is not a value that a model has")
    for key, (_, codec) in OBJECTS.items():
        if key in raw:
            return codec.decode(node)
    if "array" in raw:
        return _decode_array(node)
    key = next(iter(raw), "")
    node.require(list(raw) == [key] and key in _FORMS, "is not a value that a model has")
    return _FORMS[key](node[key])


def _decode_array(node: Node) -> Any:
    items = [decode(item) for item in node["array"].items]
    kind = node["type"].json
    if kind in ("string", "object"):  # as in version 1
        return items
    node["type"].require(kind in NUMBERS, "is not a type of numbers")
    node.require(all(isinstance(one, bool | int | float) for one in items), "has no numbers")
    with node.refusing(f"has numbers that are not of type {kind}"):
        return np.array(items, dtype=kind)


def _decode_special(node: Node) -> float:
    name = node.json
    node.require(isinstance(name, str) and name in _SPECIAL, "is not inf, -inf or nan")
    return _SPECIAL[name]


def _decode_pair(node: Node) -> tuple[Any, Any]:
    node.require(len(node.items) == 2, "is not a key and a value")
    key, value = map(decode, node.items)
    fits = isinstance(key, bool | int | float | str)
    node.require(fits, "has a key that is neither a number nor a string")
    return key, value


#: How JSON objects with one key are read.
_FORMS: dict[str, Callable[[Node], Any]] = {
    "float": _decode_special,
    "tuple": lambda node: tuple(map(decode, node.items)),
    "list": lambda node: list(map(decode, node.items)),
    "map": lambda node: dict(map(_decode_pair, node.items)),
}
