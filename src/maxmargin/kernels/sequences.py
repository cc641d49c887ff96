"""Kernels on sequences: strings, bytes, lists of words or of any other hashable tokens.

Lodhi et al. 2002 (subsequences); Leslie, Eskin, Noble 2002 (spectrum); Leslie et al. 2004
(mismatch); Rätsch, Sonnenburg 2004 (weighted degree) and, with Schölkopf, 2005 (shifts).
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Literal, Self

import numpy as np

from maxmargin.errors import InvalidInputError
from maxmargin.kernels import comparisons
from maxmargin.kernels.base import Kernel, real
from maxmargin.kernels.comparisons import Comparison
from maxmargin.kernels.encoding import Strings, as_sequences, encode
from maxmargin.kernels.sequence_base import SequenceKernel, whole

__all__ = ["CommonSubstrings", "Mismatch", "Spectrum", "Subsequence", "WeightedDegree"]


@dataclass(frozen=True)
class CommonSubstrings(SequenceKernel):
    """The number of common substrings.

    Parameters
    ----------
    count : {"pairs", "distinct"}
        "pairs" counts every pair of occurrences: the sum of the suffix matrix, whose entry (i, j)
        is the length of the longest common suffix of the first i letters of x and the first j of z.
        "distinct" counts every common substring once.
    min_length, max_length : int
        Lengths of the substrings that count; no upper limit by default.
    normalize : bool
        Divide by sqrt(k(x, x) k(z, z)).

    Examples
    --------
    >>> from maxmargin.kernels import CommonSubstrings
    >>> CommonSubstrings().block(["cane"], ["pane"])
    array([[6.]])
    >>> CommonSubstrings().diag(["aa"]), CommonSubstrings(count="distinct").diag(["aa"])
    (array([5.]), array([2.]))
    """

    count: Literal["pairs", "distinct"] = "pairs"
    min_length: int = 1
    max_length: int | None = None
    _: KW_ONLY
    normalize: bool = False

    def __post_init__(self) -> None:
        if self.count not in ("pairs", "distinct"):
            raise InvalidInputError(
                f"count must be 'pairs' (of occurrences) or 'distinct'; got {self.count!r}."
            )
        shortest = whole(self.min_length, "min_length")
        _set(self, min_length=shortest)
        if self.max_length is not None:
            longest = whole(self.max_length, "max_length")
            if longest < shortest:
                raise InvalidInputError(
                    f"max_length = {longest} is less than min_length = {shortest}: no substring "
                    "would count."
                )
            _set(self, max_length=longest)

    def _compare(self, A: Strings, B: Strings) -> Comparison:
        return comparisons.common_substrings(
            A,
            B,
            distinct=self.count == "distinct",
            shortest=self.min_length,
            longest=self.max_length,
        )


@dataclass(frozen=True)
class Spectrum(SequenceKernel):
    """The k-spectrum: inner product of the counts of all substrings of length k.

    Parameters
    ----------
    k : int
        Length of the substrings.
    up_to : bool
        Count those of the lengths 1, ..., k.
    normalize : bool
        Divide by sqrt(k(x, x) k(z, z)).

    Examples
    --------
    "ana" occurs twice in "banana" and once in "ana":

    >>> from maxmargin.kernels import Spectrum
    >>> Spectrum(3).block(["banana"], ["ana", "ban"])
    array([[2., 1.]])
    """

    k: int = 3
    up_to: bool = False
    _: KW_ONLY
    normalize: bool = False

    def __post_init__(self) -> None:
        _set(self, k=whole(self.k, "k"))

    def _compare(self, A: Strings, B: Strings) -> Comparison:
        return comparisons.spectrum(A, B, shortest=1 if self.up_to else self.k, longest=self.k)


@dataclass(frozen=True)
class Mismatch(SequenceKernel):
    """The (k, m)-mismatch kernel: substrings of length k count for all words within m mismatches.

    Parameters
    ----------
    k : int
        Length of the substrings.
    m : int
        Mismatches at most; with none this is the spectrum.
    alphabet : int, optional
        Number of letters that words are made of; by default those of the data: of X in a fit, of
        both collections in `block`.
    normalize : bool
        Divide by sqrt(k(x, x) k(z, z)).

    Examples
    --------
    "aa" is near aa, ab, ba and "ab" near ab, aa, bb: they share two words.

    >>> from maxmargin.kernels import Mismatch
    >>> Mismatch(2, 1).block(["aa"], ["ab"])
    array([[2.]])
    """

    k: int = 3
    m: int = 1
    alphabet: int | None = None
    _: KW_ONLY
    normalize: bool = False

    def __post_init__(self) -> None:
        k, m = whole(self.k, "k"), whole(self.m, "m", least=0)
        if m > k:
            raise InvalidInputError(f"m = {m} mismatches need substrings of at least {m}; k = {k}.")
        _set(self, k=k, m=m)
        if self.alphabet is not None:
            _set(self, alphabet=whole(self.alphabet, "alphabet"))

    @property
    def has_rules(self) -> bool:
        """Whether the alphabet is that of the data."""
        return self.alphabet is None

    def resolve(self, X: Any) -> Self:
        """Return the kernel with the number of different letters in X for its alphabet."""
        letters = _count_letters(as_sequences(X))
        if self.alphabet is None:
            return replace(self, alphabet=letters)
        if self.alphabet < letters:
            raise InvalidInputError(
                f"alphabet = {self.alphabet}, but X has {letters} different letters: raise it, or "
                "leave it out."
            )
        return self

    def _settled(self, A: Strings, B: Strings) -> Self:
        if self.alphabet is not None:
            return self
        return replace(self, alphabet=_count_letters(A if B is A else np.concatenate([A, B])))

    def _compare(self, A: Strings, B: Strings) -> Comparison:
        return comparisons.mismatch(A, B, k=self.k, m=self.m, alphabet=self.alphabet or 1)


@dataclass(frozen=True)
class WeightedDegree(SequenceKernel):
    """Equal substrings at the same place, of the lengths 1, ..., degree.

    Length d counts 2 (degree - d + 1) / (degree (degree + 1)). With shifts, substrings that lie
    s <= shift places apart count 1 / (2 (s + 1)) in either direction. (Positive semidefinite for
    every shift: 1/2 + sum_s cos(s t) / (s + 1) >= 0, Rogosinski, Szegő 1928.)

    Parameters
    ----------
    degree : int
        The greatest length.
    shift : int
        Places that equal substrings may lie apart.
    normalize : bool
        Divide by sqrt(k(x, x) k(z, z)).

    Examples
    --------
    >>> from maxmargin.kernels import WeightedDegree
    >>> WeightedDegree(2).block(["ACGT"], ["ACGA", "TACG"]).round(4)
    array([[2.6667, 0.    ]])
    """

    degree: int = 3
    shift: int = 0
    _: KW_ONLY
    normalize: bool = False

    def __post_init__(self) -> None:
        _set(self, degree=whole(self.degree, "degree"), shift=whole(self.shift, "shift", least=0))

    def _compare(self, A: Strings, B: Strings) -> Comparison:
        return comparisons.weighted_degree(A, B, degree=self.degree, shift=self.shift)


@dataclass(frozen=True)
class Subsequence(SequenceKernel):
    """Common subsequences of a given length: their letters may lie apart.

    Each pair of occurrences counts decay to the power of what both span together.

    Parameters
    ----------
    length : int
        Number of letters.
    decay : float
        In (0, 1]: how much a letter's place counts; the smaller, the lighter are gaps.
    normalize : bool
        Divide by sqrt(k(x, x) k(z, z)).

    Examples
    --------
    "ca" in "cat" and "car": decay^2 in each.

    >>> from maxmargin.kernels import Subsequence
    >>> Subsequence(2, decay=0.5).block(["cat"], ["car"])
    array([[0.0625]])
    """

    length: int = 3
    decay: float = 0.5
    _: KW_ONLY
    normalize: bool = False

    def __post_init__(self) -> None:
        decay = real(self.decay, "decay")
        if not 0 < decay <= 1:
            raise InvalidInputError(f"decay must lie in (0, 1]; got {self.decay!r}.")
        _set(self, length=whole(self.length, "length"), decay=decay)

    def _compare(self, A: Strings, B: Strings) -> Comparison:
        return comparisons.subsequence(A, B, length=self.length, decay=self.decay)


def _count_letters(sequences: Strings) -> int:
    (found,) = encode(sequences)
    return max(1, len(np.unique(found.codes)))


def _set(kernel: Kernel, **values: Any) -> None:
    for name, value in values.items():
        object.__setattr__(kernel, name, value)
