"""A start near a solution whose kernel sums are known leads where any other start does."""

from dataclasses import replace

import numpy as np
import pytest

from maxmargin.kernels import RBF
from maxmargin.problems import SoftMargin
from maxmargin.solvers.engine import Engine, Program, Sums

TOLERANCE = 1e-4


@pytest.fixture(params=[False, True], ids=["different", "repeated"])
def problem(request, rng):
    n = 8000 if request.param else 2400
    X = rng.normal(size=(n, 2))
    y = np.where(X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=n) > 0, 1, -1)
    X = np.round(X, 1) if request.param else X
    return SoftMargin(X, y, C=2, kernel=RBF(0.5))


def solved(problem):
    """An engine, the dual, and its solution with sums: of two programs none is taken whole."""
    engine, qp = Engine(problem.kernel, problem.X), problem.dual()
    program = Program.of(qp, np.zeros(qp.n_variables))
    return engine, qp, engine.solve([program, program], tol=TOLERANCE)[0]


def test_an_answer_knows_its_sums(problem):
    _, qp, answer = solved(problem)
    exact = qp.gram @ qp.coefficients(answer.signed)
    np.testing.assert_allclose(answer.sums, exact, atol=TOLERANCE)


def test_held_out_points_are_left_out(problem):
    engine, qp, answer = solved(problem)
    cost = qp.cost.copy()
    cost[::5] = 0.0
    fewer = replace(qp, cost=cost)
    start = fewer.project(np.clip(answer.signed, fewer.lower, fewer.upper))
    near = Sums(qp.coefficients(answer.signed), answer.sums)
    program = Program.of(fewer, start)
    warm, cold = (
        engine.solve([p, p], tol=TOLERANCE)[0] for p in (replace(program, near=near), program)
    )
    assert warm.converged
    assert not warm.signed[::5].any()
    exact = fewer.gradient(warm.signed)
    np.testing.assert_allclose(warm.gradient, exact, atol=TOLERANCE)
    assert fewer.value(warm.signed) == pytest.approx(fewer.value(cold.signed), rel=1e-6)


def test_a_solution_takes_no_step_from_itself(problem):
    engine, qp, answer = solved(problem)
    near = Sums(qp.coefficients(answer.signed), answer.sums)
    program = replace(Program.of(qp, answer.signed), near=near)
    again = engine.solve([program, program], tol=1.01 * TOLERANCE)[0]
    assert again.converged
    assert again.steps <= 10


def test_sums_can_be_kept_by_parts(problem):
    engine, qp, whole = solved(problem)
    engine.part_of_point = np.arange(len(qp.point)) % 3
    program = Program.of(qp, np.zeros(qp.n_variables))
    answer = engine.solve([program, program], tol=TOLERANCE)[0]
    assert qp.value(answer.signed) == pytest.approx(qp.value(whole.signed), rel=1e-6)
    assert len(answer.parts) == 3
    np.testing.assert_allclose(sum(part.values for part in answer.parts), answer.sums, atol=1e-9)
    np.testing.assert_allclose(
        np.bincount(engine_points(engine), sum(part.coefficients for part in answer.parts)),
        np.bincount(engine_points(engine), qp.coefficients(answer.signed)),
        atol=1e-12,
    )
    for part in answer.parts:
        np.testing.assert_allclose(part.values, qp.gram @ part.coefficients, atol=TOLERANCE)


def engine_points(engine):
    """Which of the different points each point is."""
    X = engine._gram.X
    return np.unique(X, axis=0, return_inverse=True)[1].ravel()


@pytest.mark.parametrize("problem", [False], indirect=True)
def test_a_part_is_that_of_its_points(problem):
    engine, qp, _ = solved(problem)
    engine.part_of_point = np.arange(len(qp.point)) % 3
    program = Program.of(qp, np.zeros(qp.n_variables))
    answer = engine.solve([program, program], tol=TOLERANCE)[0]
    for k, part in enumerate(answer.parts):
        own = np.where(engine.part_of_point == k, answer.signed, 0.0)
        np.testing.assert_array_equal(part.coefficients, own)
