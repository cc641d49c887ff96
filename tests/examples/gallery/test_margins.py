import numpy as np
import pytest
from scipy.optimize import linprog, minimize
from sklearn import svm


def test_dearer_slack_never_widens_the_margin(run):
    shown = run("margins/margin_and_price")
    assert np.all(np.diff(shown.norms) >= 0)
    assert np.all(np.diff(shown.slacks) <= 0)
    assert all(proof.holds(1e-6) for proof in shown.certificates)
    for C, solution in zip(shown.prices, shown.solutions, strict=True):
        theirs = svm.SVC(kernel="linear", C=C, tol=1e-10).fit(shown.X, shown.y)
        np.testing.assert_allclose(solution.w, theirs.coef_[0], rtol=1e-5)


def hulls_meet(X, y):
    """Whether some convex combination of one class is one of the other, by a linear program."""
    positive, negative = X[y > 0], X[y < 0]
    ones, zeros = np.ones(len(positive)), np.zeros(len(positive))
    equal = np.hstack([positive.T, -negative.T])
    sums = np.array([np.r_[ones, zeros], np.r_[zeros, ones]])
    return linprog(np.zeros(len(y)), A_eq=np.vstack([equal, sums]), b_eq=[0, 0, 1, 1]).status == 0


def test_hulls_meet_exactly_where_the_witness_says_so(run):
    shown = run("margins/nearest_points_of_hulls")
    assert shown.plane
    assert not hulls_meet(shown.apart, shown.y)
    assert np.linalg.norm(shown.p - shown.q) == pytest.approx(2 * shown.plane.margin, rel=1e-6)
    assert not shown.witness
    assert hulls_meet(shown.overlapping, shown.y)
    for share, sign in ((shown.witness.positive, 1), (shown.witness.negative, -1)):
        assert np.all(share >= 0)
        assert share[shown.y == sign].sum() == pytest.approx(1)
        np.testing.assert_allclose(share @ shown.overlapping, shown.witness.point, atol=1e-6)


def test_nu_lies_between_margin_errors_and_support_vectors(run):
    shown = run("margins/nu_and_support_vectors")
    rounding = 1e-12
    assert np.all(shown.margin_errors <= shown.bounded)
    assert np.all(shown.bounded <= shown.nus + rounding)
    assert np.all(shown.nus <= shown.support + rounding)
    for nu, fraction in list(zip(shown.nus, shown.support, strict=True))[::6]:
        theirs = svm.NuSVC(nu=nu, gamma=1.0, tol=1e-9).fit(shown.X, shown.y)
        assert theirs.n_support_.sum() / len(shown.y) == pytest.approx(fraction, abs=0.02)


def test_points_inside_the_tube_can_be_removed(run):
    shown = run("margins/tube_of_a_regression")
    assert shown.difference < 1e-5
    sizes = [len(solution.support) for solution in shown.solutions]
    assert sizes == sorted(sizes, reverse=True)
    for width, solution in zip(shown.widths, shown.solutions, strict=True):
        residual = np.abs(shown.y - solution.decision(shown.X))
        inside = np.setdiff1d(np.arange(len(shown.y)), solution.support)
        assert np.all(residual[inside] <= width + 1e-6)
        assert np.all(residual[solution.support] >= width - 1e-6)


def test_at_most_nu_of_the_points_are_outside(run):
    shown = run("margins/one_class_contours")
    for nu, outside, support in zip(shown.nus, shown.outside, shown.support, strict=True):
        assert outside <= nu <= support
        theirs = svm.OneClassSVM(nu=nu, gamma=1.0, tol=1e-9).fit(shown.X)
        assert len(theirs.support_) / len(shown.X) == pytest.approx(support, abs=0.011)


def test_sphere_and_plane_have_one_boundary(run):
    shown = run("margins/sphere_and_plane")
    assert shown.difference < 1e-6
    enclosing = shown.flat[1]
    found = minimize(
        lambda c: np.linalg.norm(shown.X - c, axis=1).max(),
        shown.X.mean(axis=0),
        method="Nelder-Mead",
        options={"xatol": 1e-10, "fatol": 1e-10},
    )
    assert enclosing.level**0.5 == pytest.approx(found.fun, rel=1e-6)
    assert np.mean(shown.flat[0].decision(shown.X) < -1e-6) <= shown.nu
