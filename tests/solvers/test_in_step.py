"""Programs in step reach what each reaches alone: the rows they share are all they share."""

from dataclasses import replace

import numpy as np
import pytest

from maxmargin.kernels import RBF
from maxmargin.problems import SoftMargin
from maxmargin.solvers.engine import Engine, Program, Sums
from maxmargin.solvers.engine_run import Run

TOLERANCE = 1e-4
FOLDS = 4


@pytest.fixture(params=[False, True], ids=["different", "repeated"])
def problem(request, rng):
    n = 8000 if request.param else 2400
    X = rng.normal(size=(n, 2))
    y = np.where(X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=n) > 0, 1, -1)
    return SoftMargin(np.round(X, 1) if request.param else X, y, C=2, kernel=RBF(0.5))


def folds_of(problem, **engine):
    """An engine, and the programs of folds that start from the solution for all points."""
    engine, qp = Engine(problem.kernel, problem.X, **engine), problem.dual()
    program = Program.of(qp, np.zeros(qp.n_variables))
    answer = engine.solve([program, program], tol=TOLERANCE)[0]
    near = Sums(qp.coefficients(answer.signed), answer.sums)
    programs = []
    for k in range(FOLDS):
        cost = qp.cost.copy()
        cost[k::FOLDS] = 0.0
        fewer = replace(qp, cost=cost)
        start = fewer.project(np.clip(answer.signed, fewer.lower, fewer.upper))
        programs.append((fewer, replace(Program.of(fewer, start), near=near)))
    return engine, programs


@pytest.fixture
def one_by_one(monkeypatch):
    """Lets every program go alone."""

    def sizes(self, store, which, _sizes=Run._sizes):
        return (*_sizes(self, store, which)[:2], 1)

    def switch():
        monkeypatch.setattr(Run, "_sizes", sizes)

    return switch


def test_each_reaches_its_own_optimum(problem, one_by_one):
    engine, folds = folds_of(problem)
    programs = [program for _, program in folds]
    together = engine.solve(programs, tol=TOLERANCE)
    one_by_one()
    alone = engine.solve(programs, tol=TOLERANCE)
    for (qp, _), answer, other in zip(folds, together, alone, strict=True):
        assert answer.converged
        np.testing.assert_allclose(answer.gradient, qp.gradient(answer.signed), atol=TOLERANCE)
        assert qp.value(answer.signed) == pytest.approx(qp.value(other.signed), rel=1e-6)


def test_threads_do_not_matter(problem):
    answers = []
    for n_threads in (1, 2, 5):
        engine, folds = folds_of(problem, n_threads=n_threads)
        answers.append(engine.solve([program for _, program in folds], tol=TOLERANCE))
    for other in answers[1:]:
        for a, b in zip(answers[0], other, strict=True):
            np.testing.assert_array_equal(a.signed, b.signed)


def test_one_that_is_done_does_not_wait_for_the_others(problem):
    engine, folds = folds_of(problem)
    programs = [program for _, program in folds]
    done = engine.solve(programs, tol=TOLERANCE)
    again = [
        replace(
            program, start=answer.signed, near=Sums(qp.coefficients(answer.signed), answer.sums)
        )
        for (qp, program), answer in zip(folds[:2], done, strict=False)
    ]
    answers = engine.solve([*again, *programs[2:]], tol=1.01 * TOLERANCE)
    assert all(answer.converged for answer in answers)
    assert all(answer.steps <= 10 for answer in answers[:2])
    assert all(answer.steps > 10 for answer in answers[2:])


def test_a_watch_ends_them_all_with_gradients_that_are_true(rng):
    X = rng.normal(size=(5000, 2))
    y = np.where(X[:, 0] * X[:, 1] + rng.normal(size=len(X)) > 0, 1, -1)
    engine, folds = folds_of(SoftMargin(X, y, C=100, kernel=RBF(4.0)))
    programs = [program for _, program in folds]
    answers = engine.solve(programs, tol=1e-9, watch=lambda progress: True)
    assert {answer.ending for answer in answers} <= {"watch", "converged"}
    assert "watch" in {answer.ending for answer in answers}
    for (qp, _), answer in zip(folds, answers, strict=True):
        np.testing.assert_allclose(answer.gradient, qp.gradient(answer.signed), atol=1e-2)
        assert (answer.signed >= qp.lower).all()
        assert (answer.signed <= qp.upper).all()


def test_time_that_is_up_ends_them_all(problem):
    engine, folds = folds_of(problem)
    answers = engine.solve([program for _, program in folds], tol=1e-12, seconds=0.02)
    assert {answer.ending for answer in answers} <= {"seconds", "stalled", "converged"}
    for (qp, _), answer in zip(folds, answers, strict=True):
        assert np.isfinite(answer.gradient).all()
        assert qp.equality @ answer.signed == pytest.approx(qp.total, abs=1e-9)


def test_little_memory_lets_them_go_in_turn(problem):
    engine, folds = folds_of(problem, cache_mb=4.0)
    run = Run(engine, [program for _, program in folds], TOLERANCE, None, None, None)
    store = run._first_store()
    assert run._sizes(store, range(FOLDS))[2] == 1
    answers = engine.solve([program for _, program in folds], tol=TOLERANCE)
    assert all(answer.converged for answer in answers)
