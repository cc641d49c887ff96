"""Estimators on strings: every one, every container, and the same model as with the Gram matrix."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, LeaveOneOut, cross_val_predict, cross_val_score
from sklearn.utils import get_tags

from maxmargin import SVC, SVR, InvalidInputError, NuSVC, NuSVR, OneClassSVM
from maxmargin.kernels import (
    RBF,
    CommonSubstrings,
    Kernel,
    Mismatch,
    Spectrum,
    Subsequence,
    WeightedDegree,
)

KERNELS: list[Kernel] = [
    CommonSubstrings(normalize=True),
    CommonSubstrings("distinct", normalize=True),
    Spectrum(3),
    Mismatch(4, 1, normalize=True),
    WeightedDegree(4, shift=1),
    Subsequence(2, decay=0.5, normalize=True),
    Spectrum(2, normalize=True) + 0.5 * WeightedDegree(3),
    Spectrum(2) * CommonSubstrings(normalize=True),
]
ESTIMATORS: list[Any] = [
    SVC(C=0.5),
    SVC(C=0.5, bias="regularised", multi_class="ovr"),
    NuSVC(nu=0.4),
    SVR(C=0.5),
    NuSVR(C=0.5),
    OneClassSVM(nu=0.3),
]


@pytest.fixture(scope="module", name="texts")
def random_texts() -> np.ndarray:
    random = np.random.default_rng(1)
    biased = {0: [0.4, 0.4, 0.1, 0.1], 1: [0.1, 0.1, 0.4, 0.4], 2: [0.25, 0.25, 0.25, 0.25]}
    return np.array(["".join(random.choice(list("ACGT"), 25, p=biased[i % 3])) for i in range(90)])


@pytest.fixture(scope="module", name="labels")
def their_labels() -> np.ndarray:
    return np.array(["weak", "strong", "even"])[np.arange(90) % 3]


def targets(machine: Any, labels: np.ndarray) -> np.ndarray:
    return labels if isinstance(machine, SVC | NuSVC) else np.arange(90) % 3.0


def values(machine: Any, X: Any) -> np.ndarray:
    return machine.predict(X) if isinstance(machine, SVR | NuSVR) else machine.decision_function(X)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("machine", ESTIMATORS, ids=repr)
def test_a_machine_on_strings_is_one_on_their_gram_matrix(
    machine: Any, kernel: Kernel, texts: np.ndarray, labels: np.ndarray
) -> None:
    train, new = texts[:75], texts[75:]
    y = targets(machine, labels)[:75]
    kernel = kernel.resolve(kernel.validate(train))
    direct = clone(machine).set_params(kernel=kernel, tol=1e-8).fit(train, y)
    by_matrix = clone(machine).set_params(kernel="precomputed", tol=1e-8)
    by_matrix.fit(kernel.block(train, train), y)
    np.testing.assert_allclose(
        values(direct, new), values(by_matrix, kernel.block(new, train)), atol=1e-5
    )
    assert direct.certificate_.holds(1e-5)


@pytest.mark.parametrize("machine", ESTIMATORS, ids=repr)
def test_every_container_gives_the_same_model(
    machine: Any, texts: np.ndarray, labels: np.ndarray
) -> None:
    pandas = pytest.importorskip("pandas")
    y = targets(machine, labels)
    kernel = Spectrum(3, normalize=True)
    model = clone(machine).set_params(kernel=kernel)
    expected = values(model.fit(list(texts), y), list(texts))
    for X in (
        texts,
        texts.astype(object),
        pandas.Series(texts),
        pandas.Series(texts, index=np.arange(90)[::-1], dtype="string"),
        pandas.DataFrame({"dna": texts}),
        [text.encode() for text in texts],
        [list(text) for text in texts],
        tuple(texts),
    ):
        model = clone(machine).set_params(kernel=kernel)
        np.testing.assert_allclose(values(model.fit(X, y), X), expected, atol=1e-12)


def test_a_polars_column_does_too(texts: np.ndarray, labels: np.ndarray) -> None:
    polars = pytest.importorskip("polars")
    model = SVC(kernel=Spectrum(3)).fit(polars.Series(texts.tolist()), labels)
    expected = SVC(kernel=Spectrum(3)).fit(texts, labels).decision_function(texts)
    np.testing.assert_allclose(model.decision_function(polars.Series(texts.tolist())), expected)


def test_only_support_strings_are_kept(texts: np.ndarray, labels: np.ndarray) -> None:
    model = SVC(kernel=Spectrum(2, normalize=True), C=10).fit(texts, labels)
    assert model.support_vectors_.dtype == object
    assert model.support_vectors_.tolist() == texts[model.support_].tolist()
    assert 0 < len(model.support_vectors_) < len(texts)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(texts), model.predict(texts))


def test_strings_that_were_never_seen_behave(texts: np.ndarray, labels: np.ndarray) -> None:
    odd = ["", "A", "zzz", "\U0001f600", "ACGT" * 500]
    for kernel in KERNELS:
        model = SVC(kernel=kernel).fit(texts, labels)
        assert np.isfinite(model.decision_function(odd)).all()
        assert set(model.predict(odd)) <= set(labels)


def test_a_machine_can_learn_from_empty_strings_and_letters() -> None:
    model = SVC(kernel=Spectrum(1), C=10).fit(["", "a", "b", "ab", "", "c"], [0, 1, 0, 1, 0, 0])
    assert model.predict(["a", "c", ""]).tolist() == [1, 0, 0]


def test_sentences_are_sequences_of_words() -> None:
    sentences = ["buy cheap pills now", "see you at noon", "cheap pills here", "noon is fine"]
    words = [sentence.split() for sentence in sentences]
    model = SVC(kernel=Spectrum(1)).fit(words, ["spam", "ham", "spam", "ham"])
    assert model.predict([["pills"], ["at", "noon"]]).tolist() == ["spam", "ham"]


def test_scikit_learn_searches_over_kernels(texts: np.ndarray, labels: np.ndarray) -> None:
    search = GridSearchCV(
        SVC(), {"kernel": [Spectrum(2), Spectrum(3)], "C": [0.1, 1.0]}, cv=3, error_score="raise"
    )
    search.fit(list(texts), labels)
    assert search.best_score_ > 0.5
    assert search.predict(["ACAC"]).shape == (1,)


def test_the_tags_say_what_x_is() -> None:
    strings = get_tags(SVC(kernel=2 * Spectrum(3))).input_tags
    assert strings.string
    assert not strings.two_d_array
    assert not strings.sparse
    vectors = get_tags(SVC()).input_tags
    assert not vectors.string
    assert vectors.two_d_array
    assert vectors.sparse


def test_weights_are_copies(texts: np.ndarray, labels: np.ndarray) -> None:
    weight = np.where(np.arange(90) < 30, 2.0, 1.0)
    model = SVC(kernel=Spectrum(3), tol=1e-8).fit(texts, labels, sample_weight=weight)
    doubled = SVC(kernel=Spectrum(3), tol=1e-8)
    doubled.fit(np.concatenate([texts, texts[:30]]), np.concatenate([labels, labels[:30]]))
    model.set_params(decision_function_shape="ovo")
    doubled.set_params(decision_function_shape="ovo")
    np.testing.assert_allclose(
        model.decision_function(texts), doubled.decision_function(texts), atol=1e-5
    )


@pytest.mark.parametrize(
    ("X", "sentence"),
    [
        (["a", None, "b"], "row 1 of X is None"),
        (np.ones((3, 2)), "a sequence kernel compares one column"),
        ("abc", "X is a single sequence"),
    ],
)
def test_bad_data_gets_a_sentence(X: Any, sentence: str) -> None:
    with pytest.raises(InvalidInputError, match=sentence):
        SVC(kernel=Spectrum(2)).fit(X, [0, 1, 0])


def test_a_kernel_on_numbers_does_not_go_with_one_on_strings() -> None:
    with pytest.raises(InvalidInputError, match="have no data in common"):
        Spectrum(2) + 2 * RBF(1.0)


@pytest.mark.filterwarnings("ignore:.*probability.*deprecated:FutureWarning")
def test_probabilities_of_strings(texts: np.ndarray, labels: np.ndarray) -> None:
    model = SVC(kernel=Spectrum(2), probability=True, random_state=0).fit(texts, labels)
    np.testing.assert_allclose(model.predict_proba(texts[:5]).sum(axis=1), 1.0)


@pytest.mark.data
class TestDna:
    def test_promoters_leave_one_out(self, data_directory: Path) -> None:
        data = np.load(data_directory / "strings" / "promoters.npz")
        kernel = WeightedDegree(5, shift=2, normalize=True)
        found = cross_val_predict(SVC(kernel=kernel, C=10), data["X"], data["y"], cv=LeaveOneOut())
        assert (found != data["y"]).sum() <= 8

    def test_splice_junctions_in_ten_folds(self, data_directory: Path) -> None:
        data = np.load(data_directory / "strings" / "splice_junction.npz")
        K = WeightedDegree(8, normalize=True).block(data["X"], data["X"])
        scores = cross_val_score(SVC(kernel="precomputed", C=1), K, data["y"], cv=10)
        assert scores.mean() >= 0.95
