"""Measures against those of scikit-learn and of `maxmargin.metrics`."""

import numpy as np
import pytest
from sklearn import metrics

from maxmargin import load
from maxmargin.metrics import act_dcf, eer, min_dcf


def test_two_classes(run, folder, model, points):
    X, y = points
    found = run.json("evaluate", model, folder / "cancer.csv", "--prior", 0.1, "--cost-fn", 5)
    machine = load(model)
    labels, scores = machine.predict(X), machine.decision_function(X)
    assert found["accuracy"] == pytest.approx(metrics.accuracy_score(y, labels))
    assert found["balanced_accuracy"] == pytest.approx(metrics.balanced_accuracy_score(y, labels))
    assert found["f1"] == pytest.approx(metrics.f1_score(y, labels))
    assert found["auc"] == pytest.approx(metrics.roc_auc_score(y, scores))
    assert found["eer"] == eer(y, scores)
    assert found["min_dcf"] == min_dcf(y, scores, 0.1, 5, 1)
    assert found["act_dcf"] == act_dcf(y, scores, 0.1, 5, 1)
    assert found["confusion"]["counts"] == metrics.confusion_matrix(y, labels).tolist()


def test_the_other_class_can_be_the_positive_one(run, folder, model, points):
    X, y = points
    found = run.json("evaluate", model, folder / "cancer.csv", "--positive", 0)
    machine = load(model)
    assert found["f1"] == pytest.approx(metrics.f1_score(y, machine.predict(X), pos_label=0))
    assert found["auc"] == pytest.approx(metrics.roc_auc_score(y, machine.decision_function(X)))
    assert found["min_dcf"] == min_dcf(1 - y, -machine.decision_function(X))


def test_many_classes(run, folder, iris, tmp_path):
    run("train", folder / "iris.csv", "-o", tmp_path / "m", "--C", 0.1)
    found = run.json("evaluate", tmp_path / "m", folder / "iris.csv")
    machine = load(tmp_path / "m")
    X, y = iris.drop(columns="species"), iris["species"].to_numpy(dtype=str)
    labels, scores = machine.predict(X), machine.decision_function(X)
    assert found["f1_macro"] == pytest.approx(metrics.f1_score(y, labels, average="macro"))
    areas = [metrics.roc_auc_score(y == c, scores[:, k]) for k, c in enumerate(machine.classes_)]
    assert found["auc_macro"] == pytest.approx(np.mean(areas))
    assert found["confusion"]["labels"] == ["setosa", "versicolor", "virginica"]
    text = run("evaluate", tmp_path / "m", folder / "iris.csv").stdout
    assert "confusion matrix" in text
    assert "versicolor" in text


def test_numbers(run, folder, diabetes, tmp_path):
    run("train", folder / "diabetes.csv", "-o", tmp_path / "m", "--C", 100)
    found = run.json("evaluate", tmp_path / "m", folder / "diabetes.csv")
    X, y = diabetes.drop(columns="target"), diabetes["target"]
    values = load(tmp_path / "m").predict(X)
    assert found["rmse"] == pytest.approx(metrics.root_mean_squared_error(y, values))
    assert found["mean_absolute_error"] == pytest.approx(metrics.mean_absolute_error(y, values))
    assert found["r2"] == pytest.approx(metrics.r2_score(y, values))


def test_outliers(run, tmp_path, rng):
    X = np.concatenate([rng.normal(size=(100, 2)), [[9.0, 9.0], [-9.0, 9.0]]])
    y = np.repeat([1, -1], [100, 2])
    np.savez(tmp_path / "a.npz", X=X, y=y)
    run("train", tmp_path / "a.npz", "-o", tmp_path / "m", "--machine", "one-class", "--nu", 0.1)
    found = run.json("evaluate", tmp_path / "m", tmp_path / "a.npz")
    machine = load(tmp_path / "m")
    assert found["outliers"] == (machine.predict(X) == -1).sum()
    assert found["accuracy"] == pytest.approx((machine.predict(X) == y).mean())
    assert found["auc"] == pytest.approx(metrics.roc_auc_score(y, machine.decision_function(X)))
    alone = run.json("evaluate", tmp_path / "m", tmp_path / "a.npz", "--no-target")
    assert "accuracy" not in alone


def test_classes_that_the_model_does_not_know(run, model, cancer, tmp_path):
    cancer.assign(malignant=7).to_csv(tmp_path / "a.csv", index=False)
    said = run.error("evaluate", model, tmp_path / "a.csv")
    assert said == "The target holds 7, which is not a class of the model: it knows 0, 1."


def test_a_target_that_must_be_named(run, model, cancer, tmp_path):
    cancer.assign(more=0).to_csv(tmp_path / "a.csv", index=False)
    assert "give --target" in run.error("evaluate", model, tmp_path / "a.csv")
    run("evaluate", model, tmp_path / "a.csv", "--target", "malignant")
