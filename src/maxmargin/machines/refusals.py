"""What is wrong with data that scikit-learn's checks refuse: a sentence, a place and advice."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.errors import InvalidInputError

__all__ = ["explained"]


def explained(error: ValueError, X: Any, y: Any = None, *, model: Any) -> ValueError:
    """Return the error to raise for one of scikit-learn's checks of X and y.

    It is an `InvalidInputError` that begins with scikit-learn's words. Errors of other classes are
    returned as they are.
    """
    if type(error) is not ValueError:
        return error
    text = str(error)
    found = (
        _missing_or_infinite(text, X, y, type(model).__name__)
        or _inconsistent(text)
        or _holds_text(text, X, y)
    )
    return InvalidInputError(found or text)


def _missing_or_infinite(text: str, X: Any, y: Any, name: str) -> str:
    what = re.match(r"Input (X|y|sample_weight) contains (NaN|infinity[^.]*)", text)
    if what is None:
        return ""
    argument, fault = what.groups()
    place = _place({"X": X, "y": y}.get(argument), np.isnan if fault == "NaN" else np.isinf)
    advice = "replace it, or leave out its row."
    if argument == "X" and fault == "NaN":
        advice = (
            f"impute missing values, for example with make_pipeline(SimpleImputer(), {name}()), or "
            "leave out their rows."
        )
    return f"{what.group()}{place}: {advice}"


def _place(data: Any, is_wrong: Any) -> str:
    """Return where the first wrong value is, if that can be told."""
    if data is None or sparse.issparse(data):
        return ""
    try:
        wrong = np.argwhere(is_wrong(np.asarray(data, dtype=np.float64)))
    except (TypeError, ValueError):
        return ""
    if not len(wrong):
        return ""
    row, *column = wrong[0].tolist()
    names = getattr(data, "columns", None)
    which = f", column {column[0] if names is None else names[column[0]]!r}" if column else ""
    return f", first at row {row}{which}"


def _inconsistent(text: str) -> str:
    if "inconsistent numbers of samples" not in text:
        return ""
    return f"{text.rstrip('.')}. Give X and y equally many rows: one label or target per point."


def _holds_text(text: str, X: Any, y: Any) -> str:
    if "could not convert string" not in text and "arrays of bytes/strings" not in text:
        return ""
    reason = text.splitlines()[0].rstrip(".")
    found = _first_text(X)
    if found is None:
        example = _first_text(y)
        shown = "" if example is None else f", such as {example[0]!r}"
        return f"y holds text{shown}, where numbers are predicted ({reason}): use a classifier."
    cell, column = found
    return (
        f"X holds text, such as {cell!r}{column}, where numbers are compared ({reason}): encode "
        "it, for example with OneHotEncoder in a pipeline, or compare it with a kernel on strings."
    )


def _first_text(data: Any) -> tuple[str, str] | None:
    """Return the first cell that is text and not a number, and its column."""
    if data is None or sparse.issparse(data):
        return None
    names = getattr(data, "columns", None)
    try:
        cells = np.asarray(data, dtype=object)
    except ValueError:
        return None
    for place, cell in np.ndenumerate(cells):
        if isinstance(cell, str | bytes) and not _is_number(cell):
            shown = cell if isinstance(cell, str) else repr(cell)
            column = "" if names is None or len(place) < 2 else f" in column {names[place[1]]!r}"
            return str(shown), column
    return None


def _is_number(cell: str | bytes) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
