"""The check on held-out data finds what it looks for."""

import json

import numpy as np
import pytest
from benchmarks.heldout import data
from benchmarks.heldout.__main__ import main
from benchmarks.heldout.objective import primal
from benchmarks.heldout.report import paired
from benchmarks.heldout.settings import LIBRARIES, Setting, estimator, gamma_of
from benchmarks.heldout.worker import Worker
from sklearn.datasets import dump_svmlight_file, load_iris, make_classification, make_regression

from maxmargin import SVC


@pytest.fixture
def folder(tmp_path):
    X, y = make_classification(60, 5, random_state=0)
    place = tmp_path / "sets"
    place.mkdir()
    np.savez(place / "classes.npz", X=X, y=y)
    with (place / "letters.csv").open("w") as table:
        table.write("a,b,target\n")
        for row, label in zip(X, y, strict=True):
            table.write(f"{row[0]},{row[1]},{['no', 'yes'][label]}\n")
    X, y = make_regression(50, 4, noise=1.0, random_state=0)
    dump_svmlight_file(X, y, str(place / "numbers.svm"))
    (place / "broken.csv").write_text("a,target\n1,x\n2,x\n")
    return place


def test_the_table_has_both_libraries_and_a_second_call_goes_on(folder, tmp_path, capsys):
    out = tmp_path / "results.jsonl"
    asked = [str(folder), "--output", str(out), "--C", "1", "--kernels", "linear", "rbf"]
    main(asked)
    page, notes = capsys.readouterr()
    assert "12 fits with each library" in page
    assert "broken.csv: left out" in notes
    records = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(records) == 2 * 3 * 2 * 2
    assert all(record["status"] == "done" for record in records)
    assert not any(pair.is_worse or pair.is_contradicted for pair in paired(records))
    # What was written before the interruption is kept; the line that was cut is done again.
    lines = out.read_text().splitlines()
    out.write_text("\n".join(lines[:-2]) + "\n" + lines[-2][:30])
    main(asked)
    again = [line for line in out.read_text().splitlines() if line in lines]
    assert len(again) >= len(lines) - 2
    assert capsys.readouterr().out.count("fits with each library") == 1
    assert out.with_suffix(".md").exists()


def test_targets_tell_classes_from_numbers(folder):
    kinds = {path.name: data.load(path, 0).is_regression for path in data.files(folder)[1:]}
    assert kinds == {"classes.npz": False, "letters.csv": False, "numbers.svm": True}


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_objective_from_published_attributes_is_the_certified_one(kernel, n_classes):
    X, y = load_iris(return_X_y=True)
    rows = y < n_classes
    held = data.Data(X[rows], y[rows], False)
    setting, gamma = Setting("raw", kernel, 1.0), gamma_of(X[rows])
    values = []
    for library in LIBRARIES:
        machine = estimator(library, setting, held, gamma).set_params(tol=1e-8)
        values.append(primal(machine.fit(held.X, held.y), held, setting, gamma))
    assert values[0] == pytest.approx(values[1], rel=1e-5)
    machine = SVC(kernel=kernel, C=1.0, gamma=gamma, coef0=1.0, tol=1e-8).fit(held.X, held.y)
    certified = sum(one.primal for one in machine.certificate_.machines)
    assert values[0] == pytest.approx(certified, rel=1e-6)


def test_a_fit_that_takes_too_long_is_ended_and_the_next_one_runs(folder, rng):
    # Labels by chance and no scaling: scikit-learn takes minutes.
    np.savez(folder / "long.npz", X=1e3 * rng.normal(size=(1000, 20)), y=rng.integers(0, 2, 1000))
    worker = Worker("scikit-learn", 0.5)
    setting = Setting("raw", "linear", 100.0)
    assert worker.fit(folder / "long.npz", 0, setting)["status"] == "timed out"
    worker.limit = 600.0
    assert worker.fit(folder / "classes.npz", 0, setting)["status"] == "done"
    worker.end()


def test_a_worse_slower_uncertified_fit_is_named():
    ours = {
        "status": "done",
        "primal": 2.0,
        "fit_s": 1.0,
        "fit_status": 0,
        "warnings": [],
        "certified_primal": 1.5,
        "certified_dual": 1.4,
        "relative_gap": 0.07,
        "convex": True,
    }
    theirs = {"status": "done", "primal": 1.0, "fit_s": 0.1}
    named = {"data": "x", "setting": "s", "rows": 0}
    (pair,) = paired(
        [{**named, "library": "maxmargin", **ours}, {**named, "library": "scikit-learn", **theirs}]
    )
    assert pair.is_worse
    assert pair.is_slower
    assert pair.is_uncertified
    assert pair.is_contradicted
