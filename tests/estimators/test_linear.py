"""LinearSVC and LinearSVR: LIBLINEAR's optimum, a true certificate, data read where it is."""

from time import perf_counter

import numpy as np
import pytest
from scipy import sparse
from sklearn import svm
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning

from maxmargin import InvalidInputError, LinearSVC, LinearSVR, certify, linear_path, solve
from maxmargin.problems import EpsilonTube, Free, SoftMargin

LOSSES = ("hinge", "squared_hinge")
SOLVERS = ("interior-point", "newton", "coordinate-descent")
TIGHT = {"tol": 1e-8, "max_iter": 1_000_000}


def three_classes(n=240, d=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.argmax(X @ rng.normal(size=(d, 3)) + rng.normal(size=(n, 3)), axis=1)
    return X, np.array(["a", "b", "c"])[y]


def two_classes(n=300, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(X @ rng.normal(size=d) + rng.normal(size=n) > 0.4, 1, -1)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_the_optimum_is_liblinears(loss, solver, scale):
    X, y = three_classes()
    ours = LinearSVC(loss=loss, solver=solver, intercept_scaling=scale, **TIGHT).fit(X, y)
    theirs = svm.LinearSVC(loss=loss, dual=True, intercept_scaling=scale, **TIGHT).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=2e-4)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.certificate_.relative_gap <= 1e-8


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_the_regression_is_liblinears(loss, solver):
    X, _ = two_classes()
    y = X[:, 0] - 2 * X[:, 1] + 0.3 * np.random.default_rng(1).normal(size=len(X)) + 1
    ours = LinearSVR(loss=loss, epsilon=0.1, solver=solver, **TIGHT).fit(X, y)
    theirs = svm.LinearSVR(loss=loss, epsilon=0.1, dual=True, **TIGHT).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=5e-4)
    assert ours.certificate_.relative_gap <= 1e-8


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
def test_a_free_bias_is_clarabels(loss, solver, C):
    X, y = two_classes(120)
    ours = LinearSVC(loss=loss, solver=solver, bias="free", C=C, **TIGHT).fit(X, y)
    solution = solve(SoftMargin(X, y, C=C, loss=loss, bias=Free()), "primal-qp")
    np.testing.assert_allclose(ours.coef_[0], solution.w, atol=3e-4)
    assert ours.intercept_[0] == pytest.approx(solution.b, abs=1e-3)
    assert ours.certificate_.relative_gap <= 1e-8


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_a_free_bias_in_regression_is_clarabels(loss):
    X, _ = two_classes(80)
    y = X[:, 0] + 7
    ours = LinearSVR(loss=loss, epsilon=0.1, bias="free", C=0.1, **TIGHT).fit(X, y)
    solution = solve(EpsilonTube(X, y, C=0.1, epsilon=0.1, loss=loss), "primal-qp")
    np.testing.assert_allclose(ours.predict(X), solution.decision(X), atol=1e-4)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("loss", LOSSES)
def test_weights_are_repetitions(solver, loss):
    X, y = two_classes(80)
    times = np.random.default_rng(2).integers(0, 4, len(y))
    weighted = LinearSVC(loss=loss, solver=solver, **TIGHT).fit(X, y, sample_weight=times)
    repeated = LinearSVC(loss=loss, solver=solver, **TIGHT).fit(
        np.repeat(X, times, axis=0), np.repeat(y, times)
    )
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=2e-4)
    assert weighted.slack_.shape == y.shape


@pytest.mark.parametrize("class_weight", ["balanced", {"a": 3.0, "b": 0.5}])
def test_class_weights_are_liblinears(class_weight):
    X, y = three_classes()
    ours = LinearSVC(class_weight=class_weight, **TIGHT).fit(X, y)
    theirs = svm.LinearSVC(class_weight=class_weight, **TIGHT).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)


def layouts(X):
    read_only = X.copy()
    read_only.flags.writeable = False
    int64 = sparse.csr_array(X)
    int64.indices, int64.indptr = int64.indices.astype(np.int64), int64.indptr.astype(np.int64)
    wide = np.zeros((2 * len(X), 2 * X.shape[1]))
    wide[::2, ::2] = X
    return {
        "fortran": np.asfortranarray(X),
        "read-only": read_only,
        "csr": sparse.csr_array(X),
        "csr with 64-bit indices": int64,
        "csc": sparse.csc_array(X),
        "strided": wide[::2, ::2],
        "list": X.tolist(),
    }


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("layout", layouts(np.zeros((2, 1))))
def test_the_layout_does_not_matter(solver, layout):
    X, y = two_classes(150)
    expected = LinearSVC(solver=solver, tol=1e-6, max_iter=10_000).fit(X, y).coef_
    found = LinearSVC(solver=solver, tol=1e-6, max_iter=10_000).fit(layouts(X)[layout], y).coef_
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_memory_maps_are_read_in_place(tmp_path):
    X, y = two_classes(200)
    np.save(tmp_path / "X.npy", X.astype(np.float32))
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    found = LinearSVC(loss="hinge", tol=1e-6).fit(mapped, y)
    expected = LinearSVC(loss="hinge", tol=1e-6).fit(X.astype(np.float32), y)
    np.testing.assert_array_equal(found.coef_, expected.coef_)


@pytest.mark.parametrize("solver", SOLVERS)
def test_float32_is_near_float64(solver):
    X, y = three_classes()
    half = LinearSVC(solver=solver, tol=1e-6, max_iter=10_000).fit(X.astype(np.float32), y)
    full = LinearSVC(solver=solver, tol=1e-6, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(half.coef_, full.coef_, atol=5e-3)


@pytest.mark.parametrize("solver", SOLVERS)
def test_threads_change_nothing(solver):
    X, y = three_classes(3000)
    found = [LinearSVC(solver=solver, n_jobs=n).fit(X, y).coef_ for n in (1, 2, 3)]
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_the_global_random_state_is_left_alone():
    X, y = two_classes()
    np.random.seed(0)  # noqa: NPY002
    expected = np.random.get_state()[1].copy()  # noqa: NPY002
    LinearSVC(solver="coordinate-descent").fit(X, y)
    np.testing.assert_array_equal(np.random.get_state()[1], expected)  # noqa: NPY002


def test_auto_follows_the_shape():
    X, y = two_classes(400)
    assert LinearSVC(loss="hinge").fit(X, y).solver_ == "interior-point"
    assert LinearSVC().fit(X, y).solver_ == "newton"
    wide = sparse.random_array((60, 5000), density=0.01, format="csr", rng=np.random.default_rng(0))
    assert LinearSVC().fit(wide, y[:60]).solver_ == "coordinate-descent"


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [1e-8, 1e4, 1e10])
def test_any_price_ends_with_a_certificate(loss, C):
    X, y = two_classes(200)
    X = np.c_[X, np.ones(len(X)), np.zeros(len(X))]
    machine = LinearSVC(loss=loss, C=C).fit(X, y)
    assert abs(machine.certificate_.relative_gap) <= 1e-4


def test_separable_classes_at_a_huge_price_have_the_hard_margin():
    X = np.array([[0.0], [1.0], [3.0], [4.0]])
    machine = LinearSVC(loss="hinge", C=1e10, bias="free", tol=1e-9).fit(X, [0, 0, 1, 1])
    assert machine.margin_ == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_early_end_is_a_usable_model_with_a_true_gap(solver):
    X, y = make_classification(2000, 30, flip_y=0.3, random_state=0)
    machine = LinearSVC(solver=solver, max_iter=1, tol=1e-10, C=10.0)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        machine.fit(X, y)
    certificate = machine.certificate_
    assert certificate.relative_gap > 1e-10
    best = LinearSVC(tol=1e-9, C=10.0).fit(X, y).certificate_
    assert certificate.primal >= best.dual >= certificate.dual - 1e-9 * abs(best.dual)


def test_a_time_limit_ends_a_fit():
    rng = np.random.default_rng(0)
    X = sparse.random_array((20_000, 3000), density=0.02, format="csr", rng=rng)
    y = rng.integers(0, 2, 20_000)
    machine = LinearSVC(loss="hinge", C=1e6, tol=1e-12, time_limit=0.2, max_iter=10**6)
    with pytest.warns(ConvergenceWarning, match=r"time_limit=0\.2"):
        machine.fit(X, y)
    assert machine.fit_time_ < 60
    assert np.isfinite(machine.coef_).all()


@pytest.mark.parametrize("loss", LOSSES)
def test_a_warm_start_takes_fewer_sweeps(loss):
    warm = cold = 0
    for seed in range(5):
        X, y = two_classes(400, 20, seed)
        machine = LinearSVC(loss=loss, solver="coordinate-descent", warm_start=True, tol=1e-3)
        machine.fit(X, y).set_params(C=1.1)
        warm += machine.fit(X, y).n_iter_
        cold += LinearSVC(**machine.get_params()).fit(X, y).n_iter_
    assert warm < 0.6 * cold


def test_callbacks_and_verbose_do_not_disturb(capsys):
    X, y = three_classes()
    quiet = LinearSVC().fit(X, y).coef_
    np.testing.assert_array_equal(LinearSVC(verbose=1).fit(X, y).coef_, quiet)
    assert "LinearSVC" in capsys.readouterr().err


def test_the_path_is_the_machines():
    X, y = two_classes(200)
    path = linear_path(X, y, [1.0, 0.01, 0.1], loss="hinge", tol=1e-8)
    np.testing.assert_array_equal(path.Cs, [0.01, 0.1, 1.0])
    for C in path.Cs:
        alone = LinearSVC(loss="hinge", C=C, tol=1e-8).fit(X, y)
        found = path.at(C)
        np.testing.assert_allclose(found.w, alone.coef_[0], atol=1e-5)
        np.testing.assert_allclose(found.b, alone.intercept_[0], atol=1e-5)
    assert all(certificate.relative_gap <= 1e-8 for certificate in path.certificates)
    with pytest.raises(InvalidInputError, match="not on this path"):
        path.at(5.0)
    with pytest.raises(InvalidInputError, match="Cs must hold positive"):
        linear_path(X, y, [0.0, 1.0])


@pytest.mark.parametrize(
    "options",
    [
        {"bias": "free"},
        {"fit_intercept": False},
        {"intercept_scaling": 5.0, "n_jobs": -1, "random_state": 3},
    ],
)
def test_a_path_takes_the_parameters_of_the_machines(options):
    X, y = two_classes(100)
    path = linear_path(X, y, [0.1, 1.0], tol=1e-8, **options)
    alone = LinearSVC(C=1.0, tol=1e-8, **options).fit(X, y)
    found = path.at(1.0)
    np.testing.assert_allclose(found.w, alone.coef_[0], atol=1e-5)
    np.testing.assert_allclose(found.b, np.atleast_1d(alone.intercept_)[0], atol=1e-5)


def test_the_time_limit_is_that_of_the_whole_path():
    X, y = two_classes(4000, 50)
    started = perf_counter()
    with pytest.warns(ConvergenceWarning, match="time_limit=0.05"):
        path = linear_path(
            X,
            y,
            np.logspace(0, 6, 40),
            loss="hinge",
            solver="coordinate-descent",
            tol=1e-12,
            max_iter=10**6,
            time_limit=0.05,
        )
    assert len(path.Cs) == 40
    # The certificates take their time too.
    assert perf_counter() - started < 60.0


@pytest.mark.parametrize("scale", [1.0, 5.0])
def test_the_sparse_machine_is_liblinears(scale):
    X, y = three_classes()
    X = np.c_[X, np.random.default_rng(3).normal(size=(len(X), 10))]
    settings = {"penalty": "l1", "C": 0.05, "intercept_scaling": scale}
    ours = LinearSVC(tol=1e-7, **settings).fit(X, y)
    theirs = svm.LinearSVC(dual=False, tol=1e-10, max_iter=100_000, **settings).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    assert ours.certificate_.relative_gap <= 1e-7
    assert np.count_nonzero(ours.coef_) < ours.coef_.size
    assert ours.sparsify().coef_.nnz == np.count_nonzero(ours.densify().coef_)


def test_the_sparse_machine_has_a_free_bias_too():
    X, y = two_classes()
    free = LinearSVC(penalty="l1", bias="free", C=0.1, tol=1e-7).fit(X + 5, y)
    near = LinearSVC(penalty="l1", intercept_scaling=1e6, C=0.1, tol=1e-7).fit(X + 5, y)
    np.testing.assert_allclose(free.coef_, near.coef_, atol=1e-2)
    assert free.certificate_.relative_gap <= 1e-7


@pytest.mark.parametrize("C", [0.1, 10.0])
def test_all_classes_at_once_are_liblinears(C):
    X, y = three_classes()
    settings = {"multi_class": "crammer_singer", "C": C}
    ours = LinearSVC(tol=1e-7, max_iter=100_000, **settings).fit(X, y)
    theirs = svm.LinearSVC(tol=1e-8, max_iter=1_000_000, **settings).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=5e-3)
    assert ours.certificate_.relative_gap <= 1e-7
    assert ours.slack_.shape == (len(y),)


def test_two_classes_at_once_are_one_machine():
    X, y = two_classes()
    machine = LinearSVC(multi_class="crammer_singer", tol=1e-3).fit(X, y)
    assert machine.coef_.shape == (1, 5)
    assert machine.score(X, y) > 0.8


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"penalty": "l1", "loss": "hinge"}, "penalty='l1' and loss='hinge'"),
        ({"multi_class": "crammer_singer", "bias": "free"}, "penalises its intercepts"),
        ({"n_jobs": 0}, "n_jobs must not be zero"),
        ({"class_weight": {1: 0.0}}, "No point of class"),
    ],
)
def test_bad_parameters_get_a_sentence(change, message):
    X, y = two_classes(40)
    with pytest.raises(ValueError, match=message):
        LinearSVC(**change).fit(X, y)


def test_zero_weights_get_a_sentence():
    X, y = two_classes(40)
    with pytest.raises(ValueError, match="all samples have zero or negative weights"):
        LinearSVC().fit(X, y, sample_weight=np.zeros(40))
    with pytest.raises(ValueError, match="No point of class"):
        LinearSVC().fit(X, y, sample_weight=(y == 1).astype(float))


@pytest.mark.parametrize("name", ["linear-interior-point", "primal-newton", "coordinate-descent"])
def test_solve_has_the_same_solvers(name):
    X, y = two_classes(100)
    problem = SoftMargin(X, y, C=0.5, loss="squared_hinge")
    solution = solve(problem, name)
    assert solution.converged
    assert certify(problem, solution).holds(1e-6)
    expected = solve(problem, "primal-qp")
    np.testing.assert_allclose(solution.w, expected.w, atol=1e-4)
