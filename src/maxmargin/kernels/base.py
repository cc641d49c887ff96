"""The interface of a kernel: an immutable value that compares points."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from numbers import Integral
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from maxmargin.errors import InvalidInputError
from maxmargin.kernels.data import as_vectors, take
from maxmargin.kernels.rounding import Bounds
from maxmargin.typing import Floats, Integers

if TYPE_CHECKING:
    from maxmargin.kernels.algebra import Product, Scaled, Sum
    from maxmargin.kernels.blocks import Formula

__all__ = ["Kernel", "positive", "real", "whole"]


class Kernel(ABC):
    """A similarity k(x, z) of two points.

    Kernels are values: two with the same parameters are equal, have the same hash and print as the
    expression that makes them. They combine by ``+`` (sum), ``*`` (product) and multiplication by
    a positive number. Subclasses implement `block` and `diag`.

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
            # A class with its own `block` may compute something else than an inherited formula.
            cls.formula = property(lambda _: None)  # type: ignore[assignment]

    @abstractmethod
    def block(self, A: Any, B: Any) -> Floats:
        """Return the matrix of k(a, b) for each row a of A and b of B."""

    @abstractmethod
    def diag(self, A: Any) -> Floats:
        """Return k(a, a) for each row a of A."""

    def bounds(self, A: Any) -> Bounds:
        """Return bounds on the sizes of the kernel values of A and on their rounding errors.

        By default the values that `block` returns are exact: they define the kernel.
        """
        diagonal = np.abs(self.diag(A))
        return Bounds(np.sqrt(diagonal), np.zeros(len(diagonal)))

    @property
    def positive_semidefinite(self) -> bool | None:
        """True if a theorem says so for these parameters, None if it is not known."""
        return None

    @property
    def formula(self) -> Formula | None:
        """What the native core evaluates for this kernel; None if it is computed in Python."""
        return None

    @property
    def compares_similarities(self) -> bool:
        """Whether X is a matrix of similarities instead of points."""
        return False

    @property
    def compares_vectors(self) -> bool:
        """Whether X must be rows of numbers."""
        return False

    @property
    def compares_sequences(self) -> bool:
        """Whether X must hold strings or other sequences."""
        return False

    @property
    def compares_columns(self) -> bool:
        """Whether X must be a data frame."""
        return False

    @property
    def has_rules(self) -> bool:
        """Whether `resolve` must compute a parameter from the data."""
        return type(self).resolve is not Kernel.resolve

    def within(self, X: Any) -> Callable[[Integers, Integers | None], Floats]:
        """Return a function of rows and columns (None: all) that computes blocks within X.

        A kernel that prepares its data does so here, once for all blocks.
        """

        def block(rows: Integers, columns: Integers | None) -> Floats:
            return self.block(take(X, rows), X if columns is None else take(X, columns))

        return block

    def resolve(self, X: Any, sample_weight: Floats | None = None) -> Self:
        """Return the kernel with parameters such as ``gamma="scale"`` computed from X.

        A row of weight two counts like a row given twice.
        """
        del X, sample_weight
        return self

    def validate(self, X: Any, name: str = "X") -> Any:
        """Return X in the form that `block` takes, or raise `InvalidInputError`."""
        return as_vectors(X, name)

    def validate_new(self, X: Any, name: str = "X") -> Any:
        """Validate new points, which will be compared with the training points."""
        return self.validate(X, name)

    def __add__(self, other: object) -> Sum:
        from maxmargin.kernels.algebra import Sum

        return Sum((self, other)) if isinstance(other, Kernel) else NotImplemented

    def __mul__(self, other: object) -> Product | Scaled:
        from maxmargin.kernels.algebra import Product, Scaled

        if isinstance(other, Kernel):
            return Product((self, other))
        if isinstance(other, int | float | np.number):
            return Scaled(float(other), self)
        return NotImplemented

    __rmul__ = __mul__


def real(value: Any, name: str) -> float:
    """Return a parameter as a finite float, or raise `InvalidInputError`."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InvalidInputError(f"{name} must be a number; got {value!r}.") from None
    if isinstance(value, bool | str) or not math.isfinite(number):
        raise InvalidInputError(f"{name} must be a finite number; got {value!r}.")
    return number


def positive(value: Any, name: str) -> float:
    """Return a parameter as a finite float above zero, or raise `InvalidInputError`."""
    number = real(value, name)
    if number <= 0:
        raise InvalidInputError(f"{name} must be greater than zero; got {value!r}.")
    return number


def whole(value: Any, name: str, least: int = 1) -> int:
    """Return a parameter as a whole number of at least `least`, or raise `InvalidInputError`."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise InvalidInputError(
            f"{name} must be a whole number of at least {least}; got {value!r}."
        )
    return int(value)
