"""The studies of strings keep what their pages promise."""

from types import SimpleNamespace

import numpy as np
import pytest
from benchmarks import datasets
from benchmarks.sequences import promoters, spam, splice, surnames
from benchmarks.sequences.report import best_of_each, shown
from sklearn.metrics import f1_score

from maxmargin import SVC
from maxmargin.kernels import Spectrum, WeightedDegree


@pytest.fixture
def load(data_directory):
    return lambda name: datasets.read(data_directory / "strings" / f"{name}.npz")


@pytest.mark.data
def test_promoters_leave_one_out(load):
    data = load("promoters")
    found = promoters.search(data["X"], data["y"])
    assert round(106 * (1 - found.best_score_)) <= 8


@pytest.mark.data
def test_splice_junctions_in_ten_folds(load):
    data = load("splice_junction")
    grid = {"kernel": [Spectrum(4, normalize=True), WeightedDegree(8, normalize=True)], "C": [3.0]}
    found = splice.search(data["X"], data["y"], grid)
    assert found.best_score_ >= 0.95
    assert found.best_estimator_.certificate_.kkt_violation <= found.best_estimator_.tol


@pytest.mark.data
def test_spam_in_a_fold(load):
    data = load("sms_spam")
    messages = [spam.words(message) for message in data["X"]]
    train, test = spam.folds(data["X"], data["y"])[0]
    machine = SVC(kernel=spam.WORDS[1], C=10).fit([messages[i] for i in train], data["y"][train])
    found = machine.predict([messages[i] for i in test])
    assert f1_score(data["y"][test], found, pos_label="spam") >= 0.95


@pytest.mark.data
def test_names_are_different_and_marked(load):
    X, y = surnames.names(load("surnames_by_nationality"), most=80)
    assert len(set(zip(X.tolist(), y.tolist(), strict=True))) >= 0.99 * len(X)
    assert all(name[0] == "^" and name[-1] == "$" for name in X)
    assert np.unique(y, return_counts=True)[1].max() == 80
    assert len(np.unique(y)) == 18


def test_numbers_in_messages_are_their_digits():
    assert spam.words("Call 0800-123 NOW!") == ["call", "<4 digits>", "-", "<3 digits>", "now", "!"]


def test_kernels_are_shown_as_they_are_called():
    assert shown(Spectrum(3)) == "Spectrum(k=3)"
    kernel = 2 * Spectrum(4) + Spectrum(2, normalize=True)
    assert shown(kernel) == "2 * Spectrum(k=4) + Spectrum(k=2, normalize=True)"


def test_each_kernel_has_its_best_price():
    search = SimpleNamespace(
        n_splits_=2,
        cv_results_={
            "params": [{"kernel": "a", "C": 1}, {"kernel": "a", "C": 2}, {"kernel": "b", "C": 1}],
            "rank_test_score": [3, 1, 2],
            "split0_test_score": [0.1, 0.9, 0.5],
            "split1_test_score": [0.1, 0.7, 0.5],
        },
    )
    first, second = best_of_each(search, "kernel")
    assert first[:2] == ("a", {"C": 2})
    assert first[2:] == pytest.approx((0.8, 0.1))
    assert second[:2] == ("b", {"C": 1})
