"""How a run is watched, stopped, warmed up and reported."""

from __future__ import annotations

import numpy as np
import pytest

from maxmargin import InvalidInputError, Solution, Stop, certify, solve
from maxmargin.kernels import RBF
from maxmargin.problems import CrammerSinger, HardMargin, L1Margin, Problem, Regularised, SoftMargin
from maxmargin.solvers import (
    LBFGSB,
    SGD,
    SMO,
    SOLVERS,
    ConstantStep,
    InverseRoot,
    InverseTime,
    Record,
    Schedule,
    Solver,
    Subgradient,
)
from zoo import Case, build, points

#: A problem that every solver can solve, but for the one that wants a squared loss.
SHARED = Case("SoftMargin", "linear", "regularised", False)
SQUARED = Case("SoftMargin2", "linear", "regularised", False)
INTERIOR = {"primal-qp", "dual-qp"}
ITERATIVE = sorted(set(SOLVERS) - INTERIOR)

each_solver = pytest.mark.parametrize("name", SOLVERS)


def with_eager_looks(name: str) -> Solver:
    """The solver with an observation at every iteration, so that a limit is met at once."""
    return {
        "lbfgsb": LBFGSB(observe_every=1),
        "smo": SMO(observe_every=1),
        "subgradient": Subgradient(observe_every=1),
    }.get(name, SOLVERS[name])


def shared(name: str) -> Problem:
    """Return a problem that the solver can solve."""
    X, y = points("SoftMargin")
    if name == "l1-descent":
        return L1Margin(X, y, C=2.0)
    if name.startswith("crammer-singer"):
        return CrammerSinger(X, np.where(X[:, 0] > 0.5, 2, y))
    return build(SQUARED if name == "primal-newton" else SHARED)


@each_solver
def test_without_being_asked_no_trace_is_kept(name: str) -> None:
    assert len(solve(shared(name), solver=name).trace) == 0


@each_solver
def test_records_are_ordered_in_iteration_and_time(name: str) -> None:
    trace = solve(shared(name), solver=name, trace=True).trace
    assert len(trace) >= 1
    assert np.all(np.diff(trace.iteration) >= 0)
    assert np.all(np.diff(trace.seconds) >= 0)
    np.testing.assert_array_equal(trace.gap, trace.primal - trace.dual)


@pytest.mark.parametrize("name", ITERATIVE)
def test_a_record_is_an_honest_bracket_of_the_optimum(name: str) -> None:
    problem = shared(name)
    best = certify(problem, solve(problem)).primal
    trace = solve(problem, solver=with_eager_looks(name), trace=True).trace
    assert np.all(trace.primal >= best - 1e-5)
    assert np.all(trace.dual <= best + 1e-5)


@pytest.mark.parametrize("name", ["decomposition", "smo", "lbfgsb"])
def test_the_last_record_agrees_with_the_certificate(name: str) -> None:
    problem = shared(name)
    solution = solve(problem, solver=with_eager_looks(name), trace=True)
    certificate = certify(problem, solution)
    last = solution.trace[-1]
    assert last.primal == pytest.approx(certificate.primal, rel=1e-6)
    assert last.dual == pytest.approx(certificate.dual, rel=1e-6)


@each_solver
def test_the_status_gives_the_gap_of_the_certificate(name: str) -> None:
    problem = shared(name)
    solution = solve(problem, solver=name)
    certificate = certify(problem, solution)
    # What solvers know of themselves does not include what rounding may hide.
    if certificate.gap > 2 * certificate.rounding:
        assert f"relative gap {certificate.relative_gap:.2e}"[:-6] in solution.status
    assert solution.status.endswith(".")


@each_solver
def test_a_trace_becomes_a_frame(name: str) -> None:
    pytest.importorskip("pandas")
    trace = solve(shared(name), solver=name, trace=True).trace
    frame = trace.to_frame()
    assert list(frame.columns) == ["iteration", "seconds", "primal", "dual", "gap"]
    assert len(frame) == len(trace) == len(list(trace))
    assert repr(trace) == f"<Trace of {len(trace)} records>"


@each_solver
def test_the_callback_sees_every_record(name: str) -> None:
    seen: list[Record] = []
    solution = solve(shared(name), solver=name, callback=seen.append, trace=True)
    assert seen == list(solution.trace)


def long_enough_for(name: str) -> Problem:
    """A problem that the solver does not finish before a second look at it."""
    if name == "l1-descent" or name == "crammer-singer-descent":
        random = np.random.default_rng(0)
        X = random.normal(size=(4000, 400))
        y = np.where(random.random(4000) > 0.5, 1, -1)
        return L1Margin(X, y, C=100) if name == "l1-descent" else CrammerSinger(X, y, C=100)
    if name != "decomposition":
        return shared(name)
    # The engine shows itself a hundred times per second at most.
    random = np.random.default_rng(0)
    X = random.normal(size=(5000, 10))
    return SoftMargin(X, np.where(random.random(5000) > 0.5, 1, -1), C=1e4, kernel=RBF(0.02))


@each_solver
def test_a_callback_that_returns_true_ends_the_run(name: str) -> None:
    seen: list[Record] = []

    def enough(record: Record) -> bool:
        seen.append(record)
        return len(seen) >= 2

    # After its answer the callback sees no more than the point that is returned.
    solution = solve(long_enough_for(name), solver=with_eager_looks(name), callback=enough)
    assert 2 <= len(seen) <= 4
    assert not solution.converged
    assert "callback" in solution.status


@each_solver
def test_what_a_callback_raises_reaches_the_caller(name: str) -> None:
    def broken(record: Record) -> bool:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        solve(shared(name), solver=name, callback=broken)


@each_solver
def test_a_limit_of_iterations_ends_the_run_and_is_named(name: str) -> None:
    problem = shared(name)
    stop = Stop(gap=1e-12, max_iter=2)
    solution = solve(problem, solver=name, stop=stop)
    assert not solution.converged
    assert solution.iterations <= 2
    assert "2 iterations" in solution.status
    assert not certify(problem, solution).holds(1e-12)


@each_solver
def test_a_limit_of_seconds_ends_the_run_and_is_named(name: str) -> None:
    problem = shared(name)
    solution = solve(problem, solver=with_eager_looks(name), stop=Stop(gap=1e-13, time_limit=1e-9))
    assert not solution.converged
    assert "seconds" in solution.status


@each_solver
def test_an_accuracy_that_is_asked_for_is_reached(name: str) -> None:
    problem = shared(name)
    solution = solve(problem, solver=name, stop=Stop(gap=0.05))
    assert solution.converged
    assert certify(problem, solution).relative_gap <= 0.05


@pytest.mark.parametrize("name", ["decomposition", "smo", "lbfgsb"])
def test_a_start_at_the_solution_takes_fewer_iterations(name: str) -> None:
    problem = build(Case("SoftMargin", "rbf", "regularised", False))
    cold = solve(problem, solver=with_eager_looks(name))
    warm = solve(problem, solver=with_eager_looks(name), warm=cold)
    assert warm.iterations < cold.iterations
    assert certify(problem, warm).holds(1e-6)


@pytest.mark.parametrize("name", ["decomposition", "smo", "lbfgsb", "subgradient", "sgd"])
def test_a_solution_for_another_cost_is_a_better_start_than_zero(name: str) -> None:
    X, y = points("SoftMargin")
    old = SoftMargin(X, y, C=1, kernel=RBF(0.5), bias=Regularised(1))
    new = SoftMargin(X, y, C=3, kernel=RBF(0.5), bias=Regularised(1))
    first: list[Record] = []

    def look(record: Record) -> bool:
        first.append(record)
        return True

    solve(new, solver=with_eager_looks(name), warm=solve(old), callback=look)
    zero = certify(new, Solution(new, np.zeros(len(y)), np.zeros(0)))
    assert first[0].dual > zero.dual
    assert first[0].primal < zero.primal


@pytest.mark.parametrize("name", ["decomposition", "smo", "lbfgsb"])
def test_a_start_of_another_size_is_refused(name: str) -> None:
    X, y = points("SoftMargin")
    small = solve(SoftMargin(X[6:18], y[6:18], bias=Regularised(1)))
    with pytest.raises(InvalidInputError, match=r"warm has 12 multipliers and the problem 24"):
        solve(shared(name), solver=name, warm=small)


def test_the_same_seed_gives_the_same_solution() -> None:
    problem = build(SHARED)
    stop = Stop(max_iter=5)
    one, two = (solve(problem, solver=SGD(seed=4), stop=stop) for _ in range(2))
    other = solve(problem, solver=SGD(seed=5), stop=stop)
    np.testing.assert_array_equal(one.dual, two.dual)
    assert not np.array_equal(one.dual, other.dual)


@pytest.mark.parametrize("batch_size", [1, 7, 1000])
@pytest.mark.parametrize("averaging", ["weighted", "none"])
def test_pegasos_converges_with_any_batch(batch_size: int, averaging: str) -> None:
    problem = build(SHARED)
    best = certify(problem, solve(problem)).primal
    solver = SGD(batch_size=batch_size, averaging=averaging)
    solution = solve(problem, solver=solver, stop=Stop(gap=0.02, max_iter=300))
    assert certify(problem, solution).primal <= 1.2 * best


@pytest.mark.parametrize(
    "schedule", [InverseTime(), InverseTime(2), InverseRoot(0.5), ConstantStep(0.01)], ids=repr
)
@pytest.mark.parametrize("averaging", ["weighted", "none"])
def test_subgradient_descent_takes_any_schedule(schedule: Schedule, averaging: str) -> None:
    problem = build(SHARED)
    best = certify(problem, solve(problem)).primal
    solver = Subgradient(schedule=schedule, averaging=averaging)
    solution = solve(problem, solver=solver, stop=Stop(gap=1e-3, max_iter=2000))
    assert certify(problem, solution).primal <= 1.1 * best


def test_one_step_of_pegasos_is_the_textbook_step() -> None:
    # lambda = 1 / (C n); w <- (1 - eta) w + eta C sum over y w'x < 1 of y x, here with eta = 1.
    X, y = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]]), np.array([1.0, -1.0, 1.0])
    problem = SoftMargin(X, y, C=0.5, bias=Regularised(0))
    solver = SGD(schedule=InverseTime(1), averaging="none", batch_size=3)
    solution = solve(problem, solver=solver, stop=Stop(gap=1e-9, max_iter=1))
    np.testing.assert_allclose(solution.w, 0.5 * (y[:, None] * X).sum(axis=0))


def test_the_shrink_applies_where_no_example_has_a_loss() -> None:
    # From w = (3, 0) no point has a loss, so a step of eta = 1/2 halves w.
    X, y = np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([1.0, -1.0])
    problem = SoftMargin(X, y, C=2, bias=Regularised(0))
    grown = Solution(problem, np.array([1.5, 1.5]), np.zeros(0))
    np.testing.assert_allclose(grown.w, [3.0, 0.0])
    solver = Subgradient(schedule=ConstantStep(0.5), averaging="none")
    solution = solve(problem, solver=solver, warm=grown, stop=Stop(gap=1e-9, max_iter=1))
    np.testing.assert_allclose(solution.w, [1.5, 0.0])


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: Stop(gap=0), "gap"),
        (lambda: Stop(kkt=-1.0), "kkt"),
        (lambda: Stop(time_limit=float("nan")), "time_limit"),
        (lambda: Stop(max_iter=-1), "max_iter"),
        (lambda: SGD(batch_size=0), "batch_size"),
        (lambda: InverseTime(0.5), "numerator"),
        (lambda: InverseRoot(2.0), "scale"),
        (lambda: ConstantStep(0.0), "length"),
    ],
)
def test_options_out_of_range_are_named(make: object, word: str) -> None:
    with pytest.raises(InvalidInputError, match=word):
        make()  # type: ignore[operator]


@each_solver
def test_a_solver_is_a_value(name: str) -> None:
    solver = SOLVERS[name]
    assert solver == type(solver)()
    assert hash(solver) == hash(type(solver)())
    assert solver.name == name


def test_a_hard_margin_has_the_same_machine_as_its_support_vectors_alone() -> None:
    X, y = points("HardMargin")
    whole = solve(HardMargin(X, y), solver="smo")
    kept = whole.support
    part = solve(HardMargin(X[kept], y[kept]), solver="smo")
    np.testing.assert_allclose(part.w, whole.w, atol=1e-5)
    assert part.b == pytest.approx(whole.b, abs=1e-5)
