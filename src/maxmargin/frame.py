"""Rows of results as a pandas DataFrame, where pandas is installed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, fields
from typing import TYPE_CHECKING, Any

from maxmargin.errors import MissingDependencyError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["as_frame"]


def as_frame(kind: type[Any], rows: Iterable[Any]) -> pd.DataFrame:
    """Return dataclass instances as a frame, one column a field of their kind."""
    try:
        import pandas as pd
    except ImportError:
        raise MissingDependencyError(
            "to_frame needs pandas: install it with pip install pandas."
        ) from None
    names = [field.name for field in fields(kind)]
    return pd.DataFrame([astuple(row) for row in rows], columns=names)
