"""What the tests of the native core share: data, layouts and plain NumPy formulas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

PARAMETERS = {"gamma": 0.3, "coef0": 0.2, "degree": 3}
TOLERANCE = {np.dtype(np.float32): 2e-5, np.dtype(np.float64): 1e-12}

LAYOUTS: dict[str, Callable[[Any], Any]] = {"dense": np.asarray, "csr": sparse.csr_array}
FORMS = ("linear", "polynomial", "gaussian", "tanh", "laplacian", "chi2")


def draw_rows(seed: int, n: int, d: int, dtype: Any = np.float64) -> np.ndarray:
    """Non-negative rows, two thirds of them zero, as the chi-squared kernel needs them."""
    rng = np.random.default_rng(seed)
    return (rng.random((n, d)) * (rng.random((n, d)) < 1 / 3)).astype(dtype)


def reference(form: str, A: Any, B: Any, gamma: float, coef0: float, degree: int) -> np.ndarray:
    """Return the kernel in float64, from its formula."""
    A, B = np.asarray(A, np.float64), np.asarray(B, np.float64)
    if form == "linear":
        return A @ B.T
    if form == "polynomial":
        return (gamma * (A @ B.T) + coef0) ** degree
    if form == "tanh":
        return np.tanh(gamma * (A @ B.T) + coef0)
    distances = np.empty((len(A), len(B)))
    for i, a in enumerate(A):
        difference, total = a - B, a + B
        if form == "gaussian":
            distances[i] = (difference**2).sum(axis=1)
        elif form == "laplacian":
            distances[i] = np.abs(difference).sum(axis=1)
        else:
            terms = np.divide(difference**2, total, out=np.zeros_like(total), where=total != 0)
            distances[i] = terms.sum(axis=1)
    return np.exp(-gamma * distances)
