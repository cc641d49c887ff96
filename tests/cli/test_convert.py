"""Models and data keep what they say in every format."""

import numpy as np
import pytest
from scipy import sparse

from maxmargin import SVC, LinearSVC, load
from maxmargin.cli.data import read_training
from maxmargin.cli.options import DataOptions
from maxmargin.persist import from_libsvm

from .conftest import column

FORMATS = ["a.csv", "a.tsv", "a.npz", "a.svm", "a.svm.gz", "a.parquet"]


@pytest.mark.parametrize("name", FORMATS)
def test_data_there_and_back(run, folder, cancer, tmp_path, name):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    run("convert", folder / "cancer.csv", tmp_path / name)
    found = read_training(DataOptions(str(tmp_path / name)))
    np.testing.assert_array_equal(np.asarray(found.X), cancer.drop(columns="malignant"))
    np.testing.assert_array_equal(found.y, cancer["malignant"])
    run("convert", tmp_path / name, tmp_path / "back.csv")
    back = read_training(DataOptions(str(tmp_path / "back.csv")))
    np.testing.assert_array_equal(np.asarray(back.X), cancer.drop(columns="malignant"))


def test_sparse_data_stay_sparse(run, tmp_path):
    (tmp_path / "a.svm").write_text("1 3:0.5 100:2\n-1 7:1\n")
    run("convert", tmp_path / "a.svm", tmp_path / "a.npz")
    found = read_training(DataOptions(str(tmp_path / "a.npz")))
    assert sparse.issparse(found.X)
    assert found.X.shape == (2, 100)
    assert found.X.nnz == 3


def test_labels_that_libsvm_cannot_hold(run, folder, tmp_path):
    assert "y must hold one number per row" in run.error(
        "convert", folder / "iris.csv", tmp_path / "a.svm"
    )


def test_standard_output(run, folder):
    found = run("convert", folder / "iris.csv", "-", "--to", "tsv", "--quiet")
    assert found.stdout.splitlines()[1] == "5.1\t3.5\t1.4\t0.2\tsetosa"


@pytest.fixture
def plain_model(run, folder, tmp_path):
    """A machine without steps before it, which LIBSVM can hold."""
    run("train", folder / "cancer.csv", "-o", tmp_path / "m.safetensors", "--gamma", 0.001)
    return tmp_path / "m.safetensors"


def test_a_model_through_libsvm(run, plain_model, points, tmp_path):
    run("convert", plain_model, tmp_path / "a.model")
    run("convert", tmp_path / "a.model", tmp_path / "b.safetensors")
    X = points[0].to_numpy()
    ours, back = load(plain_model), load(tmp_path / "b.safetensors")
    assert type(back) is SVC
    np.testing.assert_allclose(
        back.decision_function(X), ours.decision_function(points[0]), rtol=1e-9
    )


def test_a_model_of_libsvm_predicts_like_libsvm(run, folder, points, tmp_path):
    svmutil = pytest.importorskip("libsvm.svmutil")
    X, y = points[0].to_numpy() / 100, points[1]
    model = svmutil.svm_train(y.tolist(), X, "-c 10 -g 0.5 -q")
    svmutil.svm_save_model(str(tmp_path / "a.model"), model)
    theirs, _, _ = svmutil.svm_predict([], X, model, "-q")
    np.savez(tmp_path / "x.npz", X=X)
    found = run("predict", tmp_path / "a.model", tmp_path / "x.npz")
    np.testing.assert_array_equal(column(found.stdout), theirs)


def test_linear_machines_become_liblinears(run, folder, tmp_path):
    linear = tmp_path / "l.safetensors"
    run("train", folder / "iris.csv", "-o", linear, "--machine", "linear-svc")
    said = run.error("convert", linear, tmp_path / "a.model")
    assert "labels are whole numbers" in said
    run("train", folder / "cancer.csv", "-o", linear, "--machine", "linear-svc")
    found = run.json("convert", linear, tmp_path / "a.model")
    assert found["to"] == "liblinear-model"
    run("convert", tmp_path / "a.model", tmp_path / "b.safetensors")
    assert type(load(tmp_path / "b.safetensors")) is LinearSVC


def test_onnx(run, plain_model, points, tmp_path):
    pytest.importorskip("skl2onnx")
    runtime = pytest.importorskip("onnxruntime")
    run("convert", plain_model, tmp_path / "a.onnx")
    session = runtime.InferenceSession((tmp_path / "a.onnx").read_bytes())
    X = points[0].to_numpy()
    labels, scores = session.run(None, {"X": X})
    np.testing.assert_array_equal(labels, load(plain_model).predict(points[0]))
    np.testing.assert_allclose(
        scores[:, 0], load(plain_model).decision_function(points[0]), atol=1e-6
    )
    assert "not read" in run.error("inspect", tmp_path / "a.onnx")


def test_the_scaling_of_a_model_goes_to_a_file_of_ranges(run, model, points, tmp_path):
    found = run("convert", model, tmp_path / "a.model")
    assert f"svm-scale -r {tmp_path / 'a.range'} DATA" in found.stderr
    X, _ = points
    # tests/persist/test_ranges.py runs svm-scale itself.
    low, high = np.loadtxt(tmp_path / "a.range", skiprows=2)[:, 1:].T
    scaled = 2 * (X.to_numpy() - low) / (high - low) - 1
    predicted = from_libsvm(tmp_path / "a.model").predict(scaled)
    np.testing.assert_array_equal(predicted, load(model).predict(X))


def test_the_name_of_the_output_says_the_format_of_a_trained_model(run, folder, tmp_path):
    onnx = pytest.importorskip("onnx")
    run("train", folder / "cancer.csv", "-o", tmp_path / "a.onnx", "--scale", "--probability")
    graph = onnx.load(tmp_path / "a.onnx").graph
    assert [output.name for output in graph.output] == ["label", "scores", "probabilities"]
    run("train", folder / "cancer.csv", "-o", tmp_path / "a.model", "--scale", "minmax")
    assert (tmp_path / "a.model").read_text().startswith("svm_type c_svc")
    assert (tmp_path / "a.range").read_text().startswith("x\n-1 1\n1 ")
    run("tune", folder / "cancer.csv", "-o", tmp_path / "b.model", "--machine", "linear-svc")
    assert (tmp_path / "b.model").read_text().startswith("solver_type")


def test_what_cannot_be_converted(run, folder, model, tmp_path):
    run("train", folder / "cancer.csv", "-o", tmp_path / "pca.safetensors", "--scale", "--pca", 2)
    said = run.error("convert", tmp_path / "pca.safetensors", tmp_path / "a.model")
    assert "LIBSVM cannot hold the step PCA" in said
    assert "is not a format of models" in run.error("convert", model, tmp_path / "a.pkl")
    assert "holds a model" in run.error("convert", model, tmp_path / "a.csv", "--to", "csv")
    said = run.error("convert", folder / "iris.csv", tmp_path / "a", "--to", "onnx")
    assert "holds data" in said
