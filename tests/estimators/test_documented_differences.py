"""Each row of the table of differences from scikit-learn is true."""

import re
import warnings

import numpy as np
import pytest
from sklearn import svm
from sklearn.exceptions import NotFittedError

import maxmargin
from maxmargin import SVC, SVR, InvalidInputError, LinearSVC, NuSVC
from maxmargin.problems import SoftMargin

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = (X[:, 0] + 0.5 * RNG.normal(size=60) > 0).astype(int)
CLASSES = RNG.integers(0, 3, 60)


def memory():
    assert SVC().cache_size is None
    assert svm.SVC().cache_size == 200


def no_shrinking():
    models = [SVC(shrinking=way).fit(X, Y) for way in (True, False)]
    np.testing.assert_array_equal(models[0].dual_coef_, models[1].dual_coef_)


def a_bar(capfd):
    SVC(verbose=True).fit(X, Y)
    assert "optimization finished" not in capfd.readouterr().out


def weights_count_as_copies():
    weight = 1.0 + (np.arange(60) % 2)
    rows = np.repeat(np.arange(60), weight.astype(int))
    options = {"class_weight": "balanced", "tol": 1e-8}
    weighted = SVC(**options).fit(X, Y, sample_weight=weight)
    copied = SVC(**options).fit(X[rows], Y[rows])
    np.testing.assert_allclose(
        weighted.decision_function(X), copied.decision_function(X), atol=1e-5
    )


def classes_weigh_in_nu():
    values = [
        NuSVC(nu=0.3, class_weight=way).fit(X, Y).decision_function(X) for way in (None, {0: 3.0})
    ]
    assert not np.allclose(*values)
    theirs = [
        svm.NuSVC(nu=0.3, class_weight=way).fit(X, Y).decision_function(X)
        for way in (None, {0: 3.0})
    ]
    assert np.allclose(*theirs)


def a_class_without_weight_has_a_column():
    weight = (CLASSES != 2).astype(float)
    model = SVC().fit(X, CLASSES, sample_weight=weight)
    assert model.decision_function(X).shape == (60, 3)
    assert 2 not in model.predict(X)


def constant_kernels_are_refused():
    for options in ({"gamma": 0.0}, {"kernel": "poly", "degree": 0}):
        svm.SVC(**options).fit(X, Y)
        with pytest.raises(InvalidInputError):
            SVC(**options).fit(X, Y)


def infinite_penalty():
    models = [SVC(C=C, kernel="linear").fit(X[:, :1], X[:, 0] > 0) for C in (np.inf, 1e10)]
    np.testing.assert_array_equal(models[0].dual_coef_, models[1].dual_coef_)


def blocks_of_arrays():
    kinds = set()

    def kernel(A, B):
        kinds.add(type(A))
        return A @ B.T

    SVC(kernel=kernel).fit(X, Y).predict(X)
    assert kinds == {np.ndarray}


def unsymmetric_matrices_are_refused():
    gram = X @ X.T
    gram[0, 1] += 1.0
    svm.SVC(kernel="precomputed").fit(gram, Y)
    with pytest.raises(InvalidInputError):
        SVC(kernel="precomputed").fit(gram, Y)


def float32_stays():
    assert SVC().fit(X.astype(np.float32), Y).support_vectors_.dtype == np.float32


def data_is_kept_by_reference():
    rows = X.copy()
    machine = SVC().fit(rows, Y).machines_[0]
    assert isinstance(machine.problem, SoftMargin)
    assert np.shares_memory(machine.problem.points.base.X, rows)


def no_probabilities_of_a_stopped_fit():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SVC(probability=True, callback=lambda progress: True).fit(X, Y)
    with pytest.raises(NotFittedError, match="ended before the probabilities"):
        model.predict_proba(X)


def machines_not_started_vote():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SVC(time_limit=1e-9).fit(X, CLASSES)
    heaviest = np.bincount(CLASSES).argmax()
    assert (model.predict(X) == heaviest).all()


def steps_are_counted():
    assert SVC().fit(X, Y).n_iter_.shape == svm.SVC().fit(X, Y).n_iter_.shape


def small_data_to_rounding():
    assert SVC(tol=1e-3).fit(X, Y).certificate_.kkt_violation < 1e-6


def dual_has_no_effect():
    models = [LinearSVC(loss="hinge", dual=way).fit(X, Y) for way in (True, False)]
    np.testing.assert_array_equal(models[0].coef_, models[1].coef_)


def large_numbers_are_refused():
    for model, rows, target in (
        (SVC(), X * 1e155, Y),
        (LinearSVC(), X * 1e50, Y),
        (SVR(), X, X[:, 0] * 1e105),
    ):
        with pytest.raises(maxmargin.MaxMarginError):
            model.fit(rows, target)


def early_ends_state_the_gap():
    with pytest.warns(UserWarning, match="gap"):
        SVC(max_iter=1).fit(X, Y)


DIFFERENCES = {
    "`cache_size`": memory,
    "`shrinking`": no_shrinking,
    "`verbose`": a_bar,
    '`gamma="scale"` and `class_weight="balanced"` with sample weights': weights_count_as_copies,
    "`class_weight` of `NuSVC`": classes_weigh_in_nu,
    "a class whose points all have weight zero": a_class_without_weight_has_a_column,
    "`gamma=0`, `degree=0`": constant_kernels_are_refused,
    "`C=inf`": infinite_penalty,
    "a kernel function": blocks_of_arrays,
    "a precomputed Gram matrix that is not symmetric": unsymmetric_matrices_are_refused,
    "float32 data, and integers that float32 represents exactly": float32_stays,
    "the training data": data_is_kept_by_reference,
    "`probability=True` in a fit that is stopped (`time_limit`, Ctrl-C, a callback)": (
        no_probabilities_of_a_stopped_fit
    ),
    "a multi-class fit that is stopped early": machines_not_started_vote,
    "`n_iter_`, `max_iter`": steps_are_counted,
    "up to 256 points": small_data_to_rounding,
    "`dual` of `LinearSVC` and `LinearSVR`": dual_has_no_effect,
    "entries of X beyond 10¹⁵⁰ (10⁴⁵ in linear machines), targets beyond 10¹⁰⁰": (
        large_numbers_are_refused
    ),
    "a fit that did not converge": early_ends_state_the_gap,
}


def test_the_page_lists_these_differences(root):
    page = (root / "docs/howto/coming-from-scikit-learn.md").read_text(encoding="utf-8")
    table = page.partition("## What is different")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (.+?) \|", table, flags=re.MULTILINE)[2:]
    assert rows == list(DIFFERENCES)


@pytest.mark.parametrize("difference", DIFFERENCES)
def test_a_difference_from_scikit_learn_is_as_the_page_says(difference, request):
    check = DIFFERENCES[difference]
    if check is a_bar:
        check(request.getfixturevalue("capfd"))
    else:
        check()
