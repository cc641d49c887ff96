"""Fixtures for the whole suite; the modules `zoo` and `references` beside it hold the rest."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from maxmargin.interrupts import Now

settings.register_profile(
    "statements",
    derandomize=True,
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("thorough", settings.get_profile("statements"), max_examples=300)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "statements"))

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(autouse=True)
def heard_interrupts() -> Iterator[None]:
    """Hear interrupts, also where the suite was started with SIGINT ignored, as in `make test &`.

    Processes that a test starts inherit an ignored signal, but no handler. Interrupts of earlier
    tests are forgotten.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    Now.at = float("-inf")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def rng() -> np.random.Generator:
    """A generator that starts alike in every test."""
    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def data_directory() -> Path:
    """The real data sets, or a skip where they are absent."""
    places = [os.environ.get("MAXMARGIN_DATA"), ROOT.parent / "shared" / "data"]
    for place in places:
        if place and Path(place).is_dir():
            return Path(place)
    pytest.skip("no real data: set MAXMARGIN_DATA to the directory that holds mlpr/")
