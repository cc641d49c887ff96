"""OnlineSVC: where it ends, what it does not depend on, and what it says of wrong input."""

import pickle
import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from maxmargin import InvalidInputError, OnlineSVC
from maxmargin.problems import Regularised, SoftMargin
from maxmargin.solvers.linear_engine import LinearEngine, LinearProgram
from maxmargin.streams import chunks


def clouds(n, d=5, seed=0, n_classes=2, distance=1.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    centres = distance * rng.normal(size=(n_classes, d))
    return rng.normal(size=(n, d)) + centres[y], y


def objective(coef, intercept, X, sign, alpha, *, power=1, bias="regularised", price=1.0):
    slack = np.maximum(0.0, 1.0 - sign * (X @ coef + intercept))
    norm = coef @ coef + (intercept**2 if bias == "regularised" else 0.0)
    return 0.5 * alpha * norm + np.mean(price * slack**power)


def excess(machine, X, y, **how):
    """How far the objective is above scikit-learn's optimum, as a fraction of it."""
    alpha, sign = machine.alpha_, np.where(y == machine.classes_[1], 1.0, -1.0)
    C = 1.0 / (alpha * len(y))
    power, bias = how.get("power", 1), how.get("bias", "regularised")
    if bias == "free":
        best = SVC(C=C, kernel="linear", tol=1e-6).fit(X, y)
    else:
        loss = "hinge" if power == 1 else "squared_hinge"
        intercept = bias != "none"
        best = LinearSVC(
            C=C,
            loss=loss,
            tol=1e-5,
            max_iter=10**6,
            random_state=0,
            dual=True,
            fit_intercept=intercept,
        ).fit(X, y)
    least = objective(best.coef_[0], float(np.ravel(best.intercept_)[0]), X, sign, alpha, **how)
    reached = objective(machine.coef_[0], machine.intercept_[0], X, sign, alpha, **how)
    return (reached - least) / least


# Where it ends ----------------------------------------------------------------------------------


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


# What it does not depend on ---------------------------------------------------------------------


def stream_fit(X, y, size, **parameters):
    machine = OnlineSVC(alpha=1e-3, **parameters)
    for rows, labels in chunks(X, y, size=size):
        machine.partial_fit(rows, labels, classes=np.unique(y))
    return machine


def same(left, right):
    np.testing.assert_array_equal(left.coef_, right.coef_)
    np.testing.assert_array_equal(left.intercept_, right.intercept_)
    np.testing.assert_array_equal(left.loss_, right.loss_)


@pytest.mark.parametrize("method", ["averaged", "pegasos"])
@pytest.mark.parametrize("size", [1, 17, 512])
def test_where_the_rows_are_cut_into_chunks_does_not_matter(method, size):
    X, y = clouds(700, n_classes=3)
    same(
        stream_fit(X, y, size, shuffle=False, method=method),
        stream_fit(X, y, 700, shuffle=False, method=method),
    )


def test_the_same_seed_gives_the_same_model():
    X, y = clouds(2000)
    same(stream_fit(X, y, 100, random_state=3), stream_fit(X, y, 100, random_state=3))
    one, other = (OnlineSVC(random_state=3, max_iter=3, tol=None).fit(X, y) for _ in range(2))
    same(one, other)
    another = OnlineSVC(random_state=4, max_iter=3, tol=None).fit(X, y)
    assert not np.array_equal(one.coef_, another.coef_)


def test_numpys_global_state_neither_matters_nor_changes():
    X, y = clouds(500)
    np.random.seed(0)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    OnlineSVC(max_iter=2, tol=None).fit(X, y)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_the_number_of_threads_does_not_matter():
    X, y = clouds(3000, n_classes=5)
    same(
        stream_fit(X, y, 700, n_jobs=1, shuffle=False),
        stream_fit(X, y, 700, n_jobs=4, shuffle=False),
    )


def test_sparse_rows_are_learnt_like_dense_ones():
    X, y = clouds(2000)
    X[np.abs(X) < 1.0] = 0.0
    dense, scattered = (
        stream_fit(kind, y, 100, random_state=0) for kind in (X, sparse.csr_array(X))
    )
    np.testing.assert_allclose(scattered.coef_, dense.coef_, rtol=1e-9, atol=1e-12)
    small, little = (
        OnlineSVC(random_state=0).fit(K, y[:200]) for K in (X[:200], sparse.csr_array(X[:200]))
    )
    np.testing.assert_allclose(little.coef_, small.coef_, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    "layout",
    [np.asfortranarray, lambda X: np.repeat(X, 2, axis=1)[:, ::2], lambda X: X[::-1][::-1]],
)
def test_the_layout_does_not_matter(layout):
    X, y = clouds(2000)
    same(stream_fit(layout(X), y, 2000, random_state=0), stream_fit(X, y, 2000, random_state=0))


def test_float32_is_near_float64():
    X, y = clouds(2000)
    single = stream_fit(X.astype(np.float32), y, 100, random_state=0)
    double = stream_fit(X, y, 100, random_state=0)
    np.testing.assert_allclose(single.coef_, double.coef_, rtol=1e-3, atol=1e-4)


def test_flipped_labels_flip_the_decision():
    X, y = clouds(1000)
    one, other = (stream_fit(X, labels, 50, random_state=0) for labels in (y, 1 - y))
    np.testing.assert_array_equal(one.coef_, -other.coef_)
    np.testing.assert_array_equal(one.intercept_, -other.intercept_)


def test_a_rotation_of_the_points_rotates_the_weights():
    X, y = clouds(1000)
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(5, 5)))[0]
    one, other = (stream_fit(points, y, 50, random_state=0) for points in (X, X @ turn))
    np.testing.assert_allclose(one.coef_ @ turn, other.coef_, rtol=1e-7, atol=1e-9)


def test_larger_points_and_a_larger_price_of_the_norm_make_smaller_weights():
    X, y = clouds(1000)
    one, other = (
        OnlineSVC(alpha=1e-3 * c**2, fit_intercept=False, random_state=0).partial_fit(
            c * X, y, classes=[0, 1]
        )
        for c in (1.0, 8.0)
    )
    np.testing.assert_allclose(one.coef_, 8.0 * other.coef_, rtol=1e-12)


def test_a_weight_of_two_is_a_row_given_twice():
    X, y = clouds(300)
    weight = np.random.default_rng(0).integers(0, 4, 300)
    weighted = OnlineSVC(C=1.0, random_state=0).fit(X, y, sample_weight=weight)
    order = np.random.default_rng(1).permutation(int(weight.sum()))
    repeated = OnlineSVC(C=1.0, random_state=0)
    repeated.fit(np.repeat(X, weight, axis=0)[order], np.repeat(y, weight)[order])
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-9)
    assert weighted.alpha_ == repeated.alpha_


def test_so_it_is_in_a_stream_at_the_optimum():
    X, y = clouds(20_000)
    weight = 1.0 + (X[:, 0] > 0)
    one = OnlineSVC(alpha=1e-2, random_state=0)
    two = clone(one)
    for k in range(3):
        one.partial_fit(X, y, classes=[0, 1], sample_weight=weight)
        twice = np.repeat(np.arange(20_000), weight.astype(int))
        two.partial_fit(X[twice], y[twice], classes=[0, 1])
        assert one.t_ == two.t_ == (k + 1) * weight.sum()
    np.testing.assert_allclose(one.coef_, two.coef_, atol=0.02)


def test_rows_of_weight_zero_are_left_out():
    X, y = clouds(1000)
    weight = (np.arange(1000) % 3 > 0).astype(float)
    with_them = OnlineSVC(shuffle=False).partial_fit(X, y, classes=[0, 1], sample_weight=weight)
    without = OnlineSVC(shuffle=False).partial_fit(X[weight > 0], y[weight > 0], classes=[0, 1])
    same(with_them, without)
    before = with_them.coef_
    with_them.partial_fit(X, y, sample_weight=np.zeros(1000))
    np.testing.assert_array_equal(before, with_them.coef_)


# Streams ----------------------------------------------------------------------------------------


def test_a_stream_is_the_same_from_memory_and_by_hand():
    X, y = clouds(3000, n_classes=3)
    by_hand = stream_fit(X, y, 250, random_state=0)
    stream = OnlineSVC(alpha=1e-3, random_state=0).fit_stream(chunks(X, y, size=250))
    same(by_hand, stream)
    assert stream.n_iter_ == 1


def test_a_file_is_learnt_like_its_rows(tmp_path):
    X, y = clouds(3000)
    path = tmp_path / "rows.svm"
    lines = (
        f"{label} " + " ".join(f"{j + 1}:{value!r}" for j, value in enumerate(row.tolist()))
        for row, label in zip(X, y, strict=True)
    )
    path.write_text("\n".join(lines))
    from_file = OnlineSVC(alpha=1e-3, shuffle=False).fit_stream(path, [0, 1], epochs=2)
    from_rows = OnlineSVC(alpha=1e-3, shuffle=False).fit_stream((X, y), [0, 1], epochs=2)
    np.testing.assert_allclose(from_file.coef_, from_rows.coef_, rtol=1e-9)
    assert from_file.n_iter_ == 2


def test_memory_does_not_depend_on_the_number_of_rows():
    X, y = clouds(1000, d=50)

    def peak(n_chunks):
        machine = OnlineSVC(random_state=0)
        stream = ((X + 0.0, y) for _ in range(n_chunks))
        tracemalloc.start()
        machine.fit_stream(stream, [0, 1])
        reached = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert machine.t_ == 1000 * n_chunks
        return reached

    peak(2)
    assert peak(200) < 1.05 * peak(20) + 10_000


def test_a_model_goes_on_after_it_was_saved():
    X, y = clouds(2000)
    whole = OnlineSVC(random_state=0).partial_fit(X[:1000], y[:1000], classes=[0, 1])
    restored = pickle.loads(pickle.dumps(whole))
    same(whole.partial_fit(X[1000:], y[1000:]), restored.partial_fit(X[1000:], y[1000:]))


def test_a_warm_start_goes_on():
    X, y = clouds(2000)
    machine = OnlineSVC(random_state=0, max_iter=2, tol=None, warm_start=True)
    machine.fit(X, y).fit(X, y)
    longer = OnlineSVC(random_state=0, max_iter=4, tol=None).fit(X, y)
    same(machine, longer)
    cold = OnlineSVC(random_state=0, max_iter=4, tol=None).fit(X, y).fit(X, y)
    same(cold, longer)


def test_a_fit_can_be_followed_by_partial_fit():
    X, y = clouds(2000)
    machine = OnlineSVC(random_state=0).fit(X, y)
    t = machine.t_
    assert machine.partial_fit(X[:100], y[:100]).t_ == t + 100


# Ends and errors --------------------------------------------------------------------------------


def test_a_time_limit_keeps_the_model_so_far():
    X, y = clouds(2000)
    with pytest.warns(ConvergenceWarning, match=r"time_limit=1e-09 was reached"):
        machine = OnlineSVC(time_limit=1e-9).fit(X, y)
    assert machine.score(X, y) > 0.5
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        OnlineSVC(time_limit=1e-9).fit_stream((X, y))


def test_too_few_passes_are_told():
    X, y = clouds(2000)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 passes"):
        OnlineSVC(max_iter=1).fit(X, y)


def test_an_interrupt_in_the_stream_keeps_the_model_so_far():
    X, y = clouds(200)

    def stream():
        yield X, y
        raise KeyboardInterrupt

    with pytest.warns(ConvergenceWarning, match="interrupted"):
        machine = OnlineSVC().fit_stream(stream(), [0, 1])
    assert machine.t_ == 200


X, Y = clouds(40)

BAD = [
    (lambda: OnlineSVC(alpha=1e-3, C=1.0).fit(X, Y), "alpha and C say the same"),
    (lambda: OnlineSVC(C=1.0).partial_fit(X, Y, classes=[0, 1]), "give n_samples"),
    (lambda: OnlineSVC(alpha=0.0).fit(X, Y), "'alpha' parameter of OnlineSVC"),
    (lambda: OnlineSVC(C=-1.0).fit(X, Y), "'C' parameter of OnlineSVC"),
    (lambda: OnlineSVC(loss="log").fit(X, Y), "'loss' parameter"),
    (lambda: OnlineSVC(method="adam").fit_stream((X, Y)), "'method' parameter"),
    (lambda: OnlineSVC(method="pegasos", bias="free").fit(X, Y), "no free bias"),
    (lambda: OnlineSVC(method="pegasos", loss="squared_hinge").fit(X, Y), "loss='hinge'"),
    (lambda: OnlineSVC(n_jobs=0).fit(X, Y), "n_jobs must not be zero"),
    (lambda: OnlineSVC(class_weight={7: 2.0}).fit(X, Y), "class_weight"),
    (lambda: OnlineSVC().fit(X * 1e200, Y), "scale the features"),
    (lambda: OnlineSVC().fit(np.where(X > 1, np.nan, X), Y), "NaN"),
    (lambda: OnlineSVC().fit(X, Y * 0), "greater than one; got 1 class"),
    (lambda: OnlineSVC().fit(X, X[:, 0]), "Unknown label type"),
    (lambda: OnlineSVC().fit(X, Y, sample_weight=-np.ones(40)), "zero or negative weights"),
    (lambda: OnlineSVC().fit(X, Y, sample_weight=Y), "same class"),
    (lambda: OnlineSVC().fit(X, Y, sample_weight=np.ones(3)), "sample_weight"),
    (lambda: OnlineSVC().partial_fit(X, Y), "classes must be passed"),
    (lambda: OnlineSVC().partial_fit(X, Y, classes=[0]), "got 1 class"),
    (lambda: OnlineSVC().partial_fit(X, Y, classes=[0, 2]), "the label 1|label np.int64\\(1\\)"),
    (lambda: OnlineSVC().fit_stream([]), "no rows"),
    (lambda: OnlineSVC().fit_stream([], [0, 1]), "no rows"),
    (lambda: OnlineSVC().fit_stream([X]), "must have labels"),
    (lambda: OnlineSVC().fit_stream([X], [0, 1]), "must have labels"),
    (lambda: OnlineSVC().fit_stream(iter([(X, Y)])), "give classes"),
    (lambda: OnlineSVC().fit_stream(iter([(X, Y)]), [0, 1], epochs=2), "epochs=1"),
    (lambda: OnlineSVC().fit_stream((X, Y), epochs=0), "epochs must be"),
    (lambda: OnlineSVC().fit_stream([(X, Y), (X[:, :3], Y)]), "3 features"),
]


@pytest.mark.parametrize(("call", "sentence"), BAD)
def test_everything_wrong_gets_a_sentence(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


def test_errors_of_ours_are_of_our_kind():
    with pytest.raises(InvalidInputError):
        OnlineSVC(alpha=1e-3, C=1.0).fit(X, Y)


def test_an_unfitted_machine_says_so():
    with pytest.raises(NotFittedError, match="OnlineSVC"):
        OnlineSVC().predict(X)
    for name in ("t_", "loss_", "objective_estimate_"):
        with pytest.raises(AttributeError, match=f"has no {name} before fit"):
            getattr(OnlineSVC(), name)


def test_rows_of_zeros_and_huge_weights_do_no_harm():
    machine = OnlineSVC(random_state=0).partial_fit(np.zeros((10, 2)), [0, 1] * 5, classes=[0, 1])
    np.testing.assert_array_equal(machine.coef_, 0.0)
    machine = OnlineSVC(random_state=0, fit_intercept=False)
    machine.partial_fit(np.zeros((10, 2)), [0, 1] * 5, classes=[0, 1])
    np.testing.assert_array_equal(machine.coef_, 0.0)
    machine = OnlineSVC(random_state=0, max_iter=20, tol=None)
    assert np.isfinite(machine.fit(X, Y, sample_weight=np.full(40, 1e12)).coef_).all()


@pytest.mark.parametrize("scale", [1e-100, 1e-3, 1e3, 1e100])
def test_no_scale_of_the_data_breaks_the_steps(scale):
    machine = OnlineSVC(random_state=0, max_iter=20, tol=None).fit(X * scale, Y)
    assert np.isfinite(machine.coef_).all()
    assert np.isfinite(machine.loss_)


# Real data --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def covtype(data_directory):
    """Standardised covtype, class 2 against the rest, and the optimum for C = 1."""
    arrays = np.load(data_directory / "classification" / "covtype.npz")
    X = StandardScaler().fit_transform(arrays["X"]).astype(np.float32)
    y = np.where(arrays["y"] == 2, 1.0, -1.0)
    program = LinearProgram.of(SoftMargin(X, y, C=1.0, bias=Regularised(1)).dual())
    (best,) = LinearEngine(X).solve([program], "interior-point", gap=1e-6)
    return X, y, best.primal


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
