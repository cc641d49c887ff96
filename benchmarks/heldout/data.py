"""The data sets of a folder: .npz files with X and y, .csv files, LIBSVM's text files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from benchmarks import datasets
from maxmargin import InvalidInputError
from maxmargin.streams import read_libsvm

ENDINGS = (".npz", ".csv", ".svm", ".libsvm")

#: Whole numbers are classes if there are at most so many, and each occurs at least so often.
MOST_CLASSES = 150
FEWEST_ROWS = 5


@dataclass(frozen=True)
class Data:
    """A data set; y holds numbers, which are classes 0, 1, ... unless it is a regression."""

    X: Any
    y: Any
    is_regression: bool


def files(folder: Path) -> list[Path]:
    """Return the data sets of a folder and the folders in it."""
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in ENDINGS)


def _csv(path: Path) -> tuple[Any, Any]:
    """Take the column y or target, or the last one, as the target; drop text among the others."""
    table = pd.read_csv(path)
    names = [name for name in table.columns if str(name).lower() in ("y", "target")]
    target = names[0] if names else table.columns[-1]
    features = table.drop(columns=target).select_dtypes(["number", "bool"])
    return features.to_numpy(np.float64), table[target].to_numpy()


def _arrays(path: Path) -> tuple[Any, Any]:
    match path.suffix.lower():
        case ".npz":
            arrays = datasets.read(path)
            return arrays["X"], arrays["y"]
        case ".csv":
            return _csv(path)
        case _:
            try:
                return read_libsvm(path)
            except InvalidInputError:
                return read_libsvm(path, zero_based=True)


def holds_classes(y: Any) -> bool:
    if y.dtype.kind not in "fiu":
        return True
    values, counts = np.unique(y, return_counts=True)
    whole = bool(np.all(values == np.round(values)))
    return whole and len(values) <= MOST_CLASSES and bool(counts.min() >= FEWEST_ROWS)


def load(path: Path, rows: int, seed: int = 0) -> Data:
    """Return at most this many rows of a file, drawn at random; 0 means all rows."""
    X, y = _arrays(path)
    y = np.asarray(y)
    if not sparse.issparse(X):
        X = np.asarray(X)
        if X.ndim != 2 or X.dtype.kind not in "fiub":
            raise ValueError("X is not a table of numbers")
    X = X.astype(np.float64)
    values = X.data if sparse.issparse(X) else X
    if not np.isfinite(values).all() or (y.dtype.kind == "f" and not np.isfinite(y).all()):
        raise ValueError("a value is missing or infinite")
    is_regression = not holds_classes(y)
    if rows and X.shape[0] > rows:
        chosen = np.random.RandomState(seed).permutation(X.shape[0])[:rows]
        X, y = X[chosen], y[chosen]
    if is_regression:
        return Data(X, y.astype(np.float64), True)
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError("all rows have the same class")
    return Data(X, codes, False)


def standardised(data: Data) -> Data:
    """Return the data with features, and targets of a regression, of unit variance."""
    X = StandardScaler(with_mean=not sparse.issparse(data.X)).fit_transform(data.X)
    if not data.is_regression:
        return Data(X, data.y, False)
    y = StandardScaler().fit_transform(data.y[:, None]).ravel()
    return Data(X, y, True)
