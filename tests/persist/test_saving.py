"""The name of a file says its format, and the same model has the same bytes."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import maxmargin
from maxmargin import ModelFileError
from maxmargin.persist import from_liblinear, from_libsvm

from . import composed, fitted
from .fitted import LABELS, NEW, X, model

MODELS = [*((fitted, name) for name in fitted.MAKERS), *((composed, n) for n in composed.MAKERS)]

AGAIN = """
import sys
import maxmargin
for path in sys.argv[1:]:
    maxmargin.save(maxmargin.load(path), path + ".again.safetensors")
"""


@pytest.mark.parametrize(("kind", "name"), MODELS, ids=[name for _, name in MODELS])
@pytest.mark.parametrize("proof", [True, False])
def test_saving_twice_gives_the_same_bytes(kind, name, proof, tmp_path):
    contents = []
    for k in range(6):
        path = tmp_path / f"{k}.safetensors"
        maxmargin.save(kind.model(name), path, proof=proof)
        contents.append(path.read_bytes())
    assert set(contents) == {contents[0]}


@pytest.mark.parametrize(("kind", "name"), MODELS, ids=[name for _, name in MODELS])
def test_a_loaded_model_is_saved_as_the_same_bytes(kind, name, tmp_path):
    first, second = tmp_path / "a.safetensors", tmp_path / "b.safetensors"
    maxmargin.save(kind.model(name), first)
    maxmargin.save(maxmargin.load(first), second)
    assert first.read_bytes() == second.read_bytes()


def test_other_processes_save_the_same_bytes(tmp_path):
    paths = []
    for name in ("strings", "search, mixed grid", "columns", "platt, pairs"):
        kind = fitted if name in fitted.MAKERS else composed
        paths.append(tmp_path / f"{name}.safetensors")
        maxmargin.save(kind.model(name), paths[-1])
    for seed in ("1", "2"):
        subprocess.run(
            [sys.executable, "-c", AGAIN, *map(str, paths)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            timeout=120,
        )
        for path in paths:
            again = path.with_name(path.name + ".again.safetensors")
            assert again.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("suffix", [".onnx", ".ONNX"])
def test_onnx_is_written_under_its_name_and_not_read(suffix, tmp_path):
    onnx = pytest.importorskip("onnx")
    path = tmp_path / f"m{suffix}"
    maxmargin.save(model("scaled"), path)
    onnx.checker.check_model(onnx.load(path))
    content = path.read_bytes()
    maxmargin.save(model("scaled"), path)
    assert path.read_bytes() == content
    with pytest.raises(ModelFileError, match="an ONNX graph, which is written but not read"):
        maxmargin.load(path)


def test_a_model_of_libsvm_or_liblinear_is_written_under_its_name_and_read(tmp_path):
    path = tmp_path / "m.model"
    for name, beginning, read in (
        ("three classes", "svm_type c_svc", from_libsvm),
        ("LinearSVC", "solver_type L2R_L2LOSS_SVC_DUAL", from_liblinear),
        ("search, linear", "solver_type L2R_L2LOSS_SVC_DUAL", from_liblinear),
        ("search", "svm_type c_svc", from_libsvm),
    ):
        found = (fitted if name in fitted.MAKERS else composed).model(name)
        maxmargin.save(found, path)
        assert path.read_text().startswith(beginning)
        np.testing.assert_array_equal(maxmargin.load(path).predict(NEW), found.predict(NEW))
        np.testing.assert_array_equal(read(path).predict(NEW), found.predict(NEW))


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("laplacian", "LIBSVM has no kernel"),
        ("strings", "labels"),
        ("OnlineSVC", "LIBSVM has no OnlineSVC"),
        ("scaled", r"StandardScaler\) are not part of LIBSVM's models: give ranges"),
    ],
)
def test_what_libsvm_cannot_hold_gets_a_sentence(name, sentence, tmp_path):
    with pytest.raises(ModelFileError, match=sentence):
        maxmargin.save(model(name), tmp_path / "m.model")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["m.pkl", "m.joblib", "m.csv", "m.json", "m.v2"])
def test_other_suffixes_are_refused(name, tmp_path):
    with pytest.raises(ModelFileError, match=r"use \.safetensors .* \.onnx, or \.model"):
        maxmargin.save(model("three classes"), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_name_without_suffix_has_our_format(tmp_path):
    maxmargin.save(model("three classes"), tmp_path / "m")
    found = maxmargin.load(tmp_path / "m")
    np.testing.assert_array_equal(found.predict(X), model("three classes").predict(X))
    assert found.certificate_.holds(1e-2)
    assert len(found.classes_) == len(np.unique(LABELS))
