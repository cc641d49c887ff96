"""One schema per kind of model: the language of the schemas, and their registry.

A codec turns a value into JSON or an array and back, and checks it both times. An entry gives it
a name in the file and the attribute that holds the value. A schema is a table of entries, by which
models of one class are both written and read.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import ModelFileError
from maxmargin.persist.format.tree import Codec, Node, decode, encode

__all__ = [
    *("MODEL", "UNSET", "Codec", "Entry", "Schema", "array", "field", "flag", "named", "number"),
    *("real", "record", "register", "registered", "rule", "schema_of", "strings", "text", "whole"),
]

_REQUIRED: Any = object()
#: The default of an attribute that is not set if the file does not have it.
UNSET: Any = object()

# Codecs of plain values -------------------------------------------------------------------------


def _plain(holds: Callable[[Any], bool], what: str) -> Codec:
    """Return the codec of values whose JSON passes a test; `what` completes the error."""

    def write(value: Any) -> Any:
        raw = encode(value, "It")
        if not holds(raw):
            raise ValueError(what)
        return raw

    def read(node: Node) -> Any:
        node.require(holds(node.json), what)
        return node.json

    return Codec(write, read)


flag = _plain(lambda raw: isinstance(raw, bool), "is neither true nor false")
strings = _plain(
    lambda raw: isinstance(raw, list) and all(isinstance(one, str) for one in raw),
    "is not a list of strings",
)


def text(*choices: str) -> Codec:
    """Return the codec of a string, which must be one of the choices if there are any."""
    return _plain(
        lambda raw: isinstance(raw, str) and (raw in choices or not choices),
        "is not a string that is possible there",
    )


def whole(least: int = 0, most: int = 2**53) -> Codec:
    """Return the codec of a whole number between bounds."""
    what = f"is not a whole number from {least} to {most}"
    return _plain(lambda raw: type(raw) is int and least <= raw <= most, what)


def real(least: float = -sys.float_info.max, most: float = sys.float_info.max) -> Codec:
    """Return the codec of a finite number between bounds."""
    return _plain(
        lambda raw: type(raw) in (int, float) and least <= raw <= most,
        "is not a number that is possible there",
    )


def _read_number(node: Node) -> float:
    value = decode(node)
    node.require(type(value) in (int, float), "is not a number")
    return float(value)


#: Numbers, NaN and infinity included.
number = Codec(lambda value: encode(value, "It"), _read_number)

# Arrays and objects -----------------------------------------------------------------------------


def array(
    kind: str,
    *shape: str | int | None,
    below: str | int | None = 2**31,
    finite: bool = True,
) -> Codec:
    """Return the codec of arrays of a type, or of several as in "float64|float32".

    A dimension is a number, None for any length, or a name: the first array with a dimension of
    that name sets its length. Whole numbers in the array lie from 0 to less than `below`, which is
    a number, the name of a length, or None for no bounds.
    """
    types = [np.dtype(one) for one in kind.split("|")]

    def write(value: Any) -> NDArray[Any]:
        found = np.atleast_1d(np.asarray(value, types[0] if len(types) == 1 else None))
        if found.dtype not in types or found.ndim != len(shape):
            raise ModelFileError(
                f"A model file cannot hold an array of {found.dtype} in {found.ndim} dimension(s) "
                f"instead of one of {kind} in {len(shape)}."
            )
        if finite and not np.isfinite(found).all():
            raise ModelFileError("The model has NaN or infinity among its numbers: fit it again.")
        return found

    def read(node: Node) -> NDArray[Any]:
        found = node.take_array()
        node.require(found.dtype in types, f"has the type {found.dtype}")
        lengths = [node.sizes.get(one) if isinstance(one, str) else one for one in shape]
        fits = found.ndim == len(shape) and all(
            length in (None, there) for length, there in zip(lengths, found.shape, strict=True)
        )
        node.require(fits, f"has the shape {found.shape}, which does not fit the rest")
        if found.dtype.kind == "i" and found.size and below is not None:
            most = (node.sizes[below] if isinstance(below, str) else below) - 1
            inside = found.min() >= 0 and found.max() <= most
            node.require(inside, f"has numbers that are not from 0 to {most}")
        node.require(not finite or np.isfinite(found).all(), "contains NaN or infinity")
        named = zip(shape, found.shape, strict=True)
        node.sizes.update((one, length) for one, length in named if isinstance(one, str))
        return found

    return Codec(write, read)


def record(make: Callable[..., Any], *entries: Entry) -> Codec:
    """Return the codec of objects that `make` makes of their attributes."""

    def read(node: Node) -> Any:
        found = SimpleNamespace()
        _read_entries(entries, found, node.with_own_sizes())
        return make(**vars(found))

    return Codec(lambda value: _write_entries(entries, value), read)


# Entries ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Entry:
    """One line of a schema: how to write a part of a model, by name, and how to read it back."""

    write: Callable[[Any], dict[str, Any]]
    read: Callable[[Any, Node], None]


def field(
    name: str,
    codec: Codec,
    attribute: str = "",
    *,
    default: Any = _REQUIRED,
    needed_if: str = "",
    size: str = "",
) -> Entry:
    """Return the entry of an attribute, which may have another name in the file.

    An attribute that is None or equals its default is not written. If the file does not have it,
    it is set to the default, or with `UNSET` not set at all; but if the parameter `needed_if` is
    true, the file must have it. `size` is the name of a length that the value gives.
    """
    attribute = attribute or name

    def write(model: Any) -> dict[str, Any]:
        value = vars(model).get(attribute)
        if default is not _REQUIRED and (
            value is None or (np.isscalar(value) and value == default)
        ):
            return {}
        try:
            return {name: codec.encode(value)}
        except ModelFileError:
            raise
        except ValueError as fault:
            raise ModelFileError(f"{name} {fault}, which a model file cannot hold.") from None

    def read(model: Any, node: Node) -> None:
        is_needed = default is _REQUIRED or (needed_if and vars(model)[needed_if])
        value = node.read(name, codec) if is_needed or name in node else default
        if size and value is not default:
            node.sizes[size] = value
        if value is not UNSET:
            setattr(model, attribute, value)

    return Entry(write, read)


def rule(apply: Callable[[Any, Node], None]) -> Entry:
    """Return a step of reading that checks the entries above it, or sets what follows from them."""
    return Entry(lambda _: {}, apply)


def _write_entries(entries: Iterable[Entry], model: Any) -> dict[str, Any]:
    return {name: part for entry in entries for name, part in entry.write(model).items()}


def _read_entries(entries: Iterable[Entry], model: Any, node: Node) -> None:
    for entry in entries:
        entry.read(model, node)


# Schemas ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Schema:
    """What a file holds of the models of one class.

    Attributes
    ----------
    model : type
        The class; subclasses are other classes.
    entries : tuple of Entry
        Written and read in this order.
    create : callable, optional
        ``create(node)`` returns a model without attributes; by default the class is called.
    name : str
        In files; by default the name of the class.
    """

    model: type
    entries: tuple[Entry, ...]
    create: Callable[[Node], Any] | None = None
    name: str = ""

    @property
    def label(self) -> str:
        """The name in files."""
        return self.name or self.model.__name__


_SCHEMAS: dict[str, Schema] = {}


def register(*schemas: Schema) -> None:
    """Let `save` and `load` handle models of these classes."""
    for schema in schemas:
        if _SCHEMAS.get(schema.label, schema).model is not schema.model:
            raise ValueError(f"There is another model of the name {schema.label}.")
        _SCHEMAS[schema.label] = schema


def registered() -> list[str]:
    """Return the names of all kinds of models, sorted."""
    return sorted(_SCHEMAS)


def schema_of(model: Any) -> Schema:
    """Return the schema of a model, or say that it cannot be saved."""
    for schema in _SCHEMAS.values():
        if schema.model is type(model):
            return schema
    raise ModelFileError(
        f"A {type(model).__name__} cannot be saved: a model file holds {', '.join(registered())}. "
        "Use joblib for others."
    )


def named(node: Node) -> Schema:
    """Return the schema whose name is in this place."""
    return _SCHEMAS[text(*_SCHEMAS).decode(node)]


def _write(model: Any) -> dict[str, Any]:
    schema = schema_of(model)
    return {"class": schema.label, **_write_entries(schema.entries, model)}


def _read(node: Node) -> Any:
    schema = named(node["class"])
    model = schema.model() if schema.create is None else schema.create(node)
    _read_entries(schema.entries, model, node.with_own_sizes())
    return model


#: Fitted models of any registered class.
MODEL = Codec(_write, _read)
