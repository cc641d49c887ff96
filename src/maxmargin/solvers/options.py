"""Checks of the options of solvers and stopping rules, each with a sentence."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

from maxmargin.errors import InvalidInputError

__all__ = ["as_float", "finite_from_zero", "instance", "one_of", "positive", "require", "whole"]


def as_float(value: Any) -> float:
    """Return a real number as a float; NaN, which fails every comparison, for anything else.

    Examples
    --------
    >>> from maxmargin.solvers.options import as_float
    >>> as_float(2), as_float("2"), as_float(True)
    (2.0, nan, nan)
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan


def require(condition: bool, name: str, rule: str, value: Any) -> None:
    """Raise a sentence with the name of the option, its rule and what was given."""
    if not condition:
        raise InvalidInputError(f"{name} must {rule}; got {value!r}.")


def whole(value: Any, name: str, smallest: int = 1) -> int:
    """Return a whole number, a float such as 1e3 included, as an int."""
    number = as_float(value)
    rule = f"be a whole number of at least {smallest}"
    require(number.is_integer() and number >= smallest, name, rule, value)
    return int(value)


def positive(value: Any, name: str) -> float:
    """Return a number above zero, infinity included, as a float."""
    number = as_float(value)
    require(number > 0, name, "be a number above zero", value)
    return number


def finite_from_zero(value: Any, name: str) -> float:
    """Return a finite number, zero or more, as a float."""
    number = as_float(value)
    require(0 <= number < math.inf, name, "be a finite number, zero or more", value)
    return number


def one_of(value: Any, name: str, words: tuple[str, ...]) -> None:
    """Refuse what is not one of the words."""
    rule = f"be one of {', '.join(repr(word) for word in words)}"
    require(isinstance(value, str) and value in words, name, rule, value)


def instance(value: Any, name: str, kind: type, examples: str) -> None:
    """Refuse what is not of a kind."""
    require(isinstance(value, kind), name, f"be a {kind.__name__}, such as {examples}", value)
