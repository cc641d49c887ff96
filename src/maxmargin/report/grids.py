"""Which parameters of a grid vary, and which of them pictures go along."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

__all__ = ["price_of", "short", "varied"]


def varied(points: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the parameters that take several values, all of them numbers.

    Examples
    --------
    >>> from maxmargin.report.grids import varied
    >>> varied([{"C": 1, "gamma": 1, "kernel": "rbf"}, {"C": 2, "gamma": 1, "kernel": "poly"}])
    ['C']
    """
    values: dict[str, set[Any]] = {}
    for point in points:
        for name, value in point.items():
            values.setdefault(name, set()).add(_comparable(value))
    return [name for name, found in values.items() if len(found) > 1 and None not in found]


def price_of(points: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the parameter that curves go along: C or nu, else the first that varies."""
    names = varied(points)
    prices = [name for price in ("C", "nu") for name in names if short(name) == price]
    return next(iter([*prices, *names]), None)


def short(name: str) -> str:
    """Return a parameter's name without that of a pipeline's step."""
    return name.rpartition("__")[2]


def _comparable(value: Any) -> float | None:
    return float(value) if isinstance(value, Real) and not isinstance(value, bool) else None
