"""scikit-learn's callbacks see, score and stop our fits."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from sklearn import datasets
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

from maxmargin import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from maxmargin.solvers import Ending
from maxmargin.solvers.kernel.batch import Batch

callback = pytest.importorskip("sklearn.callback")

FIVE = [SVC, NuSVC, SVR, NuSVR, OneClassSVM]


class Recorder:
    """Notes the tasks that begin and end; may ask to stop after some."""

    def __init__(self, stop_after=None):
        self.begun, self.ended, self.set_up = [], [], 0
        self.stop_after = stop_after

    def setup(self, estimator, context):
        self.set_up += 1

    def teardown(self, estimator, context):
        self.set_up -= 1

    def on_fit_task_begin(self, estimator, context):
        self.begun.append(context.task_name)

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        self.ended.append((context.task_name, fitted_estimator))
        return self.stop_after is not None and len(self.ended) >= self.stop_after


@pytest.fixture
def iris():
    return datasets.load_iris(return_X_y=True)


@pytest.mark.parametrize("kind", FIVE)
def test_every_task_that_begins_ends(kind, iris):
    recorder = Recorder()
    machine = kind().set_callbacks(recorder).fit(*iris)
    assert recorder.set_up == 0
    assert recorder.begun[0] == "fit"
    assert sorted(recorder.begun) == sorted(name for name, _ in recorder.ended)
    name, fitted = recorder.ended[-1]
    assert name == "fit"
    np.testing.assert_array_equal(fitted.predict(iris[0]), machine.predict(iris[0]))


def test_a_pair_of_classes_is_a_task(iris):
    recorder = Recorder()
    SVC().set_callbacks(recorder).fit(*iris)
    assert recorder.begun.count("problem") == 3


def test_a_pair_that_never_ran_is_no_task(iris, monkeypatch):
    solve = Batch.solve

    def stopped(self, terms, which, **limits):
        *found, last = solve(self, terms, which, **limits)
        return [*found, replace(last, violation=np.inf, ending=Ending.CALLBACK)]

    monkeypatch.setattr(Batch, "solve", stopped)
    recorder = Recorder()
    with pytest.warns(ConvergenceWarning, match="unknown in 1 of 3 machines"):
        SVC().set_callbacks(recorder).fit(*iris)
    assert recorder.begun.count("problem") == 2
    assert sorted(recorder.begun) == sorted(name for name, _ in recorder.ended)


def test_a_callback_can_stop_a_fit(rng):
    # Long enough that the engine looks at the clock before it is done.
    X, y = rng.normal(size=(600, 2)), rng.integers(0, 2, 600)
    machine = SVC(C=1e6).set_callbacks(Recorder(stop_after=1))
    with pytest.warns(ConvergenceWarning, match="a callback asked for it"):
        machine.fit(X, y)
    assert machine.fit_status_ == 1
    assert machine.predict(X).shape == (600,)


@pytest.mark.parametrize("kind", FIVE)
def test_the_progress_bar_of_scikit_learn_shows_a_fit(kind, iris, capsys):
    bar = callback.ProgressBar()
    kind().set_callbacks(bar).fit(*iris)
    assert kind.__name__ in capsys.readouterr().out


def test_the_scoring_monitor_scores_the_fitted_model(iris):
    monitor = callback.ScoringMonitor(scoring="accuracy")
    machine = SVC().set_callbacks(monitor).fit(*iris)
    log = monitor.get_logs()
    scores = [row["accuracy"] for row in log.data if "accuracy" in row]
    assert scores == [machine.score(*iris)]


def test_a_search_passes_its_callbacks_on(iris):
    recorder = callback.ProgressBar()
    search = GridSearchCV(SVC(), {"C": [0.1, 1.0]}, cv=2).set_callbacks(recorder)
    assert search.fit(*iris).best_score_ > 0.8


def test_a_fit_is_the_same_with_or_without_callbacks(iris):
    plain = SVC().fit(*iris)
    watched = SVC().set_callbacks(Recorder()).fit(*iris)
    np.testing.assert_array_equal(plain.dual_coef_, watched.dual_coef_)


def test_a_scikit_learn_without_callbacks_does():
    code = (
        "import sys; sys.modules['sklearn.callback'] = None; from maxmargin import SVC; "
        "from maxmargin.machines.callbacks import CallbackSupportMixin as Mixin; "
        "print(Mixin.__module__, hasattr(SVC(), 'set_callbacks'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["maxmargin.machines.callbacks", "False"]
