"""Cases that a review of the estimators found wrong."""

import copy
import pickle
from dataclasses import replace
from warnings import catch_warnings, simplefilter

import numpy as np
import pytest
from scipy import sparse
from sklearn import datasets, svm
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from maxmargin import SVC, SVR, NuSVC, OneClassSVM
from maxmargin.errors import InvalidInputError
from maxmargin.estimators import base
from maxmargin.kernels import RBF, Function, Laplacian, Linear, Polynomial, Sigmoid
from maxmargin.machines import fitting
from maxmargin.machines.decision import decision_values
from maxmargin.machines.threads import thread_count
from maxmargin.problems import Points, Regularised, SoftMargin
from maxmargin.solvers import Ending, solve_all
from maxmargin.solvers.kernel.batch import Batch

pytestmark = pytest.mark.filterwarnings("ignore:.*probability.*deprecated:FutureWarning")


@pytest.fixture(scope="module")
def iris():
    return datasets.load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def digits():
    X, y = datasets.load_digits(return_X_y=True)
    return X[:300], y[:300]


@pytest.fixture
def noise(rng):
    return rng.normal(size=(300, 3)), rng.integers(0, 3, 300)


# Prediction in float32 ----------------------------------------------------------------------------


# With values of 1e38 an absolute tolerance may be out of reach.
@pytest.mark.filterwarnings("ignore:Solver stalled:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("kind", [SVC, OneClassSVM])
def test_small_integers_predict_as_floats_do(kind, convert, digits):
    X, y = digits
    parameters = {"kernel": "poly", "degree": 11, "gamma": 1, "coef0": 1}
    small = kind(**parameters).fit(convert(X.astype(np.uint8)), y)
    large = kind(**parameters).fit(convert(X), y)
    values = small.decision_function(convert(X.astype(np.uint8)))
    assert np.isfinite(values).all()
    np.testing.assert_allclose(values, large.decision_function(convert(X)), rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(small.predict(X), large.predict(X))


@pytest.mark.parametrize(
    ("kernel", "size"),
    [
        (Linear(), 1.0),
        (Polynomial(1.0, 1.0, 5), 1.0),
        (Sigmoid(0.3, 0.1), 1.0),
        (Laplacian(0.3), 1.0),
        (Linear() + RBF(1.0), 1.0),
        (Function(lambda A, B: A @ B.T), 1.0),
        (RBF(1e-34), 1e17),
        (RBF(1e-42), 1e20),
        (RBF(1e38), 1e-19),
    ],
)
def test_values_that_float32_cannot_hold_are_computed_in_float64(kernel, size, rng):
    X, vectors = (size * rng.normal(size=(m, 4)).astype(np.float32) for m in (9, 7))
    coefficients, intercept = rng.normal(size=(1, 7)), np.zeros(1)
    found = decision_values(kernel, X, vectors, coefficients, intercept)
    exact = kernel.block(X.astype(np.float64), vectors.astype(np.float64)) @ coefficients.T
    np.testing.assert_allclose(found, exact, rtol=1e-9)


def test_moderate_gaussian_values_stay_in_float32(rng):
    X = rng.normal(size=(20, 4)).astype(np.float32)
    found = decision_values(RBF(0.5), X, X, np.eye(20), np.zeros(20))
    np.testing.assert_array_equal(found, RBF(0.5).block(X, X.copy()))


# Saving -------------------------------------------------------------------------------------------


def lopsided(A, B):
    return A @ B.T + 1e-6 * A[:, :1]


@pytest.mark.parametrize(
    ("copied", "error"),
    [(copy.deepcopy, InvalidInputError), (lambda x: pickle.loads(pickle.dumps(x)), AttributeError)],
)
def test_a_model_without_a_proof_can_be_copied_and_saved(copied, error, noise, monkeypatch):
    X, y = noise
    # As if the sample of points that is looked at before a fit had not shown it.
    monkeypatch.setattr(Function, "_examine", lambda self, X: None)
    machine = SVC(kernel=lopsided).fit(X, y)
    with pytest.raises(InvalidInputError, match="not symmetric"):
        _ = machine.certificate_
    loaded = copied(machine)
    np.testing.assert_array_equal(loaded.predict(X), machine.predict(X))
    with pytest.raises(error, match="not symmetric"):
        _ = loaded.certificate_
    with pytest.raises(error, match="not symmetric"):
        _ = loaded.slack_
    np.testing.assert_array_equal(copied(loaded).predict(X), machine.predict(X))


def test_expansions_of_a_formula_need_no_whole_matrix(rng):
    X = rng.normal(size=(40, 3))
    for constant in (0.0, 2.0):
        points, few = Points(X, RBF(0.5)), np.zeros(40)
        few[:15] = rng.normal(size=15)
        qp = SoftMargin(points, 2 * (np.arange(40) % 2) - 1, bias=Regularised(eps=constant)).dual()
        expected = (RBF(0.5).block(X, X) + constant) @ few
        for _ in range(5):
            np.testing.assert_allclose(qp.expansion(few), expected, atol=1e-12)
        np.testing.assert_allclose(qp.expansion(2 * few), 2 * expected, atol=1e-12)
        assert "matrix" not in points.__dict__
        copied = pickle.loads(pickle.dumps(points))
        np.testing.assert_allclose(copied.expansion(few), RBF(0.5).block(X, X) @ few, atol=1e-12)


def test_expansions_of_a_function_keep_the_matrix_and_huge_values_are_refused(rng):
    X = rng.normal(size=(40, 3))
    points = Points(X, Function(RBF(0.5).block))
    np.testing.assert_allclose(points.expansion(np.ones(40)), RBF(0.5).block(X, X).sum(axis=1))
    assert "matrix" in points.__dict__
    huge = Points(1e3 * X, Polynomial(1.0, 0.0, 200))
    with pytest.raises(InvalidInputError, match="too large"):
        huge.expansion(np.eye(40)[0])


# Limits -------------------------------------------------------------------------------------------


def test_a_time_limit_counts_from_the_start_of_the_fit(monkeypatch):
    given = []

    def spy(problems, solver, *, stop, **others):
        given.append(stop.time_limit)
        return solve_all(problems, solver, stop=stop, **others)

    # Seven seconds go by between the start of a fit and that of its solver.
    monkeypatch.setattr(base, "perf_counter", lambda: 100.0)
    monkeypatch.setattr(fitting, "perf_counter", lambda: 107.0)
    monkeypatch.setattr(fitting, "solve_all", spy)
    for limit in (10.0, 5.0, None):
        with catch_warnings():
            simplefilter("ignore", ConvergenceWarning)
            SVC(time_limit=limit).fit([[0.0], [1.0]], [0, 1])
    assert given == [3.0, 1e-9, None]


def with_ending(ending, problem, monkeypatch):
    """Make the run of a problem end so."""
    solve = Batch.solve

    def ended(self, terms, which, **limits):
        found = solve(self, terms, which, **limits)
        found[problem] = replace(found[problem], ending=ending)
        return found

    monkeypatch.setattr(Batch, "solve", ended)


def test_probabilities_are_left_out_when_time_is_up(noise, monkeypatch):
    X, y = noise
    with_ending(Ending.TIME_LIMIT, 3, monkeypatch)  # the first fold, behind three pairs
    machine = SVC(probability=True, random_state=0, time_limit=100)
    with pytest.warns(ConvergenceWarning) as seen:
        machine.fit(X, y)
    assert "predict_proba is not available" in str(seen[-1].message)
    assert machine.predict(X).shape == (300,)
    with pytest.raises(NotFittedError, match="ended before the probabilities"):
        machine.predict_proba(X)


def test_probabilities_from_folds_that_did_not_converge_come_with_a_warning(noise):
    X, y = noise
    machine = SVC(probability=True, random_state=0, max_iter=5)
    with pytest.warns(ConvergenceWarning) as seen:
        machine.fit(X, y)
    assert "15 of the 15 fits behind predict_proba did not converge" in str(seen[-1].message)
    assert machine.predict_proba(X).shape == (300, 3)


@pytest.mark.parametrize("kind", [SVC, NuSVC, SVR, OneClassSVM])
@pytest.mark.parametrize("limit", [1, 7, 40])
def test_steps_never_exceed_max_iter(kind, limit, noise):
    X, y = noise
    with pytest.warns(ConvergenceWarning):
        machine = kind(max_iter=limit, tol=1e-9).fit(X.astype(np.float32), y)
    assert np.max(machine.n_iter_) <= limit


def test_huge_parameters_mean_no_limit(iris):
    X, y = iris
    huge = {"cache_size": 1e14, "n_jobs": 10**10, "max_iter": 10**30, "time_limit": 1e300}
    expected = SVC(max_iter=10**9).fit(X, y).decision_function(X)
    for name, value in huge.items():
        machine = SVC(max_iter=10**9).set_params(**{name: value}).fit(X, y)
        np.testing.assert_allclose(machine.decision_function(X), expected, atol=1e-9)
    SVC(cache_size=10**400).fit(X, y)
    assert thread_count(100_000) == thread_count(10**10) == 256
    assert thread_count(-(10**10)) == 1


# Decisions ----------------------------------------------------------------------------------------


def test_a_decision_of_zero_is_the_second_class(iris):
    X, y = np.array([[-1.0], [1.0]]), np.array(["a", "b"])
    ours, theirs = (kind(kernel="linear").fit(X, y) for kind in (SVC, svm.SVC))
    assert ours.decision_function([[0.0]]) == theirs.decision_function([[0.0]]) == 0.0
    assert ours.predict([[0.0]]) == theirs.predict([[0.0]]) == "b"
    # Far from all points, with equal classes, every pair's value is its intercept: zero.
    X, y = iris[0][::10], iris[1][::10]
    ours, theirs = (kind(gamma=1e6, tol=1e-9).fit(X, y) for kind in (SVC, svm.SVC))
    far = np.full((1, 4), 100.0)
    assert ours.set_params(decision_function_shape="ovo").decision_function(far).tolist() == [
        [0, 0, 0]
    ]
    assert ours.predict(far) == theirs.predict(far) == 2


def test_steps_are_counted_as_scikit_learn_does(iris):
    assert SVC().fit(*iris).n_iter_.dtype == np.int32
    assert isinstance(SVR().fit(*iris).n_iter_, int)


def test_gamma_counts_weights_inside_combined_kernels(iris):
    X, y = iris
    weight = 1.0 + np.arange(150) % 3
    plain = SVC(kernel=RBF("scale")).fit(X, y, weight).kernel_
    for kernel, expected in [
        (Linear() + RBF("scale"), Linear() + plain),
        (0.5 * RBF("scale"), 0.5 * plain),
        (RBF("scale") * (Linear() + 2 * RBF("scale")), plain * (Linear() + 2 * plain)),
    ]:
        assert SVC(kernel=kernel).fit(X, y, weight).kernel_ == expected


def test_machines_that_never_ran_vote_for_the_heavier_side():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2, 3], [5400, 4800, 1200, 600])
    X = rng.normal(size=(len(y), 20)) + 0.3 * y[:, None]
    with pytest.warns(ConvergenceWarning):
        machine = SVC(C=100, time_limit=1e-3).fit(X, y)
    assert machine.score(X, y) > 0.4  # the majority has 0.45, the class that won before 0.05


def test_a_kernel_class_is_no_kernel():
    with pytest.raises(ValueError, match=r"give an instance, such as RBF\(\)"):
        SVC(kernel=RBF).fit([[0.0], [1.0]], [0, 1])
