"""Ctrl-C ends a fit with its model; soon again it ends the search around it."""

import os
import signal
import threading
from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from maxmargin import SVC
from maxmargin.solvers import Ending, interrupts
from maxmargin.solvers.kernel.batch import Batch


@pytest.fixture
def clock(monkeypatch):
    """A clock that tests set, and a solver of which every run is interrupted."""
    now, solve = [1000.0], Batch.solve

    def interrupted(self, terms, which, **limits):
        found = solve(self, terms, which, **limits)
        return [replace(one, ending=Ending.INTERRUPT) for one in found]

    monkeypatch.setattr(interrupts, "monotonic", lambda: now[0])
    monkeypatch.setattr(interrupts._Heard, "at", float("-inf"))
    monkeypatch.setattr(Batch, "solve", interrupted)
    return now


@pytest.fixture
def two(rng):
    return rng.normal(size=(300, 2)), np.arange(300) % 2


def test_an_interrupt_leaves_a_usable_model_and_a_warning(rng):
    X, y = rng.normal(size=(3000, 10)), rng.integers(0, 2, 3000)
    machine = SVC(C=1e6, tol=1e-9, time_limit=60, n_jobs=1)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.warns(ConvergenceWarning, match=r"interrupted.*warm_start"):
        machine.fit(X, y)
    timer.join()
    assert machine.fit_status_ == 1
    assert machine.predict(X[:5]).shape == (5,)


def test_a_second_interrupt_soon_after_is_an_interrupt(clock, two):
    machine = SVC(max_iter=100)
    with pytest.warns(ConvergenceWarning, match="Another interrupt within two seconds raises"):
        machine.fit(*two)
    clock[0] += 1.9
    with pytest.raises(KeyboardInterrupt):
        machine.fit(*two)
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        machine.fit(*two)


def test_a_second_interrupt_later_ends_its_fit_alone(clock, two):
    for _ in range(3):
        with pytest.warns(ConvergenceWarning, match="interrupted"):
            assert SVC(max_iter=100).fit(*two).fit_status_ == 1
        clock[0] += 2.1


@pytest.mark.filterwarnings("ignore:.*probability.*deprecated:FutureWarning")
def test_an_interrupted_fit_has_no_probabilities(clock, two):
    machine = SVC(max_iter=100, probability=True)
    with pytest.warns(ConvergenceWarning) as seen:
        machine.fit(*two)
    assert "predict_proba is not available" in str(seen[-1].message)
    assert machine.predict(two[0]).shape == (300,)
