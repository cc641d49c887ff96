"""What the text files of LIBSVM's and LIBLINEAR's models share: a header, a line a key."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import NoReturn

from maxmargin.errors import ModelFileError
from maxmargin.typing import Floats

__all__ = ["Header", "numbers_of", "read_text", "reals", "shortest"]

_LARGEST = 2**31 - 1


class Header:
    """The lines before the data, each a key and its values."""

    def __init__(self, entries: Mapping[str, list[bytes]]) -> None:
        self._entries = entries

    def has(self, key: str) -> bool:
        """Say whether there is such a line."""
        return key in self._entries

    def refuse(self, key: str, what: str) -> NoReturn:
        """Raise with what is wrong."""
        raise ModelFileError(f"its line {key} {what}.")

    def values(self, key: str, count: int | None = None) -> list[bytes]:
        """Return the values of a line, of which there must be so many."""
        if key not in self._entries:
            raise ModelFileError(f"it has no line {key}.")
        found = self._entries[key]
        if count is not None and len(found) != count:
            self.refuse(key, f"has {len(found)} values where {count} are needed")
        return found

    def word(self, key: str, choices: Collection[str]) -> str:
        """Return one of the words that are possible."""
        (raw,) = self.values(key, 1)
        word = raw.decode("ascii", "replace")
        if word not in choices:
            self.refuse(key, f"says {word[:40]!r}, where one of {', '.join(choices)} is known")
        return word

    def whole(self, key: str, least: int, most: int = _LARGEST) -> int:
        """Return one whole number."""
        return self.wholes(key, 1, least, most)[0]

    def wholes(self, key: str, count: int, least: int, most: int = _LARGEST) -> list[int]:
        """Return whole numbers between bounds."""
        found = []
        for raw in self.values(key, count):
            text = raw.decode("ascii", "replace")
            digits = text.removeprefix("-")
            fine = digits.isdigit() and len(digits) <= 10 and least <= int(text) <= most
            if not fine:
                self.refuse(key, f"has {text[:40]!r} where a whole number is needed")
            found.append(int(text))
        return found

    def real(self, key: str) -> float:
        """Return one finite number."""
        return self.reals(key, 1)[0]

    def reals(self, key: str, count: int) -> list[float]:
        """Return finite numbers."""
        return numbers_of(self.values(key, count), f"its line {key}")


def read_text(
    path: str | PathLike[str], last: bytes, known: Collection[str]
) -> tuple[Header, bytes]:
    """Return the header of a model file and what follows the line that says `last`."""
    text = Path(fspath(path)).read_bytes()
    entries: dict[str, list[bytes]] = {}
    at = 0
    while at < len(text):
        end = text.find(b"\n", at)
        end = len(text) if end < 0 else end
        words = text[at:end].split()
        at = end + 1
        if words == [last]:
            return Header(entries), text[at:]
        if words:
            key = words[0].decode("ascii", "replace")
            if key not in known or key in entries:
                raise ModelFileError(f"its header has the unknown or repeated line {key[:40]!r}.")
            entries[key] = words[1:]
    raise ModelFileError(f"it has no line {last.decode()}, or is cut off before it.")


def numbers_of(tokens: Collection[bytes], what: str) -> list[float]:
    """Return finite numbers."""
    try:
        found = [float(token) for token in tokens]
    except ValueError:
        raise ModelFileError(f"{what} has a value that is not a number.") from None
    if not all(map(math.isfinite, found)):
        raise ModelFileError(f"{what} has a value that is not finite.")
    return found


def shortest(value: float) -> str:
    """Return the fewest digits that read back alike."""
    text = repr(float(value))
    return text.removesuffix(".0")


def reals(values: Floats) -> str:
    """Return numbers with blanks between them."""
    return " ".join(map(shortest, values.tolist()))
