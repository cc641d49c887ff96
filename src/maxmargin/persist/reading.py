"""What a description is read with: every value is asked for with what it may be."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Literal, NoReturn

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.errors import ModelFileError
from maxmargin.persist.values import decoded

__all__ = ["Reader"]

Kind = Literal["float64", "float", "int32", "int64", "uint8"]

_TYPES: dict[str, tuple[Any, ...]] = {
    "float64": (np.float64,),
    "float": (np.float64, np.float32),
    "int32": (np.int32,),
    "int64": (np.int64,),
    "uint8": (np.uint8,),
}
_LARGEST_WHOLE = 2**53
_MOST_COLUMNS = 2**31 - 1


class Reader:
    """One object of a description; the counterpart of `Writer`."""

    def __init__(
        self, document: Any, arrays: dict[str, NDArray[Any]], prefix: str = "", depth: int = 0
    ) -> None:
        self.prefix = prefix
        self.depth = depth
        self._arrays = arrays
        if not isinstance(document, dict):
            self.refuse("", "is not a JSON object")
        self._document: dict[str, Any] = document

    def refuse(self, name: str, what: str) -> NoReturn:
        """Raise with the place of what is wrong."""
        place = (self.prefix + name).rstrip(".")[:80] or "the description"
        raise ModelFileError(f"{place} {what}.")

    def require(self, condition: Any, name: str, what: str) -> None:
        """Raise unless the condition holds."""
        if not condition:
            self.refuse(name, what)

    # JSON ---------------------------------------------------------------------------------------

    def has(self, name: str) -> bool:
        """Say whether there is something of this name, and not null."""
        return self._document.get(name) is not None

    def names(self) -> Iterator[str]:
        """Return the names of all values."""
        return iter(self._document)

    def value(self, name: str) -> Any:
        """Return a plain value."""
        return decoded(self.json(name), self.prefix + name)

    def json(self, name: str) -> Any:
        """Return what is there, as JSON."""
        if name not in self._document:
            self.refuse(name, "is missing")
        return self._document[name]

    def text(self, name: str, choices: Collection[str] | None = None) -> str:
        """Return a string, one of the choices if they are given."""
        found = self.json(name)
        if not isinstance(found, str) or (choices is not None and found not in choices):
            self.refuse(name, "is not a string that is possible there")
        return found

    def flag(self, name: str) -> bool:
        """Return true or false."""
        found = self.json(name)
        if not isinstance(found, bool):
            self.refuse(name, "is neither true nor false")
        return found

    def whole(self, name: str, least: int = 0, most: int = _LARGEST_WHOLE) -> int:
        """Return a whole number between bounds."""
        found = self.json(name)
        if type(found) is not int or not least <= found <= most:
            self.refuse(name, f"is not a whole number from {least} to {most}")
        return found

    def real(self, name: str, least: float = -math.inf) -> float:
        """Return a finite number."""
        found = self.json(name)
        if isinstance(found, bool) or not isinstance(found, int | float):
            self.refuse(name, "is not a number")
        try:
            number = float(found)
        except OverflowError:
            number = math.inf
        self.require(math.isfinite(number) and number >= least, name, "is out of bounds")
        return number

    def child(self, name: str) -> Reader:
        """Return the reader of an object inside this one."""
        return Reader(self.json(name), self._arrays, f"{self.prefix}{name}.", self.depth + 1)

    def children(self, name: str) -> list[Reader]:
        """Return the readers of a list of objects, whose arrays are named by their places."""
        found = self.json(name)
        if not isinstance(found, list):
            self.refuse(name, "is not a list")
        return [
            Reader(item, self._arrays, f"{self.prefix}{name}.{k}.", self.depth + 1)
            for k, item in enumerate(found)
        ]

    def strings(self, name: str) -> list[str]:
        """Return a list of strings."""
        found = self.json(name)
        if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
            self.refuse(name, "is not a list of strings")
        return found

    # Arrays -------------------------------------------------------------------------------------

    def holds(self, name: str) -> bool:
        """Say whether there is an array of this name."""
        return self.prefix + name in self._arrays

    def type_of(self, name: str) -> Any:
        """Return the type of the array of this name, None if there is none."""
        values = self._arrays.get(self.prefix + name)
        return None if values is None else values.dtype

    def array(
        self, name: str, kind: Kind, shape: Sequence[int | None], *, finite: bool = True
    ) -> NDArray[Any]:
        """Take an array of this type and shape (None: any length)."""
        values = self._arrays.pop(self.prefix + name, None)
        if values is None:
            self.refuse(name, "is missing")
        if values.dtype not in _TYPES[kind]:
            self.refuse(name, f"has the type {values.dtype}")
        fits = values.ndim == len(shape) and all(
            wanted is None or wanted == there
            for wanted, there in zip(shape, values.shape, strict=False)
        )
        self.require(fits, name, f"has the shape {values.shape}, which does not fit the rest")
        if finite and values.dtype.kind == "f" and not np.isfinite(values).all():
            self.refuse(name, "contains NaN or infinity")
        return values

    def wholes(
        self, name: str, kind: Kind, length: int | None, least: int = 0, most: int = 2**31 - 1
    ) -> NDArray[Any]:
        """Take a vector of whole numbers between bounds."""
        values = self.array(name, kind, (length,))
        inside = not len(values) or (values.min() >= least and values.max() <= most)
        self.require(inside, name, f"has numbers that are not from {least} to {most}")
        return values

    def matrix(self, name: str, shape: tuple[int | None, int | None]) -> Any:
        """Take a matrix of finite floats, dense or CSR with ascending columns."""
        form = self.child(name)
        if not form.flag("sparse"):
            return self.array(name, "float", shape)
        n_columns = form.whole("n_columns", most=_MOST_COLUMNS)
        starts = self.array(f"{name}.starts", "int64", (None,))
        values = self.array(f"{name}.values", "float", (None,))
        columns = self.wholes(f"{name}.columns", "int32", len(values), most=n_columns - 1)
        fits = len(starts) >= 1 and starts[0] == 0 and starts[-1] == len(values)
        self.require(fits and (np.diff(starts) >= 0).all(), name, "has rows that do not fit")
        narrow = len(values) <= np.iinfo(np.int32).max
        matrix = sparse.csr_array(
            (values, columns, starts.astype(np.int32 if narrow else np.int64)),
            shape=(len(starts) - 1, n_columns),
        )
        fits = all(want in (None, there) for want, there in zip(shape, matrix.shape, strict=True))
        self.require(fits, name, "has a shape that does not fit the rest")
        self.require(matrix.has_canonical_format, name, "has columns that do not ascend")
        return matrix
