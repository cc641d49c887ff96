"""The grids: a function that loads the data, values of C and gamma, folds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import datasets


@dataclass(frozen=True)
class Grid:
    """One row of the table."""

    name: str
    title: str
    C: np.ndarray
    gamma: np.ndarray
    folds: int
    load: Callable[[], tuple[Any, Any]]

    @property
    def n_fits(self) -> int:
        return len(self.C) * len(self.gamma) * self.folds


def fingerprint() -> tuple[Any, Any]:
    """Return the training rows of the published split."""
    data = datasets.load("mlpr/mlpr_fingerprint_spoofing")
    np.random.seed(0)  # noqa: NPY002
    rows = np.random.permutation(6000)[:4000]  # noqa: NPY002
    return data["X"][rows].astype(np.float64), data["y"][rows]


def a9a() -> tuple[Any, Any]:
    data = datasets.load("classification/a9a")
    return data["X"][:8000].astype(np.float64), data["y"][:8000]


def mnist() -> tuple[Any, Any]:
    from sklearn.decomposition import PCA

    data = datasets.load("images/mnist")
    X = PCA(50, random_state=0).fit_transform(data["X"][:6000] / 255)
    return X, data["y"][:6000]


GRIDS = (
    Grid(
        "fingerprint",
        "fingerprint spoofing, 4000 x 6",
        np.logspace(-3, 2, 11),
        np.exp([-4.0, -3.0, -2.0, -1.0]),
        5,
        fingerprint,
    ),
    Grid(
        "a9a",
        "a9a, first 8000 rows (CSR)",
        np.logspace(-1, 3, 9),
        np.logspace(-3, 0, 7),
        5,
        a9a,
    ),
    Grid(
        "mnist",
        "MNIST, first 6000 rows, PCA to 50, 10 classes",
        np.logspace(-1, 3, 5),
        np.logspace(-3, 0, 4),
        3,
        mnist,
    ),
)

BY_NAME = {grid.name: grid for grid in GRIDS}
