"""Fixtures of the linear solvers' tests."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from time import perf_counter, sleep
from types import FrameType
from typing import TypeVar

import pytest

from maxmargin.interrupts import Now

Result = TypeVar("Result")

# The Python functions that call the compiled runs.
_RUNS = {"solve_linear", "_solve_one", "_solve"}


def is_in_a_run(frame: FrameType) -> bool:
    """Whether a frame is in compiled code, or anywhere in the one method that is Python's."""
    if frame.f_code.co_name in _RUNS:
        return True
    above: FrameType | None = frame
    while above is not None and above.f_code.co_name != "to_the_end":
        above = above.f_back
    return above is not None


@pytest.fixture
def interrupted() -> Callable[[Callable[[], Result]], tuple[Result, float]]:
    """Run a task, interrupt it in compiled code; return its result and how long it took to end."""

    def run(task: Callable[[], Result]) -> tuple[Result, float]:
        for most_looks in (10, 40, 160, 640):
            try:
                return attempt(task, most_looks)
            except KeyboardInterrupt:
                Now.at = float("-inf")  # it came before the first step
        pytest.fail("the run did not take a step")

    def attempt(task: Callable[[], Result], most_looks: int) -> tuple[Result, float]:
        sent: list[float] = []
        is_over = threading.Event()
        caller = threading.get_ident()

        def interrupt() -> None:
            n_looks = 0
            while n_looks < most_looks and not is_over.is_set():
                sleep(0.01)
                running = is_in_a_run(sys._current_frames()[caller])
                n_looks = n_looks + 1 if running else 0
            if not is_over.is_set():
                sent.append(perf_counter())
                os.kill(os.getpid(), signal.SIGINT)

        sender = threading.Thread(target=interrupt)
        sender.start()
        try:
            result = task()
            ended = perf_counter()
        finally:
            is_over.set()
            sender.join()
        assert sent, "the run had ended before the interrupt was sent"
        return result, ended - sent[0]

    return run
