"""Fixtures of the linear solvers' tests."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from time import perf_counter
from typing import TypeVar

import pytest

from maxmargin.solvers import interrupts

Result = TypeVar("Result")


@pytest.fixture
def interrupted(
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[Callable[[], Result], float], tuple[Result, float]]:
    """Run a task, interrupt it some seconds later; return its result and how long that took."""

    def run(task: Callable[[], Result], after: float) -> tuple[Result, float]:
        # Interrupts of other tests are no reason to raise KeyboardInterrupt.
        monkeypatch.setattr(interrupts._Heard, "at", float("-inf"))
        sent: list[float] = []

        def interrupt() -> None:
            sent.append(perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(after, interrupt)
        timer.start()
        try:
            result = task()
            ended = perf_counter()
        except KeyboardInterrupt:
            pytest.fail("the run had ended before the interrupt came")
        finally:
            timer.cancel()
            timer.join()
        assert sent, "the run had ended before the interrupt was sent"
        return result, ended - sent[0]

    return run
