"""LIBSVM's and LIBLINEAR's own programs: labels alike, values to 1e-9."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import datasets
from sklearn.datasets import dump_svmlight_file

from maxmargin import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM
from maxmargin.persist import from_liblinear, from_libsvm, to_liblinear, to_libsvm
from maxmargin.streams import read_libsvm

from .peers import libsvm_predict
from .programs import predict, run, train, values
from .test_libsvm import CLASSIFICATION, KERNELS, REGRESSION, agree, halves, values_of

TWO_CLASSES = ["breast cancer", "moons", "circles", "many features"]
TEN = [*CLASSIFICATION, *REGRESSION]


def machine_for(name):
    return SVR(C=10.0) if name in REGRESSION else SVC(C=2.0)


def test_there_are_ten_data_sets():
    assert len(TEN) == 10


@pytest.mark.parametrize("name", TEN)
def test_svm_predict_finds_what_our_machines_find(name, tmp_path):
    rows, y, new = halves(name)
    machine = machine_for(name).fit(rows, y)
    to_libsvm(machine, tmp_path / "m")
    printed = predict("svm-predict", new, tmp_path / "m")[:, 0]
    if name in REGRESSION:
        agree(machine.predict(new)[:, None], printed[:, None])
    else:
        np.testing.assert_array_equal(printed, machine.predict(new))
        # One value per pair of classes, from LIBSVM's library: its program does not print them.
        labels, found = libsvm_predict(new, tmp_path / "m")
        np.testing.assert_array_equal(printed, labels)
        agree(values_of(machine, new), found)


@pytest.mark.parametrize("name", TEN)
def test_we_find_what_svm_predict_finds_with_models_of_svm_train(name, tmp_path):
    rows, y, new = halves(name)
    train("svm-train", rows, y, "-s 3 -c 10" if name in REGRESSION else "-c 2", tmp_path / "m")
    machine = from_libsvm(tmp_path / "m", n_features=rows.shape[1])
    printed = predict("svm-predict", new, tmp_path / "m")[:, 0]
    if name in REGRESSION:
        agree(machine.predict(new)[:, None], printed[:, None])
    else:
        np.testing.assert_array_equal(machine.predict(new), printed)
    # And back: what we write of it is what it wrote.
    to_libsvm(machine, tmp_path / "back")
    again = predict("svm-predict", new, tmp_path / "back")[:, 0]
    np.testing.assert_allclose(again, printed, rtol=1e-9, atol=1e-9 * np.abs(printed).max())


@pytest.mark.parametrize("name", TWO_CLASSES)
@pytest.mark.parametrize("kernel", KERNELS)
def test_svm_predict_finds_our_decision_values(name, kernel, tmp_path):
    rows, y, new = halves(name)
    machines = [SVC(**KERNELS[kernel][0])]
    if kernel == "rbf":  # the only one that errs as rarely as this nu asks, on all four
        machines.append(NuSVC(nu=0.15, **KERNELS[kernel][0]))
    for machine in machines:
        machine.fit(rows, y)
        to_libsvm(machine, tmp_path / "m")
        printed = values(new, tmp_path / "m")
        agree(values_of(machine, new), printed[:, None])
        labels = predict("svm-predict", new, tmp_path / "m")[:, 0]
        np.testing.assert_array_equal(labels, machine.predict(new))


@pytest.mark.parametrize("name", REGRESSION)
def test_nu_regression_and_one_class(name, tmp_path):
    rows, y, new = halves(name)
    tube = NuSVR(C=10.0).fit(rows, y)
    to_libsvm(tube, tmp_path / "tube")
    agree(tube.predict(new)[:, None], predict("svm-predict", new, tmp_path / "tube"))
    outlier = OneClassSVM(nu=0.3).fit(rows)
    to_libsvm(outlier, tmp_path / "outlier")
    np.testing.assert_array_equal(
        predict("svm-predict", new, tmp_path / "outlier")[:, 0], outlier.predict(new)
    )
    agree(outlier.decision_function(new)[:, None], values(new, tmp_path / "outlier")[:, None])


def test_a_precomputed_kernel(tmp_path):
    rows, y, new = halves("breast cancer")
    machine = SVC(kernel="precomputed").fit(rows @ rows.T, y)
    to_libsvm(machine, tmp_path / "m")
    found = predict("svm-predict", new @ rows.T, tmp_path / "m", precomputed=True)[:, 0]
    np.testing.assert_array_equal(found, machine.predict(new @ rows.T))
    train("svm-train", rows @ rows.T, y, "-t 4", tmp_path / "theirs", precomputed=True)
    again = from_libsvm(tmp_path / "theirs", n_features=len(rows))
    found = predict("svm-predict", new @ rows.T, tmp_path / "theirs", precomputed=True)[:, 0]
    np.testing.assert_array_equal(again.predict(new @ rows.T), found)


@pytest.mark.filterwarnings("ignore:The `probability` parameter:FutureWarning")
def test_probabilities(tmp_path):
    rows, y, new = halves("breast cancer")
    machine = SVC(probability=True, random_state=0).fit(rows, y)
    to_libsvm(machine, tmp_path / "m")
    printed = predict("svm-predict", new, tmp_path / "m", "-b 1")
    # They are printed to six digits.
    np.testing.assert_allclose(printed[:, 1:], machine.predict_proba(new), rtol=1e-5, atol=1e-12)
    train("svm-train", rows, y, "-b 1", tmp_path / "theirs")
    again = from_libsvm(tmp_path / "theirs")
    labels = (tmp_path / "theirs.out", predict("svm-predict", new, tmp_path / "theirs", "-b 1"))
    order = np.argsort([int(label) for label in labels[0].read_text().split("\n")[0].split()[1:]])
    np.testing.assert_allclose(
        labels[1][:, 1:][:, order], again.predict_proba(new), rtol=1e-5, atol=1e-12
    )


@pytest.mark.parametrize("name", CLASSIFICATION)
@pytest.mark.parametrize("bias", [-1, 1])
def test_liblinear_programs(name, bias, tmp_path):
    rows, y, new = halves(name)
    machine = LinearSVC(fit_intercept=bias > 0).fit(rows, y)
    to_liblinear(machine, tmp_path / "m")
    printed = predict("liblinear-predict", new, tmp_path / "m")[:, 0]
    np.testing.assert_array_equal(printed, machine.predict(new))
    train("liblinear-train", rows, y, f"-s 1 -B {bias}", tmp_path / "theirs")
    again = from_liblinear(tmp_path / "theirs")
    printed = predict("liblinear-predict", new, tmp_path / "theirs")[:, 0]
    np.testing.assert_array_equal(printed, again.predict(new))


@pytest.mark.parametrize("name", REGRESSION)
def test_liblinear_regression(name, tmp_path):
    rows, y, new = halves(name)
    machine = LinearSVR(epsilon=0.1, max_iter=100_000).fit(rows, y)
    to_liblinear(machine, tmp_path / "m")
    agree(machine.predict(new)[:, None], predict("liblinear-predict", new, tmp_path / "m"))
    train("liblinear-train", rows, y, "-s 11 -B 1", tmp_path / "theirs")
    again = from_liblinear(tmp_path / "theirs")
    agree(again.predict(new)[:, None], predict("liblinear-predict", new, tmp_path / "theirs"))


def test_svm_scale_writes_what_we_read(tmp_path):
    rows, y = datasets.load_iris(return_X_y=True)
    dump_svmlight_file(rows, y, str(tmp_path / "iris"), zero_based=False)
    (tmp_path / "scaled").write_text(run("svm-scale", tmp_path / "iris"))
    found, labels = read_libsvm(tmp_path / "scaled", n_features=4)
    low, high = rows.min(axis=0), rows.max(axis=0)
    np.testing.assert_allclose(
        found.toarray(), 2 * (rows - low) / (high - low) - 1, rtol=1e-5, atol=1e-5
    )
    np.testing.assert_array_equal(labels, y)
