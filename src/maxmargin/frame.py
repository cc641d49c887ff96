"""Rows of results as a pandas DataFrame; needs pandas."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from maxmargin.errors import MissingDependencyError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["as_frame"]


def as_frame(kind: type[Any], rows: Iterable[Any]) -> pd.DataFrame:
    """Return dataclass instances as a frame, one column per field of their kind."""
    try:
        import pandas as pd
    except ImportError:
        raise MissingDependencyError(
            "to_frame needs pandas: install it with pip install pandas."
        ) from None
    names = [field.name for field in fields(kind)]
    values = [[getattr(row, name) for name in names] for row in rows]
    return pd.DataFrame(values, columns=names)
