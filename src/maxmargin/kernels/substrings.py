"""What two sequences have in common: the suffix matrix and the longest common substring."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import maxmargin._native as _native
from maxmargin.kernels.encoding import as_sequences, encode
from maxmargin.typing import Integers

__all__ = ["longest_common_substring", "suffix_matrix"]


def suffix_matrix(x: Any, z: Any) -> Integers:
    """Return A with A_ij the longest common suffix of the first i letters of x and j of z.

    A_ij = A_(i-1)(j-1) + 1 if letter i of x equals letter j of z, else 0. Its sum is the number of
    pairs of occurrences of common substrings, its maximum the length of the longest one.

    Parameters
    ----------
    x, z : str, bytes or sequences of tokens
        Two sequences.

    Returns
    -------
    ndarray of shape (len(x), len(z))

    Examples
    --------
    >>> from maxmargin.kernels import suffix_matrix
    >>> suffix_matrix("cane", "pane")
    array([[0, 0, 0, 0],
           [0, 1, 0, 0],
           [0, 0, 2, 0],
           [0, 0, 0, 3]])
    """
    rows, columns = _codes(x, z)
    matrix = np.zeros((len(rows) + 1, len(columns) + 1), dtype=np.int64)
    for i, letter in enumerate(rows):
        matrix[i + 1, 1:] = np.where(columns == letter, matrix[i, :-1] + 1, 0)
    return matrix[1:, 1:]


def longest_common_substring(x: Any, z: Any) -> Any:
    """Return the longest substring of both; of several, the first in x.

    Parameters
    ----------
    x, z : str, bytes or sequences of tokens
        Two sequences.

    Returns
    -------
    A part of x; empty if the two have nothing in common.

    Examples
    --------
    >>> from maxmargin.kernels import longest_common_substring
    >>> longest_common_substring("cane", "pane")
    'ane'
    >>> longest_common_substring(["to", "be", "or"], ["not", "to", "be"])
    ['to', 'be']
    """
    begin, length = _native.longest_common_substring(*_codes(x, z))
    return x[begin : begin + length]


def _codes(x: Any, z: Any) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    left, right = encode(as_sequences([x], "x"), as_sequences([z], "z"))
    return left.codes, right.codes
