"""What our estimators have beyond scikit-learn's."""

import pickle
from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn import datasets
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from maxmargin import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from maxmargin.errors import InfeasibleProblemError
from maxmargin.kernels import RBF, Function, Linear, Polynomial, Precomputed

FIVE = [SVC, NuSVC, SVR, NuSVR, OneClassSVM]


@pytest.fixture(scope="module")
def iris():
    return datasets.load_iris(return_X_y=True)


@pytest.fixture
def two(iris):
    X, y = iris
    return X[y > 0][:, :2], y[y > 0]


def values(estimator, X):
    if isinstance(estimator, SVR | NuSVR):
        return estimator.predict(X)
    return estimator.decision_function(X)


def test_a_certificate_orders_the_pairs_worst_first(iris):
    certificate = SVC(C=10.0).fit(*iris).certificate_
    gaps = [abs(machine.relative_gap) for machine in certificate.machines]
    assert gaps == sorted(gaps, reverse=True)
    assert {machine.classes for machine in certificate.machines} == {(0, 1), (0, 2), (1, 2)}
    assert certificate.gap == certificate.machines[0].gap
    assert certificate.holds(1e-2)
    assert "relative gap" in str(certificate)


@pytest.mark.parametrize("kind", FIVE)
def test_every_estimator_is_proved(kind, iris):
    X, y = iris
    machine = kind(tol=1e-6).fit(X, y)
    assert machine.certificate_.holds(1e-4)
    assert machine.certificate_.primal >= machine.certificate_.dual - 1e-9
    assert len(machine.slack_) == len(X)
    assert np.all(machine.slack_ >= 0)
    assert np.all(np.asarray(machine.margin_) > 0)
    assert machine.fit_time_ > 0


def test_slack_is_what_the_decision_lacks_to_one(two):
    X, y = two
    for machine in (SVC(tol=1e-6), NuSVC(tol=1e-6)):
        decision = machine.fit(X, y).decision_function(X) * np.where(y == 2, 1, -1)
        np.testing.assert_allclose(machine.slack_, np.maximum(0, 1 - decision), atol=1e-5)


def test_the_margin_is_one_over_the_norm(two):
    machine = SVC(kernel="linear", tol=1e-6).fit(*two)
    assert machine.margin_ == pytest.approx(1 / np.linalg.norm(machine.coef_))


def test_the_certificate_is_about_the_fit_whatever_is_set_later(two):
    machine = SVC().fit(*two)
    machine.set_params(C=1e6)
    assert machine.certificate_.holds(1e-2)


def test_nothing_is_proved_before_a_fit():
    for name in ("certificate_", "slack_", "margin_", "n_support_", "coef_"):
        assert not hasattr(SVC(kernel="linear"), name) or name == "coef_"


@pytest.mark.parametrize("kind", FIVE)
def test_a_saved_model_carries_its_proof_and_not_its_data(kind, iris):
    X, y = iris
    X = np.tile(X, (1, 50))
    machine = kind().fit(X, y)
    saved = pickle.dumps(machine)
    loaded = pickle.loads(saved)
    np.testing.assert_array_equal(values(loaded, X), values(machine, X))
    assert loaded.certificate_ == machine.certificate_
    assert loaded.machines_[0]._solution is None
    assert len(saved) < X.nbytes + 200_000


def test_one_against_the_rest_is_a_machine_a_class(iris):
    X, y = iris
    machine = SVC(multi_class="ovr", tol=1e-6).fit(X, y)
    assert machine.decision_function(X).shape == (150, 3)
    assert machine.dual_coef_.shape == (3, len(machine.support_))
    assert machine.intercept_.shape == machine.n_iter_.shape == (3,)
    for c in range(3):
        single = SVC(tol=1e-6, gamma=machine.kernel_.gamma).fit(X, y == c)
        expected = single.decision_function(X)
        np.testing.assert_allclose(machine.decision_function(X)[:, c], expected, atol=1e-6)
    assert machine.score(X, y) > 0.95
    linear = SVC(kernel="linear", multi_class="ovr").fit(X, y)
    assert linear.coef_.shape == (3, 4)


def test_a_regularised_bias_is_a_constant_feature(two):
    X, y = two
    machine = SVC(kernel="linear", bias="regularised", tol=1e-6).fit(X, y)
    with_one = np.hstack([X, np.ones((len(X), 1))])
    gram = SVC(kernel=Precomputed(), bias="regularised", tol=1e-6).fit(X @ X.T, y)
    np.testing.assert_allclose(gram.intercept_, machine.intercept_, atol=1e-5)
    np.testing.assert_allclose(
        machine.intercept_, machine.dual_coef_ @ with_one[machine.support_, -1], atol=1e-9
    )


@pytest.mark.parametrize(
    ("kernel", "same"),
    [
        (RBF(0.3), {"kernel": "rbf", "gamma": 0.3}),
        (Polynomial(0.5, 1.0, 2), {"kernel": "poly", "gamma": 0.5, "coef0": 1.0, "degree": 2}),
        (partial(rbf_kernel, gamma=0.3), {"kernel": "rbf", "gamma": 0.3}),
        (partial(polynomial_kernel, gamma=0.5, degree=2), {"kernel": Polynomial(0.5, 1.0, 2)}),
        (Function(partial(rbf_kernel, gamma=0.3)), {"kernel": RBF(0.3)}),
    ],
)
@pytest.mark.parametrize("kind", FIVE)
def test_a_kernel_object_or_function_equals_the_name(kind, kernel, same, iris):
    X, y = iris
    ours, named = kind(kernel=kernel, tol=1e-6).fit(X, y), kind(tol=1e-6, **same).fit(X, y)
    np.testing.assert_allclose(values(ours, X), values(named, X), atol=1e-6)
    np.testing.assert_array_equal(values(clone(ours).fit(X, y), X), values(ours, X))


def test_a_sum_of_kernels_is_a_kernel(iris):
    machine = SVC(kernel=Linear() + 0.5 * RBF("scale")).fit(*iris)
    assert machine.score(*iris) > 0.95
    assert "scale" not in repr(machine.kernel_)
    assert not hasattr(machine, "coef_")


def test_a_kernel_function_may_return_a_sparse_matrix(iris):
    X, y = iris
    machine = SVC(kernel=lambda A, B: sparse.csr_array(A @ B.T), tol=1e-6).fit(X, y)
    linear = SVC(kernel="linear", tol=1e-6).fit(X, y)
    np.testing.assert_allclose(machine.decision_function(X), linear.decision_function(X), atol=1e-5)


@pytest.mark.parametrize("kind", FIVE)
def test_a_warm_start_needs_fewer_steps(kind, iris):
    X, y = iris
    machine = kind(warm_start=True, max_iter=100_000)
    cold = np.sum(machine.fit(X, y).n_iter_)
    first = values(machine, X)
    warm = np.sum(machine.fit(X, y).n_iter_)
    assert warm < cold / 4
    np.testing.assert_allclose(values(machine, X), first, atol=1e-2)


def test_a_warm_start_follows_the_price_and_forgets_other_shapes(two):
    X, y = two
    machine = SVC(warm_start=True, tol=1e-6).fit(X, y)
    np.testing.assert_allclose(
        machine.set_params(C=5.0).fit(X, y).decision_function(X),
        SVC(C=5.0, tol=1e-6).fit(X, y).decision_function(X),
        atol=1e-5,
    )
    assert machine.fit(X[::2], y[::2]).certificate_.holds(1e-4)


def test_a_verbose_fit_shows_a_bar_and_nothing_else(iris, capsys):
    SVC(verbose=True).fit(*iris)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "SVC" in shown.err
    SVC().fit(*iris)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("kind", FIVE)
def test_float32_stays_float32(kind, iris):
    X, y = iris
    machine = kind().fit(X.astype(np.float32), y)
    assert machine.support_vectors_.dtype == np.float32
    np.testing.assert_allclose(values(machine, X), values(kind().fit(X, y), X), atol=0.02)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, bool])
def test_whole_numbers_are_learnt_from_as_numbers(dtype, iris):
    X, y = iris
    X = np.greater(X, X.mean(axis=0)).astype(dtype)
    np.testing.assert_allclose(
        SVC().fit(X, y).decision_function(X),
        SVC().fit(X.astype(float), y).decision_function(X.astype(float)),
        atol=1e-6,  # small whole numbers are exact in float32, which kernel values are then
    )


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sparse_indices_may_be_of_either_size(index, iris):
    X, y = iris
    rows = sparse.csr_array(X)
    rows = sparse.csr_array(
        (rows.data, rows.indices.astype(index), rows.indptr.astype(index)), shape=rows.shape
    )
    machine = SVC(kernel="linear", tol=1e-6).fit(rows, y)
    same = SVC(kernel="linear", tol=1e-6).fit(X, y)
    np.testing.assert_allclose(machine.decision_function(X), same.decision_function(X), atol=1e-6)


def test_the_layout_of_the_data_does_not_matter(iris):
    X, y = iris
    expected = SVC().fit(X, y).decision_function(X)
    frozen = X.copy()
    frozen.flags.writeable = False
    for same in (np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2], frozen, X.tolist()):
        np.testing.assert_allclose(SVC().fit(same, y).decision_function(same), expected, atol=1e-9)


def test_a_frame_gives_its_names():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0], "b": [1, 0, 1, 0]})
    machine = SVC().fit(frame, ["x", "x", "y", "y"])
    assert machine.feature_names_in_.tolist() == ["a", "b"]
    assert machine.predict(frame).tolist() == ["x", "x", "y", "y"]


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_a_class_of_weight_zero_keeps_its_column_and_is_never_named(multi_class, iris):
    X, y = iris
    machine = SVC(multi_class=multi_class, class_weight={1: 0.0}).fit(X, y)
    assert machine.decision_function(X).shape == (150, 3)
    assert set(machine.predict(X)) == {0, 2}


@pytest.mark.filterwarnings("ignore:.*probability:FutureWarning")
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_probabilities_keep_a_column_for_every_class(multi_class, iris):
    X, y = iris
    machine = NuSVC(probability=True, nu=0.1, multi_class=multi_class, random_state=0).fit(X, y)
    probability = machine.predict_proba(X)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    assert np.mean(probability.argmax(axis=1) == y) > 0.9


def test_an_infeasible_nu_is_found_before_the_kernel_is_called():
    def kernel(A, B):
        raise AssertionError("called")

    X, y = np.arange(10.0)[:, None], [0] * 8 + [1] * 2
    with pytest.raises(InfeasibleProblemError, match=r"at most 0.4") as caught:
        NuSVC(kernel=kernel, nu=0.5).fit(X, y)
    assert isinstance(caught.value, ValueError)
    with pytest.raises(InfeasibleProblemError, match="This is the pair 0, 1"):
        NuSVC(nu=0.5).fit(np.arange(18.0)[:, None], [0] * 8 + [1] * 2 + [2] * 8)


def test_class_weights_that_leave_no_room_for_nu_favour_the_heavier_class(iris):
    X, y = iris[0][50:], iris[1][50:]
    shares = []
    for weight in (1.0, 3.0, 10.0, 1000.0):
        machine = NuSVC(nu=0.5, class_weight={1: weight}).fit(X, y)
        assert machine.certificate_.holds(1e-3)
        shares.append(np.mean(machine.predict(X) == 1))
    assert shares == sorted(shares)
    assert shares[-1] > 0.95


def test_threads_do_not_change_the_model(iris):
    X, y = iris
    one, two = SVC(n_jobs=1).fit(X, y), SVC(n_jobs=2, cache_size=1).fit(X, y)
    np.testing.assert_allclose(one.decision_function(X), two.decision_function(X), atol=1e-9)
    assert SVC(n_jobs=-2).fit(X, y).score(X, y) > 0.9


def test_gamma_counts_a_weight_of_two_as_two_rows(iris):
    X, y = iris
    times = 1 + np.arange(150) % 2
    for data in (X, sparse.csr_array(X)):
        machine = SVC().fit(data, y, sample_weight=times)
        twice = SVC().fit(np.repeat(X, times, axis=0), np.repeat(y, times))
        assert machine.kernel_.gamma == pytest.approx(twice.kernel_.gamma)


def test_a_time_limit_is_shared_by_the_machines():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(6000, 10)), random.integers(0, 4, 6000)
    machine = SVC(C=1e3, gamma=0.1, time_limit=1.5)
    with pytest.warns(ConvergenceWarning, match=r"time_limit=1\.5"):
        machine.fit(X, y)
    assert machine.fit_time_ < 60
