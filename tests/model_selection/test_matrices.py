"""Who gets which of the shared matrices."""

from threading import Thread

import numpy as np
import pytest

from maxmargin import SVC, Points, SVMSearchCV
from maxmargin.kernels import RBF
from maxmargin.machines.fitting import FitStoppedError
from maxmargin.model_selection.matrices import Matrices
from maxmargin.solvers.kernel.resident import PairTerms

X = np.arange(12.0).reshape(6, 2)


def filled(matrices, points, dtype=np.float32):
    gram = matrices.borrow(dtype, points, 0.0)
    gram.fill(points, PairTerms(points.X, 1), 0.0)
    return gram


def test_the_same_points_share_a_matrix():
    points, matrices = Points(X, RBF(1.0)), Matrices(2, lambda: False)
    gram = filled(matrices, points)
    assert matrices.borrow(np.float32, points, 0.0) is gram
    matrices.give_back(gram)
    # Its first user has it still.
    other = points.with_kernel(RBF(2.0))
    assert filled(matrices, other) is not gram
    assert points.residents[0.0] is gram
    matrices.give_back(gram)
    assert matrices.borrow(np.float32, points.with_kernel(RBF(3.0)), 0.0) is gram


def test_a_finer_matrix_of_the_same_points_waits_for_the_other():
    points, matrices = Points(X, RBF(1.0)), Matrices(2, lambda: False)
    coarse, found = filled(matrices, points), []
    waiting = Thread(target=lambda: found.append(filled(matrices, points, np.float64)))
    waiting.start()
    waiting.join(0.3)
    assert waiting.is_alive()
    assert points.residents[0.0] is coarse
    matrices.give_back(coarse)
    waiting.join(10.0)
    assert points.residents[0.0] is found[0]


def test_who_waits_hears_that_the_search_is_stopped():
    stopped = []
    matrices = Matrices(1, lambda: bool(stopped))
    filled(matrices, Points(X, RBF(1.0)))
    stopped.append(True)
    with pytest.raises(FitStoppedError, match="stopped"):
        matrices.borrow(np.float32, Points(X, RBF(2.0)), 0.0)


@pytest.mark.parametrize("grid", [{"tol": [1e-3, 1e-7]}, {"gamma": ["scale", "auto", 0.5]}])
def test_threads_do_not_take_matrices_from_each_other(two_classes, grid):
    points, y = two_classes
    # Folds whose rows have the same variance, so that "scale" is the same kernel in each.
    points = np.concatenate([points[:150], points[:150]])
    y = np.concatenate([y[:150], y[:150]])
    folds = [(np.arange(150), np.arange(150, 300)), (np.arange(150, 300), np.arange(150))]
    grid = {"C": [0.1, 1.0, 10.0], **grid}
    expected = SVMSearchCV(SVC(), grid, cv=folds, n_jobs=1, refit=False).fit(points, y)
    for _ in range(10):
        found = SVMSearchCV(SVC(), grid, cv=folds, n_jobs=4, refit=False).fit(points, y)
        np.testing.assert_array_equal(
            found.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"]
        )


def test_the_best_estimator_keeps_no_matrix(two_classes):
    search = SVMSearchCV(SVC(), {"C": [0.1, 1.0], "gamma": [0.1, 1.0]}, cv=3).fit(*two_classes)
    (machine,) = search.best_estimator_.machines_
    assert not machine.problem.points.base.residents
    assert machine.certificate.holds(1e-2)
