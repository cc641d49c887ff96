"""What docs/howto/coming-from-libsvm.md says is the same is the same."""

import numpy as np
import pytest
from scipy import sparse

from maxmargin.streams import write_libsvm

svmutil = pytest.importorskip("libsvm.svmutil")
linearutil = pytest.importorskip("liblinear.liblinearutil")


@pytest.fixture
def data(rng, tmp_path):
    """Two classes, and numbers, in LIBSVM's format."""
    X = rng.uniform(-1, 1, size=(80, 4))
    X[X < -0.6] = 0.0
    values = X @ [1.0, -2.0, 0.5, 0.0] + 0.2 * rng.normal(size=80)
    y = np.where(values > 0, 1, -1)
    y[0] = 1  # the first label is LIBSVM's positive one
    write_libsvm(X, y, tmp_path / "classes")
    write_libsvm(X, values, tmp_path / "numbers")
    return X, y, values


def ours(run, tmp_path, name, options):
    model = tmp_path / "m.safetensors"
    run("train", tmp_path / name, "-o", model, "--tol", "1e-6", *options.split())
    flags = [] if name == "numbers" and "one-class" not in options else ["--scores"]
    found = run.json("predict", model, tmp_path / name, *flags)
    return np.array(found.get("score", found["prediction"]))


@pytest.mark.parametrize(
    ("theirs", "mapped"),
    [
        ("-s 0 -t 2 -c 10 -g 0.5", "--C 10 --gamma 0.5"),
        ("-s 0 -t 2", "--gamma auto"),
        ("-s 0 -t 0 -c 2", "--kernel linear --C 2"),
        ("-s 0 -t 1 -d 2 -g 1 -r 1", "--kernel poly --degree 2 --gamma 1 --coef0 1"),
        ("-s 0 -t 3 -g 0.1 -r -1", "--kernel sigmoid --gamma 0.1 --coef0 -1"),
        ("-s 0 -g 1 -w1 5 -w-1 1", "--gamma 1 --class-weight 1=5,-1=1"),
        ("-s 1 -n 0.3 -g 1", "--machine nu-svc --nu 0.3 --gamma 1"),
    ],
)
def test_classes_by_svm_train(run, data, tmp_path, theirs, mapped):
    X, y, _ = data
    model = svmutil.svm_train(y.tolist(), X, f"{theirs} -e 1e-6 -q")
    _, _, values = svmutil.svm_predict([], X, model, "-q")
    found = ours(run, tmp_path, "classes", mapped)
    np.testing.assert_allclose(found, np.array(values)[:, 0], atol=1e-4)


@pytest.mark.parametrize(
    ("theirs", "mapped"),
    [
        ("-s 3 -c 5 -g 0.5 -p 0.2", "--machine svr --C 5 --gamma 0.5 --epsilon 0.2"),
        ("-s 4 -c 5 -g 0.5 -n 0.3", "--machine nu-svr --C 5 --gamma 0.5 --nu 0.3"),
        ("-s 2 -n 0.2 -g 1", "--machine one-class --nu 0.2 --gamma 1"),
    ],
)
def test_numbers_by_svm_train(run, data, tmp_path, theirs, mapped):
    X, _, values = data
    model = svmutil.svm_train(values.tolist(), X, f"{theirs} -e 1e-6 -q")
    labels, _, scores = svmutil.svm_predict([], X, model, "-q")
    expected = np.array(scores)[:, 0] if "-s 2" in theirs else np.array(labels)
    np.testing.assert_allclose(ours(run, tmp_path, "numbers", mapped), expected, atol=1e-4)


@pytest.mark.parametrize(
    ("theirs", "mapped"),
    [
        ("-s 1 -B 1", "--machine linear-svc"),
        ("-s 2 -B 1 -c 0.1", "--machine linear-svc --C 0.1"),
        ("-s 3", "--machine linear-svc --loss hinge --no-intercept"),
        ("-s 5 -B 1", "--machine linear-svc --penalty l1"),
        ("-s 1 -B 10", "--machine linear-svc --intercept-scaling 10"),
        ("-s 2 -B 1 -R", "--machine linear-svc --bias free"),
        ("-s 1 -B 1 -w1 3", "--machine linear-svc --class-weight 1=3"),
        ("-s 11 -B 1 -p 0.1", "--machine linear-svr --loss squared-epsilon-insensitive "
         "--epsilon 0.1"),
        ("-s 13 -B 1 -p 0.1 -c 0.01", "--machine linear-svr --epsilon 0.1 --C 0.01"),
    ],
)  # fmt: skip
def test_linear_machines_by_train(run, data, tmp_path, theirs, mapped):
    X, y, values = data
    number = int(theirs.split()[1])
    name, target = ("numbers", values) if number > 10 else ("classes", y)
    model = linearutil.train(target.tolist(), X, f"{theirs} -e 1e-9 -q")
    labels, _, scores = linearutil.predict([], sparse.csr_matrix(X), model, "-q")
    expected = np.array(labels) if number > 10 else np.array(scores)[:, 0]
    np.testing.assert_allclose(ours(run, tmp_path, name, mapped), expected, atol=2e-3)


def test_the_scale_of_svm_scale(run, data, tmp_path):
    X, y, _ = data
    scaled = -1 + 2 * (X - X.min(axis=0)) / np.ptp(X, axis=0)
    model = svmutil.svm_train(y.tolist(), scaled, "-g 0.5 -e 1e-6 -q")
    _, _, values = svmutil.svm_predict([], scaled, model, "-q")
    found = ours(run, tmp_path, "classes", "--gamma 0.5 --scale minmax --dense")
    np.testing.assert_allclose(found, np.array(values)[:, 0], atol=1e-4)
