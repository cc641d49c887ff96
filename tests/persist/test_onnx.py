"""onnxruntime finds our labels, and our scores and probabilities to 1e-6 in double."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from maxmargin import (
    SVC,
    CalibratedSVC,
    InvalidInputError,
    MissingDependencyError,
    ModelFileError,
)
from maxmargin.kernels import Function
from maxmargin.persist import to_onnx
from maxmargin.persist.onnx import register_converters

from . import composed
from .fitted import LABELS, MAKERS, X, model, points

onnxruntime = pytest.importorskip("onnxruntime")
skl2onnx = pytest.importorskip("skl2onnx")

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")

#: Models that hold others; a search without refit has no model.
COMPOSED = [
    name for name in (*composed.SEARCHES, *composed.CALIBRATIONS) if name != "search, no refit"
]


def run(graph, rows):
    session = onnxruntime.InferenceSession(
        graph.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    names = [output.name for output in session.get_outputs()]
    dense = rows.toarray() if sparse.issparse(rows) else rows
    return dict(zip(names, session.run(None, {"X": dense}), strict=True))


def column(values):
    return values if values.ndim == 2 else values[:, None]


def assert_computes_the_same(fitted, new):
    new = np.asarray(new, dtype=np.float64) if not sparse.issparse(new) else new.astype(float)
    found = run(to_onnx(fitted), new)
    if "variable" in found:
        expected = fitted.predict(new)[:, None]
        np.testing.assert_allclose(found["variable"], expected, rtol=1e-6, atol=1e-6)
        return
    assert found["label"].tolist() == fitted.predict(new).tolist()
    scores = column(fitted.decision_function(new))
    assert found["scores"].dtype == np.float64
    np.testing.assert_allclose(found["scores"], scores, rtol=1e-6, atol=1e-6)
    assert ("probabilities" in found) == hasattr(fitted, "predict_proba")
    if "probabilities" in found:
        expected = fitted.predict_proba(new)
        np.testing.assert_allclose(found["probabilities"], expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", MAKERS)
def test_the_graph_computes_what_the_model_does(name):
    assert_computes_the_same(model(name), points(name))


@pytest.mark.filterwarnings("ignore:X has feature names", "ignore:X does not have valid feature")
@pytest.mark.parametrize("name", COMPOSED)
def test_the_graph_of_a_composed_model_computes_what_it_does(name):
    assert_computes_the_same(composed.model(name), composed.points(name))


def test_far_away_points_have_the_probabilities_of_the_model():
    everywhere = np.random.default_rng(1).uniform(-30, 30, size=(500, 4))
    for name in ("platt, pairs", "isotonic, pairs", "logistic, rest", "isotonic"):
        fitted = composed.model(name)
        found = run(to_onnx(fitted), everywhere)["probabilities"]
        np.testing.assert_allclose(found, fitted.predict_proba(everywhere), rtol=1e-6, atol=1e-9)


def test_ten_classes_are_coupled_alike():
    rows, digits = load_digits(return_X_y=True)
    fitted = CalibratedSVC(SVC(), cv=2).fit(rows[:400], digits[:400])
    found = run(to_onnx(fitted), rows[400:])
    np.testing.assert_array_equal(found["label"], fitted.predict(rows[400:]))
    expected = fitted.predict_proba(rows[400:])
    np.testing.assert_allclose(found["probabilities"], expected, rtol=1e-6, atol=1e-9)


def test_the_graph_of_a_model_is_the_same_each_time():
    for fitted in (model("probabilities"), composed.model("search, pipeline")):
        first, second = (to_onnx(fitted).SerializeToString() for _ in range(2))
        assert first == second


def test_ties_are_broken_alike():
    machine = SVC(break_ties=True, gamma=0.01, C=0.1).fit(X, LABELS)
    everywhere = np.random.default_rng(0).uniform(0, 8, size=(3000, 4))
    for machine.break_ties in (True, False):
        labels = run(to_onnx(machine), everywhere)["label"]
        np.testing.assert_array_equal(labels, machine.predict(everywhere))


def test_float32_is_nearly_as_good():
    machine = model("three classes")
    rows = points("three classes").astype(np.float32)
    found = run(to_onnx(machine, dtype=np.float32), rows)
    assert found["scores"].dtype == np.float32
    np.testing.assert_allclose(found["scores"], machine.decision_function(rows), atol=1e-4)


def test_skl2onnx_knows_the_estimators_then():
    register_converters()
    graph = skl2onnx.to_onnx(model("LinearSVC"), X[:1])
    np.testing.assert_array_equal(run(graph, X)["label"], model("LinearSVC").predict(X))
    for name in ("platt, pipeline", "search, pipeline", "search in a pipeline"):
        fitted = composed.model(name)
        found = run(skl2onnx.to_onnx(fitted, X[:1]), X)["label"]
        np.testing.assert_array_equal(found, fitted.predict(X))


@pytest.mark.parametrize("name", ["LinearSVC", "three classes", "SVR"])
def test_whole_numbers_are_computed_with_in_float32(name):
    register_converters()
    rows = np.arange(20).reshape(5, 4)
    found = run(skl2onnx.to_onnx(model(name), rows[:1]), rows)
    values = found["variable"][:, 0] if name == "SVR" else found["label"]
    np.testing.assert_allclose(values, model(name).predict(rows.astype(np.float64)), rtol=1e-5)


def test_what_cannot_be_exported_gets_a_sentence():
    with pytest.raises(ModelFileError, match="not fitted"):
        to_onnx(SVC())
    with pytest.raises(ModelFileError, match="cannot be exported"):
        to_onnx(SVC(kernel=Function(np.inner)).fit(X, LABELS))
    with pytest.raises(ModelFileError, match="fit it with refit=True"):
        to_onnx(composed.model("search, no refit"))
    with pytest.raises(ModelFileError, match="A CalibratedSVC of a LogisticRegression"):
        to_onnx(CalibratedSVC(LogisticRegression(max_iter=1000)).fit(X, LABELS))
    for name in ("spectrum", "columns", "words, calibrated", "words, searched"):
        with pytest.raises(ModelFileError, match="cannot be exported to ONNX: its kernel"):
            to_onnx(composed.model(name))
    with pytest.raises(InvalidInputError, match="float64 or float32"):
        to_onnx(model("three classes"), dtype=np.int32)


def test_a_missing_skl2onnx_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "skl2onnx.common.data_types", None)
    with pytest.raises(MissingDependencyError, match=r"maxmargin\[onnx\]"):
        to_onnx(model("LinearSVC"))
