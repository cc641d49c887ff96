"""Which models a file can hold: one `Kind` a class, found by the class or by its name in a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from maxmargin.errors import ModelFileError
from maxmargin.persist.reading import Reader
from maxmargin.persist.writing import Writer

__all__ = [
    "Kind",
    "class_of",
    "describe_model",
    "label_of",
    "register",
    "registered",
    "restore_model",
]

_DEEPEST = 16


@dataclass(frozen=True)
class Kind:
    """How models of one class are written and read.

    Attributes
    ----------
    model : type
        The class; subclasses are other classes.
    describe : callable
        ``describe(model, writer)`` writes a fitted model.
    restore : callable
        ``restore(reader)`` returns it again, or raises `ModelFileError`. It trusts nothing.
    name : str
        In files; by default the name of the class.
    """

    model: type
    describe: Callable[[Any, Writer], None]
    restore: Callable[[Reader], Any]
    name: str = ""

    @property
    def label(self) -> str:
        """The name in files."""
        return self.name or self.model.__name__


_BY_CLASS: dict[type, Kind] = {}
_BY_LABEL: dict[str, Kind] = {}


def register(*kinds: Kind) -> None:
    """Make models of these classes ones that `save` and `load` know."""
    for kind in kinds:
        if _BY_LABEL.get(kind.label, kind).model is not kind.model:
            raise ValueError(f"There is another model of the name {kind.label}.")
        _BY_CLASS[kind.model] = _BY_LABEL[kind.label] = kind


def registered() -> list[str]:
    """Return the names of all kinds, sorted."""
    return sorted(_BY_LABEL)


def describe_model(model: Any, out: Writer) -> None:
    """Write a model of any registered class."""
    kind = _kind_of(model)
    out.json("class", kind.label)
    kind.describe(model, out)


def label_of(model: Any) -> str:
    """Return the name in files of a model's class, or say that it cannot be saved."""
    return _kind_of(model).label


def _kind_of(model: Any) -> Kind:
    kind = _BY_CLASS.get(type(model))
    if kind is None:
        raise ModelFileError(
            f"A {type(model).__name__} cannot be saved: a model file holds "
            f"{', '.join(registered())}. Use joblib for others."
        )
    return kind


def class_of(held: Reader, name: str) -> type:
    """Return the class whose name in files is there."""
    return _BY_LABEL[held.text(name, _BY_LABEL)].model


def restore_model(held: Reader) -> Any:
    """Return the model that was written."""
    held.require(held.depth <= _DEEPEST, "class", "is nested too deeply")
    return _BY_LABEL[held.text("class", _BY_LABEL)].restore(held)
