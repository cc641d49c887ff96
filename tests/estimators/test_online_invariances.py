"""What the model of OnlineSVC does not depend on: cuts, threads, layouts, order, units."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from maxmargin import OnlineSVC

from .online_data import clouds, same, stream_fit


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


def test_an_order_of_the_features_is_that_of_the_weights():
    X, y = clouds(1000)
    order = np.random.default_rng(1).permutation(5)
    one, other = (stream_fit(points, y, 50, random_state=0) for points in (X, X[:, order]))
    np.testing.assert_allclose(one.coef_[:, order], other.coef_, rtol=1e-7, atol=1e-9)


def test_a_feature_without_values_has_no_weight_and_changes_no_other():
    X, y = clouds(1000)
    wide = np.hstack([X, np.zeros((1000, 1))])
    one, other = (stream_fit(points, y, 50, random_state=0) for points in (X, wide))
    np.testing.assert_array_equal(other.coef_[:, -1], 0.0)
    np.testing.assert_allclose(one.coef_, other.coef_[:, :-1], rtol=1e-9)


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
