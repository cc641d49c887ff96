"""Sums, products and positive multiples of kernels, which are kernels again."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add, mul
from typing import Any, Self

import numpy as np

from maxmargin.errors import InvalidInputError
from maxmargin.kernels.base import Kernel, positive
from maxmargin.kernels.blocks import Formula
from maxmargin.kernels.rounding import PER_TERM, Bounds
from maxmargin.typing import Floats, Integers

__all__ = ["Product", "Scaled", "Sum"]


class _Combination(Kernel):
    """A kernel whose values are computed from those of other kernels on the same data."""

    @property
    @abstractmethod
    def _parts(self) -> tuple[Kernel, ...]: ...

    @abstractmethod
    def _combine(self, values: Iterable[Floats]) -> Floats:
        """Return the values of this kernel, given those of its parts."""

    def block(self, A: Any, B: Any) -> Floats:
        """Combine the blocks of the parts."""
        return self._combine(part.block(A, B) for part in self._parts)

    def diag(self, A: Any) -> Floats:
        """Combine the diagonals of the parts."""
        return self._combine(part.diag(A) for part in self._parts)

    @abstractmethod
    def _bounds_of(self, parts: Sequence[Bounds]) -> Bounds:
        """Return the bounds of this kernel, given those of its parts."""

    def bounds(self, A: Any) -> Bounds:
        """Combine the bounds of the parts."""
        return self._bounds_of([part.bounds(A) for part in self._parts])

    def within(self, X: Any) -> Callable[[Integers, Integers | None], Floats]:
        """Combine the blocks of the parts within X."""
        blocks = [part.within(X) for part in self._parts]
        return lambda rows, columns: self._combine(part(rows, columns) for part in blocks)

    def validate(self, X: Any, name: str = "X") -> Any:
        """Validate X for every part."""
        for part in self._parts:
            X = part.validate(X, name)
        return X

    def validate_new(self, X: Any, name: str = "X") -> Any:
        """Validate new points for every part."""
        for part in self._parts:
            X = part.validate_new(X, name)
        return X

    @property
    def positive_semidefinite(self) -> bool | None:
        """True if it is true of every part."""
        return True if all(part.positive_semidefinite for part in self._parts) else None

    @property
    def has_rules(self) -> bool:
        """Whether a part has rules."""
        return any(part.has_rules for part in self._parts)

    @property
    def compares_similarities(self) -> bool:
        """As its parts."""
        return any(part.compares_similarities for part in self._parts)

    @property
    def compares_vectors(self) -> bool:
        """As its parts."""
        return any(part.compares_vectors for part in self._parts)

    @property
    def compares_sequences(self) -> bool:
        """As its parts."""
        return any(part.compares_sequences for part in self._parts)

    @property
    def compares_columns(self) -> bool:
        """As its parts."""
        return any(part.compares_columns for part in self._parts)


@dataclass(frozen=True, eq=False)
class _Commutative(_Combination):
    """Several kernels, whose order does not matter."""

    parts: tuple[Kernel, ...]

    def __post_init__(self) -> None:
        flat: list[Kernel] = []
        for part in self.parts:
            flat.extend(part.parts if isinstance(part, type(self)) else (part,))
        if len({part.compares_similarities for part in flat}) > 1:
            raise InvalidInputError(
                "A precomputed kernel combines only with precomputed kernels: X is a Gram matrix "
                "for one and points for the other. Combine the Gram matrices first."
            )
        if len({part.compares_columns for part in flat}) > 1:
            raise InvalidInputError(
                "A kernel on columns combines only with kernels on columns: say for each part "
                "which ones it compares, as in On('name', Spectrum(3)) + On(['age'], RBF(0.1))."
            )
        if any(p.compares_sequences for p in flat) and any(p.compares_vectors for p in flat):
            raise InvalidInputError(
                "A kernel on sequences and one on numbers have no data in common: put both into a "
                "frame and combine On('name', Spectrum(3)) + On(['age'], RBF(0.1))."
            )
        object.__setattr__(self, "parts", tuple(flat))

    @property
    def _parts(self) -> tuple[Kernel, ...]:
        return self.parts

    def resolve(self, X: Any, sample_weight: Floats | None = None) -> Self:
        """Resolve every part on X."""
        return replace(self, parts=tuple(part.resolve(X, sample_weight) for part in self.parts))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and Counter(self.parts) == Counter(other.parts)

    def __hash__(self) -> int:
        return hash((type(self), frozenset(Counter(self.parts).items())))


class Sum(_Commutative):
    """The sum of kernels: concatenated feature spaces.

    Examples
    --------
    >>> from maxmargin.kernels import RBF, Linear
    >>> Linear() + RBF(1.0) == RBF(1.0) + Linear()
    True
    """

    def _combine(self, values: Iterable[Floats]) -> Floats:
        return reduce(add, values)

    def _bounds_of(self, parts: Sequence[Bounds]) -> Bounds:
        square = sum(part.size**2 for part in parts)
        error = sum(part.error**2 for part in parts) + 2 * PER_TERM * len(parts) * square
        return Bounds(np.sqrt(square), np.sqrt(error))

    def __repr__(self) -> str:
        return " + ".join(map(repr, self.parts))


class Product(_Commutative):
    """The product of kernels: the tensor product of feature spaces.

    Examples
    --------
    >>> from maxmargin.kernels import RBF, Linear
    >>> (Linear() * RBF(1.0)).block([[2.0]], [[2.0]])
    array([[4.]])
    """

    def _combine(self, values: Iterable[Floats]) -> Floats:
        return reduce(mul, values)

    def _bounds_of(self, parts: Sequence[Bounds]) -> Bounds:
        square = reduce(mul, (part.size**2 for part in parts))
        # |prod (k + e) - prod k| is at most prod (|k| + |e|) - prod |k|.
        inexact = reduce(mul, (part.size**2 + part.error**2 for part in parts))
        error = (inexact - square) + 2 * PER_TERM * len(parts) * inexact
        return Bounds(np.sqrt(square), np.sqrt(error))

    def __repr__(self) -> str:
        return " * ".join(
            f"({part!r})" if isinstance(part, Sum | Scaled) else repr(part) for part in self.parts
        )


@dataclass(frozen=True, repr=False)
class Scaled(_Combination):
    """A kernel times a positive number.

    Examples
    --------
    >>> from maxmargin.kernels import RBF
    >>> 2 * (3 * RBF(1.0))
    6.0 * RBF(gamma=1.0)
    """

    factor: float
    kernel: Kernel

    def __post_init__(self) -> None:
        factor = positive(self.factor, "A kernel's factor")
        if isinstance(self.kernel, Scaled):
            factor *= self.kernel.factor
            object.__setattr__(self, "kernel", self.kernel.kernel)
        object.__setattr__(self, "factor", factor)

    @property
    def _parts(self) -> tuple[Kernel, ...]:
        return (self.kernel,)

    def _combine(self, values: Iterable[Floats]) -> Floats:
        (unscaled,) = values
        return np.multiply(self.factor, unscaled)

    def _bounds_of(self, parts: Sequence[Bounds]) -> Bounds:
        square = self.factor * parts[0].size ** 2
        error = self.factor * parts[0].error ** 2 + 2 * PER_TERM * square
        return Bounds(np.sqrt(square), np.sqrt(error))

    @property
    def formula(self) -> Formula | None:
        """The formula of the kernel, with the factor."""
        inner = self.kernel.formula
        return None if inner is None else replace(inner, factor=self.factor)

    def resolve(self, X: Any, sample_weight: Floats | None = None) -> Self:
        """Resolve the kernel on X."""
        return replace(self, kernel=self.kernel.resolve(X, sample_weight))

    def __repr__(self) -> str:
        inner = (
            f"({self.kernel!r})" if isinstance(self.kernel, Sum | Product) else f"{self.kernel!r}"
        )
        return f"{self.factor!r} * {inner}"
