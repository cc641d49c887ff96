import io
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from rich.console import Console
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import QuantileTransformer

from maxmargin import InvalidInputError, MissingDependencyError, NuSVC
from maxmargin.kernels import RBF
from maxmargin.pages import Family, study


def test_the_table_is_ranked_by_cost(result):
    keys = [(row.min_dcf, row.calibrated_act_dcf, row.n_support) for row in result.table]
    assert keys == sorted(keys)
    assert [row.rank for row in result.table] == list(range(1, 15))
    assert result.best is result.table[0]


def test_every_machine_is_there_and_certified(result):
    groups = {row.group for row in result.table}
    variants = ["raw", "centred", "standardised", "pca-2"]
    assert groups == {("Gaussian", "standardised"), *(("linear", name) for name in variants)}
    assert all(row.certified and row.relative_gap <= 1e-6 for row in result.table)
    assert {row.group for row in result.leaders} == groups


def test_centring_leaves_a_linear_machine_with_a_free_bias_as_it_is(result):
    for C in (0.01, 1.0):
        raw, centred = (result.find("linear", name, C=C) for name in ("raw", "centred"))
        np.testing.assert_allclose(raw.scores.raw, centred.scores.raw, atol=1e-5)


def test_the_estimator_of_a_row_gives_its_scores_again(result, data, rows):
    X, y = data
    row = result.find("Gaussian", C=1.0, gamma=0.5)
    machine = clone(row.estimator).fit(X[rows[0]], y[rows[0]])
    np.testing.assert_allclose(-machine.decision_function(X[rows[1]]), row.scores.raw, atol=1e-5)


def test_the_positive_class_may_be_either(data):
    X, y = data
    grid = {"linear": {"C": [0.1]}}
    one = study(X, y, grid, prior=0.5, pos_label="real").best
    other = study(X, y, grid, prior=0.5, pos_label="fake").best
    np.testing.assert_allclose(one.scores.raw, -other.scores.raw)
    assert one.act_dcf == pytest.approx(other.act_dcf)


def test_nu_machines_and_kernel_objects(data):
    X, y = data
    machines = [Family("Gaussian", RBF(0.5), {"nu": [0.3, 0.5]})]
    found = study(X, y, machines, pos_label="real", machine=NuSVC())
    assert sorted(row.params["nu"] for row in found.table) == [0.3, 0.5]
    assert all(row.n_support >= row.params["nu"] * len(y) for row in found.table)


def test_a_frame_has_a_column_for_each_parameter(result):
    frame = result.to_frame()
    assert frame["rank"].tolist() == list(range(1, 15))
    assert {"C", "gamma", "min_dcf", "evaluation_min_dcf", "n_free", "certified"} <= set(frame)
    assert frame.loc[frame.family == "linear", "gamma"].isna().all()


def test_a_missing_pandas_is_named(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingDependencyError, match="pip install pandas"):
        result.to_frame()


def test_the_terminal_shows_the_ranking(result):
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(result)
    text = console.export_text()
    assert "Ranking by minDCF" in text
    assert f"{result.best.min_dcf:.4f}" in text
    assert "14 machines" in text
    assert repr(result).startswith("<Study: 14 machines, best ")


def test_a_search_that_finds_nothing_says_so(result):
    with pytest.raises(KeyError, match="No machine of the study"):
        result.find("linear", C=7.0)


@pytest.mark.parametrize("missing", ["matplotlib", "jinja2"])
def test_the_study_itself_needs_nothing_that_its_page_needs(missing):
    code = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        "from maxmargin import MissingDependencyError\n"
        "from maxmargin.pages import study\n"
        "X = [[k, k % 3] for k in range(20)]\n"
        "result = study(X, [k > 9 for k in range(20)], {'linear': {'C': [1.0]}}, cv=2)\n"
        "try:\n    result.to_html('never.html')\n"
        "except MissingDependencyError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'maxmargin[pages]'" in done.stdout


GRID = {"linear": {"C": [1.0]}}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"kernels": {}}, "kernels is empty"),
        ({"kernels": ["linear"]}, "a mapping from kernels to grids, or a list of Family"),
        ({"kernels": {"linear": [1.0]}}, "must map parameters to values; got list"),
        ({"kernels": {"linear": {"c": [1.0]}}}, "The grid of 'linear' names 'c'; it may name C,"),
        (
            {"kernels": [Family("g", RBF(1.0), {"gamma": [1.0]})]},
            r"names 'gamma', which RBF\(gamma=1.0\) has already",
        ),
        (
            {"kernels": [Family("a", "rbf", {}), Family("a", "linear", {})]},
            "kernels holds 'a' twice",
        ),
        (
            {"kernels": [Family("a", "rbf", {}, ["scaled"])]},
            "'a' asks for the preprocessing 'scaled'; the study has 'raw'",
        ),
        ({"preprocessing": []}, "preprocessing is empty"),
        ({"preprocessing": ["pca-0"]}, "preprocessing names 'pca-0'"),
        ({"preprocessing": {"mine": 3}}, "maps 'mine' to 3, which has no transform"),
        ({"prior": 1.0}, "prior must lie strictly between 0 and 1"),
        ({"cost_fn": -1.0}, "cost_fn"),
        ({"pos_label": "other"}, "pos_label is 'other'"),
        ({"split": ([0, 1, 2], [2, 3])}, "split judges rows that it trains on"),
        ({"split": (range(10), [])}, "split leaves one of its parts empty"),
        ({"split": (range(10), [99_999])}, "split must be two arrays of rows"),
        ({"cv": [(range(10), range(10, 20))]}, "cv must give at least two folds"),
        ({"cv": [(range(10), range(10, 20))] * 2}, "cv tests a row more than once"),
        ({"evaluation": 3}, r"evaluation must be a pair \(X, y\)"),
        ({"machine": "svc"}, "machine must be a maxmargin SVC or NuSVC; got str"),
        ({"certified_at": 0.0}, "certified_at"),
        ({"time_limit": -1.0}, "time_limit"),
        ({"time_limit": 1e-9}, "time_limit=1e-09 was reached before any machine was finished"),
    ],
)
def test_wrong_arguments_are_named(arguments, sentence, data):
    X, y = data
    with pytest.raises(InvalidInputError, match=sentence):
        study(X, y, **{"kernels": GRID, "pos_label": "real", **arguments})


def test_errors_of_a_fit_are_raised(data):
    X, y = data
    with pytest.raises(ValueError, match="C"):
        study(X, y, {"linear": {"C": [-1.0]}}, pos_label="real")


def test_a_time_limit_leaves_the_machines_that_were_finished(data, monkeypatch):
    X, y = data
    times = iter([0.0, 1e9])
    monkeypatch.setattr("maxmargin.pages.runs.perf_counter", lambda: next(times))
    monkeypatch.setattr("maxmargin.pages.studying.perf_counter", lambda: 0.0)
    with pytest.warns(ConvergenceWarning, match="time_limit=100.0 was reached: 2 of 4 machines"):
        found = study(
            X,
            y,
            {"linear": {"C": [0.1, 1.0]}},
            preprocessing=["raw", "standardised"],
            pos_label="real",
            time_limit=100.0,
        )
    assert [(row.rank, row.preprocessing) for row in found.table] == [(1, "raw"), (2, "raw")]


def test_frames_and_sparse_matrices_give_the_same_table(data):
    X, y = data
    grid = {"rbf": {"C": [1.0], "gamma": [0.2]}}
    known = study(X, y, grid, pos_label="real").best
    for given in (pd.DataFrame(X, columns=list("abcd")), sparse.csr_array(X)):
        row = study(given, y, grid, pos_label="real").best
        np.testing.assert_allclose(row.scores.raw, known.scores.raw, atol=1e-6)


def test_transformers_of_ones_own(data):
    X, y = data
    variants = {"as it is": None, "ranks": QuantileTransformer(n_quantiles=50)}
    found = study(X, y, {"linear": {"C": [1.0]}}, preprocessing=variants, pos_label="real")
    assert {row.preprocessing for row in found.table} == set(variants)
