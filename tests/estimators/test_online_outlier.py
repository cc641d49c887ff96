"""OnlineOneClassSVM: the linear one-class machine's optimum, from chunks."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import SGDOneClassSVM
from sklearn.svm import OneClassSVM

from maxmargin import OnlineOneClassSVM
from maxmargin.streams import chunks


def cloud(n, d=4, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d)) + np.arange(1, d + 1)


def objective(w, rho, X, nu):
    return 0.5 * nu * w @ w - nu * rho + np.maximum(0.0, rho - X @ w).mean()


def optimum(X, nu):
    best = OneClassSVM(kernel="linear", nu=nu, tol=1e-9).fit(X)
    # scikit-learn multiplies w and rho by nu n.
    scale = nu * len(X)
    return best.coef_[0] / scale, float(best.offset_[0]) / scale


@pytest.mark.parametrize("nu", [0.05, 0.3, 0.9])
@pytest.mark.parametrize("n", [80, 2000])
def test_fit_comes_near_the_optimum(n, nu):
    X = cloud(n)
    machine = OnlineOneClassSVM(nu=nu, random_state=0).fit(X)
    w, rho = optimum(X, nu)
    least = objective(w, rho, X, nu)
    reached = objective(machine.coef_[0], float(machine.offset_[0]), X, nu)
    assert abs(reached - least) < 0.01 * abs(least)
    np.testing.assert_allclose(machine.coef_[0], w, rtol=0.1, atol=0.05 * np.abs(w).max())


def test_a_stream_comes_nearer_than_scikit_learns():
    X, nu = cloud(20_000), 0.2
    w, rho = optimum(X, nu)
    machine = OnlineOneClassSVM(nu=nu, random_state=0).fit_stream(chunks(X, size=500))
    peer = SGDOneClassSVM(nu=nu, random_state=0, average=True)
    for rows, _ in chunks(X, size=500):
        peer.partial_fit(rows)
    least, own, theirs = (
        objective(weights, float(offset), X, nu)
        for weights, offset in (
            (w, rho),
            (machine.coef_[0], machine.offset_[0]),
            (np.ravel(peer.coef_), peer.offset_[0]),
        )
    )
    assert own - least < 0.01 * abs(least)
    assert own < theirs


@pytest.mark.parametrize("nu", [0.05, 0.3])
def test_the_fraction_outside_is_nu(nu):
    X = cloud(20_000)
    machine = OnlineOneClassSVM(nu=nu, random_state=0).fit_stream(chunks(X, size=1000), epochs=2)
    assert np.mean(machine.predict(X) < 0) == pytest.approx(nu, abs=0.01)


def test_the_estimated_objective_is_near_the_true_one():
    X, nu = cloud(20_000), 0.2
    machine = OnlineOneClassSVM(nu=nu, random_state=0).partial_fit(X)
    value = objective(machine.coef_[0], float(machine.offset_[0]), X, nu)
    assert machine.objective_estimate_ == pytest.approx(value, rel=0.03)


def test_larger_points_make_the_weights_larger_and_the_offset_by_the_square():
    X = cloud(1000)
    one, other = (OnlineOneClassSVM(random_state=0).partial_fit(c * X) for c in (1.0, 16.0))
    np.testing.assert_allclose(16.0 * one.coef_, other.coef_, rtol=1e-9)
    np.testing.assert_allclose(256.0 * one.offset_, other.offset_, rtol=1e-9)


@pytest.mark.parametrize("size", [1, 33, 500])
def test_where_the_rows_are_cut_into_chunks_does_not_matter(size):
    X = cloud(1000)
    whole = OnlineOneClassSVM(shuffle=False).partial_fit(X)
    parts = OnlineOneClassSVM(shuffle=False).fit_stream(chunks(X, size=size))
    np.testing.assert_array_equal(whole.coef_, parts.coef_)
    np.testing.assert_array_equal(whole.offset_, parts.offset_)


def test_sparse_rows_are_learnt_like_dense_ones():
    X = cloud(500)
    X[np.abs(X) < 1.0] = 0.0
    dense, scattered = (
        OnlineOneClassSVM(random_state=0).fit(kind) for kind in (X, sparse.csr_array(X))
    )
    np.testing.assert_allclose(dense.coef_, scattered.coef_, rtol=1e-7)


def test_a_weight_of_two_is_a_row_given_twice():
    X = cloud(200)
    weight = np.random.default_rng(0).integers(0, 4, 200)
    weighted = OnlineOneClassSVM(random_state=0).fit(X, sample_weight=weight)
    repeated = OnlineOneClassSVM(random_state=0).fit(np.repeat(X, weight, axis=0)[::-1])
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-9)


def test_the_decision_is_the_score_less_the_offset():
    X = cloud(300)
    machine = OnlineOneClassSVM(random_state=0).fit(X)
    np.testing.assert_allclose(machine.score_samples(X), X @ machine.coef_[0])
    np.testing.assert_allclose(
        machine.decision_function(X), machine.score_samples(X) - machine.offset_
    )


BAD = [
    (lambda: OnlineOneClassSVM(nu=0.0).fit(cloud(10)), "'nu' parameter"),
    (lambda: OnlineOneClassSVM(nu=1.5).partial_fit(cloud(10)), "'nu' parameter"),
    (lambda: OnlineOneClassSVM().fit(cloud(10) * 1e200), "scale the features"),
    (lambda: OnlineOneClassSVM().fit_stream([]), "no rows"),
    (lambda: OnlineOneClassSVM().fit_stream(iter([cloud(9)]), epochs=3), "epochs=1"),
]


@pytest.mark.parametrize(("call", "sentence"), BAD)
def test_everything_wrong_gets_a_sentence(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


def test_an_unfitted_machine_says_so():
    with pytest.raises(NotFittedError, match="OnlineOneClassSVM"):
        OnlineOneClassSVM().predict(cloud(3))


def test_a_time_limit_keeps_the_model_so_far():
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        machine = OnlineOneClassSVM(time_limit=1e-9, random_state=0).fit(cloud(50))
    assert np.isfinite(machine.coef_).all()
