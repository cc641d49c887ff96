"""Searches against scikit-learn's and those of the library."""

import csv
import json
import re
import sys
from html import unescape
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn import svm
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, SVR, LinearSVC, load, pages
from maxmargin.metrics import make_dcf_scorer

FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)


def scores_of(found):
    return {(row["C"], row["gamma"]): row["accuracy"] for row in found["candidates"]}


def test_the_scores_are_those_of_scikit_learn(run, folder, points, tmp_path):
    X, y = points
    options = ["--scale", "--C", "0.1,10", "--gamma", "0.01:1:3"]
    found = run.json("tune", folder / "cancer.csv", "-o", tmp_path / "m", *options)
    theirs = GridSearchCV(
        make_pipeline(StandardScaler(), svm.SVC()),
        {"svc__C": [0.1, 10], "svc__gamma": [0.01, 0.1, 1]},
        cv=FOLDS,
    ).fit(X, y)
    ours = scores_of(found)
    assert len(ours) == 6
    for parameters, score in zip(
        theirs.cv_results_["params"], theirs.cv_results_["mean_test_score"], strict=True
    ):
        # One row of a fold may be on the boundary to the machines' tolerance.
        place = (parameters["svc__C"], parameters["svc__gamma"])
        assert ours[place] == pytest.approx(score, abs=1.01 / len(y))
    assert found["best_score"] == max(ours.values())
    best = found["best_parameters"]
    machine = load(tmp_path / "m")[-1]
    assert (machine.C, machine.gamma) == (best["C"], best["gamma"])
    assert machine.certificate_.holds(1e-2)


def test_without_grids_there_are_defaults(run, folder, tmp_path):
    found = run("tune", folder / "iris.csv", "-o", tmp_path / "m", "--folds", 3)
    assert "Searching 25 candidates on 3 folds, scored by accuracy" in found.stderr
    assert "25 candidates in" in found.stdout
    table = found.stdout.splitlines()[1:12]
    assert table[0].split() == ["rank", "accuracy", "std", "C", "gamma"]
    assert len(table) == 11
    machine = load(tmp_path / "m")
    assert type(machine) is SVC
    assert machine.verbose is False


def test_costs_decide(run, folder, points, tmp_path):
    X, y = points
    options = ["--C", "0.01,1", "--gamma", "scale", "--scoring", "min_dcf", "--prior", 0.1]
    found = run.json(
        "tune", folder / "cancer.csv", "-o", tmp_path / "m", *options, "--cost-fn", 10, "--scale"
    )
    theirs = GridSearchCV(
        make_pipeline(StandardScaler(), SVC()),
        {"svc__C": [0.01, 1]},
        cv=FOLDS,
        scoring=make_dcf_scorer(prior=0.1, cost_fn=10),
    ).fit(X, y)
    assert found["best_score"] == pytest.approx(-theirs.best_score_, abs=0.02)
    # Costs are shown without a minus, the smallest first.
    shown = [row["min_dcf"] for row in found["candidates"]]
    assert shown == sorted(shown)
    assert shown[0] >= 0


@pytest.mark.parametrize("name", ["rmse", "mae", "mean-squared-error"])
def test_errors_are_scores_by_their_short_names(run, folder, tmp_path, name):
    options = ["--C", "1,100", "--gamma", "scale", "--epsilon", 1, "--scoring", name]
    found = run.json("tune", folder / "diabetes.csv", "-o", tmp_path / "m", *options)
    shown = [row[found["scoring"]] for row in found["candidates"]]
    assert shown == sorted(shown)
    assert shown[0] > 0


def test_several_kernels_in_one_search(run, folder, tmp_path):
    options = ["--kernel", "linear", "--kernel", "poly:degree=2,coef0=1", "--C", "0.1,1"]
    found = run.json("tune", folder / "iris.csv", "-o", tmp_path / "m", *options, "--scale")
    assert {row["kernel"] for row in found["candidates"]} == {"linear", "poly"}
    assert len(found["candidates"]) == 4


def test_numbers_and_linear_machines(run, folder, tmp_path):
    found = run.json("tune", folder / "diabetes.csv", "-o", tmp_path / "m", "--C", "1,100")
    assert found["scoring"] == "r2"
    assert type(load(tmp_path / "m")) is SVR
    linear = ["--machine", "linear-svc", "--scale", "--scoring", "roc_auc"]
    run("tune", folder / "cancer.csv", "-o", tmp_path / "m", *linear)
    assert type(load(tmp_path / "m")[-1]) is LinearSVC


def test_every_candidate_in_a_file(run, folder, tmp_path):
    common = ["tune", folder / "iris.csv", "-o", tmp_path / "m", "--C", "1,10", "--gamma", 0.1]
    run(*common, "--results", tmp_path / "all.csv")
    run(*common, "--results", tmp_path / "all.json")
    with (tmp_path / "all.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["C"]) for row in rows] == [
        row["C"] for row in json.loads((tmp_path / "all.json").read_text())
    ]
    assert len(rows) == 2


def test_a_search_out_of_time_saves_the_best_so_far(run, tmp_path, rng):
    np.savez(tmp_path / "a.npz", X=rng.normal(size=(1200, 5)), y=rng.integers(0, 2, 1200))
    options = ["--C", "1:1e5:12", "--gamma", "0.01:10:6", "--time-limit", 1, "--no-proof"]
    found = run.json("tune", tmp_path / "a.npz", "-o", tmp_path / "m", *options, code=3)
    assert found["converged"] is False
    assert any(row["accuracy"] is None for row in found["candidates"])
    assert load(tmp_path / "m").predict(rng.normal(size=(3, 5))).shape == (3,)


def test_the_report_is_about_the_search(run, folder, tmp_path, monkeypatch):
    seen = {}

    def report(subject, X, y, **options):
        seen.update(options, model=subject, rows=len(X))
        return SimpleNamespace(save=lambda path: seen.update(path=path))

    monkeypatch.setattr(pages, "report", report)
    path = str(tmp_path / "r.html")
    options = ["--C", "1,10", "--gamma", 0.1, "--report", path, "--prior", 0.2]
    found = run("tune", folder / "cancer.csv", "-o", tmp_path / "m", *options)
    assert f"Report {path}" in found.stdout
    assert seen["path"] == path
    assert seen["prior"] == 0.2
    assert seen["rows"] == 569
    assert len(seen["feature_names"]) == 10
    assert seen["command"].startswith(f"maxmargin tune {folder}/cancer.csv -o ")
    assert seen["model"].best_params_["C"] in (1.0, 10.0)
    assert seen["evaluation"] == "out-of-fold"


def test_what_a_report_needs_is_said_before_the_search(run, folder, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    options = ["-o", tmp_path / "m", "--report", tmp_path / "r.html"]
    found = run("tune", folder / "cancer.csv", *options, code=1)
    assert "need matplotlib" in found.stderr
    assert "Searching" not in found.stderr


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--machine", "one-class"], "no score to be tuned by"),
        (["--kernel", "linear", "--gamma", "1"], "--gamma has no meaning for the kernel linear"),
        (["--nu", "0.5"], "--nu has no meaning for --machine svc"),
        (["--machine", "linear-svc", "--kernel", "rbf"], "--kernel has no meaning"),
        (["--C", "1:2"], "FROM:TO:COUNT"),
        (["--kernel", "rbf", "--kernel", "spectrum"], "in one run"),
    ],
)
def test_wrong_options_are_usage_errors(run, folder, tmp_path, options, what):
    assert what in run.error("tune", folder / "cancer.csv", "-o", tmp_path / "m", *options, code=2)


def test_unknown_scorers(run, folder, tmp_path):
    said = run.error("tune", folder / "cancer.csv", "-o", tmp_path / "m", "--scoring", "luck")
    assert "scoring is 'luck', which names no scorer" in said
    said = run.error("tune", folder / "iris.csv", "-o", tmp_path / "m", "--scoring", "min_dcf")
    assert said == "--scoring min_dcf is about two classes, but the target has 3."


def recipe_of(page):
    return unescape(re.findall(r'"Python lines"><code>(.*?)</code>', page, re.DOTALL)[0])


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--scoring", "f1"],
        ["--scoring", "balanced-accuracy", "--probability", "logistic"],
        ["--scoring", "min_dcf", "--prior", 0.3, "--probability", "platt"],
    ],
)
def test_the_recipe_of_the_report_runs_as_it_is(run, folder, tmp_path, monkeypatch, options):
    path = tmp_path / "page.html"
    grid = ["--C", "0.1,1", "--gamma", "0.05,0.2", "--scale", "--folds", 3]
    run(
        "tune", folder / "cancer.csv", "-o", tmp_path / "m.safetensors", *grid, *options,
        "--report", path,
    )  # fmt: skip
    table = pd.read_csv(folder / "cancer.csv")
    y = table.pop(table.columns[-1]).to_numpy()
    names = {"X": table, "y": y}
    monkeypatch.chdir(tmp_path)
    lines = recipe_of(path.read_text())
    assert "..." not in lines
    exec(lines, names)
    saved = load(tmp_path / "m.safetensors")
    np.testing.assert_array_equal(names["model"].predict(table), saved.predict(table))
    assert recipe_of((tmp_path / "report.html").read_text()) == lines


def test_the_report_is_about_the_saved_model_out_of_fold(run, folder, points, tmp_path):
    path = tmp_path / "page.html"
    options = ["--C", "0.1,1", "--gamma", 0.1, "--scale", "--folds", 3, "--probability", "logistic"]
    run("tune", folder / "cancer.csv", "-o", tmp_path / "m.safetensors", *options, "--report", path)
    page = path.read_text()
    words = " ".join(page.split())
    assert "judged on 569 training rows out of fold" in words
    assert "Parameters of CalibratedSVC" in words
    assert "The scores are log-likelihood ratios by CalibratedSVC" in words
    X, y = points
    saved = load(tmp_path / "m.safetensors")
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    predicted = cross_val_predict(clone(saved), X, y, cv=folds)
    accuracy = f"{np.mean(predicted == y):.2%}"
    assert f"<dt>accuracy</dt><dd>{accuracy}</dd>" in words
    # C was searched, gamma was given as one value, and tol is the default.
    notes = dict(re.findall(r'class="text">(\w+)</th><td class="words">[^<]*<small>(.*?)<', page))
    assert notes["C"] == "chosen by the search"
    assert notes["gamma"] == "given"
    assert "tol" not in notes
    assert "best mean accuracy" in words
    assert "accuracy_score" not in words
