"""A problem that starts from another one's solution ends where it does from any other start."""

import numpy as np
import pytest

from engine_zoo import run, violation
from maxmargin import InvalidInputError, Stop, solve, solve_all
from maxmargin.kernels import RBF
from maxmargin.problems import EpsilonTube, NuMargin, OneClass, Points, SoftMargin

TOLERANCE = 1e-4
STOP = Stop(kkt=TOLERANCE)


@pytest.fixture(params=[300, 2400, 8000], ids=["whole", "different", "repeated"])
def problem(request, rng):
    X = rng.normal(size=(request.param, 2))
    y = np.where(X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=len(X)) > 0, 1, -1)
    return SoftMargin(Points(np.round(X, 1) if len(X) == 8000 else X, RBF(0.5)), y, C=2)


def steps(solutions):
    return sum(solution.iterations for solution in solutions)


def test_a_path_over_C_is_optimal_at_each(problem):
    path = [problem.replace(C=C) for C in (0.1, 1.0, 3.0, 3.0, 30.0)]
    warm = solve_all(path, "decomposition", stop=STOP, warm=[None, 0, 1, 2, 3])
    for one, solution in zip(path, warm, strict=True):
        qp = one.dual()
        assert solution.converged
        assert violation(qp, one.y * solution.dual) <= 1.01 * TOLERANCE
        alone = run(one, TOLERANCE)
        assert qp.value(one.y * solution.dual) == pytest.approx(qp.value(alone.signed), rel=1e-5)
    cold = solve_all(path, "decomposition", stop=STOP)
    assert steps(warm) < steps(cold)


def test_a_path_back_is_optimal_too(problem):
    path = [problem.replace(C=C) for C in (10.0, 1.0, 0.1)]
    for one, solution in zip(
        path, solve_all(path, "decomposition", stop=STOP, warm=[None, 0, 1]), strict=True
    ):
        assert violation(one.dual(), one.y * solution.dual) <= 1.01 * TOLERANCE


def test_a_solution_takes_no_step_from_itself(problem):
    first, again = solve_all([problem, problem], "decomposition", stop=STOP, warm=[None, 0])
    assert again.converged
    assert again.iterations <= (10 if problem.n_points > 256 else first.iterations)
    later = solve(problem, "decomposition", stop=Stop(kkt=2 * TOLERANCE), warm=first)
    assert later.iterations <= (10 if problem.n_points > 256 else first.iterations)


@pytest.mark.parametrize("kind", ["nu", "one class", "tube", "squared"])
def test_other_problems_start_from_others(kind, rng):
    X = rng.normal(size=(2000, 3))
    points = Points(X, RBF(0.5))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=2000) > 0, 1, -1)
    path = {
        "nu": [NuMargin(points, y, nu=nu) for nu in (0.2, 0.3, 0.5)],
        "one class": [OneClass(points, nu=nu) for nu in (0.1, 0.3, 0.2)],
        "tube": [EpsilonTube(points, X[:, 0] ** 2, C=C) for C in (0.1, 1.0, 10.0)],
        "squared": [SoftMargin(points, y, C=C, loss="squared_hinge") for C in (0.1, 1.0, 10.0)],
    }[kind]
    found = solve_all(path, "decomposition", stop=STOP, warm=[None, 0, 1])
    for problem, solution in zip(path, found, strict=True):
        qp = problem.dual()
        assert solution.converged
        # The tolerance is in units of the margin.
        unit = problem.margin_scale if kind in ("tube", "one class") else 1.0
        assert violation(qp, qp.sign * solution.dual) <= 1.01 * TOLERANCE * max(unit, 1e-9)


def test_a_problem_starts_from_earlier_ones_only(problem):
    with pytest.raises(InvalidInputError, match="earlier one"):
        solve_all([problem, problem], "decomposition", warm=[1, None])
    with pytest.raises(InvalidInputError, match="2 problems"):
        solve_all([problem, problem], "decomposition", warm=[None])
