"""Explicit feature maps of finite size: phi with k(x, z) = phi(x)'phi(z).

By the multinomial theorem, over x extended by a constant,

    (gamma x'z + r)^p = sum over |e| = p of p! / (e_0! ... e_d!) r^e_0 gamma^(p - e_0) x^e z^e.

The map of a sum of kernels joins the features of its parts, that of a product multiplies them.
"""

from __future__ import annotations

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
from maxmargin.typing import Floats

__all__ = ["FeatureMap", "feature_map", "has_feature_map"]


@dataclass(frozen=True)
class FeatureMap:
    """A function phi with phi(x)'phi(z) = k(x, z), made by `feature_map` and called on rows.

    Examples
    --------
    >>> from maxmargin.kernels import Polynomial, feature_map
    >>> feature_map(Polynomial(gamma=1, coef0=1, degree=2)).dimension(3)
    10
    """

    kernel: Kernel

    def dimension(self, n_features: int) -> int:
        """Return the length of phi(x) for x of the given length."""
        match self.kernel:
            case Polynomial(coef0=coef0, degree=degree):
                n_variables = n_features + (coef0 > 0)
                return comb(n_variables + degree - 1, degree)
            case Scaled(kernel=kernel):
                return FeatureMap(kernel).dimension(n_features)
            case Sum(parts=parts):
                return sum(FeatureMap(part).dimension(n_features) for part in parts)
            case Product(parts=parts):
                return prod(FeatureMap(part).dimension(n_features) for part in parts)
            case _:
                return n_features

    def __call__(self, X: Any) -> Any:
        """Map each row of X."""
        match self.kernel:
            case Polynomial():
                return self._monomials(self.kernel, _dense(X))
            case Scaled(factor=factor, kernel=kernel):
                return sqrt(factor) * FeatureMap(kernel)(X)
            case Sum(parts=parts):
                return np.hstack([_dense(FeatureMap(part)(X)) for part in parts])
            case Product(parts=parts):
                first, *others = (_dense(FeatureMap(part)(X)) for part in parts)
                for other in others:
                    first = np.einsum("ij,ik->ijk", first, other).reshape(len(first), -1)
                return first
            case _:
                return as_vectors(X)

    def _monomials(self, kernel: Polynomial, rows: Floats) -> Floats:
        variables = [sqrt(kernel._number()) * column for column in rows.T]
        if kernel.coef0 > 0:
            variables.append(np.full(len(rows), sqrt(kernel.coef0)))
        mapped = np.empty((len(rows), self.dimension(rows.shape[1])))
        monomials = combinations_with_replacement(range(len(variables)), kernel.degree)
        for position, factors in enumerate(monomials):
            repeats = prod(factorial(times) for times in Counter(factors).values())
            mapped[:, position] = sqrt(factorial(kernel.degree) / repeats)
            for j in factors:
                mapped[:, position] *= variables[j]
        return mapped


def feature_map(kernel: Kernel) -> FeatureMap:
    """Return the explicit feature map of a kernel.

    Linear kernels, polynomial kernels with coef0 >= 0, and their sums, products and multiples have
    one.

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
    if not has_feature_map(kernel):
        raise InvalidInputError(
            f"{kernel!r} has no explicit feature map of finite size: only linear kernels, "
            "polynomial ones with coef0 >= 0, and their sums, products and multiples have one."
        )
    return FeatureMap(kernel)


def has_feature_map(kernel: Kernel) -> bool:
    """Say whether `feature_map` returns a map for this kernel.

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


def _dense(X: Any) -> Floats:
    rows: Any = as_vectors(X)
    rows = rows.toarray() if sparse.issparse(rows) else rows
    return np.asarray(rows, dtype=np.float64)
