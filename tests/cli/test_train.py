"""What is trained, and that it is what the library trains."""

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn import svm
from sklearn.decomposition import PCA
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from maxmargin import SVC, SVR, LinearSVC, NuSVC, OneClassSVM, load
from maxmargin.cli import main
from maxmargin.machines.machine import HasMachines
from maxmargin.persist.format.schema import registered

from .conftest import files


def test_the_model_is_that_of_the_library(run, folder, iris, tmp_path):
    path = tmp_path / "iris.safetensors"
    run("train", folder / "iris.csv", "-o", path, "--C", 10, "--gamma", 0.5)
    X, y = iris.drop(columns="species"), iris["species"].to_numpy(dtype=str)
    direct = SVC(C=10, gamma=0.5).fit(X, y)
    found = load(path)
    assert type(found) is SVC
    np.testing.assert_array_equal(found.predict(X), direct.predict(X))
    np.testing.assert_allclose(found.decision_function(X), direct.decision_function(X), rtol=1e-12)
    assert list(found.feature_names_in_) == list(X.columns)


def test_the_model_agrees_with_scikit_learn(run, folder, points, tmp_path):
    path = tmp_path / "cancer.safetensors"
    run("train", folder / "cancer.csv", "-o", path, "--scale", "--C", 2, "--tol", 1e-6)
    X, y = points
    theirs = make_pipeline(StandardScaler(), svm.SVC(C=2, tol=1e-6)).fit(X, y)
    found = load(path)
    np.testing.assert_allclose(
        found.decision_function(X), theirs.decision_function(X), atol=1e-4, rtol=1e-4
    )


@pytest.mark.parametrize("options", [["--C", "1e12"], [], ["--C", "1e9", "--kernel", "poly"]])
def test_the_exit_code_follows_the_certificate(run, tmp_path, rng, options):
    X = rng.normal(size=(60, 2))
    noisy = X[:, 0] + rng.normal(size=60) > 0
    rows = [f"{a},{b},{int(c)}" for (a, b), c in zip(X, noisy, strict=True)]
    (tmp_path / "a.csv").write_text("\n".join(["a,b,y", *rows]))
    words = ["train", str(tmp_path / "a.csv"), "-o", str(tmp_path / "m"), *options, "--json"]
    found = CliRunner().invoke(main, words)
    facts = json.loads(found.stdout)
    poor = facts["certificate"]["relative_gap"] > 0.01
    assert facts["converged"] == ("Warning" not in found.stderr)
    assert found.exit_code == (0 if facts["converged"] else 3)
    assert not (facts["converged"] and poor)
    assert (f"relative gap is {facts['certificate']['relative_gap']:.3g}" in found.stderr) == poor


def test_a_poor_certificate_is_said_with_its_number(run, folder, tmp_path, monkeypatch):
    poor = property(lambda self: certificate(self, relative_gap=0.998))
    monkeypatch.setattr(SVC, "certificate_", poor)
    found = run("train", folder / "iris.csv", "-o", tmp_path / "m", code=3)
    assert "Warning: The fit did not reach the optimum: its relative gap is 0.998" in found.stderr
    again = run("inspect", tmp_path / "m", code=0)
    assert "which did not converge" in again.stdout
    # What --tol allows is no shortfall.
    run("train", folder / "iris.csv", "-o", tmp_path / "m", "--tol", 1.0)
    found = run("tune", folder / "iris.csv", "-o", tmp_path / "m", "--C", 1, code=3)
    assert "its relative gap is 0.998" in found.stderr


def certificate(model, **changes):
    """Return the certificate of a model, with other numbers."""
    found = HasMachines.certificate_.fget(model)
    return replace(found, measures=replace(found.measures, **changes))


def test_scale_and_pca_come_before_the_machine(run, folder, tmp_path):
    path = tmp_path / "m.safetensors"
    run("train", folder / "cancer.csv", "-o", path, "--scale", "minmax", "--pca", 3)
    found = load(path)
    assert isinstance(found, Pipeline)
    assert [type(step) for _, step in found.steps] == [MinMaxScaler, PCA, SVC]
    assert found[0].feature_range == (-1, 1)
    assert found[1].n_components_ == 3


@pytest.mark.parametrize(
    ("options", "kind", "parameters"),
    [
        (["--machine", "nu-svc", "--nu", 0.1], NuSVC, {"nu": 0.1}),
        (["--machine", "linear-svc", "--loss", "squared-hinge"], LinearSVC, {}),
        (["--machine", "linear-svc", "--multi-class", "crammer-singer"], LinearSVC, {}),
        (["--class-weight", "balanced"], SVC, {"class_weight": "balanced"}),
        (["--class-weight", "1=5,0=1"], SVC, {"class_weight": {0: 1.0, 1: 5.0}}),
        (["--kernel", "poly:degree=2,coef0=1"], SVC, {"kernel": "poly", "degree": 2}),
        (["--bias", "regularised", "--jobs", 1], SVC, {"bias": "regularised", "n_jobs": 1}),
        (["--cache-size", 50, "--max-iter", 100000], SVC, {"cache_size": 50.0}),
    ],
)
def test_options_are_parameters(run, folder, tmp_path, options, kind, parameters):
    path = tmp_path / "m.safetensors"
    run("train", folder / "cancer.csv", "-o", path, "--scale", *options)
    machine = load(path)[-1]
    assert type(machine) is kind
    for name, value in parameters.items():
        assert getattr(machine, name) == value


def test_numbers_that_are_not_whole_are_predicted_as_numbers(run, folder, diabetes, tmp_path):
    path = tmp_path / "m.safetensors"
    found = run.json("train", folder / "diabetes.csv", "-o", path, "--C", 100, "--epsilon", 5)
    assert found["machine"] == "svr"
    X, y = diabetes.drop(columns="target"), diabetes["target"]
    direct = SVR(C=100, epsilon=5).fit(X, y)
    np.testing.assert_allclose(load(path).predict(X), direct.predict(X), rtol=1e-12)


def test_whole_numbers_that_hardly_repeat_are_amounts(run, tmp_path, rng):
    rows = [f"{x},{int(1000 * x)}" for x in rng.uniform(size=60)]
    (tmp_path / "a.csv").write_text("x,y\n" + "\n".join(rows))
    assert run.json("train", tmp_path / "a.csv", "-o", tmp_path / "m")["machine"] == "svr"


def test_without_a_target_it_is_one_class(run, folder, iris, tmp_path):
    path = tmp_path / "m.safetensors"
    options = ["--no-target", "--drop", "species", "--nu", 0.2]
    run("train", folder / "iris.csv", "-o", path, *options)
    direct = OneClassSVM(nu=0.2).fit(iris.drop(columns="species"))
    X = iris.drop(columns="species")
    np.testing.assert_allclose(
        load(path).decision_function(X), direct.decision_function(X), rtol=1e-12
    )


def test_what_is_said_about_the_fit(run, folder, tmp_path):
    found = run("train", folder / "iris.csv", "-o", tmp_path / "m.safetensors")
    assert "150 rows, 4 features, target 'species' with the classes setosa (50)" in found.stderr
    assert "support vectors of 150 points" in found.stdout
    assert "Certificate: relative gap" in found.stdout
    assert f"Saved {tmp_path / 'm.safetensors'}" in found.stdout


def test_json_is_one_object_and_quiet_is_quiet(run, folder, tmp_path):
    path = tmp_path / "m.safetensors"
    found = run("train", folder / "iris.csv", "-o", path, "--json", "--quiet")
    assert found.stderr == ""
    facts = run.json("train", folder / "iris.csv", "-o", path)
    assert facts["rows"] == 150
    assert facts["target"] == "species"
    assert facts["converged"] is True
    machine = load(path)
    assert facts["certificate"]["relative_gap"] == machine.certificate_.relative_gap
    assert facts["support"]["n_support"] == len(machine.support_)
    assert len(facts["certificate"]["machines"]) == 3


def test_a_model_without_its_proof(run, folder, tmp_path):
    found = run("train", folder / "iris.csv", "-o", tmp_path / "m", "--no-proof")
    assert "Certificate" not in found.stdout
    with pytest.raises(AttributeError, match="without its proof"):
        load(tmp_path / "m").certificate_  # noqa: B018


def test_a_fit_out_of_time_is_saved_and_says_so(run, tmp_path, rng):
    np.savez(tmp_path / "a.npz", X=rng.normal(size=(1500, 5)), y=rng.integers(0, 2, 1500))
    options = ["--C", 1e6, "--tol", 1e-12, "--time-limit", 0.05, "--jobs", 1]
    found = run("train", tmp_path / "a.npz", "-o", tmp_path / "m", *options, code=3)
    assert "Warning: Solver terminated early (time_limit=0.05)" in found.stderr
    assert load(tmp_path / "m").fit_status_ == 1


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--machine", "svc", "--nu", "0.5"], "--nu has no meaning for --machine svc"),
        (["--machine", "linear-svc", "--kernel", "rbf"], "--kernel has no meaning"),
        (["--C", "-1"], "is not in the range x>0"),
        (["--kernel", "gauss"], "is not a kernel"),
        (["--machine", "svr", "--probability"], "about classes"),
        (["--machine", "svc", "--no-intercept"], "--no-intercept has no meaning"),
        (["--kernel", "rbf", "--kernel", "linear"], "give one --kernel"),
        (["--class-weight", "1=heavy"], "'heavy' is not a number"),
    ],
)
def test_wrong_options_are_usage_errors(run, folder, tmp_path, options, what):
    assert what in run.error("train", folder / "cancer.csv", "-o", tmp_path / "m", *options, code=2)
    assert files(tmp_path) == []


def test_unknown_classes_have_no_weight(run, folder, tmp_path):
    said = run.error(
        "train", folder / "cancer.csv", "-o", tmp_path / "m", "--class-weight", "2=5,0=1"
    )
    assert said == "--class-weight names '2', which is not a class: there are 0, 1."


@pytest.mark.skipif("CalibratedSVC" not in registered(), reason="not saved by this version")
@pytest.mark.parametrize("options", [[], ["--scale"]])
def test_probabilities(run, folder, points, tmp_path, options):
    path = tmp_path / "m.safetensors"
    run("train", folder / "cancer.csv", "-o", path, "--probability", *options)
    X, y = points
    found = load(path).predict_proba(X)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert ((found[:, 1] > 0.5) == y).mean() > 0.85


def test_counts_of_several_machines_say_that_they_are(run, folder, tmp_path):
    path = tmp_path / "m.safetensors"
    for options, several in (([], True), (["--drop", "species", "--target", "petal_width"], False)):
        said = run("train", folder / "iris.csv", "-o", path, *options).stdout
        assert ("bounded, counted once in each of 3 machines" in said) == several
        shown = run("inspect", path).stdout
        assert (", counted once in each of 3 machines" in shown) == several


def test_columns_of_different_ranges_are_told_to_be_scaled(run, folder, tmp_path):
    found = run("train", folder / "cancer.csv", "-o", tmp_path / "m")
    assert "column 'mean_area' spans" in found.stderr
    assert found.stderr.count("Give --scale.") == 1
    found = run("train", folder / "cancer.csv", "-o", tmp_path / "m", "--scale")
    assert "Warning" not in found.stderr
