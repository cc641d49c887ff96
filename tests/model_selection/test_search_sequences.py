"""Searches over kernels on strings and columns: scores of independent fits, shared matrices."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from maxmargin import SVC, SVR, NuSVC, SVMSearchCV
from maxmargin.kernels import RBF, Function, Mismatch, On, Spectrum, WeightedDegree
from maxmargin.solvers.kernel.resident import ResidentGram

FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)
KERNELS = [
    Spectrum(2, normalize=True),
    Spectrum(3),
    Mismatch(3, 1),
    WeightedDegree(4, shift=1),
    Spectrum(2) + 0.5 * WeightedDegree(3),
]


@pytest.fixture(scope="module")
def strings():
    random = np.random.default_rng(3)
    weights = [[0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4], [0.25, 0.25, 0.25, 0.25]]
    return [
        "".join(random.choice(list("ACGT"), random.integers(8, 16), p=weights[i % 3]))
        for i in range(150)
    ]


@pytest.fixture(scope="module")
def classes():
    return np.array(["a", "b", "c"])[np.arange(150) % 3]


@pytest.fixture(scope="module")
def frame(strings):
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(4)
    return pandas.DataFrame(
        {"dna": strings, "heat": random.normal(size=150) + np.arange(150) % 3, "salt": 1.0}
    )


@pytest.fixture
def fills(monkeypatch):
    """The kernels whose matrices were filled."""
    filled, fill = [], ResidentGram.fill

    def noted(self, points, *rest):
        filled.append(points.kernel)
        return fill(self, points, *rest)

    monkeypatch.setattr(ResidentGram, "fill", noted)
    return filled


def same_scores(estimator, grid, X, y):
    options = {"cv": FOLDS if y.dtype.kind != "f" else 3, "error_score": "raise"}
    estimator.set_params(**({"tol": 1e-7} if hasattr(estimator, "tol") else {}))
    ours = SVMSearchCV(estimator, grid, **options).fit(X, y)
    theirs = GridSearchCV(estimator, grid, **options).fit(X, y)
    np.testing.assert_allclose(
        ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], atol=1e-5
    )
    assert ours.best_params_ == theirs.best_params_
    return ours


@pytest.mark.parametrize("machine", [SVC(), SVC(class_weight="balanced"), NuSVC()], ids=repr)
def test_scores_over_kernels_are_those_of_fits(machine, strings, classes):
    price = {"nu": [0.5, 0.7]} if isinstance(machine, NuSVC) else {"C": [0.1, 1.0, 10.0]}
    search = same_scores(machine, {"kernel": KERNELS, **price}, strings, classes)
    assert search.predict(strings[:3]).shape == (3,)


def test_regression_on_strings(strings):
    y = np.array([text.count("A") / len(text) for text in strings])
    kernels = [Spectrum(2, normalize=True), WeightedDegree(3, normalize=True)]
    same_scores(SVR(C=1.0), {"kernel": kernels, "epsilon": [0.05, 0.1]}, strings, y)


def test_each_kernel_has_one_matrix(strings, classes, fills):
    kernels = [Spectrum(2), WeightedDegree(3), Mismatch(3, 1, alphabet=4)]
    grid = {"kernel": kernels, "C": [0.1, 1.0, 10.0]}
    SVMSearchCV(SVC(), grid, cv=FOLDS, refit=False).fit(strings, classes)
    assert sorted(map(repr, fills)) == sorted(map(repr, kernels))


def test_an_alphabet_that_is_not_given_is_that_of_the_training_strings(strings, classes, fills):
    strings = [*strings[:-1], "Z" * 8]
    search = SVMSearchCV(SVC(), {"kernel": [Mismatch(3, 1)]}, cv=FOLDS, refit=False)
    search.fit(strings, classes)
    assert {kernel.alphabet for kernel in fills} == {4, 5}


def test_kernels_on_different_columns_share_a_search(frame, classes, fills):
    kernels = [
        On("dna", Spectrum(2)),
        On(["heat", "salt"], RBF("scale")),
        On("dna", Spectrum(2, normalize=True)) + On(["heat"], RBF(0.5)),
    ]
    same_scores(SVC(), {"kernel": kernels, "C": [0.1, 10.0]}, frame, classes)
    # gamma="scale" is that of each fold's rows.
    assert len(fills) >= 2 + 3


def test_a_function_on_a_column_is_fitted_by_itself(frame, classes, fills):
    on = On("dna", Function.of_points(lambda a, b: float(a[:1] == b[:1])))
    same_scores(SVC(), {"kernel": [on], "C": [1.0]}, frame, classes)
    assert fills == []


def test_vectors_and_columns_in_one_grid(frame, classes):
    numbers = frame[["heat", "salt"]]
    kernels = [On(["heat"], RBF(1.0)), "rbf"]
    for grid in (kernels, kernels[::-1]):
        same_scores(SVC(), {"kernel": grid, "C": [1.0]}, numbers, classes)


def test_a_pipeline_that_makes_strings(strings, classes):
    lower = FunctionTransformer(lambda texts: [text.lower() for text in texts])
    pipeline = make_pipeline(lower, SVC(tol=1e-7))
    grid = {"svc__kernel": [Spectrum(2), Mismatch(2, 1)], "svc__C": [0.1, 1.0]}
    same_scores(pipeline, grid, strings, classes)
