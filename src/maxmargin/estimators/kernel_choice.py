"""From the parameters `kernel`, `gamma`, `coef0` and `degree` to a kernel with numbers in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.errors import InvalidInputError
from maxmargin.kernels import (
    RBF,
    Chi2,
    Function,
    Kernel,
    Laplacian,
    Linear,
    On,
    Polynomial,
    Precomputed,
    Product,
    Scaled,
    Sigmoid,
    Sum,
)
from maxmargin.typing import Floats

__all__ = ["NAMES", "compares_vectors", "kernel_of", "resolved"]

NAMES = frozenset({"linear", "poly", "rbf", "sigmoid", "laplacian", "chi2", "precomputed"})

_WITH_GAMMA = RBF | Polynomial | Sigmoid | Laplacian | Chi2
_BLOCK_ENTRIES = 1 << 20


def kernel_of(kernel: Any, gamma: Any, coef0: float, degree: int) -> Kernel:
    """Return the kernel that the parameters describe."""
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, type) and issubclass(kernel, Kernel):
        raise InvalidInputError(
            f"kernel is the class {kernel.__name__}: give an instance, such as {kernel.__name__}()."
        )
    if callable(kernel):
        return Function(_Dense(kernel))
    choices: dict[str, Callable[[], Kernel]] = {
        "linear": Linear,
        "poly": lambda: Polynomial(gamma, coef0, degree),
        "rbf": lambda: RBF(gamma),
        "sigmoid": lambda: Sigmoid(gamma, coef0),
        "laplacian": lambda: Laplacian(gamma),
        "chi2": lambda: Chi2(gamma),
        "precomputed": Precomputed,
    }
    return choices[kernel]()


def compares_vectors(kernel: Kernel) -> bool:
    """Say whether the kernel takes rows of numbers, which scikit-learn can check."""
    if isinstance(kernel, Sum | Product):
        return all(compares_vectors(part) for part in kernel.parts)
    if isinstance(kernel, Scaled):
        return compares_vectors(kernel.kernel)
    return isinstance(kernel, Linear | Precomputed | _WITH_GAMMA)


def resolved(kernel: Kernel, X: Any, sample_weight: Floats | None) -> Kernel:
    """Return the kernel with gamma made a number.

    The variance in ``gamma="scale"`` counts each point by its weight, so that a weight of two
    equals a row given twice.
    """
    if sample_weight is None or np.ptp(sample_weight) == 0:
        return kernel.resolve(X)
    if isinstance(kernel, _WITH_GAMMA) and kernel.gamma == "scale":
        variance = _weighted_variance(X, np.maximum(sample_weight, 0.0))
        return replace(kernel, gamma=1.0 / (X.shape[1] * variance) if variance > 0 else 1.0)
    if isinstance(kernel, Sum | Product):
        parts = tuple(resolved(part, X, sample_weight) for part in kernel.parts)
        return replace(kernel, parts=parts)
    if isinstance(kernel, Scaled):
        return replace(kernel, kernel=resolved(kernel.kernel, X, sample_weight))
    if isinstance(kernel, On):
        return replace(kernel, kernel=resolved(kernel.kernel, kernel.points(X), sample_weight))
    return kernel.resolve(X)


def _weighted_variance(X: Any, weight: Floats) -> float:
    entries = float(weight.sum()) * int(X.shape[1])
    if entries <= 0:
        return 0.0
    mean = float((weight @ X).sum()) / entries
    if sparse.issparse(X):
        of_entry = np.repeat(weight, np.diff(X.indptr))
        return float(of_entry @ np.square(X.data, dtype=np.float64)) / entries - mean**2
    step = max(1, _BLOCK_ENTRIES // X.shape[1])
    total = 0.0
    for start in range(0, len(X), step):
        part = slice(start, start + step)
        total += float(weight[part] @ np.square(X[part] - mean, dtype=np.float64).sum(axis=1))
    return total / entries


@dataclass(frozen=True)
class _Dense:
    """A kernel function whose sparse results are made dense."""

    function: Callable[[Any, Any], Any]

    def __call__(self, A: Any, B: Any) -> Any:
        values = self.function(A, B)
        return values.toarray() if sparse.issparse(values) else values
