"""What all kernels on sequences share: validation, normalisation, blocks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from maxmargin.kernels.base import Kernel
from maxmargin.kernels.comparisons import Comparison
from maxmargin.kernels.encoding import Strings, as_sequences
from maxmargin.typing import Floats, Integers

__all__ = ["SequenceKernel"]

# Rows that are normalised at one time, so that the divisors take little memory.
_ROWS_AT_ONCE = 256


class SequenceKernel(Kernel):
    """A kernel on sequences of letters or of other tokens.

    X is a list, an array or a column of a frame that holds str, bytes, or sequences of hashable
    tokens. With ``normalize=True`` k(x, z) is divided by sqrt(k(x, x) k(z, z)), and 0 / 0 counts
    as zero. Subclasses implement `_compare`.

    Examples
    --------
    >>> from maxmargin.kernels import SequenceKernel, Spectrum
    >>> isinstance(Spectrum(2), SequenceKernel)
    True
    """

    compares_sequences = True
    #: Each of these kernels is an inner product of features of the sequences.
    positive_semidefinite = True

    normalize: bool

    @abstractmethod
    def _compare(self, A: Strings, B: Strings) -> Comparison:
        """Return the kernel between two collections, not normalised."""

    def _settled(self, A: Strings, B: Strings) -> Self:
        """Return the kernel with parameters that depend on the data computed from A and B."""
        del A, B
        return self

    def validate(self, X: Any, name: str = "X") -> Strings:
        """Return X as an array of sequences, or raise `InvalidInputError`."""
        return as_sequences(X, name)

    def block(self, A: Any, B: Any) -> Floats:
        """Return the matrix of kernel values."""
        left = as_sequences(A, "A")
        right = left if B is A else as_sequences(B, "B")
        kernel = self._settled(left, right)
        values = kernel._compare(left, right).block()
        if self.normalize:
            roots = _roots(kernel._compare(left, left))
            others = roots if right is left else _roots(kernel._compare(right, right))
            _normalize(values, roots, others)
        return values

    def diag(self, A: Any) -> Floats:
        """Return k(a, a) for each sequence."""
        sequences = as_sequences(A, "A")
        values = self._settled(sequences, sequences)._compare(sequences, sequences).diagonal()
        return (values > 0).astype(np.float64) if self.normalize else values

    def within(self, X: Any) -> Callable[[Integers, Integers | None], Floats]:
        """Return a function of rows and columns that computes blocks within X."""
        sequences = as_sequences(X)
        comparison = self._settled(sequences, sequences)._compare(sequences, sequences)
        if not self.normalize:
            return comparison.block
        roots = _roots(comparison)

        def block(rows: Integers, columns: Integers | None) -> Floats:
            values = comparison.block(rows, columns)
            _normalize(values, roots[rows], roots if columns is None else roots[columns])
            return values

        return block


def _roots(comparison: Comparison) -> Floats:
    """Return sqrt(k(x, x)), or infinity if that is zero."""
    roots = np.sqrt(comparison.diagonal())
    return np.where(roots > 0, roots, np.inf)


def _normalize(values: Floats, row_roots: Floats, column_roots: Floats) -> None:
    """Divide each value by the roots of its row and its column, in place."""
    for start in range(0, len(values), _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        values[part] /= np.multiply.outer(row_roots[part], column_roots)
