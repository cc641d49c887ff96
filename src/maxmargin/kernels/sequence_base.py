"""What all kernels on sequences share: the data they take, normalisation, blocks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from numbers import Integral
from typing import Any, Self

import numpy as np

from maxmargin.errors import InvalidInputError
from maxmargin.kernels.base import Kernel
from maxmargin.kernels.comparisons import Comparison
from maxmargin.kernels.encoding import Strings, as_sequences
from maxmargin.typing import Floats, Integers

__all__ = ["SequenceKernel", "whole"]

_ROWS_AT_ONCE = 256


class SequenceKernel(Kernel):
    """A kernel on sequences of letters or of other tokens.

    X is a list, an array or a column of a frame that holds str, bytes, or sequences of hashable
    tokens. With ``normalize=True`` k(x, z) is divided by sqrt(k(x, x) k(z, z)), where 0 / 0 counts
    as zero. Subclasses say how two collections are compared.

    Examples
    --------
    >>> from maxmargin.kernels import SequenceKernel, Spectrum
    >>> isinstance(Spectrum(2), SequenceKernel)
    True
    """

    normalize: bool

    @abstractmethod
    def _compare(self, A: Strings, B: Strings) -> Comparison: ...

    @property
    def compares_sequences(self) -> bool:
        """True: X holds sequences."""
        return True

    @property
    def positive_semidefinite(self) -> bool | None:
        """True: each is an inner product of features of the sequences."""
        return True

    def validate(self, X: Any, name: str = "X") -> Strings:
        """Return X as an array of sequences, or raise with a sentence."""
        return as_sequences(X, name)

    def block(self, A: Any, B: Any) -> Floats:
        """Return the matrix of kernel values."""
        left = as_sequences(A, "A")
        right = left if B is A else as_sequences(B, "B")
        kernel = self._settled(left, right)
        values = kernel._compare(left, right).block()
        if self.normalize:
            roots = kernel._roots(left)
            _divide(values, roots, roots if right is left else kernel._roots(right))
        return values

    def diag(self, A: Any) -> Floats:
        """Return k(a, a) for each sequence."""
        sequences = as_sequences(A, "A")
        values = self._settled(sequences, sequences)._compare(sequences, sequences).diagonal()
        return (values > 0).astype(np.float64) if self.normalize else values

    def within(self, X: Any) -> Callable[[Integers, Integers | None], Floats]:
        """Return a function of rows and columns that gives blocks within X."""
        sequences = as_sequences(X)
        comparison = self._settled(sequences, sequences)._compare(sequences, sequences)
        roots = _roots(comparison) if self.normalize else None

        def block(rows: Integers, columns: Integers | None) -> Floats:
            values = comparison.block(rows, columns)
            if roots is not None:
                _divide(values, roots[rows], roots if columns is None else roots[columns])
            return values

        return block

    def _settled(self, A: Strings, B: Strings) -> Self:
        """Return the kernel with parameters that depend on the data settled for these."""
        del A, B
        return self

    def _roots(self, sequences: Strings) -> Floats:
        return _roots(self._compare(sequences, sequences))


def whole(value: Any, name: str, least: int = 1) -> int:
    """Return value as a whole number that is large enough, or raise with a sentence."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise InvalidInputError(
            f"{name} must be a whole number of at least {least}; got {value!r}."
        )
    return int(value)


def _divide(values: Floats, of_rows: Floats, of_columns: Floats) -> None:
    """Divide each value by the roots of its row and its column, in place."""
    for start in range(0, len(values), _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        values[part] /= np.multiply.outer(of_rows[part], of_columns)


def _roots(comparison: Comparison) -> Floats:
    """Return sqrt(k(x, x)), infinite where that is zero."""
    roots = np.sqrt(comparison.diagonal())
    return np.where(roots > 0, roots, np.inf)
