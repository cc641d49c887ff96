"""Our estimators give what scikit-learn's give, attribute by attribute."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import datasets, svm
from sklearn.preprocessing import StandardScaler

import maxmargin

TOL = 1e-6


def flowers():
    """Return iris, scaled, each row once: equal rows may share a multiplier in many ways."""
    X, y = datasets.load_iris(return_X_y=True)
    once = np.sort(np.unique(X, axis=0, return_index=True)[1])
    return StandardScaler().fit_transform(X[once]), y[once]


def digits():
    X, y = datasets.load_digits(return_X_y=True)
    return X[:150] / 16, y[:150]


def patients():
    X, y = datasets.load_diabetes(return_X_y=True)
    return X[:120] * 20, y[:120] / 100


DATA = {"iris": flowers, "digits": digits, "diabetes": patients}


def both(name, X, y, fit=None, **parameters):
    """Return our estimator and theirs, fitted alike."""
    kinds = getattr(maxmargin, name), getattr(svm, name)
    ours, theirs = (kind(tol=TOL, **parameters) for kind in kinds)
    return ours.fit(X, y, **(fit or {})), theirs.fit(X, y, **(fit or {}))


def values(estimator, X):
    if hasattr(estimator, "decision_function"):
        return estimator.decision_function(X)
    return estimator.predict(X)


def dense(matrix):
    return matrix.toarray() if sparse.issparse(matrix) else np.asarray(matrix)


def assert_alike(ours, theirs, X):
    np.testing.assert_allclose(values(ours, X), values(theirs, X), atol=1e-4, rtol=1e-4)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    for name in ("dual_coef_", "support_vectors_", "support_", "intercept_", "n_support_"):
        mine, other = getattr(ours, name), getattr(theirs, name)
        assert mine.shape == other.shape, name
        assert sparse.issparse(mine) == sparse.issparse(other), name
    np.testing.assert_allclose(dense(ours.dual_coef_), dense(theirs.dual_coef_), atol=1e-3)
    assert ours.shape_fit_ == theirs.shape_fit_
    assert ours.fit_status_ == theirs.fit_status_ == 0
    assert type(ours.n_iter_) is type(theirs.n_iter_)


CLASSIFIERS = [
    ("SVC", {}),
    ("SVC", {"kernel": "linear", "C": 0.5}),
    ("SVC", {"kernel": "poly", "coef0": 1.0}),
    ("SVC", {"decision_function_shape": "ovo", "class_weight": "balanced"}),
    ("SVC", {"class_weight": {0: 0.5, 1: 3.0}, "gamma": "auto"}),
    ("NuSVC", {"nu": 0.3}),
    ("NuSVC", {"nu": 0.23, "kernel": "poly", "coef0": 1.0, "decision_function_shape": "ovo"}),
]


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("data", ["iris", "digits"])
@pytest.mark.parametrize(("name", "parameters"), CLASSIFIERS)
def test_a_classifier_equals_scikit_learns(name, parameters, data, container):
    X, y = DATA[data]()
    X = container(X)
    ours, theirs = both(name, X, y, **parameters)
    assert_alike(ours, theirs, X)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    if name == "SVC":
        np.testing.assert_allclose(ours.class_weight_, theirs.class_weight_)
    if parameters.get("kernel") == "linear":
        np.testing.assert_allclose(dense(ours.coef_), dense(theirs.coef_), atol=1e-4)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("SVR", {"C": 3.0}),
        ("SVR", {"kernel": "poly", "coef0": 1.0, "epsilon": 0.3}),
        ("NuSVR", {"C": 3.0}),
        ("NuSVR", {"nu": 0.2, "kernel": "sigmoid", "gamma": 0.01}),
        ("OneClassSVM", {"nu": 0.2}),
        ("OneClassSVM", {"gamma": 0.05}),
    ],
)
def test_a_single_machine_equals_scikit_learns(name, parameters, container):
    X, y = patients()
    X = container(X)
    ours, theirs = both(name, X, y, **parameters)
    assert_alike(ours, theirs, X)
    clear = np.abs(values(theirs, X)) > 1e-5
    np.testing.assert_allclose(ours.predict(X)[clear], theirs.predict(X)[clear], atol=1e-4)


@pytest.mark.parametrize("name", ["SVC", "SVR", "NuSVR", "OneClassSVM"])
def test_sample_weights_count_as_in_scikit_learn(name, rng):
    X, y = flowers()
    weight = rng.uniform(0.2, 2.0, len(y))
    ours, theirs = both(name, X, y, {"sample_weight": weight}, gamma=0.3)
    assert_alike(ours, theirs, X)
    weight[::7] = 0.0
    ours, theirs = both(name, X, y, {"sample_weight": weight}, gamma=0.3)
    np.testing.assert_allclose(values(ours, X), values(theirs, X), atol=1e-4)
    np.testing.assert_array_equal(ours.support_vectors_, theirs.support_vectors_)
    np.testing.assert_array_equal(ours.support_vectors_, X[ours.support_])


def test_two_classes_are_decided_as_in_scikit_learn():
    X, y = flowers()
    X, names = X[y > 0], np.array(["", "versicolor", "virginica"])[y[y > 0]]
    ours, theirs = both("SVC", X, names)
    assert ours.decision_function(X).shape == (len(X),)
    assert_alike(ours, theirs, X)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_a_precomputed_kernel_equals_its_named_one():
    X, y = flowers()
    gram = X @ X.T
    ours, theirs = both("SVC", gram, y, kernel="precomputed")
    assert_alike(ours, theirs, gram)
    linear = maxmargin.SVC(kernel="linear", tol=TOL).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(gram), linear.decision_function(X), atol=1e-6)


def test_break_ties_decides_as_in_scikit_learn():
    X, y = digits()
    ours, theirs = both("SVC", X, y, break_ties=True, gamma=5.0)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.filterwarnings("ignore:.*probability:FutureWarning")
@pytest.mark.filterwarnings("ignore:Attribute:FutureWarning")
@pytest.mark.parametrize("name", ["SVC", "NuSVC"])
def test_probabilities_are_near_scikit_learns(name):
    X, y = flowers()
    ours, theirs = both(name, X, y, probability=True, random_state=0)
    found = ours.predict_proba(X)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert np.abs(found - theirs.predict_proba(X)).mean() < 0.03
    assert ours.probA_.shape == theirs.probA_.shape
    again = maxmargin.SVC(probability=True, random_state=0).fit(X, y)
    other = maxmargin.SVC(probability=True, random_state=0).fit(X, y)
    np.testing.assert_array_equal(again.predict_proba(X), other.predict_proba(X))
