"""The median heuristic: a gamma from distances, whatever the order and repetition of the rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import pdist

from maxmargin import SVC, InvalidInputError, OneClassSVM, SVMSearchCV
from maxmargin.kernels import RBF, Chi2, Laplacian, Polynomial, Sigmoid

X = np.random.default_rng(0).normal(size=(81, 3))


def test_gamma_is_one_over_twice_the_squared_median_distance() -> None:
    distance = np.sort(pdist(X))
    middle = distance[(len(distance) - 1) // 2]
    assert RBF("median").resolve(X).gamma == pytest.approx(1 / (2 * middle**2))
    distance = np.sort(pdist(X, "cityblock"))
    middle = distance[(len(distance) - 1) // 2]
    assert Laplacian("median").resolve(X).gamma == pytest.approx(1 / middle)


@pytest.mark.parametrize("n", [81, 5000])
def test_gamma_does_not_depend_on_the_order_of_the_rows(n: int) -> None:
    rng = np.random.default_rng(1)
    rows, weight = rng.normal(size=(n, 3)), rng.uniform(0.5, 2.0, n)
    order = rng.permutation(n)
    for kernel in (RBF("median"), Laplacian("median")):
        known = kernel.resolve(rows, weight).gamma
        assert kernel.resolve(rows[order], weight[order]).gamma == pytest.approx(known, rel=1e-12)
        assert kernel.resolve(sparse.csr_array(rows), weight).gamma == pytest.approx(known)
        assert kernel.resolve(rows, 1e200 * weight).gamma == pytest.approx(known)


@pytest.mark.parametrize("n", [81, 3000])
def test_a_repeated_row_equals_a_weight(n: int) -> None:
    rng = np.random.default_rng(2)
    rows, times = rng.normal(size=(n, 2)), rng.integers(0, 4, n)
    kernel = RBF("median")
    repeated = kernel.resolve(np.repeat(rows, times, axis=0))
    assert kernel.resolve(rows, times.astype(float)).gamma == pytest.approx(repeated.gamma)


def test_a_sample_of_many_rows_is_near_the_median_of_all() -> None:
    rows = np.random.default_rng(3).normal(size=(4000, 3))
    exact = 1 / (2 * np.median(pdist(rows, "sqeuclidean")))
    assert RBF("median").resolve(rows).gamma == pytest.approx(exact, rel=0.1)


def test_points_that_are_all_alike_have_a_gamma_of_one() -> None:
    assert RBF("median").resolve(np.ones((5, 2))).gamma == 1.0


@pytest.mark.parametrize("kind", [Polynomial, Sigmoid, Chi2])
def test_kernels_without_a_distance_refuse_it(kind: type) -> None:
    with pytest.raises(InvalidInputError, match="gamma='median'"):
        kind(gamma="median")


def test_estimators_and_searches_take_it() -> None:
    y = (X[:, 0] > 0).astype(int)
    gamma = RBF("median").resolve(X).gamma
    assert SVC(gamma="median").fit(X, y).kernel_ == RBF(gamma)
    assert OneClassSVM(gamma="median").fit(X).kernel_ == RBF(gamma)
    search = SVMSearchCV(SVC(), {"gamma": ["median", "scale"], "C": [1.0]}, cv=3).fit(X, y)
    assert set(search.cv_results_["param_gamma"]) == {"median", "scale"}
