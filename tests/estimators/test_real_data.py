"""On real data sets the optimum is scikit-learn's, to the accuracy both are asked for."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn import svm
from sklearn.preprocessing import StandardScaler

import maxmargin

pytestmark = pytest.mark.data

MOST_ROWS = 1500
TOL = 1e-6

BINARY = [
    "classification/a9a",
    "classification/australian",
    "classification/diabetes_scale",
    "classification/german_numer_scale",
    "classification/heart_scale",
    "classification/higgs_10k",
    "classification/ijcnn1",
    "classification/ionosphere",
    "classification/madelon",
    "classification/mushrooms",
    "classification/phishing",
    "classification/skin_nonskin",
    "classification/sonar",
    "classification/splice_libsvm",
    "classification/susy_30k",
    "classification/svmguide1",
    "classification/w8a",
    "mlpr/mlpr_fingerprint_spoofing",
    "toy/banana",
    "toy/fourclass_scale",
    "toy/ripley_synth",
    "toy/sipu_jain",
    "sparse/reuters_moneyfx",
]
MANY_CLASSES = [
    "classification/covtype",
    "classification/dna",
    "classification/glass",
    "classification/letter_scale",
    "classification/pendigits",
    "classification/satimage",
    "classification/vehicle",
    "classification/vowel",
    "images/usps",
    "toy/sipu_spiral",
]
REGRESSION = [
    "abalone_scale",
    "bike",
    "cadata",
    "concrete",
    "cpusmall",
    "elevators",
    "energy",
    "fried",
    "kin8nm",
    "space_ga",
]
ANOMALY = [
    "annthyroid",
    "cardio",
    "cover",
    "mammography",
    "satimage-2",
    "shuttle",
    "smtp",
    "thyroid",
]


def load(path: Path, most: int = MOST_ROWS):
    """Return some rows of a data set, standardised unless sparse."""
    if not path.exists():
        pytest.skip(f"{path.name} is not there")
    with np.load(path, allow_pickle=False) as file:
        y = file["y"]
        if "X_shape" in file:
            places = (file[f"X_{name}"].astype(np.int32) for name in ("indices", "indptr"))
            parts = (file["X_data"], *places)
            X = sparse.csr_array(parts, shape=tuple(file["X_shape"]))
        else:
            X = file["X"].astype(np.float64)
    rows = np.arange(X.shape[0])
    if len(rows) > most:
        rows = np.sort(np.random.default_rng(0).choice(rows, most, replace=False))
    X, y = X[rows], y[rows]
    if sparse.issparse(X):
        X = X.astype(np.float64)
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
        return X, y
    return StandardScaler().fit_transform(X), y


def dual_value(machine, X, y, sign=None):
    """The dual objective of a two-class or one-class machine, from its public attributes."""
    coefficients = np.asarray(
        machine.dual_coef_.toarray() if sparse.issparse(machine.dual_coef_) else machine.dual_coef_
    ).ravel()
    vectors = X[machine.support_]
    decision = machine.decision_function(vectors) - machine.intercept_[0]
    linear = np.abs(coefficients).sum() if sign is None else sign
    return linear - 0.5 * coefficients @ decision


def assert_same_decisions(found, expected):
    scale = max(1.0, float(np.abs(expected).max()))
    np.testing.assert_allclose(found, expected, atol=1e-4 * scale, rtol=0)


@pytest.mark.parametrize("name", BINARY)
def test_two_classes(name, data_directory):
    X, y = load(data_directory / f"{name}.npz")
    for C in (1.0, 10.0):
        ours = maxmargin.SVC(C=C, tol=TOL).fit(X, y)
        theirs = svm.SVC(C=C, tol=TOL, gamma=ours._gamma).fit(X, y)
        assert ours.fit_status_ == 0
        assert dual_value(ours, X, y) == pytest.approx(dual_value(theirs, X, y), rel=1e-6)
        assert_same_decisions(ours.decision_function(X), theirs.decision_function(X))


@pytest.mark.parametrize("name", MANY_CLASSES)
def test_many_classes(name, data_directory):
    X, y = load(data_directory / f"{name}.npz")
    labels, sizes = np.unique(y, return_counts=True)
    kept = np.isin(y, labels[sizes > 2])
    X, y = X[kept], y[kept]
    ours = maxmargin.SVC(C=5.0, tol=TOL, decision_function_shape="ovo").fit(X, y)
    theirs = svm.SVC(C=5.0, tol=TOL, gamma=ours._gamma, decision_function_shape="ovo").fit(X, y)
    assert ours.fit_status_ == 0
    expected = theirs.decision_function(X)
    assert_same_decisions(ours.decision_function(X), expected)
    # Where a pair is decided by a hair, or votes are equal, both answers are right.
    close = np.abs(expected.reshape(len(X), -1)).min(axis=1) < 1e-3
    same = ours.predict(X) == theirs.predict(X)
    assert same[~close].all()


@pytest.mark.parametrize("name", REGRESSION)
def test_regression(name, data_directory):
    X, y = load(data_directory / "regression" / f"{name}.npz", 1000)
    y = (y - y.mean()) / y.std()
    ours = maxmargin.SVR(C=1.0, tol=TOL).fit(X, y)
    theirs = svm.SVR(C=1.0, tol=TOL, gamma=ours._gamma).fit(X, y)
    assert ours.fit_status_ == 0
    assert_same_decisions(ours.predict(X), theirs.predict(X))
    assert tube_value(ours, X, y) == pytest.approx(tube_value(theirs, X, y), rel=1e-6)
    nu = maxmargin.NuSVR(C=1.0, nu=0.5, tol=TOL).fit(X, y)
    expected = svm.NuSVR(C=1.0, nu=0.5, tol=TOL, gamma=nu._gamma).fit(X, y)
    assert nu.fit_status_ == 0
    assert_same_decisions(nu.predict(X), expected.predict(X))


def tube_value(machine, X, y):
    coefficients = machine.dual_coef_.ravel()
    f = machine.predict(X[machine.support_]) - machine.intercept_[0]
    gain = y[machine.support_] @ coefficients - machine.epsilon * np.abs(coefficients).sum()
    return gain - 0.5 * coefficients @ f


@pytest.mark.parametrize("nu", [0.1, 0.5])
@pytest.mark.parametrize("name", ANOMALY)
def test_one_class(name, nu, data_directory):
    X, _ = load(data_directory / "anomaly" / f"{name}.npz")
    ours = maxmargin.OneClassSVM(nu=nu, tol=TOL).fit(X)
    theirs = svm.OneClassSVM(nu=nu, tol=TOL, gamma=ours._gamma).fit(X)
    assert ours.fit_status_ == 0
    found, expected = (dual_value(machine, X, None, sign=0.0) for machine in (ours, theirs))
    assert found == pytest.approx(expected, rel=1e-6)
    assert_same_decisions(ours.decision_function(X), theirs.decision_function(X))
