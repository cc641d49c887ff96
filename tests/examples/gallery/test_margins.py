import numpy as np
import pytest
from scipy.optimize import linprog, minimize
from sklearn import svm
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def test_a_larger_penalty_never_widens_the_margin(run):
    shown = run("margins/margin_and_penalty")
    assert np.all(np.diff(shown.norms) >= 0)
    assert np.all(np.diff(shown.slacks) <= 0)
    for C, machine in zip(shown.penalties, shown.machines, strict=True):
        assert machine.certificate_.holds(1e-6)
        theirs = svm.SVC(kernel="linear", C=C, tol=1e-10).fit(shown.X, shown.y)
        np.testing.assert_allclose(machine.coef_, theirs.coef_, rtol=1e-5)
        slack = np.maximum(0.0, 1.0 - shown.y * theirs.decision_function(shown.X))
        np.testing.assert_allclose(machine.slack_, slack, atol=1e-5)


def test_the_regions_of_three_classes_agree_where_the_points_are(run):
    shown = run("margins/regions_of_classes")
    assert shown.at_flowers > 0.97
    assert shown.elsewhere < shown.at_flowers - 0.1
    assert [len(model[-1].machines_) for model in shown.models.values()] == [3, 3, 1]
    assert all(model[-1].certificate_.holds(1e-6) for model in shown.models.values())
    assert shown.last.classes == ("versicolor", "virginica")
    # Centimetres, although the machines see standardised petals.
    for ax in shown.axes.flat:
        assert ax.get_xlabel() == "petal length (cm)"
        assert ax.get_xlim()[1] > 6
    theirs = make_pipeline(StandardScaler(), svm.SVC(C=10, gamma=0.5, tol=1e-9))
    theirs.fit(shown.X, shown.y)
    assert np.all(theirs.predict(shown.X) == shown.pairs.predict(shown.X))


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
    sizes = [len(machine.support_) for machine in shown.machines]
    assert sizes == sorted(sizes, reverse=True)
    for width, machine in zip(shown.widths, shown.machines, strict=True):
        residual = np.abs(shown.y - machine.predict(shown.X))
        inside = np.setdiff1d(np.arange(len(shown.y)), machine.support_)
        assert np.all(residual[inside] <= width + 1e-6)
        assert np.all(residual[machine.support_] >= width - 1e-6)


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
