"""Numbers as the tables and pictures of a study write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["cost", "group_text", "number", "params_text", "percent", "small"]


def cost(value: float) -> str:
    """Return a cost with four digits."""
    return f"{value:.4f}"


def small(value: float) -> str:
    """Return a gap or violation; what rounding leaves of a gap counts as zero."""
    return f"{max(value, 0.0):.1e}"


def number(value: Any) -> str:
    """Return a parameter's value.

    Examples
    --------
    >>> from maxmargin.study.words import number
    >>> number(10**1.5), number(100), number("scale")
    ('31.6', '100', 'scale')
    """
    if isinstance(value, float | np.floating):
        return f"{value:.3g}"
    return str(value)


def percent(part: float) -> str:
    """Return a share."""
    return f"{part:.0%}"


def params_text(params: Mapping[str, Any]) -> str:
    """Return parameters in one line."""
    listed = ", ".join(f"{name} = {number(value)}" for name, value in params.items())
    return listed or "default parameters"


def group_text(group: tuple[str, str]) -> str:
    """Return family and preprocessing in one line."""
    return ", ".join(group)
