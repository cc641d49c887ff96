"""Numbers as tables and pictures write them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = [
    "cost",
    "counted",
    "exact_percent",
    "measured",
    "number",
    "params_text",
    "percent",
    "rounded",
    "seconds",
    "small",
]


def cost(value: float) -> str:
    """Return a cost with four digits."""
    return f"{value:.4f}"


def small(value: float) -> str:
    """Return a gap or violation; what rounding leaves of a gap counts as zero."""
    return f"{value:.1e}" if value > 0 else "0"


def number(value: Any) -> str:
    """Return a parameter's value.

    Examples
    --------
    >>> from maxmargin.report.words import number
    >>> number(10**1.5), number(100), number("scale")
    ('31.6', '100', 'scale')
    """
    if isinstance(value, float | np.floating):
        return f"{value:.3g}"
    return str(value)


def rounded(text: str) -> str:
    """Return text in which numbers have four digits.

    Examples
    --------
    >>> from maxmargin.report.words import rounded
    >>> rounded("RBF(gamma=0.1353352832366127)")
    'RBF(gamma=0.1353)'
    """
    return re.sub(r"\d+\.\d{4,}(e[-+]?\d+)?", lambda found: f"{float(found[0]):.4g}", text)


def percent(part: float) -> str:
    """Return a share."""
    return f"{part:.0%}"


def params_text(params: Mapping[str, Any]) -> str:
    """Return parameters in one line."""
    listed = ", ".join(f"{name} = {number(value)}" for name, value in params.items())
    return listed or "default parameters"


def exact_percent(part: float) -> str:
    """Return a share with two digits after the point."""
    return f"{part:.2%}"


def measured(value: float) -> str:
    """Return a measurement with four digits."""
    return f"{value:.4g}"


def counted(n: int, what: str, many: str | None = None) -> str:
    """Return how many there are of something.

    Examples
    --------
    >>> from maxmargin.report.words import counted
    >>> counted(1, "row"), counted(4000, "row"), counted(2, "class", "classes")
    ('1 row', '4,000 rows', '2 classes')
    """
    return f"{n:,} {what if n == 1 else many or what + 's'}"


def seconds(value: float) -> str:
    """Return a time.

    Examples
    --------
    >>> from maxmargin.report.words import seconds
    >>> seconds(0.00123), seconds(0.234), seconds(12.34), seconds(4000.0)
    ('1.2 ms', '234 ms', '12.3 s', '66.7 min')
    """
    if value < 1.0:
        return f"{1000 * value:.2g} ms" if value < 0.01 else f"{1000 * value:.0f} ms"
    return f"{value:.1f} s" if value < 600.0 else f"{value / 60:.1f} min"
