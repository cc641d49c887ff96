"""What is seen of learning: callbacks that watch, score and stop it, and the progress bar."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from maxmargin import OnlineOneClassSVM, OnlineSVC
from maxmargin.streams import chunks

from .online_data import clouds, same


class Recorder:
    """Notes the tasks that end, and the models then; may ask to stop after some."""

    def __init__(self, stop_after=None):
        self.begun, self.ended, self.models, self.set_up = [], [], [], 0
        self.stop_after = stop_after

    def setup(self, estimator, context):
        self.set_up += 1

    def teardown(self, estimator, context):
        self.set_up -= 1

    def on_fit_task_begin(self, estimator, context):
        self.begun.append(context.task_name)

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        self.ended.append(context.task_name)
        self.models.append(fitted_estimator)
        return self.stop_after is not None and len(self.ended) >= self.stop_after


X, Y = clouds(2000)


@pytest.fixture
def callback():
    return pytest.importorskip("sklearn.callback")


@pytest.mark.parametrize("kind", [OnlineSVC, OnlineOneClassSVM])
def test_each_pass_is_a_task_with_a_model(kind, callback):
    recorder = Recorder()
    machine = kind(max_iter=3, tol=None, random_state=0).set_callbacks(recorder).fit(X, Y)
    assert recorder.set_up == 0
    assert recorder.begun == ["fit", "pass", "pass", "pass"]
    assert recorder.ended == ["pass", "pass", "pass", "fit"]
    for n_passes, model in enumerate(recorder.models[:-1], start=1):
        shorter = kind(max_iter=n_passes, tol=None, random_state=0).fit(X, Y)
        np.testing.assert_array_equal(model.coef_, shorter.coef_)
    np.testing.assert_array_equal(recorder.models[-1].predict(X), machine.predict(X))


@pytest.mark.parametrize("kind", [OnlineSVC, OnlineOneClassSVM])
def test_each_chunk_of_a_stream_is_a_task(kind, callback):
    recorder = Recorder()
    machine = kind(random_state=0).set_callbacks(recorder)
    machine.fit_stream(chunks(X, Y, size=500), epochs=2)
    assert recorder.set_up == 0
    assert recorder.ended == ["chunk"] * 8 + ["fit"]


def test_a_callback_can_stop_a_fit_and_a_stream(callback):
    machine = OnlineSVC(random_state=0).set_callbacks(Recorder(stop_after=2))
    with pytest.warns(ConvergenceWarning, match="a callback asked for it"):
        machine.fit(X, Y)
    assert machine.n_iter_ == 2
    machine.set_callbacks(Recorder(stop_after=3))
    with pytest.warns(ConvergenceWarning, match="a callback asked for it"):
        machine.fit_stream(chunks(X, Y, size=100), epochs=5)
    assert machine.t_ == 300


def test_the_scoring_monitor_follows_the_passes(callback):
    monitor = callback.ScoringMonitor(scoring="accuracy")
    machine = OnlineSVC(max_iter=4, tol=None, random_state=0).set_callbacks(monitor).fit(X, Y)
    scores = [row["accuracy"] for row in monitor.get_logs().data if "accuracy" in row]
    assert len(scores) >= 4
    assert scores[-1] == machine.score(X, Y)


def test_the_model_is_the_same_with_or_without_callbacks(callback):
    plain = OnlineSVC(max_iter=3, tol=None, random_state=0).fit(X, Y)
    same(plain, OnlineSVC(max_iter=3, tol=None, random_state=0).set_callbacks(Recorder()).fit(X, Y))


def test_the_bar_shows_rows_and_objective(capsys):
    machine = OnlineSVC(max_iter=2, tol=None, random_state=0, verbose=1).fit(X, Y)
    shown = capsys.readouterr().err
    assert "OnlineSVC" in shown
    assert "4000 rows, objective" in shown
    quiet = OnlineSVC(max_iter=2, tol=None, random_state=0).fit(X, Y)
    same(machine, quiet)
    assert capsys.readouterr().err == ""
    OnlineOneClassSVM(verbose=1).fit_stream(chunks(X, size=500))
    assert "2000 rows" in capsys.readouterr().err
