import json

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from maxmargin import load

from .conftest import column


def test_labels_one_a_line(run, folder, model, points):
    X, _ = points
    found = run("predict", model, folder / "cancer.csv")
    np.testing.assert_array_equal(column(found.stdout), load(model).predict(X))
    assert found.stderr == ""


def test_columns_are_found_by_name(run, model, cancer, points, tmp_path):
    shuffled = cancer[cancer.columns[::-1]].assign(note="not a number")
    shuffled.to_csv(tmp_path / "new.csv", index=False)
    found = run("predict", model, tmp_path / "new.csv")
    np.testing.assert_array_equal(column(found.stdout), load(model).predict(points[0]))


def test_a_column_that_is_not_there_is_named(run, model, cancer, tmp_path):
    cancer.drop(columns="mean_area").to_csv(tmp_path / "new.csv", index=False)
    said = run.error("predict", model, tmp_path / "new.csv")
    assert "has no column 'mean_area', which the model was trained with" in said


def test_scores_are_columns(run, folder, model, points):
    X, _ = points
    found = run("predict", model, folder / "cancer.csv", "--scores")
    head, *lines = found.stdout.splitlines()
    assert head == "prediction,score"
    values = np.array([float(line.split(",")[1]) for line in lines])
    # Each number is written in full.
    np.testing.assert_array_equal(values, load(model).decision_function(X))


def test_scores_of_many_classes(run, folder, iris, tmp_path):
    run("train", folder / "iris.csv", "-o", tmp_path / "m")
    found = run.json("predict", tmp_path / "m", folder / "iris.csv", "--scores")
    values = np.column_stack([found[f"score_{k}"] for k in range(3)])
    X = iris.drop(columns="species")
    np.testing.assert_array_equal(values, load(tmp_path / "m").decision_function(X))
    assert found["prediction"] == load(tmp_path / "m").predict(X).tolist()


def test_files_instead_of_standard_output(run, folder, model, points, tmp_path):
    labels = load(model).predict(points[0]).tolist()
    for name in ("a.txt", "a.csv", "a.json"):
        found = run("predict", model, folder / "cancer.csv", "-o", tmp_path / name)
        assert found.stdout == ""
        assert f"569 predictions in {tmp_path / name}" in found.stderr
    assert column((tmp_path / "a.txt").read_text()).tolist() == labels
    assert (tmp_path / "a.csv").read_text().splitlines()[0] == "prediction"
    rows = json.loads((tmp_path / "a.json").read_text())
    assert [row["prediction"] for row in rows] == labels


def test_probabilities_need_a_calibrated_model(run, folder, model):
    said = run.error("predict", model, folder / "cancer.csv", "--proba")
    assert "train with --probability" in said


def test_arrays_have_the_models_order(run, model, points, tmp_path):
    X, _ = points
    np.savez(tmp_path / "a.npz", X=X.to_numpy())
    found = run("predict", model, tmp_path / "a.npz")
    np.testing.assert_array_equal(column(found.stdout), load(model).predict(X))
    assert found.stderr == ""


def test_a_table_without_names(run, model, cancer, points, tmp_path):
    cancer.to_csv(tmp_path / "a.csv", index=False, header=False)
    found = run("predict", model, tmp_path / "a.csv", "--no-header", "--target", -1)
    np.testing.assert_array_equal(column(found.stdout), load(model).predict(points[0]))
    said = run.error("predict", model, tmp_path / "a.csv", "--no-header")
    assert "has 11 columns of features where the model has 10" in said


def test_libsvm_files_for_dense_and_sparse_models(run, tmp_path, rng):
    X = sparse.random_array((60, 20), density=0.1, rng=rng, format="csr")
    y = (X.sum(axis=1) > X.sum(axis=1).mean()).astype(int)
    dump_svmlight_file(X, y, str(tmp_path / "a.svm"), zero_based=False)
    dump_svmlight_file(X[:, :10], y, str(tmp_path / "few.svm"), zero_based=False)
    for kind in ("--sparse", "--dense"):
        run("train", tmp_path / "a.svm", "-o", tmp_path / "m", kind, "--C", 10)
        machine = load(tmp_path / "m")
        assert sparse.issparse(machine.support_vectors_) == (kind == "--sparse")
        found = run("predict", tmp_path / "m", tmp_path / "a.svm")
        given = X if kind == "--sparse" else X.toarray()
        np.testing.assert_array_equal(column(found.stdout), machine.predict(given))
        # Features that no row has are zeros.
        assert len(run("predict", tmp_path / "m", tmp_path / "few.svm").stdout.split()) == 60


@pytest.mark.parametrize("what", ["text", "cut off", "of another library"])
def test_a_file_that_is_no_model(run, folder, model, tmp_path, what):
    broken = tmp_path / "broken.safetensors"
    whole = model.read_bytes()
    broken.write_bytes(
        {"text": b"hello", "cut off": whole[:-100], "of another library": whole}[what].replace(
            b'"maxmargin"', b'"somebody"'
        )
    )
    assert "cannot be loaded" in run.error("predict", broken, folder / "cancer.csv")
