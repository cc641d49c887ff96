"""Folds that are solved in step reach what each reaches alone: rows are all they share."""

import numpy as np
import pytest

from engine_zoo import run, run_all
from maxmargin import Stop, solve_all
from maxmargin.kernels import RBF
from maxmargin.problems import Points, SoftMargin
from maxmargin.solvers import Decomposition

TOLERANCE = 1e-4
FOLDS = 4


@pytest.fixture(params=[False, True], ids=["different", "repeated"])
def problem(request, rng):
    n = 8000 if request.param else 2400
    X = rng.normal(size=(n, 2))
    y = np.where(X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=n) > 0, 1, -1)
    points = Points(np.round(X, 1) if request.param else X, RBF(0.5))
    return SoftMargin(points, y, C=2)


def with_folds(problem):
    """A problem, and folds of it that leave out every fourth point."""
    folds = []
    for k in range(FOLDS):
        weight = np.ones(problem.n_points)
        weight[k::FOLDS] = 0.0
        folds.append(SoftMargin(problem.points, problem.y, C=problem.C, sample_weight=weight))
    return [problem, *folds]


def solved(problems, solver=None, warm=True, **stop):
    stop = {"kkt": TOLERANCE, **stop}
    starts = [None] + [0 if warm else None] * (len(problems) - 1)
    return solve_all(problems, solver or Decomposition(), stop=Stop(**stop), warm=starts)


def signed(solution):
    return solution.problem.y * solution.dual


def test_each_reaches_its_own_optimum(problem):
    problems = with_folds(problem)
    for fold, together in zip(problems, solved(problems), strict=True):
        qp, alone = fold.dual(), run(fold, TOLERANCE)
        assert together.converged
        exact = qp.gradient(signed(together))
        np.testing.assert_allclose(together.gradient, exact, atol=TOLERANCE)
        assert qp.value(signed(together)) == pytest.approx(qp.value(alone.signed), rel=1e-6)


def test_held_out_points_are_left_out(problem):
    for k, solution in enumerate(solved(with_folds(problem))[1:]):
        assert not solution.dual[k::FOLDS].any()


def test_threads_do_not_matter(problem):
    problems = with_folds(problem)
    found = [solved(problems, Decomposition(n_jobs=threads)) for threads in (1, 2, 5)]
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(a.dual, b.dual)


def test_a_fold_takes_fewer_steps_than_from_nothing(problem):
    problems = with_folds(problem)
    warm, cold = (
        sum(one.iterations for one in solved(problems, warm=w)[1:]) for w in (True, False)
    )
    assert warm < 0.7 * cold


def test_one_that_is_done_does_not_wait_for_the_others(problem):
    problems = with_folds(problem)
    same = SoftMargin(problem.points, problem.y, C=problem.C, sample_weight=np.ones(len(problem.y)))
    stop = Stop(kkt=TOLERANCE)
    found = solve_all([*problems, same], "decomposition", stop=stop, warm=[None, 0, 0, 0, 0, 0])
    assert all(solution.converged for solution in found)
    assert found[-1].iterations <= 10
    assert all(solution.iterations > 10 for solution in found[1:-1])


def test_a_callback_ends_them_all_with_gradients_that_are_true(rng):
    X = rng.normal(size=(5000, 2))
    y = np.where(X[:, 0] * X[:, 1] + rng.normal(size=len(X)) > 0, 1, -1)
    problems = with_folds(SoftMargin(Points(X, RBF(4.0)), y, C=100))
    found = solve_all(
        problems,
        "decomposition",
        stop=Stop(kkt=1e-9),
        warm=[None, 0, 0, 0, 0],
        callback=lambda progress: progress.n_done > 0,
    )
    assert {solution.ending for solution in found} <= {"callback", "converged", "stalled"}
    assert "callback" in {solution.ending for solution in found}
    for solution in found:
        qp = solution.problem.dual()
        if np.isfinite(solution.estimate.gap):
            exact = qp.gradient(signed(solution))
            np.testing.assert_allclose(solution.gradient, exact, atol=1e-2)
        assert (signed(solution) >= qp.lower).all()
        assert (signed(solution) <= qp.upper).all()


def test_time_that_is_up_ends_them_all(problem):
    found = solved(with_folds(problem), kkt=1e-12, time_limit=0.05)
    assert {solution.ending for solution in found} <= {"time_limit", "stalled", "converged"}
    for solution in found:
        qp = solution.problem.dual()
        assert np.isfinite(solution.gradient).all()
        assert qp.sums(signed(solution)) == pytest.approx(qp.total, abs=1e-9)


def test_little_memory_is_enough(problem):
    found = solved(with_folds(problem), Decomposition(cache_size=4.0))
    assert all(solution.converged for solution in found)


def test_folds_that_overlap_start_from_the_whole_too(problem):
    problems = with_folds(problem)
    weight = np.ones(problem.n_points)
    weight[::2] = 0.0
    problems.append(SoftMargin(problem.points, problem.y, C=problem.C, sample_weight=weight))
    found = run_all(problems, TOLERANCE, follows=[-1, 0, 0, 0, 0, 0])
    assert all(one.converged for one in found)
    assert not found[-1].signed[::2].any()
