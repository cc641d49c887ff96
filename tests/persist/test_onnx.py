"""onnxruntime finds our labels, and our scores to 1e-6 in double."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from scipy import sparse

from maxmargin import SVC, InvalidInputError, MissingDependencyError, ModelFileError
from maxmargin.kernels import Function
from maxmargin.persist import to_onnx
from maxmargin.persist.onnx import register_converters

from .fitted import LABELS, MAKERS, X, model, points

onnxruntime = pytest.importorskip("onnxruntime")
skl2onnx = pytest.importorskip("skl2onnx")

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")

#: skl2onnx has no converter for a step that is left out.
NOT_CONVERTED = {"other scalers"}


def run(graph, rows):
    session = onnxruntime.InferenceSession(
        graph.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    names = [output.name for output in session.get_outputs()]
    dense = rows.toarray() if sparse.issparse(rows) else rows
    return dict(zip(names, session.run(None, {"X": dense}), strict=True))


def column(values):
    return values if values.ndim == 2 else values[:, None]


@pytest.mark.parametrize("name", [name for name in MAKERS if name not in NOT_CONVERTED])
def test_the_graph_computes_what_the_model_does(name):
    fitted, new = model(name), points(name)
    new = new.astype(np.float64)
    found = run(to_onnx(fitted), new)
    if "variable" in found:
        expected = fitted.predict(new)[:, None]
        np.testing.assert_allclose(found["variable"], expected, rtol=1e-6, atol=1e-6)
        return
    assert found["label"].tolist() == fitted.predict(new).tolist()
    scores = column(fitted.decision_function(new))
    assert found["scores"].dtype == np.float64
    np.testing.assert_allclose(found["scores"], scores, rtol=1e-6, atol=1e-6)


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
    with pytest.raises(InvalidInputError, match="float64 or float32"):
        to_onnx(model("three classes"), dtype=np.int32)


def test_a_missing_skl2onnx_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "skl2onnx.common.data_types", None)
    with pytest.raises(MissingDependencyError, match=r"maxmargin\[onnx\]"):
        to_onnx(model("LinearSVC"))
