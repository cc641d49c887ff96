"""OnlineSVC: where it ends."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from maxmargin import OnlineSVC, solve
from maxmargin.problems import Regularised, SoftMargin
from maxmargin.solvers import Stop
from maxmargin.streams import chunks

from .online_data import clouds, excess, objective


@pytest.mark.parametrize("alpha", [1e-1, 1e-2, 1e-3])
@pytest.mark.parametrize("n", [60, 4000])
def test_fit_comes_within_a_percent_of_the_optimum(n, alpha):
    X, y = clouds(n)
    machine = OnlineSVC(alpha=alpha, random_state=0).fit(X, y)
    assert -1e-4 <= excess(machine, X, y) < 0.01


def test_so_it_does_with_squared_slack_a_free_bias_or_none():
    X, y = clouds(3000)
    machine = OnlineSVC(alpha=1e-2, loss="squared_hinge", random_state=0).fit(X, y)
    assert excess(machine, X, y, power=2) < 0.01
    machine = OnlineSVC(alpha=1e-2, bias="free", random_state=0).fit(X + 1.0, y)
    assert excess(machine, X + 1.0, y, bias="free") < 0.01
    machine = OnlineSVC(alpha=1e-2, fit_intercept=False, random_state=0).fit(X, y)
    assert machine.intercept_[0] == 0.0
    assert excess(machine, X, y, bias="none") < 0.01


@pytest.mark.parametrize("average", [False, True])
def test_pegasos_comes_near_the_optimum(average):
    X, y = clouds(4000)
    machine = OnlineSVC(
        alpha=1e-2, method="pegasos", average=average, random_state=0, max_iter=50, tol=None
    )
    assert excess(machine.fit(X, y), X, y) < 0.02


def test_two_passes_over_a_stream_come_within_a_percent():
    X, y = clouds(50_000, d=20, distance=0.3)
    stream = chunks(X, y, size=1000)
    machine = OnlineSVC(C=1.0, random_state=0).fit_stream(stream, epochs=2)
    assert machine.alpha_ == pytest.approx(1 / 50_000)
    assert excess(machine, X, y) < 0.01


def test_it_ends_lower_than_stochastic_descent_in_scikit_learn():
    X, y = clouds(20_000, d=20, distance=0.3)
    sign = np.where(y == 1, 1.0, -1.0)
    machine = OnlineSVC(alpha=1e-4, random_state=0, max_iter=2, tol=None, bias="free").fit(X, y)
    peer = SGDClassifier(alpha=1e-4, random_state=0, max_iter=2, tol=None, average=True).fit(X, y)
    own, theirs = (
        objective(m.coef_[0], m.intercept_[0], X, sign, 1e-4, bias="free") for m in (machine, peer)
    )
    assert own < theirs


def test_the_running_loss_estimates_the_objective():
    X, y = clouds(50_000, d=10, distance=0.5)
    sign = np.where(y == 1, 1.0, -1.0)
    machine = OnlineSVC(alpha=1e-3, random_state=0)
    for rows, labels in chunks(X, y, size=500):
        machine.partial_fit(rows, labels, classes=[0, 1])
    value = objective(machine.coef_[0], machine.intercept_[0], X, sign, 1e-3)
    assert machine.objective_estimate_ == pytest.approx(value, rel=0.02)
    slack = np.maximum(0.0, 1.0 - sign * machine.decision_function(X))
    assert machine.loss_ == pytest.approx(slack.mean(), rel=0.02)


def test_many_classes_are_so_many_machines_of_two():
    X, y = clouds(3000, n_classes=4)
    together = OnlineSVC(alpha=1e-2, random_state=0).fit(X, y)
    assert together.coef_.shape == (4, 5)
    assert together.loss_.shape == (4,)
    assert together.score(X, y) > 0.97 * LinearSVC().fit(X, y).score(X, y)
    stream = OnlineSVC(alpha=1e-2, shuffle=False).partial_fit(X, y, classes=range(4))
    for k in range(4):
        alone = OnlineSVC(alpha=1e-2, shuffle=False).partial_fit(X, y == k, classes=[False, True])
        np.testing.assert_array_equal(stream.coef_[k], alone.coef_[0])
        assert stream.loss_[k] == alone.loss_


def test_class_weights_multiply_the_loss():
    X, y = clouds(3000)
    weights = {0: 1.0, 1: 5.0}
    machine = OnlineSVC(alpha=1e-2, class_weight=weights, random_state=0).fit(X, y)
    sign, price = np.where(y == 1, 1.0, -1.0), np.where(y == 1, 5.0, 1.0)
    best = LinearSVC(
        C=1 / (1e-2 * 3000),
        loss="hinge",
        class_weight=weights,
        tol=1e-5,
        max_iter=10**6,
        random_state=0,
    ).fit(X, y)
    least, reached = (
        objective(m.coef_[0], m.intercept_[0], X, sign, 1e-2, price=price) for m in (best, machine)
    )
    assert reached < 1.01 * least


def test_balanced_weights_follow_the_stream():
    X, y = clouds(4000)
    keep = (y == 0) | (np.arange(4000) % 10 == 0)
    X, y = X[keep], y[keep]
    machine = OnlineSVC(class_weight="balanced", random_state=0)
    for rows, labels in chunks(X, y, size=300):
        machine.partial_fit(rows, labels, classes=[0, 1])
    counts = np.bincount(y)
    np.testing.assert_allclose(machine.class_weight_, len(y) / (2 * counts))


@pytest.fixture(scope="module")
def covtype(data_directory):
    """Standardised covtype, class 2 against the rest, and the optimum for C = 1."""
    arrays = np.load(data_directory / "classification" / "covtype.npz")
    X = StandardScaler().fit_transform(arrays["X"]).astype(np.float32)
    y = np.where(arrays["y"] == 2, 1.0, -1.0)
    problem = SoftMargin(X, y, C=1.0, bias=Regularised(1))
    best = solve(problem, "linear-interior-point", stop=Stop(gap=1e-6))
    return X, y, best.estimate.primal


@pytest.mark.data
@pytest.mark.parametrize("order", ["shuffled stream", "rows in memory"])
def test_two_passes_over_covtype_come_within_a_percent(covtype, order):
    X, y, least = covtype
    machine = OnlineSVC(C=1.0, n_samples=len(y), random_state=0, max_iter=2, tol=None)
    if order == "rows in memory":
        machine.fit(X, y)
    else:
        stream = chunks(X, y, size=10_000, shuffle=True, random_state=0)
        machine.fit_stream(stream, [-1, 1], epochs=2)
    value = objective(machine.coef_[0], machine.intercept_[0], X, y, machine.alpha_)
    assert value / machine.alpha_ < 1.01 * least


@pytest.mark.data
@pytest.mark.parametrize(("name", "above"), [("a9a", 0.01), ("w8a", 0.05)])
def test_two_passes_over_rare_features_come_close(name, above, data_directory):
    with np.load(data_directory / "classification" / f"{name}.npz") as file:
        parts = (file["X_data"], file["X_indices"], file["X_indptr"])
        X = sparse.csr_array(parts, shape=tuple(file["X_shape"])).astype(np.float64)
        y = np.where(file["y"] == file["y"].max(), 1.0, -1.0)
    problem = SoftMargin(X, y, C=1.0, bias=Regularised(1))
    best = solve(problem, "coordinate-descent", stop=Stop(gap=1e-3, max_iter=100_000))
    machine = OnlineSVC(C=1.0, random_state=0, max_iter=2, tol=None).fit(X, y)
    value = objective(machine.coef_[0], machine.intercept_[0], X, y, machine.alpha_)
    assert value / machine.alpha_ < (1 + above) * best.estimate.dual


@pytest.mark.parametrize("alpha", [1e-2, 1e-3, 5e-5])
def test_a_rare_feature_is_learnt_beside_frequent_ones(alpha):
    rng = np.random.default_rng(0)
    n = 20_000
    X = np.hstack([rng.normal(size=(n, 3)), (rng.random((n, 1)) < 0.002).astype(float)])
    y = np.where(X @ [1.0, -1.0, 0.5, 0.0] + 0.3 * rng.normal(size=n) > 0, 1, -1)
    y[X[:, 3] > 0] = 1
    machine = OnlineSVC(alpha=alpha, random_state=0, max_iter=2, tol=None).fit(X, y)
    assert excess(machine, X, y) < 0.01
    C = 1.0 / (alpha * n)
    best = LinearSVC(loss="hinge", C=C, tol=1e-6, max_iter=10**6, random_state=0).fit(X, y)
    assert 0.5 < machine.coef_[0, 3] / best.coef_[0, 3] < 1.5


def test_what_is_not_proved_to_be_within_tol_says_so_with_the_number():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    with pytest.warns(
        ConvergenceWarning, match=r"tol=0\.001 would not.*at most a fraction of 0\.0"
    ):
        machine = OnlineSVC(C=1.0, tol=1e-3, random_state=0, max_iter=100).fit(X, y)
    told = machine.certificate_.relative_gap
    assert told > 1e-3
    assert excess(machine, X, y) <= told / (1 - told)


@pytest.mark.parametrize("bias", ["free", "regularised"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_a_fit_that_does_not_warn_is_within_tol_of_the_optimum(loss, bias):
    X, y = clouds(5000, d=10, distance=0.4)
    machine = OnlineSVC(C=1.0, tol=5e-3, loss=loss, bias=bias, random_state=0).fit(X, y)
    assert machine.certificate_.relative_gap <= 5e-3
