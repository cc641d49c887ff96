"""Files that were damaged, by chance or with intent: bits flipped, ends cut, counts enlarged."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

__all__ = ["mutated"]

_NUMBER = re.compile(rb"\d+")
_EXTREMES = (
    *(b"0", b"-1", b"1", b"255", b"65536", b"2147483647", b"2147483648", b"4294967296"),
    *(b"9223372036854775807", b"18446744073709551616", b"9" * 40, b"1e308", b"1e999", b"-1e308"),
    *(b"nan", b"inf", b"0.5", b"1e-320", b"null", b'"x"', b"[]", b"{}", b""),
)
_SEPARATORS = (b":", b" ", b"\n", b"\r\n", b"#", b'"', b"{", b"}", b"[", b"]", b"\0", b"\xff")


def _place(data: bytearray, chance: random.Random) -> int:
    # Half of the places lie in the first bytes, which hold lengths and headers.
    near = chance.random() < 0.5
    return chance.randrange(min(len(data), 64) if near else len(data))


def _flip(data: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice((1, 1, 2, 8))):
        data[_place(data, chance)] ^= 1 << chance.randrange(8)


def _truncate(data: bytearray, chance: random.Random) -> None:
    del data[_place(data, chance) :]


def _remove(data: bytearray, chance: random.Random) -> None:
    at = _place(data, chance)
    del data[at : at + chance.choice((1, 2, 8, 64, 1024))]


def _repeat(data: bytearray, chance: random.Random) -> None:
    at, length = _place(data, chance), chance.choice((1, 8, 64, 1024))
    data[at:at] = data[at : at + length] * chance.choice((1, 2, 16))


def _swap(data: bytearray, chance: random.Random) -> None:
    length = chance.choice((1, 4, 8))
    one, other = _place(data, chance), _place(data, chance)
    data[one : one + length], data[other : other + length] = (
        data[other : other + length],
        data[one : one + length],
    )


def _count(data: bytearray, chance: random.Random) -> None:
    """Put another number, often a huge one, in the place of one in the text."""
    start = _place(data, chance)
    found = _NUMBER.search(data, start) or _NUMBER.search(data)
    if found:
        data[found.start() : found.end()] = chance.choice(_EXTREMES)


def _swap_counts(data: bytearray, chance: random.Random) -> None:
    one, other = (_NUMBER.search(data, _place(data, chance)) for _ in range(2))
    if one and other and one.end() <= other.start():
        first, second = bytes(one[0]), bytes(other[0])
        data[other.start() : other.end()] = first
        data[one.start() : one.end()] = second


def _length(data: bytearray, chance: random.Random) -> None:
    """Overwrite eight bytes with a length."""
    size = chance.choice((0, 1, 2, 100, len(data), 2**31, 2**32, 2**62, 2**63, 2**64 - 1))
    at = chance.choice((0, _place(data, chance)))
    data[at : at + 8] = size.to_bytes(8, "little")


def _separator(data: bytearray, chance: random.Random) -> None:
    at = _place(data, chance)
    data[at : at + chance.choice((0, 1))] = chance.choice(_SEPARATORS)


_WAYS: tuple[Callable[[bytearray, random.Random], None], ...] = (
    *(_flip, _truncate, _remove, _repeat, _swap, _count, _count, _swap_counts, _length, _separator),
)


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Return a damaged copy."""
    copy = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        if copy:
            chance.choice(_WAYS)(copy, chance)
    return bytes(copy)
