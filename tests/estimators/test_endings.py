"""How a run ended, and what is said about it."""

import numpy as np
import pytest
from sklearn import datasets
from sklearn.exceptions import ConvergenceWarning

from maxmargin import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from maxmargin.estimators import callbacks, run
from maxmargin.estimators.run import Outcome
from maxmargin.problems import SoftMargin
from maxmargin.solvers.engine import Engine, Program

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


def outcome_of(signed, violation, ending="steps", X=((0.0,), (1.0,), (2.0,), (3.0,))):
    qp = SoftMargin(np.array(X), [-1, 1, -1, 1], C=1.0).dual()
    (answer,) = Engine(qp.gram.kernel, qp.gram.X).solve([Program.of(qp, 0 * qp.sign)], tol=1e-8)
    signed = answer.signed * signed
    gradient = qp.gradient(signed)
    changed = {"signed": signed, "gradient": gradient, "violation": violation, "ending": ending}
    return Outcome(qp, run.replace(answer, **changed))


def warned(outcomes):
    names = [f"machine {k}" for k in range(len(outcomes))]
    with pytest.warns(ConvergenceWarning) as seen:
        assert run.warn_unless_converged(outcomes, names, {"max_iter": 5, "time_limit": 1.0}) == 1
    return str(seen[0].message)


def test_the_worst_machine_has_the_largest_relative_gap():
    far, near = outcome_of(0.1, 0.5), outcome_of(0.99, 2.0)
    assert far.gap()[1] > near.gap()[1]
    assert "in machine 1, the worst of 2" in warned([near, far])


def test_the_warning_names_the_machine_that_the_certificate_names(noise):
    X, y = noise
    with pytest.warns(ConvergenceWarning, match="the worst of 3") as seen:
        machine = SVC(max_iter=30, C=10.0).fit(X * [1.0, 5.0, 0.1], y)
    one, other = machine.certificate_.worst.classes
    assert f"in the pair {one}, {other}, the worst of 3" in str(seen[0].message)


def test_a_gap_that_is_not_known_is_not_named():
    unknown = outcome_of(0.0, np.inf, "seconds")
    assert "The duality gap is unknown:" in warned([unknown])
    message = warned([outcome_of(0.5, 1.0), unknown])
    assert "time_limit=1.0" in message
    assert "unknown in 1 of 2 machines" in message
    assert "usable" not in message


def test_programs_that_never_ran_end_no_task():
    tasks = callbacks.FitTasks(object(), 5, None, None, None)
    ended = []
    tasks.active = True

    def end(name):
        ended.append(name)
        tasks.done += 1
        return False

    tasks._task = end
    tasks.end_run(2)
    assert ended == ["program"] * 2


class Prepared:
    """An engine whose run ends at a point of its own."""

    def __init__(self, answer):
        self.answer = answer

    def solve(self, programs, **limits):
        return [self.answer] * len(programs)


@pytest.mark.parametrize(
    ("ending", "violation", "left_as"),
    [
        ("converged", 1e-8, "converged"),
        ("stalled", 1e-4, "converged"),
        ("stalled", 1e-2, None),
        ("steps", 1e-4, None),
        ("interrupt", 1.0, "interrupt"),
    ],
)
def test_a_run_to_rounding_counts_where_its_violation_is_known(ending, violation, left_as):
    answer = outcome_of(1.0, violation, ending).answer
    program = Program.of(outcome_of(1.0, 0.0).qp, answer.signed)
    found = run._to_rounding(Prepared(answer), [program], 1e-3, None)
    assert (None if found is None else found[0].ending) == left_as


@pytest.mark.parametrize(("former", "later", "kept"), [(1e-4, 5e-2, 0), (1e-4, 9e-4, 1)])
def test_a_finer_run_that_is_worse_is_dropped(former, later, kept):
    answers = [outcome_of(s, v, "converged").answer for s, v in ((1.0, former), (0.5, later))]
    found = run._further(*answers, 1e-3)
    np.testing.assert_array_equal(found.signed, answers[kept].signed)
    assert found.steps == answers[0].steps + answers[1].steps


@pytest.mark.parametrize("ending", ["stalled", "steps"])
def test_a_further_run_that_gets_stuck_leaves_the_fit_converged(ending):
    former, later = outcome_of(1.0, 1e-6, "converged").answer, outcome_of(0.9, 1e-7, ending).answer
    found = run._further(former, later, 1e-3)
    assert found.converged
    assert found.violation == 1e-7
