"""Long fits on strings: Ctrl-C, limits of time and memory, progress."""

import io
import os
import signal
import threading
from time import perf_counter

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from maxmargin import SVC, NuSVC, OneClassSVM, SVMSearchCV
from maxmargin.kernels import Spectrum, Subsequence, comparisons
from maxmargin.machines import progress

#: Seconds after Ctrl-C in which a fit must have ended.
SOON = 10.0

#: Minutes for the strings below.
SLOW = Subsequence(6, decay=0.5, normalize=True)


@pytest.fixture(scope="module")
def strings():
    random = np.random.default_rng(0)
    return np.array(["".join(random.choice(list("ACGT"), 80)) for _ in range(2400)])


@pytest.fixture(scope="module")
def labels():
    return np.array(["one", "two", "three"])[np.arange(2400) % 3]


class CtrlC:
    """Sends an interrupt after some time; knows how long ago that was."""

    def __init__(self, seconds):
        self.timer = threading.Timer(seconds, self._send)

    def _send(self):
        self.at = perf_counter()
        os.kill(os.getpid(), signal.SIGINT)

    def __enter__(self):
        self.timer.start()
        return self

    def __exit__(self, *raised):
        self.timer.cancel()

    @property
    def ago(self):
        return perf_counter() - self.at


def is_healthy():
    machine = SVC(kernel=Spectrum(1)).fit(["a", "b", "ab", "ba"], [0, 1, 0, 1])
    return machine.certificate_.holds(1e-3)


@pytest.mark.parametrize("machine", [SVC(), NuSVC(nu=0.1), OneClassSVM(nu=0.1)], ids=repr)
def test_ctrl_c_ends_the_comparison_of_strings(machine, strings, labels):
    machine.set_params(kernel=SLOW)
    with CtrlC(0.3) as ctrl_c, pytest.raises(KeyboardInterrupt, match="no model yet"):
        machine.fit(strings, labels)
    assert ctrl_c.ago < SOON
    assert is_healthy()


def test_ctrl_c_ends_a_search_that_has_nothing_yet(strings, labels):
    search = SVMSearchCV(SVC(), {"kernel": [SLOW], "C": [1.0, 10.0]}, cv=3)
    with CtrlC(0.3) as ctrl_c, pytest.raises(KeyboardInterrupt):
        search.fit(strings, labels)
    # Its threads go on to the end of a stripe.
    assert ctrl_c.ago < 3 * SOON
    assert is_healthy()


def test_a_time_limit_holds_while_strings_are_compared(strings, labels):
    machine = SVC(kernel=SLOW, time_limit=0.3)
    began = perf_counter()
    with pytest.warns(ConvergenceWarning, match=r"time_limit=0\.3"):
        machine.fit(strings, labels)
    assert perf_counter() - began < 20
    assert machine.predict(strings[:2]).shape == (2,)


def test_progress_is_the_share_of_the_matrix_and_then_the_gap(strings, labels, monkeypatch):
    shown = io.StringIO()
    console = progress.Console
    monkeypatch.setattr(
        progress,
        "Console",
        lambda **_: console(file=shown, force_terminal=True, width=120, color_system=None),
    )
    SVC(kernel=Subsequence(2), verbose=1).fit(strings[:600], labels[:600])
    assert "% of the kernel matrix" in shown.getvalue()
    assert "3/3 machines, gap" in shown.getvalue()


def test_callbacks_are_not_told_of_the_matrix(strings, labels):
    pytest.importorskip("sklearn.callback")
    from .test_callbacks import Recorder

    recorder = Recorder()
    SVC(kernel=Subsequence(2)).set_callbacks(recorder).fit(strings[:600], labels[:600])
    assert recorder.begun.count("problem") == 3


@pytest.mark.parametrize("estimator", [SVC, SVMSearchCV])
def test_strings_are_compared_by_as_many_threads_as_asked_for(
    estimator, strings, labels, monkeypatch
):
    seen, fill = [], comparisons.Comparison.block

    def noted(self, *places):
        seen.append(comparisons._threads())
        return fill(self, *places)

    monkeypatch.setattr(comparisons.Comparison, "block", noted)
    machine = SVC(kernel=Spectrum(2, normalize=True))
    if estimator is SVMSearchCV:
        machine = SVMSearchCV(machine, {"C": [1.0, 2.0]}, cv=2, refit=False)
    machine.set_params(n_jobs=1).fit(strings[:300], labels[:300])
    assert set(seen) == {1}


@pytest.mark.parametrize("machine", [SVC(), NuSVC(nu=0.2), OneClassSVM(nu=0.2)], ids=repr)
def test_the_model_does_not_depend_on_the_memory_for_rows(machine, strings, labels):
    X, y = strings[:300], labels[:300]
    machine.set_params(kernel=Spectrum(3, normalize=True), tol=1e-8)
    expected = machine.fit(X, y).decision_function(X)
    little = machine.set_params(cache_size=0.1).fit(X, y).decision_function(X)
    np.testing.assert_allclose(little, expected, atol=1e-6)
