"""Explicit feature maps: phi with k(x, z) = phi(x)'phi(z), where one of finite size exists.

The polynomial kernel expands by the multinomial theorem over x extended by a constant:
(gamma x'z + r)^p = sum over |e| = p of p! / (e_0! ... e_d!) r^e_0 gamma^(p - e_0) x^e z^e.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb, factorial, prod, sqrt
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.errors import InvalidInputError
from maxmargin.kernels.algebra import Product, Scaled, Sum
from maxmargin.kernels.base import Kernel
from maxmargin.kernels.data import as_vectors
from maxmargin.kernels.dense import Linear, Polynomial

__all__ = ["FeatureMap", "feature_map", "has_feature_map"]


class FeatureMap(ABC):
    """A function phi with phi(x)'phi(z) = k(x, z), called on rows of data.

    Examples
    --------
    >>> from maxmargin.kernels import Polynomial, feature_map
    >>> feature_map(Polynomial(gamma=1, coef0=1, degree=2)).dimension(3)
    10
    """

    @abstractmethod
    def dimension(self, n_features: int) -> int:
        """Return the length of phi(x) for x of the given length."""

    @abstractmethod
    def __call__(self, X: Any) -> Any:
        """Map each row of X."""


def feature_map(kernel: Kernel) -> FeatureMap:
    """Return the explicit feature map of a kernel.

    Linear and polynomial kernels (coef0 >= 0) have one, and so have their sums, products and
    scalings.

    Parameters
    ----------
    kernel : Kernel
        With numbers for its parameters.

    Returns
    -------
    FeatureMap
        A callable from (n, d) to (n, dimension(d)).

    Examples
    --------
    The degree-2 map (x1^2, sqrt2 x1 x2, x2^2):

    >>> from maxmargin.kernels import Polynomial, feature_map
    >>> feature_map(Polynomial(gamma=1, coef0=0, degree=2))([[1.0, 2.0]]).round(4)
    array([[1.    , 2.8284, 4.    ]])
    """
    match kernel:
        case Linear():
            return _Identity()
        case Polynomial() if kernel.coef0 >= 0:
            return _Monomials(kernel)
        case Scaled():
            return _ScaledMap(sqrt(kernel.factor), feature_map(kernel.kernel))
        case Sum():
            return _Concatenation(tuple(feature_map(part) for part in kernel.parts))
        case Product():
            return _TensorProduct(tuple(feature_map(part) for part in kernel.parts))
        case _:
            raise InvalidInputError(
                f"{kernel!r} has no explicit feature map of finite size: only linear kernels, "
                "polynomial ones with coef0 >= 0, and their sums, products and scalings have."
            )


def has_feature_map(kernel: Kernel) -> bool:
    """Say whether `feature_map` would return a map for this kernel.

    Examples
    --------
    >>> from maxmargin.kernels import RBF, Linear, has_feature_map
    >>> has_feature_map(2 * Linear()), has_feature_map(RBF(1.0))
    (True, False)
    """
    match kernel:
        case Linear():
            return True
        case Polynomial():
            return kernel.coef0 >= 0
        case Scaled():
            return has_feature_map(kernel.kernel)
        case Sum() | Product():
            return all(has_feature_map(part) for part in kernel.parts)
        case _:
            return False


@dataclass(frozen=True)
class _Identity(FeatureMap):
    def dimension(self, n_features: int) -> int:
        return n_features

    def __call__(self, X: Any) -> Any:
        return as_vectors(X)


@dataclass(frozen=True)
class _Monomials(FeatureMap):
    kernel: Polynomial

    def dimension(self, n_features: int) -> int:
        variables = n_features + (self.kernel.coef0 > 0)
        return comb(variables + self.kernel.degree - 1, self.kernel.degree)

    def __call__(self, X: Any) -> Any:
        rows = _dense(X)
        root_gamma = sqrt(self.kernel._number())
        columns = [root_gamma * rows[:, j] for j in range(rows.shape[1])]
        if self.kernel.coef0 > 0:
            columns.append(np.full(len(rows), sqrt(self.kernel.coef0)))
        mapped = np.empty((len(rows), self.dimension(rows.shape[1])))
        monomials = combinations_with_replacement(range(len(columns)), self.kernel.degree)
        for position, factors in enumerate(monomials):
            repeats = prod(factorial(times) for times in Counter(factors).values())
            mapped[:, position] = sqrt(factorial(self.kernel.degree) / repeats)
            for j in factors:
                mapped[:, position] *= columns[j]
        return mapped


@dataclass(frozen=True)
class _ScaledMap(FeatureMap):
    factor: float
    inner: FeatureMap

    def dimension(self, n_features: int) -> int:
        return self.inner.dimension(n_features)

    def __call__(self, X: Any) -> Any:
        return self.factor * self.inner(X)


@dataclass(frozen=True)
class _Concatenation(FeatureMap):
    parts: tuple[FeatureMap, ...]

    def dimension(self, n_features: int) -> int:
        return sum(part.dimension(n_features) for part in self.parts)

    def __call__(self, X: Any) -> Any:
        return np.hstack([_dense(part(X)) for part in self.parts])


@dataclass(frozen=True)
class _TensorProduct(FeatureMap):
    parts: tuple[FeatureMap, ...]

    def dimension(self, n_features: int) -> int:
        return prod(part.dimension(n_features) for part in self.parts)

    def __call__(self, X: Any) -> Any:
        mapped = _dense(self.parts[0](X))
        for part in self.parts[1:]:
            mapped = np.einsum("ij,ik->ijk", mapped, _dense(part(X))).reshape(len(mapped), -1)
        return mapped


def _dense(X: Any) -> Any:
    rows: Any = as_vectors(X)
    return rows.toarray() if sparse.issparse(rows) else rows.astype(np.float64, copy=False)
