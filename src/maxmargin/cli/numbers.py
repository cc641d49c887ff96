"""Numbers and grids as they are typed: 0.5, 2^-5, 1,10,100 and 0.1:1000:9."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import click
import numpy as np

__all__ = ["grid", "number", "number_or_word", "seconds"]


def _parsed(text: str) -> float:
    """Return a number; powers such as 2^-5 are as users of grid.py think of them."""
    base, power, exponent = text.strip().partition("^")
    try:
        value = float(base) ** float(exponent) if power else float(base)
    except (ValueError, OverflowError, ZeroDivisionError):
        raise click.BadParameter(f"{text!r} is not a number.") from None
    if isinstance(value, complex) or not math.isfinite(value):
        raise click.BadParameter(f"{text!r} is not a finite number.")
    return value


def number(
    *, above: float | None = None, least: float | None = None, whole: bool = False
) -> Callable[[Any], Any]:
    """Return a type of options: a number within these bounds."""

    def convert(text: Any) -> Any:
        value = _parsed(str(text))
        if above is not None and not value > above:
            raise click.BadParameter(f"{text} is not greater than {above:g}.")
        if least is not None and not value >= least:
            raise click.BadParameter(f"{text} is less than {least:g}.")
        if not whole:
            return value
        if not value.is_integer():
            raise click.BadParameter(f"{text} is not a whole number.")
        return int(value)

    return convert


def number_or_word(words: Sequence[str], one: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a type of options: a number, or one of some words."""
    return lambda text: text if text in words else one(text)


def seconds(text: Any) -> Any:
    """Return a time: 90, 90s, 15m or 1.5h."""
    units = {"s": 1.0, "m": 60.0, "h": 3600.0}
    last = str(text)[-1:]
    if last in units:
        return number(above=0.0)(str(text)[:-1]) * units[last]
    return number(above=0.0)(text)


def grid(one: Callable[[Any], Any], *, logarithmic: bool) -> Callable[[Any], Any]:
    """Return a type of options: a list a,b,c, or n numbers from a to b as a:b:n.

    Parameters
    ----------
    one : callable
        The type of each.
    logarithmic : bool
        Whether those between a and b are so many times the one before, or so much more.
    """

    def convert(text: Any) -> Any:
        if isinstance(text, tuple):
            return text
        if ":" not in str(text):
            return tuple(one(part) for part in str(text).split(","))
        parts = str(text).split(":")
        if len(parts) != 3:
            raise click.BadParameter(f"{text!r} is neither a,b,c nor FROM:TO:COUNT.")
        first, last = one(parts[0]), one(parts[1])
        count = number(least=1, whole=True)(parts[2])
        if isinstance(first, str) or isinstance(last, str) or (logarithmic and first <= 0):
            raise click.BadParameter(f"{text!r}: FROM and TO must be numbers greater than 0.")
        values = np.geomspace if logarithmic else np.linspace
        return tuple(one(float(f"{value:.12g}")) for value in values(first, last, count).tolist())

    return convert
