"""What is loaded is what was saved: parameters, attributes, predictions and proofs."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest
from safetensors import safe_open
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import maxmargin
from maxmargin import SVC, LinearSVC, MaxMarginError, ModelFileError, OnlineSVC
from maxmargin.kernels import RBF, Function, Linear
from maxmargin.persist.format.schema import Schema, field, real, register, registered

from .fitted import LABELS, MAKERS, NEW, X, model, points, proved


@pytest.fixture(params=MAKERS)
def name(request):
    return request.param


@pytest.fixture
def again(name, tmp_path):
    maxmargin.save(model(name), tmp_path / "model.safetensors")
    return maxmargin.load(tmp_path / "model.safetensors")


def alike(one, other):
    """Equal in value, type and shape."""
    if sparse.issparse(one):
        assert type(one) is type(other)
        one, other = one.toarray(), other.toarray()
    if isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
    else:
        assert type(one) is type(other)
    return np.array_equal(one, other)


def test_predictions_are_the_same_to_the_last_bit(name, again):
    fitted, new = model(name), points(name)
    assert alike(fitted.predict(new), again.predict(new))
    for method in ("decision_function", "score_samples", "predict_proba"):
        if hasattr(fitted, method):
            assert alike(getattr(fitted, method)(new), getattr(again, method)(new))


@pytest.mark.parametrize("labels", [[-1, 1], [-7, 2**40], [0, 255], [-3.0, 1e6]])
def test_any_numbers_are_labels(labels, tmp_path):
    fitted = SVC().fit([[0.0], [1.0], [2.0], [3.0]], np.repeat(labels, 2))
    maxmargin.save(fitted, tmp_path / "model.safetensors")
    again = maxmargin.load(tmp_path / "model.safetensors")
    assert alike(fitted.classes_, again.classes_)
    assert [part.classes for part in again.certificate_.machines] == [tuple(labels)]


def test_parameters_are_the_same(name, again):
    fitted = model(name)
    if hasattr(fitted, "steps"):
        assert [key for key, _ in fitted.steps] == [key for key, _ in again.steps]
        pairs = zip(fitted.steps, again.steps, strict=True)
        for (_, one), (_, other) in pairs:
            assert one == other == "passthrough" or one.get_params() == other.get_params()
    else:
        assert again.get_params() == fitted.get_params()
    clone(again)


def test_attributes_are_the_same(name, again):
    fitted = model(name)
    if hasattr(fitted, "steps"):
        fitted, again = fitted.steps[-1][1], again.steps[-1][1]
    names = [key for key in vars(fitted) if key.endswith("_") and not key.startswith("_")]
    assert names
    for key in [*names, "n_support_", "t_", "loss_", "objective_estimate_"]:
        if hasattr(fitted, key) and key != "kernel_":
            assert alike(getattr(fitted, key), getattr(again, key)), key
    if hasattr(fitted, "kernel_"):
        assert again.kernel_ == fitted.kernel_
        if fitted.kernel_ == Linear():
            assert alike(again.coef_, fitted.coef_)


def test_the_proof_comes_along(name, again):
    fitted = model(name)
    if not hasattr(fitted, "certificate_"):
        pytest.skip("has no proof")
    assert proved(again) == proved(fitted)
    assert again.certificate_.summary() == fitted.certificate_.summary()
    assert alike(again.slack_, fitted.slack_)
    assert alike(np.asarray(again.margin_), np.asarray(fitted.margin_))
    for one, other in zip(again.machines_, fitted.machines_, strict=True):
        assert one.classes == other.classes == one.certificate.classes
        assert alike(one.slack, other.slack)
        assert one.margin == other.margin
        every = np.arange(len(fitted.slack_))
        assert np.array_equal(every[one.rows], every[other.rows])
        with pytest.raises(MaxMarginError, match="without its training data"):
            one.solution  # noqa: B018


def test_a_second_file_is_the_same_as_the_first(name, again, tmp_path):
    maxmargin.save(again, tmp_path / "second.safetensors")
    first, second = (tmp_path / f"{which}.safetensors" for which in ("model", "second"))
    with safe_open(first, "np") as one, safe_open(second, "np") as other:
        assert one.metadata() == other.metadata()
        assert set(one.keys()) == set(other.keys())
        for key in one.keys():  # noqa: SIM118
            assert alike(one.get_tensor(key), other.get_tensor(key))


@pytest.mark.parametrize("name", ["three classes", "NuSVC", "scaled", "LinearSVC"])
def test_a_loaded_machine_can_be_fitted_again(name, tmp_path):
    maxmargin.save(model(name), tmp_path / "m")
    again = maxmargin.load(tmp_path / "m").fit(X[:, :3], LABELS)
    expected = clone(model(name)).fit(X[:, :3], LABELS)
    np.testing.assert_array_equal(again.predict(X[:, :3]), expected.predict(X[:, :3]))


def test_a_saved_file_can_be_read_by_those_who_could_read_any_other(tmp_path):
    (tmp_path / "other").write_text("x")
    maxmargin.save(model("two classes"), tmp_path / "m")
    assert (tmp_path / "m").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_names_of_features_come_along(tmp_path):
    frame = pd.DataFrame(X, columns=list("abcd"))
    machine = SVC().fit(frame, LABELS)
    maxmargin.save(machine, tmp_path / "m")
    again = maxmargin.load(tmp_path / "m")
    assert list(again.feature_names_in_) == list("abcd")
    np.testing.assert_array_equal(again.predict(frame), machine.predict(frame))
    with pytest.raises(ValueError, match="feature names"):
        again.predict(frame[["b", "a", "c", "d"]])


def test_a_model_without_its_proof_says_so(tmp_path):
    machine = SVC().fit(X, LABELS)
    maxmargin.save(machine, tmp_path / "m", proof=False)
    assert not any("certificate" in vars(one) for one in machine.machines_)
    again = maxmargin.load(tmp_path / "m")
    with pytest.raises(MaxMarginError, match="saved without its proof"):
        again.certificate_  # noqa: B018
    assert [one.classes for one in again.machines_] == [one.classes for one in machine.machines_]
    np.testing.assert_array_equal(again.predict(NEW), machine.predict(NEW))
    maxmargin.save(again, tmp_path / "n")
    with pytest.raises(MaxMarginError, match="saved without its proof"):
        maxmargin.load(tmp_path / "n").slack_  # noqa: B018


@pytest.mark.parametrize("kind", [SVC, LinearSVC])
def test_a_callback_is_left_out(kind, tmp_path):
    machine = kind(callback=lambda progress: None, trace=True).fit(X, LABELS)
    maxmargin.save(machine, tmp_path / "m")
    again = maxmargin.load(tmp_path / "m")
    assert again.callback is None
    assert again.trace
    np.testing.assert_array_equal(again.predict(NEW), machine.predict(NEW))


def test_an_online_machine_goes_on_as_if_nothing_had_happened(tmp_path):
    first = OnlineSVC(random_state=1).partial_fit(X[::2], LABELS[::2], classes=[0, 1, 2])
    maxmargin.save(first, tmp_path / "m")
    second = maxmargin.load(tmp_path / "m")
    for machine in (first, second):
        machine.partial_fit(X[1::2], LABELS[1::2])
    np.testing.assert_array_equal(first.coef_, second.coef_)
    np.testing.assert_array_equal(first.loss_, second.loss_)
    assert first.t_ == second.t_ == len(X)


def overlap(A, B):
    return A @ B.T


REFUSED = {
    "a function": (lambda: SVC(kernel=overlap).fit(X, LABELS), "parameter kernel is code"),
    "a kernel of a function": (
        lambda: SVC(kernel=Function(overlap)).fit(X, LABELS),
        "kernel Function is code",
    ),
    "a kernel that others wrote": (
        lambda: SVC(kernel=type("Mine", (RBF,), {})(1.0)).fit(X, LABELS),
        "kernel Mine is code",
    ),
    "a sum with a function": (
        lambda: SVC(kernel=Linear() + Function(overlap)).fit(X, LABELS),
        "kernel Function is code",
    ),
    "not fitted": (lambda: SVC(), "is not fitted"),
    "another library's": (
        lambda: LogisticRegression(max_iter=1000).fit(X, LABELS),
        "A LogisticRegression cannot be saved",
    ),
    "a subclass": (
        lambda: type("Mine", (LinearSVC,), {})().fit(X, LABELS),
        "A Mine cannot be saved",
    ),
    "a pipeline of others": (
        lambda: make_pipeline(LogisticRegression(max_iter=1000)).fit(X, LABELS),
        "A LogisticRegression cannot be saved",
    ),
    "a generator": (
        lambda: LinearSVC(random_state=np.random.RandomState(0)).fit(X, LABELS),
        "random_state is a RandomState",
    ),
    "no model": (lambda: 3, "A int cannot be saved"),
    "memory": (
        lambda: make_pipeline(SVC(), memory="/tmp").fit(X, LABELS),
        "set memory=None",
    ),
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_a_file_cannot_hold_gets_a_sentence(why, tmp_path):
    make, sentence = REFUSED[why]
    with pytest.raises(ModelFileError, match=sentence):
        maxmargin.save(make(), tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


def test_other_classes_can_be_added(tmp_path):
    class Constant:
        value = 0.0

    register(Schema(Constant, (field("value", real()),), name="test.Constant"))
    assert "test.Constant" in registered()
    machine = Constant()
    machine.value = 2.5
    maxmargin.save(machine, tmp_path / "m")
    assert maxmargin.load(tmp_path / "m").value == 2.5
    with pytest.raises(ValueError, match="another model of the name"):
        register(Schema(int, (), name="test.Constant"))


def test_nothing_is_imported_until_a_file_is_asked_for():
    import subprocess

    code = "import sys, maxmargin; print('safetensors' in sys.modules, 'skl2onnx' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
