"""The scaling before a machine, in a file that svm-scale reads."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from maxmargin import SVC, LinearSVC, ModelFileError, SVMSearchCV
from maxmargin.persist import from_libsvm, to_liblinear, to_libsvm
from maxmargin.streams import read_libsvm, write_libsvm

from .fitted import LABELS, NEW, X
from .programs import run

SCALERS = {
    "standard": [StandardScaler()],
    "not centred": [StandardScaler(with_mean=False)],
    "centred only": [StandardScaler(with_std=False)],
    "range": [MinMaxScaler(feature_range=(-2, 3))],
    "largest": [MaxAbsScaler()],
    "median": [RobustScaler()],
    "several": [StandardScaler(), "passthrough", MinMaxScaler(), RobustScaler()],
}
#: A constant column, and one of far larger numbers.
ROWS, OTHERS = (
    np.column_stack([rows, np.full(len(rows), 7.0), 1e4 * rows[:, 0]]) for rows in (X, NEW)
)


def scaled_by_libsvm(rows, ranges, folder):
    """Return what svm-scale, which writes six digits, makes of rows."""
    write_libsvm(rows, np.zeros(len(rows)), folder / "raw")
    text = run("svm-scale", "-r", ranges, folder / "raw")
    (folder / "scaled").write_text(text)
    found, _ = read_libsvm(folder / "scaled", n_features=rows.shape[1])
    return found.toarray()


@pytest.mark.parametrize("name", SCALERS)
def test_svm_scale_scales_like_the_pipeline(name, tmp_path):
    model = make_pipeline(*SCALERS[name], SVC()).fit(ROWS, LABELS)
    to_libsvm(model, tmp_path / "m.model", ranges=tmp_path / "m.range")
    found = scaled_by_libsvm(OTHERS, tmp_path / "m.range", tmp_path)
    np.testing.assert_allclose(found, model[:-1].transform(OTHERS), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", SCALERS)
def test_svm_predict_predicts_like_the_pipeline(name, tmp_path):
    model = make_pipeline(*SCALERS[name], SVC()).fit(ROWS, LABELS)
    to_libsvm(model, tmp_path / "m.model", ranges=tmp_path / "m.range")
    scaled_by_libsvm(OTHERS, tmp_path / "m.range", tmp_path)
    run("svm-predict", tmp_path / "scaled", tmp_path / "m.model", tmp_path / "out")
    labels = [int(line) for line in (tmp_path / "out").read_text().split()]
    assert labels == model.predict(OTHERS).tolist()


def test_liblinear_predicts_like_the_pipeline(tmp_path):
    model = make_pipeline(StandardScaler(), LinearSVC()).fit(ROWS, LABELS)
    to_liblinear(model, tmp_path / "m.model", ranges=tmp_path / "m.range")
    scaled_by_libsvm(OTHERS, tmp_path / "m.range", tmp_path)
    run("liblinear-predict", tmp_path / "scaled", tmp_path / "m.model", tmp_path / "out")
    labels = [int(line) for line in (tmp_path / "out").read_text().split()]
    assert labels == model.predict(OTHERS).tolist()


def test_the_machine_of_a_search_is_exported(tmp_path):
    steps = make_pipeline(StandardScaler(), SVC())
    search = SVMSearchCV(steps, {"svc__C": [1.0, 10.0]}, cv=2).fit(X, LABELS)
    to_libsvm(search, tmp_path / "m.model", ranges=tmp_path / "m.range")
    machine = from_libsvm(tmp_path / "m.model")
    rows = search.best_estimator_[0].transform(NEW)
    np.testing.assert_array_equal(machine.predict(rows), search.predict(NEW))


def test_what_ranges_cannot_hold_gets_a_sentence(tmp_path):
    scaled = make_pipeline(StandardScaler(), SVC()).fit(X, LABELS)
    with pytest.raises(ModelFileError, match=r"\(StandardScaler\) .* give ranges, a file"):
        to_libsvm(scaled, tmp_path / "m.model")
    turned = make_pipeline(StandardScaler(), PCA(2), SVC()).fit(X, LABELS)
    with pytest.raises(ModelFileError, match=r"cannot hold the step PCA.* \.onnx"):
        to_libsvm(turned, tmp_path / "m.model", ranges=tmp_path / "m.range")
    clipped = make_pipeline(MinMaxScaler(clip=True), SVC()).fit(X, LABELS)
    with pytest.raises(ModelFileError, match="cannot hold the step MinMaxScaler"):
        to_libsvm(clipped, tmp_path / "m.model", ranges=tmp_path / "m.range")
    assert not list(tmp_path.iterdir())
