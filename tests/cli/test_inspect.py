import numpy as np

from maxmargin import SVC, load
from maxmargin.persist import to_libsvm


def test_everything_that_is_known(run, model):
    found = run.json("inspect", model)
    pipeline = load(model)
    machine = pipeline[-1]
    assert found["steps"] == ["Pipeline", "StandardScaler", "SVC"]
    assert found["feature_names"][0] == "mean_radius"
    assert found["machine"]["parameters"] == {"C": 10.0}
    assert found["machine"]["kernel"] == repr(machine.kernel_)
    assert found["machine"]["classes"] == [0, 1]
    support = found["support"]
    assert support["n_support"] == len(machine.support_)
    assert support["by_class"] == {"0": int(machine.n_support_[0]), "1": int(machine.n_support_[1])}
    assert support["free"] + support["bounded"] == support["n_support"]
    # Multipliers at C are bounded.
    assert support["bounded"] == np.isclose(np.abs(machine.dual_coef_), 10.0).sum()
    assert found["certificate"]["kkt_violation"] == machine.certificate_.kkt_violation


def test_the_lines(run, model):
    text = run("inspect", model).stdout
    for word in (
        "kernel ",
        "RBF(gamma=",
        "C=10.0",
        "support vectors of 569 points",
        "KKT violation",
    ):
        assert word in text
    assert "free (on the margin)" in text


def test_linear_machines_show_their_weights(run, folder, tmp_path):
    options = ["--machine", "linear-svr", "--C", 1000]
    run("train", folder / "diabetes.csv", "-o", tmp_path / "m", *options)
    found = run.json("inspect", tmp_path / "m")
    machine = load(tmp_path / "m")
    largest = np.argmax(np.abs(machine.coef_))
    assert found["largest_weights"][0]["feature"] == machine.feature_names_in_[largest]
    assert found["largest_weights"][0]["weights"] == [machine.coef_[largest]]
    assert "largest weights" in run("inspect", tmp_path / "m").stdout


def test_models_of_other_programs_have_no_certificate(run, points, tmp_path):
    X, y = points
    to_libsvm(SVC().fit(X.to_numpy(), y), tmp_path / "a.model")
    text = run("inspect", tmp_path / "a.model").stdout
    assert "libsvm-model" in text
    assert "A model from LIBSVM comes without its data" in text
    assert "of 569 points" not in text


def test_what_is_no_model(run, folder):
    assert "cannot be loaded" in run.error("inspect", folder / "iris.csv")
