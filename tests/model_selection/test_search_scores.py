"""The scores of a search are those of fits that know nothing of each other."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import svm
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    PredefinedSplit,
    ShuffleSplit,
    StratifiedKFold,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, SVR, NuSVC, NuSVR, OneClassSVM, SVMSearchCV
from maxmargin.kernels import RBF, Linear

FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)
GRID = {"C": [0.1, 1.0, 10.0, 100.0], "gamma": [0.05, 0.5]}


def scores(search, name="score", part="test"):
    return np.array(
        [search.cv_results_[f"split{k}_{part}_{name}"] for k in range(search.n_splits_)]
    )


def share_of_doubt(y, n_splits):
    """What one point near the boundary of a machine is worth in a fold's accuracy."""
    return 1.0 / (len(y) // n_splits)


def agree(ours, theirs, y, most=1):
    """Scores may differ by single points that lie within the tolerance of a boundary."""
    np.testing.assert_allclose(
        ours, theirs, atol=most * share_of_doubt(y, len(ours)) + 1e-12, rtol=0
    )
    assert np.mean(ours != theirs) < 0.2


def test_they_are_those_of_scikit_learn(two_classes):
    ours = SVMSearchCV(SVC(), GRID, cv=FOLDS, return_train_score=True).fit(*two_classes)
    theirs = GridSearchCV(svm.SVC(), GRID, cv=FOLDS, return_train_score=True).fit(*two_classes)
    agree(scores(ours), scores(theirs), two_classes[1])
    agree(scores(ours, part="train"), scores(theirs, part="train"), two_classes[1])
    assert list(ours.cv_results_) == list(theirs.cv_results_)
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_they_are_those_of_independent_fits_with_many_classes(four_classes, multi_class):
    X, y = four_classes
    machine = SVC(multi_class=multi_class)
    search = SVMSearchCV(machine, GRID, cv=FOLDS).fit(X, y)
    alone = GridSearchCV(machine, GRID, cv=FOLDS).fit(X, y)
    agree(scores(search), scores(alone), y)


KERNELS = {
    "scale": {"gamma": ["scale"], "C": [0.1, 1.0, 10.0]},
    "linear": {"kernel": ["linear"], "C": [0.01, 0.1, 1.0]},
    "polynomial": {"kernel": ["poly"], "degree": [2, 3], "coef0": [0.0, 1.0], "C": [0.1, 1.0]},
    "sigmoid": {"kernel": ["sigmoid"], "gamma": [0.01], "C": [0.1, 1.0]},
    "laplacian": {"kernel": ["laplacian"], "gamma": [0.1], "C": [0.1, 1.0, 10.0]},
    "sum": {"kernel": [Linear() + 0.5 * RBF(0.1), 2.0 * RBF("scale")], "C": [0.1, 1.0]},
    "callable": {"kernel": [lambda a, b: a @ b.T], "C": [0.1, 1.0]},
    "regularised": {"bias": ["regularised"], "gamma": [0.1], "C": [0.1, 10.0]},
    "balanced": {"class_weight": ["balanced", {0: 3.0}], "gamma": [0.1], "C": [0.1, 10.0]},
    "tight": {"tol": [1e-6], "gamma": [0.1], "C": [0.1, 10.0]},
    "limited": {"max_iter": [100_000], "gamma": [0.1], "C": [0.1, 10.0]},
    "several": [{"kernel": ["linear"], "C": [0.1]}, {"gamma": [0.1, 1.0], "C": [1.0, 10.0]}],
}


@pytest.mark.parametrize("grid", KERNELS.values(), ids=KERNELS)
def test_every_parameter_works(two_classes, grid):
    X, y = two_classes
    scoring = "roc_auc"
    search = SVMSearchCV(SVC(), grid, cv=FOLDS, scoring=scoring, error_score="raise").fit(X, y)
    alone = GridSearchCV(SVC(), grid, cv=FOLDS, scoring=scoring).fit(X, y)
    np.testing.assert_allclose(scores(search), scores(alone), atol=2e-3)
    assert search.best_params_ == alone.best_params_ or search.best_score_ == pytest.approx(
        alone.best_score_, abs=1e-3
    )


OTHERS = {
    "NuSVC": (NuSVC(gamma=0.2), {"nu": [0.2, 0.4, 0.6]}),
    "NuSVC, regularised": (NuSVC(gamma=0.2, bias="regularised"), {"nu": [0.2, 0.5]}),
    "SVR": (SVR(), {"C": [0.1, 1.0, 10.0], "epsilon": [0.05, 0.2], "gamma": [0.05, 0.3]}),
    "SVR, regularised": (SVR(bias="regularised"), {"C": [0.1, 1.0, 10.0]}),
    "NuSVR": (NuSVR(gamma=0.1), {"C": [1.0, 10.0], "nu": [0.3, 0.7]}),
}


@pytest.mark.parametrize(("machine", "grid"), OTHERS.values(), ids=OTHERS)
def test_every_machine_works(two_classes, targets, machine, grid):
    X, y = two_classes if isinstance(machine, NuSVC) else targets
    scoring = "roc_auc" if isinstance(machine, NuSVC) else "neg_mean_absolute_error"
    folds = KFold(3, shuffle=True, random_state=0)
    search = SVMSearchCV(machine, grid, cv=folds, scoring=scoring, error_score="raise").fit(X, y)
    alone = GridSearchCV(machine, grid, cv=folds, scoring=scoring).fit(X, y)
    np.testing.assert_allclose(scores(search), scores(alone), atol=2e-3)


def test_a_machine_without_labels_works(two_classes):
    X, _ = two_classes

    def fraction_inside(machine, X):
        return float((machine.predict(X) == 1).mean())

    grid = {"nu": [0.1, 0.3, 0.5], "gamma": [0.05, 0.3]}
    search = SVMSearchCV(OneClassSVM(), grid, cv=KFold(3), scoring=fraction_inside).fit(X)
    alone = GridSearchCV(OneClassSVM(), grid, cv=KFold(3), scoring=fraction_inside).fit(X)
    np.testing.assert_allclose(scores(search), scores(alone), atol=1.01 / 133)
    assert search.best_estimator_.offset_ == -search.best_estimator_.intercept_


@pytest.mark.parametrize(
    "folds",
    [
        PredefinedSplit(np.repeat([-1, 0], [300, 100])),
        [(np.arange(300), np.arange(250, 400))],
        [(np.arange(400) < 300, np.arange(400) >= 300), (np.arange(100, 400), np.arange(100))],
        ShuffleSplit(3, test_size=0.2, train_size=0.3, random_state=0),
        [(np.r_[np.arange(300), np.arange(50)], np.arange(300, 400))],
    ],
    ids=["predefined", "overlapping", "masks", "small", "repeated rows"],
)
def test_any_split_works(two_classes, folds):
    X, y = two_classes
    search = SVMSearchCV(SVC(), GRID, cv=folds, scoring="roc_auc", error_score="raise").fit(X, y)
    alone = GridSearchCV(SVC(), GRID, cv=folds, scoring="roc_auc").fit(X, y)
    np.testing.assert_allclose(scores(search), scores(alone), atol=2e-3)


@pytest.mark.parametrize("make", [sparse.csr_array, lambda X: X.astype(np.float32)])
def test_sparse_and_float32_points_work(two_classes, make):
    X, y = two_classes
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    search = SVMSearchCV(SVC(), GRID, cv=FOLDS, error_score="raise").fit(make(X), y)
    alone = GridSearchCV(SVC(), GRID, cv=FOLDS).fit(X, y)
    agree(scores(search), scores(alone), y)


def test_a_precomputed_matrix_works(two_classes):
    X, y = two_classes
    K = RBF(0.2).block(X, X)
    grid = {"C": [0.1, 1.0, 10.0]}
    search = SVMSearchCV(SVC(kernel="precomputed"), grid, cv=FOLDS, error_score="raise").fit(K, y)
    alone = SVMSearchCV(SVC(gamma=0.2), grid, cv=FOLDS).fit(X, y)
    agree(scores(search), scores(alone), y)
    np.testing.assert_array_equal(search.predict(K[:20]), alone.predict(X[:20]))


PIPELINES = {
    "scaled": (make_pipeline(StandardScaler(), SVC()), {"svc__C": [0.1, 10.0]}),
    "transformers vary": (
        Pipeline([("scale", StandardScaler()), ("pca", PCA(3)), ("svm", SVC())]),
        {"pca__n_components": [2, 4], "svm__C": [0.1, 1.0, 10.0], "svm__gamma": [0.1, 1.0]},
    ),
    "labels needed": (
        Pipeline([("best", SelectKBest(k=2)), ("svm", SVC(kernel="linear"))]),
        {"best__k": [1, 3], "svm__C": [0.1, 1.0]},
    ),
    "steps vary": (
        Pipeline([("first", StandardScaler()), ("svm", SVC(gamma=0.1))]),
        [
            {"first": ["passthrough", PCA(2)], "svm__C": [0.1, 1.0]},
            {"svm": [NuSVC(nu=0.3), svm.SVC()]},
        ],
    ),
}


@pytest.mark.parametrize(("pipeline", "grid"), PIPELINES.values(), ids=PIPELINES)
def test_pipelines_work(two_classes, pipeline, grid):
    X, y = two_classes
    options = {"cv": FOLDS, "scoring": "roc_auc", "return_train_score": True}
    search = SVMSearchCV(clone(pipeline), grid, error_score="raise", **options).fit(X, y)
    alone = GridSearchCV(clone(pipeline), grid, **options).fit(X, y)
    np.testing.assert_allclose(scores(search), scores(alone), atol=2e-3)
    np.testing.assert_allclose(scores(search, part="train"), scores(alone, part="train"), atol=2e-3)
    np.testing.assert_allclose(
        search.decision_function(X[:9]),
        alone.best_estimator_.set_params(**search.best_params_).fit(X, y).decision_function(X[:9]),
        atol=5e-3,
    )


def test_transformers_are_fitted_once_a_fold(two_classes):
    fits = []

    class Counting(StandardScaler):
        def fit(self, X, y=None, sample_weight=None):
            fits.append(len(X))
            return super().fit(X, y, sample_weight)

    pipeline = make_pipeline(Counting(), SVC())
    grid = {"svc__C": [0.1, 1.0, 10.0], "svc__gamma": [0.1, 1.0]}
    SVMSearchCV(pipeline, grid, cv=FOLDS, refit=False).fit(*two_classes)
    assert len(fits) == 3


def test_cells_are_optimal(two_classes):
    """A scorer gets a real machine, whose certificate proves the tolerance."""
    X, y = two_classes

    def violation(machine, X, y):
        assert machine.predict(X[:7]).shape == (7,)
        return machine.certificate_.kkt_violation

    grid = {"C": [0.01, 1.0, 100.0, 1e4], "gamma": [0.05, 1.0]}
    search = SVMSearchCV(SVC(), grid, cv=FOLDS, scoring=violation, refit=False).fit(X, y)
    assert scores(search).max() <= 1e-3


def test_the_refitted_machine_is_the_one_that_a_fit_gives(two_classes):
    X, y = two_classes
    search = SVMSearchCV(SVC(), GRID, cv=FOLDS).fit(X, y)
    alone = SVC(**search.best_params_).fit(X, y)
    np.testing.assert_allclose(search.decision_function(X), alone.decision_function(X), atol=5e-3)
    assert search.best_estimator_.certificate_.holds(1e-3)
    assert search.best_estimator_.get_params() == alone.get_params()
    dual = search.best_estimator_.certificate_.dual
    assert dual == pytest.approx(alone.certificate_.dual, rel=1e-3)


@pytest.mark.parametrize(
    "machine", [SVC(C=10.0, gamma=0.5), NuSVC(nu=0.3, gamma=0.5)], ids=["SVC", "NuSVC"]
)
def test_the_refitted_machine_starts_from_those_of_the_folds(rng, machine):
    X = rng.normal(size=(900, 3))
    y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=900) > 0).astype(int)
    search = SVMSearchCV(machine, {"tol": [1e-3]}, cv=StratifiedKFold(4)).fit(X, y)
    refitted = search.best_estimator_
    alone = clone(machine).fit(X, y)
    assert refitted.certificate_.holds(1e-3)
    assert refitted.certificate_.dual == pytest.approx(alone.certificate_.dual, rel=1e-4)
    assert refitted.n_iter_.sum() < alone.n_iter_.sum()


def test_threads_do_not_change_a_score(two_classes):
    one, three = (
        SVMSearchCV(SVC(), GRID, cv=FOLDS, n_jobs=n, scoring="roc_auc").fit(*two_classes)
        for n in (1, 3)
    )
    np.testing.assert_array_equal(scores(one), scores(three))
    X = two_classes[0]
    np.testing.assert_array_equal(one.decision_function(X), three.decision_function(X))


def test_a_budget_too_small_for_a_matrix_changes_nothing_but_the_time(two_classes):
    X, y = two_classes
    small = SVMSearchCV(SVC(), GRID, cv=FOLDS, scoring="roc_auc", cache_size=0.1).fit(X, y)
    large = SVMSearchCV(SVC(), GRID, cv=FOLDS, scoring="roc_auc").fit(X, y)
    np.testing.assert_allclose(scores(small), scores(large), atol=2e-3)
