"""Kernels on sequences: strings, bytes, or lists of words or other hashable tokens.

Lodhi et al. 2002 (subsequences); Leslie, Eskin, Noble 2002 (spectrum); Leslie et al. 2004
(mismatch); Rätsch, Sonnenburg 2004 (weighted degree) and, with Schölkopf, 2005 (shifts).
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Literal, Self

import numpy as np

import maxmargin._native as _native
from maxmargin.errors import InvalidInputError
from maxmargin.kernels.base import Kernel, real, whole
from maxmargin.kernels.comparisons import Comparison, shared_words
from maxmargin.kernels.encoding import Strings, as_sequences, encode
from maxmargin.kernels.sequence_base import SequenceKernel
from maxmargin.typing import Floats

__all__ = ["CommonSubstrings", "Mismatch", "Spectrum", "Subsequence", "WeightedDegree"]

# Longer than any substring.
_NO_LIMIT = 2**62


@dataclass(frozen=True)
class CommonSubstrings(SequenceKernel):
    """The number of common substrings.

    Parameters
    ----------
    count : {"pairs", "distinct"}
        "pairs" counts every pair of occurrences: that is the sum of the suffix matrix, whose entry
        (i, j) is the length of the longest common suffix of the first i letters of x and the first
        j of z. "distinct" counts every common substring once.
    min_length, max_length : int
        Lengths of the substrings that are counted; no upper limit by default.
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
        longest = _NO_LIMIT if self.max_length is None else self.max_length
        distinct = self.count == "distinct"
        return Comparison(_native.common_substrings, A, B, distinct, self.min_length, longest)


@dataclass(frozen=True)
class Spectrum(SequenceKernel):
    """The k-spectrum kernel: the inner product of the counts of all substrings of length k.

    Parameters
    ----------
    k : int
        Length of the substrings.
    up_to : bool
        Count the substrings of all lengths 1, ..., k.
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
        return Comparison(_native.spectrum, A, B, 1 if self.up_to else self.k, self.k)


@dataclass(frozen=True)
class Mismatch(SequenceKernel):
    """The (k, m)-mismatch kernel: a substring counts as every word within m mismatches of it.

    Parameters
    ----------
    k : int
        Length of the substrings.
    m : int
        The largest number of mismatches; with none this is the spectrum kernel.
    alphabet : int, optional
        The number of letters that words are made of. By default the number of different letters in
        the data: in X for a fit, in both collections for `block`.
    normalize : bool
        Divide by sqrt(k(x, x) k(z, z)).

    Examples
    --------
    "aa" counts as aa, ab, ba and "ab" as ab, aa, bb: they share two words.

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
        """Whether the alphabet depends on the data."""
        return self.alphabet is None

    def resolve(self, X: Any, sample_weight: Floats | None = None) -> Self:
        """Return the kernel with the number of different letters in X as its alphabet."""
        del sample_weight
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
        weights = np.array(shared_words(self.k, self.m, self.alphabet or 1), dtype=np.float64)
        return Comparison(_native.mismatch, A, B, self.k, weights)


@dataclass(frozen=True)
class WeightedDegree(SequenceKernel):
    """The weighted number of equal substrings at the same position, of lengths 1, ..., degree.

    Length d has the weight 2 (degree - d + 1) / (degree (degree + 1)). With shifts, substrings
    whose positions differ by s <= shift count 1 / (2 (s + 1)) in either direction. (This is
    positive semidefinite for every shift, because 1/2 + sum_s cos(s t) / (s + 1) >= 0: Rogosinski,
    Szegő 1928.)

    Parameters
    ----------
    degree : int
        The greatest length.
    shift : int
        How far apart the positions of equal substrings may be.
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
        return Comparison(_native.weighted_degree, A, B, self.degree, self.shift)


@dataclass(frozen=True)
class Subsequence(SequenceKernel):
    """Common subsequences of a given length, whose letters need not be adjacent.

    Each pair of occurrences counts decay to the power of the sum of the lengths that they span.

    Parameters
    ----------
    length : int
        Number of letters.
    decay : float
        In (0, 1]; the smaller, the less count occurrences with gaps.
    normalize : bool
        Divide by sqrt(k(x, x) k(z, z)).

    Examples
    --------
    "ca" spans two letters in "cat" and two in "car", which makes decay^4:

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
        return Comparison(_native.subsequence, A, B, self.length, self.decay)


def _count_letters(sequences: Strings) -> int:
    (found,) = encode(sequences)
    return max(1, len(np.unique(found.codes)))


def _set(kernel: Kernel, **values: Any) -> None:
    for name, value in values.items():
        object.__setattr__(kernel, name, value)
