"""LIBLINEAR reads our models and we read its: labels alike, values to rounding."""

from __future__ import annotations

import numpy as np
import pytest

from maxmargin import SVC, LinearSVC, LinearSVR, MaxMarginError, ModelFileError
from maxmargin.persist import from_liblinear, to_liblinear

from .fitted import LABELS, NAMES, NEW, TARGETS, X
from .peers import liblinear_predict, liblinear_train

TWO = np.where(LABELS == 1, -1, 1)
SOLVERS = {
    1: {"loss": "squared_hinge"},
    2: {"loss": "squared_hinge"},
    3: {"loss": "hinge"},
    4: {"multi_class": "crammer_singer"},
    5: {"penalty": "l1"},
}
REGRESSORS = {
    11: {"loss": "squared_epsilon_insensitive"},
    12: {"loss": "squared_epsilon_insensitive"},
    13: {"loss": "epsilon_insensitive"},
}


@pytest.mark.parametrize("bias", [-1, 0, 1, 2.5])
@pytest.mark.parametrize("y", [LABELS, TWO, 3 - LABELS], ids=["three", "two", "other order"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_we_find_what_predict_finds(solver, y, bias, tmp_path):
    liblinear_train(X, y, f"-s {solver} -B {bias}", tmp_path / "m")
    machine = from_liblinear(tmp_path / "m")
    for name, value in SOLVERS[solver].items():
        assert getattr(machine, name) == value
    labels, values = liblinear_predict(NEW, tmp_path / "m")
    np.testing.assert_array_equal(machine.predict(NEW), labels)
    found = machine.decision_function(NEW)
    if len(machine.classes_) > 2:
        order = np.argsort(np.argsort(_labels(tmp_path / "m")))
        np.testing.assert_allclose(found[:, order], values, rtol=1e-9, atol=1e-12)
    else:
        first_is_second = _labels(tmp_path / "m")[0] == machine.classes_[1]
        one = values[:, 0] - values[:, 1] if solver == 4 else values[:, 0]
        np.testing.assert_allclose(found, one if first_is_second else -one, rtol=1e-9, atol=1e-12)


def _labels(path):
    line = next(line for line in path.read_text().splitlines() if line.startswith("label"))
    return [int(label) for label in line.split()[1:]]


@pytest.mark.parametrize("bias", [-1, 1])
@pytest.mark.parametrize("solver", REGRESSORS)
def test_regression(solver, bias, tmp_path):
    liblinear_train(X, TARGETS, f"-s {solver} -p 0.1 -B {bias}", tmp_path / "m")
    machine = from_liblinear(tmp_path / "m")
    assert machine.loss == REGRESSORS[solver]["loss"]
    _, values = liblinear_predict(NEW, tmp_path / "m")
    np.testing.assert_allclose(machine.predict(NEW), values[:, 0], rtol=1e-9)


OPTIONS = {
    "squared hinge": {},
    "hinge": {"loss": "hinge"},
    "l1": {"penalty": "l1"},
    "Crammer and Singer": {"multi_class": "crammer_singer", "max_iter": 100_000},
    "no intercept": {"fit_intercept": False},
    "a free bias": {"bias": "free"},
}


@pytest.mark.parametrize("y", [LABELS, TWO], ids=["three", "two"])
@pytest.mark.parametrize("name", OPTIONS)
def test_predict_finds_our_labels(name, y, tmp_path):
    machine = LinearSVC(**OPTIONS[name]).fit(X, y)
    to_liblinear(machine, tmp_path / "m")
    labels, values = liblinear_predict(NEW, tmp_path / "m")
    np.testing.assert_array_equal(labels, machine.predict(NEW))
    if len(machine.classes_) > 2:
        np.testing.assert_allclose(values, machine.decision_function(NEW), rtol=1e-9, atol=1e-12)
    again = from_liblinear(tmp_path / "m")
    np.testing.assert_array_equal(again.coef_, machine.coef_)
    np.testing.assert_array_equal(again.intercept_, machine.intercept_)
    np.testing.assert_array_equal(again.classes_, machine.classes_)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
@pytest.mark.parametrize("sparse", [False, True])
def test_predict_finds_our_values(loss, sparse, tmp_path):
    machine = LinearSVR(loss=loss, epsilon=0.1).fit(X, TARGETS)
    if sparse:
        machine.sparsify()
    to_liblinear(machine, tmp_path / "m")
    _, values = liblinear_predict(NEW, tmp_path / "m")
    np.testing.assert_allclose(values[:, 0], machine.predict(NEW), rtol=1e-9)
    np.testing.assert_array_equal(
        from_liblinear(tmp_path / "m").coef_, machine.densify().coef_.ravel()
    )


def test_a_model_from_liblinear_has_no_proof_and_says_so(tmp_path):
    liblinear_train(X, LABELS, "-s 1", tmp_path / "m")
    with pytest.raises(MaxMarginError, match="without its data"):
        from_liblinear(tmp_path / "m").certificate_  # noqa: B018


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: LinearSVC().fit(X, NAMES), "LIBLINEAR's labels are whole numbers"),
        (lambda: LinearSVC(), "is not fitted"),
        (lambda: SVC().fit(X, LABELS), "LIBLINEAR has no SVC"),
    ],
)
def test_what_liblinear_does_not_have_gets_a_sentence(make, sentence, tmp_path):
    with pytest.raises(ModelFileError, match=sentence):
        to_liblinear(make(), tmp_path / "m")


TEXT = "solver_type L2R_L2LOSS_SVC\nnr_class 3\nlabel 1 2 3\nnr_feature 2\nbias 1\nw\n"
TEXT += "1 2 3 \n4 5 6 \n7 8 9 \n"
FAULTS = {
    "empty": ("", "no line w"),
    "logistic regression": (TEXT.replace("L2LOSS_SVC", "LR"), "does not have"),
    "one class": (TEXT.replace("L2R_L2LOSS_SVC", "ONECLASS_SVM"), "does not have"),
    "unknown": (TEXT.replace("L2R_L2LOSS_SVC", "L3R"), "must say one of"),
    "a weight too few": (TEXT[:-4], "8 weights but announces 9"),
    "a weight too many": (TEXT + "1", "10 weights but announces 9"),
    "no number": (TEXT.replace("5", "five"), "a value that is not a number"),
    "infinite": (TEXT.replace("5", "inf"), "a value that is not finite"),
    "many features": (
        TEXT.replace("nr_feature 2", "nr_feature 2000000000"),
        "announces 6000000003",
    ),
    "too many features": (TEXT.replace("nr_feature 2", "nr_feature 99999999999"), "whole number"),
    "no labels": (TEXT.replace("label 1 2 3\n", ""), "no line label"),
    "a class twice": (TEXT.replace("label 1 2 3", "label 1 2 2"), "has a class twice"),
    "no bias": (TEXT.replace("bias 1\n", ""), "no line bias"),
    "classes in regression": (TEXT.replace("_SVC", "_SVR"), "nr_class must say 2"),
}


@pytest.mark.parametrize("why", FAULTS)
def test_a_file_that_is_no_model_gets_a_sentence(why, tmp_path):
    content, sentence = FAULTS[why]
    (tmp_path / "m").write_text(content)
    with pytest.raises(ModelFileError, match=sentence):
        from_liblinear(tmp_path / "m")
