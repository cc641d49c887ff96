"""Paths against the library's, and against machines at single values of C."""

import csv
import io
import json

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, svm_path
from maxmargin.kernels import RBF
from maxmargin.problems import SoftMargin


@pytest.fixture
def few(cancer, tmp_path):
    """Few rows, for a path through all of them."""
    cancer.iloc[:80].to_csv(tmp_path / "few.csv", index=False)
    return tmp_path / "few.csv"


def test_breakpoints_are_those_of_the_library(run, few, cancer):
    found = run.json("path", few, "--scale", "--gamma", 0.1, "--C-max", 10)
    rows = cancer.iloc[:80]
    X = StandardScaler().fit_transform(rows.drop(columns="malignant"))
    y = np.where(rows["malignant"] == 1, 1.0, -1.0)
    path = svm_path(SoftMargin(X, y, C=10, kernel=RBF(0.1)))
    np.testing.assert_allclose([row["C"] for row in found["rows"]], path.breakpoints, rtol=1e-9)
    assert [row["support"] for row in found["rows"]] == path.n_support(path.breakpoints).tolist()
    assert found["status"] == path.status


def test_machines_on_the_path_are_those_of_single_fits(run, few, cancer):
    found = run.json("path", few, "--kernel", "linear", "--scale", "--at", "0.01,1,10")
    rows = cancer.iloc[:80]
    X = StandardScaler().fit_transform(rows.drop(columns="malignant"))
    for row in found["rows"]:
        machine = SVC(kernel="linear", C=row["C"], tol=1e-8).fit(X, rows["malignant"])
        assert row["primal"] == pytest.approx(machine.certificate_.primal, rel=1e-6)
        assert row["relative_gap"] < 1e-8


def test_events(run, few):
    table = run("path", few, "--scale", "--events", "--C-max", 1, "-o", "-").stdout
    rows = list(csv.DictReader(io.StringIO(table)))
    assert set(rows[0]) == {"C", "row", "before", "after"}
    values = [float(row["C"]) for row in rows]
    assert values == sorted(values)
    assert all(1 <= int(row["row"]) <= 80 for row in rows)
    as_json = run.json("path", few, "--scale", "--events", "--C-max", 1, "-o", "-")
    assert [row["C"] for row in as_json["rows"]] == values


def test_linear_machines_at_each_penalty(run, few, folder, tmp_path):
    run("path", few, "--machine", "linear-svc", "--at", "0.01:1:3", "-o", tmp_path / "a.json")
    rows = json.loads((tmp_path / "a.json").read_text())
    np.testing.assert_allclose([row["C"] for row in rows], [0.01, 0.1, 1])
    norms = [row["norm"] for row in rows]
    assert norms == sorted(norms)
    many = run.json("path", folder / "iris.csv", "--machine", "linear-svc", "--scale")
    assert many["rows"][-1]["accuracy"] > 0.9


def test_long_tables_are_cut_on_the_terminal(run, few):
    found = run("path", few, "--scale", "--C-max", 10)
    assert "rows more: -o FILE writes all of them" in found.stdout


def test_three_classes_have_no_path(run, folder):
    said = run.error("path", folder / "iris.csv")
    assert "A path is about two classes, but the target has 3" in said


@pytest.mark.parametrize(
    "options", [["--C", "1"], ["--machine", "svr"], ["--machine", "linear-svc", "--events"]]
)
def test_wrong_options_are_usage_errors(run, few, options):
    run("path", few, *options, code=2)
