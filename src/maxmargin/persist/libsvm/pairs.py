"""The machines of LIBSVM's models, one per pair of classes, and their lines in a file.

A line has the coefficients of a support vector, then its entries as in LIBSVM's data. All digits
of the entries are written; LIBSVM itself writes eight.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from maxmargin.errors import ModelFileError
from maxmargin.persist.libsvm.header import joined, numbers_of
from maxmargin.streams.text import NO_QUERY, Format, FormatError, formatted, parse
from maxmargin.typing import Floats, Integers

__all__ = ["Pairs", "read_vectors", "vector_lines"]

#: Entries of support vectors that are turned into text at once.
_ENTRIES = 1 << 18


@dataclass(frozen=True, eq=False)
class Pairs:
    """One machine per pair of classes, the first of the two positive.

    Attributes
    ----------
    intercepts : ndarray of shape (n_machines,)
        Minus LIBSVM's rho.
    coefficients : ndarray of shape (n_classes - 1, n_vectors)
        A vector of class c has in row r its coefficient against the r-th of the other classes.
    vectors : csr_array of shape (n_vectors, n_features)
        With a precomputed kernel, column 0 holds the serial number of each, from 1.
    n_support : ndarray of int
        The number of vectors of each class; vectors lie in the order of the classes.
    sigmoids : ndarray of shape (2, n_machines), optional
        probA and probB: the first class has the probability 1 / (1 + exp(A f + B)).
    """

    intercepts: Floats
    coefficients: Floats
    vectors: sparse.csr_array
    n_support: Integers
    sigmoids: Floats | None = None

    def reordered(self, order: Integers) -> Pairs:
        """Return the machines with class ``order[i]`` in place i.

        A pair whose classes change places changes the sign of its values.
        """
        k, place = len(order), np.argsort(order)
        owner = np.repeat(np.arange(k), self.n_support)
        others = np.array([np.delete(np.arange(k), c) for c in range(k)])
        # Against class c in row c, with a hole at the vector's own class.
        full = np.zeros((k, len(owner)))
        full[others[owner].T, np.arange(len(owner))] = self.coefficients
        flipped = (np.arange(k)[:, None] < owner) != (place[:, None] < place[owner])
        full[flipped] *= -1.0
        rows = np.argsort(place[owner], kind="stable")
        columns = others[place[owner[rows]]].T
        sigmoids = self.sigmoids
        if sigmoids is not None:
            slopes, levels = sigmoids
            sigmoids = np.array([_pairs_in(order, slopes, 1.0), _pairs_in(order, levels, -1.0)])
        return Pairs(
            intercepts=_pairs_in(order, self.intercepts, -1.0),
            coefficients=full[order][:, rows][columns, np.arange(len(rows))],
            vectors=self.vectors[rows],
            n_support=self.n_support[order],
            sigmoids=sigmoids,
        )

    @property
    def serials(self) -> Integers:
        """Which training point each support vector of a precomputed kernel is, from 0."""
        numbers = self.vectors.data
        whole = (
            self.vectors.shape[1] <= 1
            and len(numbers) == self.vectors.shape[0]
            and (numbers == np.floor(numbers)).all()
            and numbers.min(initial=1) >= 1
            and numbers.max(initial=1) < 2**31
        )
        if not whole:
            raise ModelFileError("its support vectors have no serial numbers.")
        found: Integers = numbers.astype(np.int64) - 1
        return found


def _pairs_in(order: Integers, values: Floats, swapped: float) -> Floats:
    """Return one value per pair of reordered classes, times `swapped` if they change places."""
    pairs = np.triu_indices(len(order), 1)
    square = np.zeros((len(order), len(order)))
    square[pairs] = values
    square += swapped * square.T
    found: Floats = square[np.ix_(order, order)][pairs] + 0.0
    return found


def read_vectors(
    text: bytes, n_rows: int, n_vectors: int, first_index: int
) -> tuple[Floats, sparse.csr_array]:
    """Return the coefficients and the support vectors."""
    lines = text.rstrip().split(b"\n") if text.strip() else []
    if len(lines) != n_vectors:
        raise ModelFileError(f"it has {len(lines)} support vectors but announces {n_vectors}.")
    # The last coefficient stays with the entries, as the label of a row of data does.
    parts = [line.split(None, n_rows - 1) for line in lines] if n_rows > 1 else [[x] for x in lines]
    if any(len(part) != n_rows for part in parts):
        raise ModelFileError("it has a support vector without all its coefficients.")
    text = b"\n".join(part[-1] for part in parts)
    try:
        found = parse(text, Format(None, first_index, np.float64))
    except FormatError as fault:
        raise ModelFileError(f"its support vectors cannot be read: {fault.what}") from None
    if found.n_rows != n_vectors or b"#" in text or (found.queries != NO_QUERY).any():
        raise ModelFileError("its support vectors cannot be read: they are not rows of numbers.")
    coefficients = np.empty((n_rows, n_vectors))
    coefficients[-1] = found.labels
    for row in range(n_rows - 1):
        coefficients[row] = numbers_of([part[row] for part in parts], "a support vector")
    return coefficients, found.matrix(found.widest)


def vector_lines(machines: Pairs, first_index: int) -> Iterator[bytes]:
    """Return the lines of all support vectors, in blocks."""
    *others, last = machines.coefficients
    longest = int(np.diff(machines.vectors.indptr).max(initial=1))
    step = max(1, _ENTRIES // (longest + len(others)))
    for begin in range(0, len(last), step):
        part = slice(begin, begin + step)
        text = formatted(machines.vectors[part], last[part], None, first_index)
        if others:
            heads = np.array([row[part] for row in others]).T
            lines = zip(heads, text.splitlines(keepends=True), strict=True)
            text = b"".join(f"{joined(head)} ".encode("ascii") + line for head, line in lines)
        yield text
