"""On real data sets the optimum is LIBLINEAR's where it gets there, and Clarabel's."""

import warnings

import clarabel
import numpy as np
import pytest
from scipy import sparse
from sklearn import svm
from sklearn.exceptions import ConvergenceWarning

from maxmargin import LinearSVC, LinearSVR

from .test_real_data import load

pytestmark = pytest.mark.data

CLASSIFICATION = [
    "classification/a9a",
    "classification/australian",
    "classification/diabetes_scale",
    "classification/german_numer_scale",
    "classification/heart_scale",
    "classification/ijcnn1",
    "classification/ionosphere",
    "classification/mushrooms",
    "classification/phishing",
    "classification/skin_nonskin",
    "classification/sonar",
    "classification/splice_libsvm",
    "classification/svmguide1",
    "classification/w8a",
    "mlpr/mlpr_fingerprint_spoofing",
    "toy/fourclass_scale",
]
REGRESSION = ["abalone_scale", "concrete", "cpusmall", "energy", "kin8nm", "space_ga"]

ROWS = 600
C = 2.0
EPSILON = 0.1
EXACT = {"tol": 1e-9, "max_iter": 2000}


def value(slack, w, b, *, squared, scale):
    """The objective by its definition; `scale` is None where the bias is free."""
    own = 0.0 if scale is None else (b / scale) ** 2
    return 0.5 * (w @ w + own) + C * np.sum(slack**2 if squared else slack)


def margins_missed(X, y, w, b):
    return np.maximum(0.0, 1.0 - y * (X @ w + b))


def tube_left(X, y, w, b):
    return np.maximum(0.0, np.abs(y - X @ w - b) - EPSILON)


def fitted(machine, X, y):
    """Weights, bias, and whether the solver said that it had converged."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", ConvergenceWarning)
        machine.fit(X, y)
    return machine.coef_.ravel(), float(np.ravel(machine.intercept_)[0]), not told


def assert_as_good(ours, theirs, converged):
    """Equal to 1e-6 where the other solver has converged; no worse in any case."""
    assert ours <= theirs * (1 + 1e-6)
    assert not converged or ours == pytest.approx(theirs, rel=1e-6)


def clarabels_weights(X, lines, at_least, squared):
    """Minimise 1/2 |w|^2 + C sum xi^p over (w, b, xi), where lines (w, b) + xi >= at_least.

    The lines come in one or two groups, of a row a point.
    """
    n, d = X.shape
    groups = lines.shape[0] // n
    power = np.full(n, 2 * C if squared else 0.0)
    P = sparse.diags(np.concatenate([np.ones(d), [0.0], power]), format="csc")
    q = np.concatenate([np.zeros(d + 1), np.full(n, 0.0 if squared else C)])
    slacks = sparse.eye(n, format="csr")
    A = sparse.vstack(
        [
            sparse.hstack([-lines, -sparse.vstack([slacks] * groups)]),
            sparse.hstack([sparse.csr_matrix((n, d + 1)), -slacks]),
        ],
        format="csc",
    )
    right = np.concatenate([-at_least, np.zeros(n)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    cones = [clarabel.NonnegativeConeT(len(right))]
    x = np.array(clarabel.DefaultSolver(P, q, A, right, cones, settings).solve().x)
    return x[:d], x[d]


@pytest.mark.parametrize("squared", [False, True], ids=["hinge", "squared hinge"])
@pytest.mark.parametrize("name", CLASSIFICATION)
def test_classification(name, squared, data_directory):
    X, y = load(data_directory / f"{name}.npz", ROWS)
    y = np.where(y == np.unique(y)[1], 1.0, -1.0)
    loss, scale = ("squared_hinge", 5.0) if squared else ("hinge", 1.0)
    w, b, converged = fitted(LinearSVC(loss=loss, C=C, intercept_scaling=scale, **EXACT), X, y)
    assert converged
    peer = svm.LinearSVC(
        loss=loss, C=C, intercept_scaling=scale, dual=not squared, random_state=0, **EXACT
    )
    v, a, peer_converged = fitted(peer, X, y)
    ours, theirs = (
        value(margins_missed(X, y, *model), *model, squared=squared, scale=scale)
        for model in ((w, b), (v, a))
    )
    assert_as_good(ours, theirs, peer_converged)

    w, b, converged = fitted(LinearSVC(loss=loss, C=C, bias="free", **EXACT), X, y)
    assert converged
    signed = sparse.diags(y) @ sparse.hstack([sparse.csr_matrix(X), np.ones((len(y), 1))])
    v, a = clarabels_weights(X, signed, np.ones(len(y)), squared)
    ours, theirs = (
        value(margins_missed(X, y, *model), *model, squared=squared, scale=None)
        for model in ((w, b), (v, a))
    )
    assert_as_good(ours, theirs, True)


@pytest.mark.parametrize("squared", [False, True], ids=["tube", "squared tube"])
@pytest.mark.parametrize("name", REGRESSION)
def test_regression(name, squared, data_directory):
    X, y = load(data_directory / "regression" / f"{name}.npz", ROWS)
    y = (y - y.mean()) / y.std()
    loss = "squared_epsilon_insensitive" if squared else "epsilon_insensitive"
    scale = 5.0 if squared else 1.0
    shared = {"loss": loss, "C": C, "epsilon": EPSILON, **EXACT}
    w, b, converged = fitted(LinearSVR(intercept_scaling=scale, **shared), X, y)
    assert converged
    peer = svm.LinearSVR(intercept_scaling=scale, dual=not squared, random_state=0, **shared)
    v, a, peer_converged = fitted(peer, X, y)
    ours, theirs = (
        value(tube_left(X, y, *model), *model, squared=squared, scale=scale)
        for model in ((w, b), (v, a))
    )
    assert_as_good(ours, theirs, peer_converged)

    w, b, converged = fitted(LinearSVR(bias="free", **shared), X, y)
    assert converged
    line = sparse.hstack([sparse.csr_matrix(X), np.ones((len(y), 1))])
    both = sparse.vstack([line, -line])
    v, a = clarabels_weights(X, both, np.concatenate([y, -y]) - EPSILON, squared)
    ours, theirs = (
        value(tube_left(X, y, *model), *model, squared=squared, scale=None)
        for model in ((w, b), (v, a))
    )
    assert_as_good(ours, theirs, True)
