"""Ctrl-C: once stops whatever runs, which keeps what it has; twice in two seconds aborts it.

An interrupt is sent at the n-th function of the library that the work calls, for many n, so that
it arrives in Python code of every kind; others are sent while compiled code runs.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import scale

import maxmargin
from maxmargin import (
    SVC,
    SVR,
    CalibratedSVC,
    LinearSVC,
    LinearSVR,
    OneClassSVM,
    OnlineSVC,
    Stop,
    SVMSearchCV,
    interrupts,
    linear_path,
    solve,
    svm_path,
)
from maxmargin.certificates import certify
from maxmargin.interrupts import AbortError, Now, heed
from maxmargin.kernels import RBF, Linear
from maxmargin.model_selection import learn_weights
from maxmargin.pages import study
from maxmargin.problems import CrammerSinger, L1Margin, Problem, Regularised, SoftMargin
from maxmargin.solvers import SOLVERS, Ending
from maxmargin.solvers.solving import NO_MODEL
from maxmargin.solvers.stop import Keeping, Raising

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")

PACKAGE = str(Path(maxmargin.__file__).parent)


@contextmanager
def interrupted_at(*calls: int) -> Iterator[list[int]]:
    """Send an interrupt at these calls of functions of the library; count them, and what is sent.

    If an interrupt is raised at once, Python ends the watch.
    """
    counted = [0, 0]

    def look(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(PACKAGE):
            counted[0] += 1
            if counted[0] in calls:
                counted[1] += 1
                signal.raise_signal(signal.SIGINT)

    sys.setprofile(look)
    try:
        yield counted
    finally:
        sys.setprofile(None)


def n_calls(work: Callable[[], Any]) -> int:
    """Count the calls of work that is done for the second time, when all is imported and cached."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        work()
        with interrupted_at() as counted:
            work()
    return counted[0]


def noise(n: int = 80, d: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, d))
    return X, np.where(X[:, 0] + rng.normal(size=n) > 0, 1.0, -1.0)


def problem_for(solver: str) -> Problem:
    X, y = noise()
    if solver.startswith("crammer"):
        return CrammerSinger(X, np.arange(len(y)) % 3)
    if solver.startswith("l1"):
        return L1Margin(X, y)
    loss: Any = "squared_hinge" if solver == "primal-newton" else "hinge"
    return SoftMargin(X, y, kernel=Linear(), bias=Regularised(1), loss=loss)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_solver_loses_no_solution_wherever_the_interrupt_arrives(solver: str) -> None:
    def work() -> Any:
        return solve(problem_for(solver), solver, stop=Stop(max_iter=50))

    total = n_calls(work)
    outcomes = []
    for call in sorted(set(np.linspace(1, total - 1, 60).astype(int).tolist())):
        Now.at = float("-inf")
        with warnings.catch_warnings(record=True) as seen, interrupted_at(call):
            warnings.simplefilter("always")
            try:
                solution = work()
            except KeyboardInterrupt as raised:
                outcomes.append(str(raised))
                continue
        outcomes.append("kept")
        told = any("too late" in str(one.message) for one in seen)
        assert solution.ending is Ending.INTERRUPT or told
        assert np.isfinite(certify(solution.problem, solution).gap)
    # Before solve_all has begun, and before the first step, there is nothing to keep.
    begun = outcomes.count("")
    assert not any(outcomes[:begun])
    assert set(outcomes[begun:]) <= {"kept", NO_MODEL}
    assert outcomes[-1] == "kept"


def test_what_arrives_before_the_first_step_is_raised() -> None:
    with interrupted_at(1), pytest.raises(KeyboardInterrupt):
        solve(problem_for("decomposition"), "decomposition")


IRIS = load_iris(return_X_y=True)


def works() -> dict[str, Callable[[], Any]]:
    X, y = noise(150)
    signs = y > 0
    return {
        "SVC": lambda: SVC().fit(*IRIS),
        "LinearSVC": lambda: LinearSVC().fit(*IRIS),
        "LinearSVR": lambda: LinearSVR().fit(X, X[:, 0]),
        "SVR": lambda: SVR().fit(X, X[:, 0]),
        "OneClassSVM": lambda: OneClassSVM().fit(X),
        "OnlineSVC": lambda: OnlineSVC(random_state=0, max_iter=20).fit(X, signs),
        "stream": lambda: OnlineSVC(random_state=0).fit_stream((X, signs), epochs=3),
        "SVMSearchCV": lambda: SVMSearchCV(SVC(), {"C": [0.1, 1.0, 10.0]}, cv=3, n_jobs=1).fit(
            X, signs
        ),
        "CalibratedSVC": lambda: CalibratedSVC(SVC(), cv=3).fit(X, signs),
        "calibrated folds": lambda: CalibratedSVC(LinearSVC(), cv=3).fit(X, signs),
        "linear_path": lambda: linear_path(X, signs, [0.1, 1.0, 10.0]),
        "svm_path": lambda: svm_path(X[:40], signs[:40], C_max=1.0),
        "learn_weights": lambda: learn_weights([RBF(0.1), RBF(1.0), RBF(10.0)], X, signs),
        "study": lambda: study(scale(X), signs, {"rbf": {"C": [1.0, 10.0], "gamma": [0.1, 1.0]}}),
    }


@pytest.mark.parametrize("name", works())
def test_work_is_kept_with_a_warning_or_there_was_nothing_to_keep(name: str) -> None:
    work = works()[name]
    total = n_calls(work)
    n_kept = 0
    for call in sorted(set(np.linspace(1, total - 1, 25).astype(int).tolist())):
        Now.at = float("-inf")
        with warnings.catch_warnings(record=True) as seen, interrupted_at(call) as counted:
            warnings.simplefilter("always")
            try:
                result = work()
            except KeyboardInterrupt:
                continue
        if counted[1] == 0:  # it made fewer calls this time
            continue
        assert result is not None
        texts = [str(one.message) for one in seen]
        assert any("interrupt" in text for text in texts), (call, total, texts)
        n_kept += 1
    assert n_kept >= 2


@pytest.mark.parametrize("name", works())
def test_two_interrupts_abort_whatever_it_is(name: str) -> None:
    work = works()[name]
    total = n_calls(work)
    for call in np.linspace(2, max(total // 2, 3), 8).astype(int).tolist():
        Now.at = float("-inf")
        raised = None
        with warnings.catch_warnings(), interrupted_at(call, call + 1) as counted:
            warnings.simplefilter("ignore")
            try:
                work()
            except KeyboardInterrupt as error:
                raised = error
        assert raised is not None or counted[1] == 1
        # The handler of before is back, and the next work is whole.
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        assert Now.depth == 0
    Now.at = float("-inf")
    assert work() is not None


def test_the_warning_states_the_gap() -> None:
    X, y = noise(3000)
    asked = []

    def strike(progress: Any) -> bool:
        if progress.iteration > 0 and not asked:
            asked.append(progress)
            signal.raise_signal(signal.SIGINT)
        return False

    with pytest.warns(ConvergenceWarning, match=r"interrupted.*duality gap is \d"):
        SVC(C=1e4, tol=1e-10, callback=strike).fit(X, y)


@pytest.mark.filterwarnings("ignore:.*probability.*deprecated:FutureWarning")
def test_an_interrupted_fit_has_no_probabilities() -> None:
    X, y = noise(400)

    def strike(progress: Any) -> bool:
        if progress.iteration > 0 and not Now.is_pending:
            signal.raise_signal(signal.SIGINT)
        return False

    with pytest.warns(ConvergenceWarning) as seen:
        machine = SVC(C=1e4, tol=1e-10, probability=True, callback=strike).fit(X, y)
    assert "predict_proba is not available" in str(seen[-1].message)
    assert machine.predict(X).shape == (400,)


def compiled(**parameters: Any) -> SVC:
    """A machine whose fit takes minutes in compiled code."""
    return SVC(C=1e7, gamma=0.01, tol=1e-12, max_iter=10**9, time_limit=120.0, **parameters)


@contextmanager
def struck_in_compiled_code(n_times: int = 1) -> Iterator[Callable[[Any], bool]]:
    """A callback after whose first call another thread sends interrupts."""
    begun = threading.Event()

    def send() -> None:
        begun.wait(60)
        for _ in range(n_times):
            os.kill(os.getpid(), signal.SIGINT)
            # Two signals that are pending at once are one.
            threading.Event().wait(0.3)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        yield lambda progress: bool(progress.iteration > 0 and begun.set())
    finally:
        begun.set()
        sender.join()


def test_compiled_code_is_interrupted_and_the_model_kept() -> None:
    X, y = noise(3000, 10)
    with (
        struck_in_compiled_code() as callback,
        pytest.warns(ConvergenceWarning, match=r"interrupted.*duality gap is \d"),
    ):
        machine = compiled(callback=callback).fit(X, y)
    assert machine.fit_status_ == 1
    assert machine.n_iter_.max() > 0


def test_a_later_interrupt_ends_its_own_fit_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(interrupts, "monotonic", lambda: now[0])
    X, y = noise(3000)

    struck = set()

    def strike(progress: Any) -> bool:
        if progress.iteration > 0 and now[0] not in struck:
            struck.add(now[0])
            signal.raise_signal(signal.SIGINT)
        return False

    machine = SVC(C=1e4, tol=1e-10, callback=strike)
    with pytest.warns(ConvergenceWarning, match="Another interrupt within two seconds raises"):
        machine.fit(X, y)
    now[0] += 2.1
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        machine.fit(X, y)
    now[0] += 1.9
    with pytest.raises(AbortError):
        machine.fit(X, y)
    now[0] += 0.1
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        machine.fit(X, y)


def test_a_program_s_own_handler_decides_what_an_interrupt_is() -> None:
    seen = []
    signal.signal(signal.SIGINT, lambda *_: seen.append(1))
    with interrupted_at(40):
        assert SVC().fit(*IRIS).fit_status_ == 0
    assert seen == [1]


def test_an_ignored_signal_stays_ignored() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with interrupted_at(40):
        assert SVC().fit(*IRIS).fit_status_ == 0
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_other_threads_are_left_alone() -> None:
    handlers = []

    def work() -> None:
        with Keeping():
            handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert handlers == [signal.default_int_handler]


def test_an_interrupt_after_the_last_step_leaves_a_complete_result() -> None:
    with pytest.warns(UserWarning, match="too late to stop the work"), Keeping() as work:
        signal.raise_signal(signal.SIGINT)
    assert work.was_interrupted


def test_waiting_for_data_is_interrupted_at_once() -> None:
    with Keeping():
        with pytest.raises(KeyboardInterrupt), Raising():
            signal.raise_signal(signal.SIGINT)
        heed()
    X, y = noise()

    def source() -> Iterator[Any]:
        yield X, y
        signal.raise_signal(signal.SIGINT)
        pytest.fail("the wait went on")

    Now.at = float("-inf")
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        machine = OnlineSVC().fit_stream(source(), [-1.0, 1.0])
    assert machine.t_ == len(y)


def test_a_chunk_that_is_interrupted_ends_the_loop_over_the_chunks() -> None:
    X, y = noise()
    machine = OnlineSVC()
    with interrupted_at(8), pytest.raises(KeyboardInterrupt, match="keeps the model so far"):
        machine.partial_fit(X, y, classes=[-1.0, 1.0])
    assert machine.coef_.shape == (1, 3)


def test_folds_that_were_scored_calibrate_what_was_interrupted() -> None:
    X, y = noise(300)
    fits = []

    class Striking(LogisticRegression):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            fits.append(len(y))
            if len(fits) == 4:
                signal.raise_signal(signal.SIGINT)
            return super().fit(X, y, sample_weight)

    with pytest.warns(ConvergenceWarning, match="scores of 120 of 300 rows"):
        model = CalibratedSVC(Striking(), cv=5).fit(X, y)
    assert len(fits) == 4
    assert model.predict_proba(X).shape == (300, 2)
