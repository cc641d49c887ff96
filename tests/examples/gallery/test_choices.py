import numpy as np
import pytest
from sklearn import svm
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def test_the_path_is_straight_between_breakpoints(run):
    shown = run("choices/every_c_at_once")
    path = shown.path
    low, high = path.breakpoints[1:-1], path.breakpoints[2:]
    middle = path.multipliers((low + high) / 2)
    np.testing.assert_allclose(
        middle, (path.multipliers(low) + path.multipliers(high)) / 2, atol=1e-7
    )
    assert shown.gap < 1e-8
    np.testing.assert_allclose(shown.biases, path.bias(shown.Cs), atol=1e-5)
    theirs = svm.SVC(C=0.5, gamma=0.5, tol=1e-9).fit(shown.X, shown.y)
    np.testing.assert_allclose(
        path.at(0.5).decision(shown.X), theirs.decision_function(shown.X), atol=1e-5
    )


def test_the_map_agrees_with_independent_fits(run):
    shown = run("choices/search_heat_map")
    best = shown.best
    theirs = make_pipeline(StandardScaler(), svm.SVC(C=best.C, gamma=best.gamma))
    scores = cross_val_score(theirs, shown.X, shown.y, cv=5)
    assert scores.mean() == pytest.approx(shown.search.best_score_, abs=0.002)
    assert best.certificate_.holds(1e-3)


def test_features_enter_from_a_penalty_that_is_known(run):
    shown = run("choices/coefficients_along_c")
    assert np.all(shown.used[shown.Cs <= shown.first] == 0)
    assert np.all(shown.used[shown.Cs > 1.5 * shown.first] > 0)
    assert np.all(np.count_nonzero(shown.paths["l2"].coef[:, 0], axis=1) == shown.X.shape[1])
    assert shown.gap <= 1e-6

    def objective(w, b, C):
        slack = np.maximum(0.0, 1.0 - (2 * shown.y - 1) * (shown.X @ w + b))
        return np.abs(w).sum() + abs(b) + C * np.square(slack).sum()

    C = shown.Cs[12]
    theirs = svm.LinearSVC(penalty="l1", dual=False, C=C, tol=1e-9, max_iter=100_000)
    theirs.fit(shown.X, shown.y)
    reached = objective(theirs.coef_[0], theirs.intercept_[0], C)
    ours = shown.paths["l1"].at(C)
    assert objective(ours.w, ours.b, C) == pytest.approx(reached, rel=2e-6)
