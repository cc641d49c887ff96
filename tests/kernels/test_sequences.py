"""Sequence kernels against their definitions, on thousands of random strings."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
import sequence_definitions as definitions
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from maxmargin import InvalidInputError
from maxmargin.kernels import (
    CommonSubstrings,
    Kernel,
    Mismatch,
    SequenceKernel,
    Spectrum,
    Subsequence,
    WeightedDegree,
    is_positive_semidefinite,
    longest_common_substring,
    suffix_matrix,
)
from maxmargin.kernels.comparisons import shared_words

THOROUGH = settings(max_examples=250)
LETTERS = "abc"

DEFINITIONS: dict[str, tuple[SequenceKernel, Callable[[Any, Any], float]]] = {
    "pairs": (CommonSubstrings(), definitions.occurrence_pairs),
    "pairs of some lengths": (
        CommonSubstrings(min_length=2, max_length=4),
        partial(definitions.occurrence_pairs, shortest=2, longest=4),
    ),
    "pairs of single letters": (
        CommonSubstrings(max_length=1),
        partial(definitions.occurrence_pairs, longest=1),
    ),
    "long pairs": (
        CommonSubstrings(min_length=3),
        partial(definitions.occurrence_pairs, shortest=3),
    ),
    "distinct": (CommonSubstrings("distinct"), definitions.distinct_substrings),
    "distinct of some lengths": (
        CommonSubstrings("distinct", 2, 3),
        partial(definitions.distinct_substrings, shortest=2, longest=3),
    ),
    "1-spectrum": (Spectrum(1), partial(definitions.spectrum, k=1)),
    "3-spectrum": (Spectrum(3), partial(definitions.spectrum, k=3)),
    "spectra up to 4": (Spectrum(4, up_to=True), partial(definitions.spectra_up_to, k=4)),
    "no mismatch": (
        Mismatch(3, 0, alphabet=3),
        partial(definitions.mismatch, k=3, m=0, alphabet=LETTERS),
    ),
    "one mismatch": (
        Mismatch(3, 1, alphabet=3),
        partial(definitions.mismatch, k=3, m=1, alphabet=LETTERS),
    ),
    "two mismatches": (
        Mismatch(4, 2, alphabet=3),
        partial(definitions.mismatch, k=4, m=2, alphabet=LETTERS),
    ),
    "all mismatches": (
        Mismatch(2, 2, alphabet=3),
        partial(definitions.mismatch, k=2, m=2, alphabet=LETTERS),
    ),
    "degree 1": (WeightedDegree(1), partial(definitions.weighted_degree, degree=1)),
    "degree 4": (WeightedDegree(4), partial(definitions.weighted_degree, degree=4)),
    "degree 3, shifted": (
        WeightedDegree(3, shift=2),
        partial(definitions.weighted_degree, degree=3, shift=2),
    ),
    "degree 2, shifted beyond the ends": (
        WeightedDegree(2, shift=20),
        partial(definitions.weighted_degree, degree=2, shift=20),
    ),
    "letters": (
        Subsequence(1, decay=0.7),
        partial(definitions.subsequence, length=1, decay=0.7),
    ),
    "subsequences of 2": (
        Subsequence(2, decay=0.5),
        partial(definitions.subsequence, length=2, decay=0.5),
    ),
    "subsequences of 3": (
        Subsequence(3, decay=0.9),
        partial(definitions.subsequence, length=3, decay=0.9),
    ),
    "subsequences without decay": (
        Subsequence(2, decay=1.0),
        partial(definitions.subsequence, length=2, decay=1.0),
    ),
}
every_kernel = pytest.mark.parametrize(
    ("kernel", "definition"), DEFINITIONS.values(), ids=DEFINITIONS
)
words = st.lists(st.text(LETTERS, max_size=9), min_size=1, max_size=6)


@every_kernel
@THOROUGH
@given(A=words, B=words)
@example(A=[""], B=["", "a"])
@example(A=["a", "b"], B=["a"])
@example(A=["abcabcabc"], B=["abcabcabc", "ccc"])
def test_a_block_is_what_the_definition_says(
    kernel: SequenceKernel, definition: Any, A: list[str], B: list[str]
) -> None:
    np.testing.assert_allclose(
        kernel.block(A, B), definitions.gram(definition, A, B), rtol=1e-13, atol=0
    )


@every_kernel
@given(A=words)
def test_a_gram_matrix_is_symmetric_and_has_its_diagonal(
    kernel: SequenceKernel, definition: Any, A: list[str]
) -> None:
    K = kernel.block(A, A)
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_allclose(K, definitions.gram(definition, A, A), rtol=1e-13)
    np.testing.assert_array_equal(kernel.diag(A), np.diag(K))


@every_kernel
@given(A=words)
def test_blocks_within_a_collection_are_parts_of_its_matrix(
    kernel: SequenceKernel, definition: Any, A: list[str]
) -> None:
    rows = np.arange(len(A))[::-2]
    within = kernel.within(kernel.validate(A))
    K = kernel.block(A, A)
    np.testing.assert_allclose(within(rows, None), K[rows], rtol=1e-14)
    np.testing.assert_allclose(within(rows, rows), K[np.ix_(rows, rows)], rtol=1e-14)


@every_kernel
@given(A=words, B=words)
def test_a_normalised_kernel_is_a_cosine(
    kernel: SequenceKernel, definition: Any, A: list[str], B: list[str]
) -> None:
    normalised = replace(kernel, normalize=True)
    scale = np.sqrt(np.outer(kernel.diag(A), kernel.diag(B)))
    raw = kernel.block(A, B)
    expected = np.divide(raw, scale, out=np.zeros_like(raw), where=scale > 0)
    np.testing.assert_allclose(normalised.block(A, B), expected, rtol=1e-12)
    np.testing.assert_array_equal(normalised.diag(A), (kernel.diag(A) > 0).astype(float))
    within = normalised.within(normalised.validate(A))(np.arange(len(A)), None)
    np.testing.assert_allclose(within, normalised.block(A, A), rtol=1e-14)


@every_kernel
def test_random_strings_have_a_semidefinite_gram_matrix(
    kernel: SequenceKernel, definition: Any
) -> None:
    random = np.random.default_rng(3)
    texts = ["".join(random.choice(list(LETTERS), random.integers(0, 30))) for _ in range(120)]
    for this in (kernel, replace(kernel, normalize=True)):
        assert this.positive_semidefinite
        assert is_positive_semidefinite(this.block(texts, texts))


@pytest.mark.parametrize("shift", [1, 3, 10, 40])
def test_the_weighted_degree_kernel_is_semidefinite_for_every_shift(shift: int) -> None:
    random = np.random.default_rng(4)
    texts = ["".join(random.choice(list("ab"), 40)) for _ in range(150)]
    assert is_positive_semidefinite(WeightedDegree(3, shift).block(texts, texts))


@every_kernel
def test_a_text_is_its_bytes_and_its_letters(kernel: SequenceKernel, definition: Any) -> None:
    texts = ["abcab", "", "b", "bbca", "cabac"]
    expected = kernel.block(texts, texts[:3])
    as_bytes = [text.encode() for text in texts]
    as_letters = [list(text) for text in texts]
    as_numbers = [np.array([ord(letter) for letter in text], dtype=int) for text in texts]
    for other in (as_bytes, as_letters, as_numbers, np.array(texts), np.array(texts)[:, None]):
        np.testing.assert_allclose(kernel.block(other, other[:3]), expected, rtol=1e-14)
    np.testing.assert_allclose(kernel.block(as_letters, texts[:3]), expected, rtol=1e-14)


@every_kernel
@given(permutation=st.permutations(range(3)))
def test_renamed_letters_change_nothing(
    kernel: SequenceKernel, definition: Any, permutation: list[int]
) -> None:
    texts = ["abcab", "", "b", "bbca", "cabac"]
    # Beyond the first plane, and a surrogate that stands alone.
    names = dict(zip(LETTERS, [["\U0001f600", "\ud800", "é"][i] for i in permutation], strict=True))
    renamed = ["".join(names[letter] for letter in text) for text in texts]
    np.testing.assert_array_equal(kernel.block(renamed, renamed), kernel.block(texts, texts))


class TestAgainstOthers:
    def test_a_spectrum_is_scikit_learns_counts(self) -> None:
        random = np.random.default_rng(0)
        texts = ["".join(random.choice(list("ACGT"), random.integers(5, 40))) for _ in range(60)]
        for shortest, kernel in ((5, Spectrum(5)), (1, Spectrum(5, up_to=True))):
            counter = CountVectorizer(
                analyzer="char", ngram_range=(shortest, 5), lowercase=False, token_pattern=None
            )
            counts = counter.fit_transform(texts).astype(float)
            np.testing.assert_array_equal(kernel.block(texts, texts), (counts @ counts.T).toarray())

    def test_words_are_counted_like_scikit_learns(self) -> None:
        texts = ["to be or not to be", "not to be", "or", "be that as it may"]
        counter = CountVectorizer(ngram_range=(2, 2), token_pattern=r"\S+")
        counts = counter.fit_transform(texts).astype(float)
        split = [text.split() for text in texts]
        np.testing.assert_array_equal(
            Spectrum(2).block(split, split), (counts @ counts.T).toarray()
        )

    def test_cat_and_car_as_published(self) -> None:
        # Lodhi et al. 2002: decay^4 / (2 decay^4 + decay^6).
        value = Subsequence(2, decay=0.3, normalize=True).block(["cat"], ["car"]).item()
        assert value == pytest.approx(1 / (2 + 0.3**2))

    def test_short_subsequences_of_four_strings_as_published(self) -> None:
        # The first example in the README of strkernels 0.2: lengths up to 3, decay 0.5.
        texts = ["ATCG", "ATGG", "TACG", "GCTA"]
        K = sum(Subsequence(length, decay=0.5).block(texts, texts) for length in (1, 2, 3))
        published = [
            [1.0, 0.74037191, 0.91640867, 0.79256966],
            [0.74037191, 1.0, 0.68420576, 0.65356968],
            [0.91640867, 0.68420576, 1.0, 0.84210526],
            [0.79256966, 0.65356968, 0.84210526, 1.0],
        ]
        root = np.sqrt(np.diag(K))
        np.testing.assert_allclose(K / np.outer(root, root), published, atol=1e-8)

    @pytest.mark.parametrize(("k", "m"), [(1, 0), (1, 1), (3, 1), (4, 2), (4, 3), (3, 3)])
    @pytest.mark.parametrize("letters", [1, 2, 4])
    def test_words_near_two_others_are_counted(self, k: int, m: int, letters: int) -> None:
        alphabet = "abcd"[:letters]
        counts = shared_words(k, m, letters)
        first = "a" * k
        for distance in range(min(2 * m, k) + 1 if letters > 1 else 1):
            other = "b" * distance + "a" * (k - distance)
            assert counts[distance] == definitions.mismatch(first, other, k, m, alphabet)


class TestCaneAndPane:
    def test_the_suffix_matrix(self) -> None:
        A = suffix_matrix("cane", "pane")
        np.testing.assert_array_equal(A, np.diag([0, 1, 2, 3]))
        assert A.sum() == CommonSubstrings().block(["cane"], ["pane"]).item() == 6

    def test_the_longest_common_substring(self) -> None:
        assert longest_common_substring("cane", "pane") == "ane"

    def test_pairs_are_not_distinct_substrings(self) -> None:
        assert CommonSubstrings().diag(["aa"]).item() == 5
        assert CommonSubstrings("distinct").diag(["aa"]).item() == 2

    @THOROUGH
    @given(x=st.text(LETTERS, max_size=12), z=st.text(LETTERS, max_size=12))
    def test_of_any_two_strings(self, x: str, z: str) -> None:
        A = suffix_matrix(x, z)
        np.testing.assert_array_equal(A, definitions.suffix_lengths(x, z))
        longest = longest_common_substring(x, z)
        assert len(longest) == A.max(initial=0)
        assert longest in x
        assert longest in z
        # The first in x of all that are as long.
        found = [w for w in (x[i : i + len(longest)] for i in range(len(x) + 1)) if w in z]
        assert longest == found[0]

    @pytest.mark.parametrize(
        ("x", "z", "longest"),
        [
            ("", "", ""),
            ("a", "", ""),
            ("a", "a", "a"),
            (b"cane", b"pane", b"ane"),
            (["to", "be"], ["be"], ["be"]),
            ("héllo", "yéll", "éll"),
            ((1, 2, 3), [2, 3, 4], (2, 3)),
        ],
    )
    def test_of_any_kind(self, x: Any, z: Any, longest: Any) -> None:
        assert longest_common_substring(x, z) == longest


class TestValues:
    EVERY: tuple[Kernel, ...] = tuple(kernel for kernel, _ in DEFINITIONS.values())

    @pytest.mark.parametrize("kernel", EVERY, ids=repr)
    def test_they_are_values(self, kernel: Kernel) -> None:
        copy = eval(repr(kernel))
        assert copy == kernel
        assert hash(copy) == hash(kernel)
        assert pickle.loads(pickle.dumps(kernel)) == kernel

    def test_they_combine(self) -> None:
        A = ["abca", "b", ""]
        kernel = 2 * Spectrum(2) + CommonSubstrings() * WeightedDegree(2)
        assert kernel.compares_sequences
        expected = 2 * Spectrum(2).block(A, A)
        expected += CommonSubstrings().block(A, A) * WeightedDegree(2).block(A, A)
        np.testing.assert_array_equal(kernel.block(A, A), expected)
        within = kernel.within(kernel.validate(A))
        np.testing.assert_array_equal(within(np.array([1, 0]), None), expected[[1, 0]])
        np.testing.assert_array_equal(kernel.diag(A), np.diag(expected))

    def test_an_alphabet_comes_from_the_data(self) -> None:
        A = ["acgt", "aa"]
        assert Mismatch(2, 1).resolve(A) == Mismatch(2, 1, alphabet=4)
        np.testing.assert_array_equal(
            Mismatch(2, 1).block(A[:1], A[1:]), Mismatch(2, 1, alphabet=4).block(A[:1], A[1:])
        )
        np.testing.assert_allclose(
            Mismatch(2, 1, normalize=True).block(A[:1], A[1:]),
            Mismatch(2, 1, alphabet=4, normalize=True).block(A[:1], A[1:]),
        )
        assert Mismatch(2, 1).resolve(["", ""]).alphabet == 1


BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "count": (lambda: CommonSubstrings("all"), "count must be 'pairs'"),
    "min_length": (lambda: CommonSubstrings(min_length=0), "min_length must be a whole number"),
    "max_length": (lambda: CommonSubstrings("pairs", 4, 3), "no substring would count"),
    "k": (lambda: Spectrum(2.5), "k must be a whole number of at least 1; got 2.5"),
    "k true": (lambda: Spectrum(True), "k must be a whole number"),
    "m": (lambda: Mismatch(2, 3), "m = 3 mismatches need substrings of at least 3; k = 2"),
    "alphabet": (lambda: Mismatch(2, 1, alphabet=2).resolve(["abc"]), "X has 3 different letters"),
    "degree": (lambda: WeightedDegree(0), "degree must be a whole number"),
    "shift": (lambda: WeightedDegree(2, -1), "shift must be a whole number of at least 0"),
    "length": (lambda: Subsequence(0), "length must be a whole number"),
    "decay": (lambda: Subsequence(2, 1.5), r"decay must lie in \(0, 1\]; got 1.5"),
    "one string": (lambda: Spectrum(2).block("abc", ["abc"]), "A is a single sequence"),
    "missing": (lambda: Spectrum(2).validate(["a", None]), "row 1 of X is None, which is no seq"),
    "not a number": (lambda: Spectrum(2).validate(["a", float("nan")]), "row 1 of X is nan"),
    "numbers": (lambda: Spectrum(2).validate(np.ones((3, 2))), r"X has shape \(3, 2\)"),
    "sets": (lambda: Spectrum(2).validate([{"a"}]), "no sequence"),
    "nothing": (lambda: Spectrum(2).validate([]), "X has no rows"),
    "str and bytes": (lambda: Spectrum(2).block(["a"], [b"a"]), "Some sequences are str"),
    "unhashable": (lambda: Spectrum(2).block([[["a"]]], [["a"]]), "tokens must be hashable"),
}


@pytest.mark.parametrize(("act", "sentence"), BAD.values(), ids=BAD)
def test_bad_input_gets_a_sentence(act: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(InvalidInputError, match=sentence):
        act()
