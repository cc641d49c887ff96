"""The rows: how many, of which classes, in which ranges, with what missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from maxmargin.pages.evidence import Evidence
from maxmargin.pages.subject import Task
from maxmargin.pages.words import thousands

__all__ = ["contents_of", "data_section"]

# Columns that are described; of wider data those that come first.
_MOST_COLUMNS = 200


def data_section(evidence: Evidence) -> dict[str, Any]:
    """Describe the rows that the model is judged on."""
    subject, y = evidence.subject, evidence.y
    kernel = subject.kernel
    similarities = kernel is not None and kernel.compares_similarities and not subject.preparation
    classes: list[tuple[Any, int]] = []
    if y is not None and evidence.task is not Task.REGRESSION:
        classes = [(label, int(np.sum(y == label))) for label in subject.classes.tolist()]
    contents = contents_of(evidence.X, evidence.names, similarities=similarities)
    return contents | {"classes": classes}


def contents_of(X: Any, names: Sequence[str], *, similarities: bool) -> dict[str, Any]:
    """Describe rows of numbers or of anything else: facts, columns, values that are missing."""
    facts: dict[str, str] = {}
    columns: list[dict[str, Any]] = []
    n_missing = 0
    if sparse.issparse(X):
        stored = X.data[~np.isnan(X.data)]
        facts["stored"] = f"{X.nnz / np.prod(X.shape):.2%} of the entries"
        if len(stored):
            facts["stored values"] = f"{stored.min():.4g} to {stored.max():.4g}"
        n_used = len(np.unique(sparse.coo_array(X).col))
        facts["empty columns"] = thousands(X.shape[1] - n_used)
        n_missing = X.nnz - len(stored)
    elif not names:
        lengths = [len(row) for row in X]
        middle = f"half of them up to {np.median(lengths):g}"
        facts["lengths"] = f"{min(lengths)} to {max(lengths)}, {middle}"
    elif similarities:
        facts["similarities"] = f"{np.min(X):.4g} to {np.max(X):.4g}"
    else:
        frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(np.asarray(X))
        n_missing = int(frame.isna().to_numpy().sum())
        shown = names[:_MOST_COLUMNS]
        columns = [_column(name, frame.iloc[:, k]) for k, name in enumerate(shown)]
    return {"facts": facts, "columns": columns, "n_missing": n_missing}


def _column(name: str, values: pd.Series[Any]) -> dict[str, Any]:
    """Describe a column by its range and mean or, if it holds no numbers, by how many values."""
    there = values.dropna()
    column: dict[str, Any] = {"name": name, "n_missing": len(values) - len(there)}
    if not pd.api.types.is_numeric_dtype(values):
        return column | {"n_different": there.nunique()}
    numbers = there.astype(np.float64)
    return column | {"range": [] if there.empty else [numbers.min(), numbers.mean(), numbers.max()]}
