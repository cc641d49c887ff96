"""The lines with which the models of LIBSVM and LIBLINEAR begin: a key and its values each."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from maxmargin.errors import ModelFileError

__all__ = ["Header", "header_text", "joined", "numbers_of", "read_header", "whole_labels"]

_LARGEST = 2**31 - 1


class Header(dict[str, list[str]]):
    """The values of each line."""

    def refuse(self, key: str, what: str) -> NoReturn:
        """Raise with what is wrong."""
        raise ModelFileError(f"its line {key} {what}.")

    def words(self, key: str, count: int) -> list[str]:
        """Return the values of a line, which must have this many."""
        if key not in self:
            raise ModelFileError(f"it has no line {key}.")
        if len(self[key]) != count:
            self.refuse(key, f"has {len(self[key])} values, but {count} are needed")
        return self[key]

    def word(self, key: str, choices: Collection[str]) -> str:
        """Return a word that is one of the choices."""
        (word,) = self.words(key, 1)
        if word not in choices:
            self.refuse(key, f"says {word[:40]!r}, but must say one of {', '.join(choices)}")
        return word

    def wholes(self, key: str, count: int, least: int = -_LARGEST - 1) -> list[int]:
        """Return whole numbers of 32 bits."""
        words = self.words(key, count)
        for word in words:
            digits = word.removeprefix("-")
            fine = digits.isdigit() and len(digits) <= 10 and least <= int(word) <= _LARGEST
            if not fine:
                what = f"has {word[:40]!r} instead of a whole number from {least} to {_LARGEST}"
                self.refuse(key, what)
        return [int(word) for word in words]

    def whole(self, key: str, least: int) -> int:
        """Return one whole number."""
        return self.wholes(key, 1, least)[0]

    def labels(self, n_classes: int) -> list[int]:
        """Return the labels of the classes, which all differ."""
        labels = self.wholes("label", n_classes)
        if len(set(labels)) != n_classes:
            self.refuse("label", "has a class twice")
        return labels

    def reals(self, key: str, count: int) -> list[float]:
        """Return finite numbers."""
        return numbers_of(self.words(key, count), f"its line {key}")

    def real(self, key: str) -> float:
        """Return one finite number."""
        return self.reals(key, 1)[0]


def read_header(
    path: str | PathLike[str], last: str, known: Collection[str]
) -> tuple[Header, bytes]:
    """Return the header of a model file and what follows the line that says `last`."""
    header = Header()
    with Path(path).open("rb") as file:
        for line in file:
            words = line.decode("ascii", "replace").split()
            if words == [last]:
                return header, file.read()
            if words:
                key, *values = words
                if key not in known or key in header:
                    raise ModelFileError(
                        f"its header has the unknown or repeated line {key[:40]!r}."
                    )
                header[key] = values
    raise ModelFileError(f"it has no line {last}, or is cut off before it.")


def header_text(lines: Mapping[str, Any], last: str) -> bytes:
    """Return the lines of a header and the one that ends it."""
    return (
        "".join(f"{key} {value}\n" for key, value in lines.items()).encode() + f"{last}\n".encode()
    )


def numbers_of(words: Iterable[str | bytes], what: str) -> list[float]:
    """Return finite numbers."""
    try:
        found = [float(word) for word in words]
    except ValueError:
        raise ModelFileError(f"{what} has a value that is not a number.") from None
    if not all(map(math.isfinite, found)):
        raise ModelFileError(f"{what} has a value that is not finite.")
    return found


def joined(values: Iterable[Any]) -> str:
    """Return numbers with blanks between them, in the fewest digits that read back alike."""
    words = (str(one) if isinstance(one, int) else repr(float(one)) for one in values)
    return " ".join(word.removesuffix(".0") for word in words)


def whole_labels(classes: Any, program: str) -> list[int]:
    """Return labels as the whole numbers that a program knows."""
    whole = classes.dtype.kind in "iuf" and bool((classes == np.floor(classes)).all())
    if not whole or np.abs(classes.astype(np.float64)).max() > _LARGEST:
        raise ModelFileError(
            f"{program}'s labels are whole numbers of 32 bits: encode the classes before fit, for "
            "example with LabelEncoder."
        )
    return [int(label) for label in classes]
