"""Sums, products and positive scalings of kernels: again kernels."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Self

import numpy as np

from maxmargin.errors import InvalidInputError
from maxmargin.kernels.base import Kernel, positive
from maxmargin.kernels.blocks import Formula
from maxmargin.typing import Floats, Integers

__all__ = ["Product", "Scaled", "Sum"]


@dataclass(frozen=True, eq=False)
class _Combination(Kernel):
    """Several kernels on the same data, joined by an operation that ignores their order."""

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
    def compares_similarities(self) -> bool:
        """Whether X is a matrix of similarities: the parts agree on it."""
        return self.parts[0].compares_similarities

    @property
    def compares_columns(self) -> bool:
        """Whether X is a frame: the parts agree on it."""
        return self.parts[0].compares_columns

    @property
    def compares_vectors(self) -> bool:
        """Whether X holds rows of numbers for a part, and so for all."""
        return any(part.compares_vectors for part in self.parts)

    @property
    def compares_sequences(self) -> bool:
        """Whether X holds sequences for a part, and so for all."""
        return any(part.compares_sequences for part in self.parts)

    @staticmethod
    @abstractmethod
    def _join(left: Floats, right: Floats) -> Floats: ...

    def block(self, A: Any, B: Any) -> Floats:
        """Combine the blocks of the parts."""
        return reduce(self._join, (part.block(A, B) for part in self.parts))

    def within(self, X: Any) -> Callable[[Integers, Integers | None], Floats]:
        """Combine the blocks of the parts within X."""
        blocks = [part.within(X) for part in self.parts]

        def block(rows: Integers, columns: Integers | None) -> Floats:
            return reduce(self._join, (part(rows, columns) for part in blocks))

        return block

    def diag(self, A: Any) -> Floats:
        """Combine the diagonals of the parts."""
        return reduce(self._join, (part.diag(A) for part in self.parts))

    @property
    def positive_semidefinite(self) -> bool | None:
        """True where it is true of every part."""
        return True if all(part.positive_semidefinite for part in self.parts) else None

    @property
    def has_rules(self) -> bool:
        """Whether a part has rules."""
        return any(part.has_rules for part in self.parts)

    def resolve(self, X: Any) -> Self:
        """Resolve every part on X."""
        return replace(self, parts=tuple(part.resolve(X) for part in self.parts))

    def validate(self, X: Any, name: str = "X") -> Any:
        """Check X for every part."""
        for part in self.parts:
            X = part.validate(X, name)
        return X

    def validate_new(self, X: Any, name: str = "X") -> Any:
        """Check new points for every part."""
        for part in self.parts:
            X = part.validate_new(X, name)
        return X

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and Counter(self.parts) == Counter(other.parts)

    def __hash__(self) -> int:
        return hash((type(self), frozenset(Counter(self.parts).items())))


class Sum(_Combination):
    """The sum of kernels: concatenated feature spaces.

    Examples
    --------
    >>> from maxmargin.kernels import RBF, Linear
    >>> Linear() + RBF(1.0) == RBF(1.0) + Linear()
    True
    """

    @staticmethod
    def _join(left: Floats, right: Floats) -> Floats:
        return left + right

    def __repr__(self) -> str:
        return " + ".join(map(repr, self.parts))


class Product(_Combination):
    """The product of kernels: the tensor product of feature spaces.

    Examples
    --------
    >>> from maxmargin.kernels import RBF, Linear
    >>> (Linear() * RBF(1.0)).block([[2.0]], [[2.0]])
    array([[4.]])
    """

    @staticmethod
    def _join(left: Floats, right: Floats) -> Floats:
        return left * right

    def __repr__(self) -> str:
        return " * ".join(
            f"({p!r})" if isinstance(p, Sum | Scaled) else repr(p) for p in self.parts
        )


@dataclass(frozen=True, repr=False)
class Scaled(Kernel):
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
    def compares_similarities(self) -> bool:
        """As the scaled kernel's."""
        return self.kernel.compares_similarities

    @property
    def compares_columns(self) -> bool:
        """As the scaled kernel's."""
        return self.kernel.compares_columns

    @property
    def compares_vectors(self) -> bool:
        """As the scaled kernel's."""
        return self.kernel.compares_vectors

    @property
    def compares_sequences(self) -> bool:
        """As the scaled kernel's."""
        return self.kernel.compares_sequences

    @property
    def formula(self) -> Formula | None:
        """The scaled kernel's, with the factor."""
        inner = self.kernel.formula
        return None if inner is None else replace(inner, factor=self.factor)

    def block(self, A: Any, B: Any) -> Floats:
        """Return the scaled block."""
        return np.multiply(self.factor, self.kernel.block(A, B))

    def within(self, X: Any) -> Callable[[Integers, Integers | None], Floats]:
        """Scale the kernel's blocks within X."""
        inner = self.kernel.within(X)

        def block(rows: Integers, columns: Integers | None) -> Floats:
            return np.multiply(self.factor, inner(rows, columns))

        return block

    def diag(self, A: Any) -> Floats:
        """Return the scaled diagonal."""
        return self.factor * self.kernel.diag(A)

    @property
    def positive_semidefinite(self) -> bool | None:
        """As the scaled kernel's: the factor is positive."""
        return self.kernel.positive_semidefinite

    @property
    def has_rules(self) -> bool:
        """As the scaled kernel's."""
        return self.kernel.has_rules

    def resolve(self, X: Any) -> Self:
        """Resolve the scaled kernel on X."""
        return replace(self, kernel=self.kernel.resolve(X))

    def validate(self, X: Any, name: str = "X") -> Any:
        """Check X for the scaled kernel."""
        return self.kernel.validate(X, name)

    def validate_new(self, X: Any, name: str = "X") -> Any:
        """Check new points for the scaled kernel."""
        return self.kernel.validate_new(X, name)

    def __repr__(self) -> str:
        simple = not isinstance(self.kernel, _Combination)
        return (
            f"{self.factor!r} * {self.kernel!r}"
            if simple
            else f"{self.factor!r} * ({self.kernel!r})"
        )
