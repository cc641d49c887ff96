"""The kernel interface: an immutable value that compares rows of data."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from maxmargin.errors import InvalidInputError
from maxmargin.kernels.data import as_vectors, take
from maxmargin.typing import Floats, Integers

if TYPE_CHECKING:
    from maxmargin.kernels.algebra import Product, Scaled, Sum
    from maxmargin.kernels.blocks import Formula

__all__ = ["Kernel", "positive", "real"]


class Kernel(ABC):
    """A similarity k(x, z) of two points.

    Kernels are values: two with the same parameters are equal, hash alike and print as the
    expression that makes them. They combine by ``+`` (sum), ``*`` (product) and multiplication
    by a positive number. Subclasses implement `block` and `diag`.

    Examples
    --------
    >>> from maxmargin.kernels import RBF, Linear
    >>> kernel = Linear() + 0.5 * RBF(1.0)
    >>> kernel, kernel.positive_semidefinite
    (Linear() + 0.5 * RBF(gamma=1.0), True)
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "block" in cls.__dict__ and "formula" not in cls.__dict__:
            # A block of its own is not what an inherited formula computes.
            cls.formula = property(lambda _: None)  # type: ignore[assignment]

    @abstractmethod
    def block(self, A: Any, B: Any) -> Floats:
        """Return the matrix of k(a, b) for each row a of A and b of B."""

    @abstractmethod
    def diag(self, A: Any) -> Floats:
        """Return k(a, a) for each row a of A."""

    @property
    def positive_semidefinite(self) -> bool | None:
        """True where a theorem says so for these parameters, None where nobody knows."""
        return None

    @property
    def formula(self) -> Formula | None:
        """How the native core computes this kernel by itself, or None if it cannot."""
        return None

    @property
    def compares_similarities(self) -> bool:
        """Whether X holds similarities already, rather than the points themselves."""
        return False

    @property
    def compares_vectors(self) -> bool:
        """Whether X can only be rows of numbers."""
        return False

    @property
    def compares_sequences(self) -> bool:
        """Whether X can only hold strings or other sequences."""
        return False

    @property
    def compares_columns(self) -> bool:
        """Whether X is a frame, of which columns are compared."""
        return False

    @property
    def has_rules(self) -> bool:
        """Whether `resolve` makes numbers of parameters that depend on the data."""
        return type(self).resolve is not Kernel.resolve

    def within(self, X: Any) -> Callable[[Integers, Integers | None], Floats]:
        """Return a function of rows and columns (None: all) that gives blocks within X.

        Kernels that make something ready of their data do so once here.
        """

        def block(rows: Integers, columns: Integers | None) -> Floats:
            return self.block(take(X, rows), X if columns is None else take(X, columns))

        return block

    def resolve(self, X: Any) -> Self:
        """Return the kernel with parameters such as ``gamma="scale"`` made numbers on X."""
        del X
        return self

    def validate(self, X: Any, name: str = "X") -> Any:
        """Return X as this kernel's data, or raise `InvalidInputError` with a sentence."""
        return as_vectors(X, name)

    def validate_new(self, X: Any, name: str = "X") -> Any:
        """Return points to be compared with the training points, checked like those."""
        return self.validate(X, name)

    def __add__(self, other: object) -> Sum:
        from maxmargin.kernels.algebra import Sum

        if not isinstance(other, Kernel):
            return NotImplemented
        return Sum((self, other))

    def __mul__(self, other: object) -> Product | Scaled:
        from maxmargin.kernels.algebra import Product, Scaled

        if isinstance(other, Kernel):
            return Product((self, other))
        if isinstance(other, int | float | np.number):
            return Scaled(float(other), self)
        return NotImplemented

    def __rmul__(self, other: object) -> Product | Scaled:
        return self.__mul__(other)


def real(value: Any, name: str) -> float:
    """Return value as a finite float or raise with a sentence."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InvalidInputError(f"{name} must be a number; got {value!r}.") from None
    if isinstance(value, bool | str) or not math.isfinite(number):
        raise InvalidInputError(f"{name} must be a finite number; got {value!r}.")
    return number


def positive(value: Any, name: str) -> float:
    """Return value as a finite float above zero or raise with a sentence."""
    number = real(value, name)
    if number <= 0:
        raise InvalidInputError(f"{name} must be greater than zero; got {value!r}.")
    return number
