"""How a run ended, and what is said about it."""

import numpy as np
import pytest
from sklearn import datasets
from sklearn.exceptions import ConvergenceWarning

from maxmargin import SVC, SVR, NuSVC, NuSVR, OneClassSVM, solve
from maxmargin.machines import callbacks
from maxmargin.machines.endings import warn_of_early_end
from maxmargin.problems import SoftMargin
from maxmargin.solvers import Ending, Solution, Stop
from maxmargin.solvers.kernel.batch import Batch, Found

FIVE = [SVC, NuSVC, SVR, NuSVR, OneClassSVM]


@pytest.fixture
def noise(rng):
    return rng.normal(size=(300, 3)), rng.integers(0, 3, 300)


@pytest.fixture(scope="module")
def iris():
    return datasets.load_iris(return_X_y=True)


def values(estimator, X):
    if isinstance(estimator, SVR | NuSVR):
        return estimator.predict(X)
    return estimator.decision_function(X)


@pytest.mark.parametrize("kind", FIVE)
def test_too_few_steps_leave_a_usable_model_and_a_warning(kind, iris):
    X, y = iris
    machine = kind(max_iter=1)
    with pytest.warns(ConvergenceWarning, match=r"max_iter=1.*duality gap is .* Raise|Raise.*gap"):
        machine.fit(X, y)
    assert machine.fit_status_ == 1
    assert np.all(machine.n_iter_ <= 1)
    assert np.isfinite(values(machine, X)).all()
    assert not machine.certificate_.holds(1e-6)


def test_too_little_time_leaves_a_usable_model_and_a_warning(rng):
    X, y = rng.normal(size=(400, 3)), rng.integers(0, 2, 400)
    machine = SVC(C=1e4, time_limit=1e-4, tol=1e-8)
    with pytest.warns(ConvergenceWarning, match=r"time_limit=0.0001.*Raise time_limit"):
        machine.fit(X, y)
    assert machine.fit_status_ == 1
    assert machine.predict(X).shape == (400,)


def test_the_warning_names_the_worst_pair(iris):
    with pytest.warns(ConvergenceWarning, match="in the pair .*, the worst of 3"):
        SVC(max_iter=1).fit(*iris)


PROBLEM = SoftMargin(np.array([[0.0], [1.0], [2.0], [3.0]]), [-1, 1, -1, 1], C=1.0)


def found_at(share, violation, ending):
    """Where a run ended: at a share of the optimal multipliers."""
    qp = PROBLEM.dual()
    signed = share * qp.sign * solve(PROBLEM, "dual-qp").dual
    return Found(signed, qp.gradient(signed), violation, 7, ending)


def solution_at(share, ending=Ending.MAX_ITER, values=None):
    found = found_at(share, 1.0, ending)
    offsets = PROBLEM.dual().offsets(found.signed, found.gradient)
    return Solution(
        PROBLEM,
        abs(found.signed),
        offsets,
        ending=ending,
        gradient=found.gradient,
        values=values,
    )


def warned(solutions):
    names = [f"machine {k}" for k in range(len(solutions))]
    with pytest.warns(ConvergenceWarning) as seen:
        warn_of_early_end(solutions, names, {"max_iter": 5, "time_limit": 1.0})
    return str(seen[0].message)


def test_the_worst_machine_has_the_largest_relative_gap():
    far, near = solution_at(0.1), solution_at(0.99)
    assert far.estimate.relative_gap > near.estimate.relative_gap
    assert "in machine 1, the worst of 2" in warned([near, far])


def test_the_warning_names_the_machine_that_the_certificate_names(noise):
    X, y = noise
    with pytest.warns(ConvergenceWarning, match="the worst of 3") as seen:
        machine = SVC(max_iter=30, C=10.0).fit(X * [1.0, 5.0, 0.1], y)
    one, other = machine.certificate_.worst.classes
    assert f"in the pair {one}, {other}, the worst of 3" in str(seen[0].message)


def test_a_gap_that_is_not_known_is_not_named():
    unknown = solution_at(0.0, Ending.TIME_LIMIT, (np.inf, -np.inf))
    assert "The duality gap is unknown:" in warned([unknown])
    message = warned([solution_at(0.5), unknown])
    assert "time_limit=1.0" in message
    assert "unknown in 1 of 2 machines" in message
    assert "usable" not in message


def test_problems_that_never_ran_end_no_task():
    tasks = callbacks.FitTasks(object(), 5, None, None, None)
    ended = []
    tasks.active = True

    def end(name):
        ended.append(name)
        tasks.done += 1
        return False

    tasks._task = end
    tasks.end_run(2)
    assert ended == ["problem"] * 2


@pytest.fixture
def prepared(monkeypatch):
    """Make the first runs of the compiled solver end where a test says; return all of them."""
    solve_really, prepared, runs = Batch.solve, [], []

    def solve_or_not(self, terms, which, **limits):
        runs.append(terms)
        return [prepared.pop(0)] if prepared else solve_really(self, terms, which, **limits)

    def prepare(*found):
        prepared.extend(found)
        monkeypatch.setattr(Batch, "solve", solve_or_not)
        return runs

    return prepare


@pytest.mark.parametrize(
    ("ending", "violation", "n_runs", "left_as"),
    [
        (Ending.CONVERGED, 1e-8, 1, Ending.CONVERGED),
        (Ending.STALLED, 1e-4, 1, Ending.CONVERGED),
        (Ending.STALLED, 1e-2, 2, Ending.CONVERGED),
        (Ending.MAX_ITER, 1e-4, 2, Ending.CONVERGED),
        (Ending.INTERRUPT, 1.0, 1, Ending.INTERRUPT),
    ],
)
def test_a_run_to_rounding_counts_where_its_violation_is_known(
    prepared, ending, violation, n_runs, left_as
):
    runs = prepared(found_at(1.0, violation, ending))
    solution = solve(PROBLEM, "decomposition", stop=Stop(kkt=1e-3))
    assert len(runs) == n_runs
    assert solution.ending == left_as


def test_a_finer_run_that_is_worse_is_dropped(prepared):
    first, worse = found_at(0.9999, 1e-4, Ending.CONVERGED), found_at(0.5, 1e-5, Ending.STALLED)
    prepared(first, worse)
    solution = solve(PROBLEM, "decomposition", stop=Stop(gap=1e-9, max_iter=10**6))
    np.testing.assert_allclose(solution.dual, np.abs(first.signed))
    assert solution.iterations == first.steps + worse.steps
    assert solution.ending is Ending.STALLED
