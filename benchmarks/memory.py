"""Resident memory of this process, from Linux's /proc."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

_STATUS = Path("/proc/self/status")


def warm(n_bytes: int = 4 << 30) -> None:
    """Touch memory and free it, so that the system can hand it out again quickly.

    A virtual machine gets its memory from the host at the first touch, ten times as slowly as
    later. Which fit would pay for that would be chance.
    """
    np.ones(n_bytes // 8)


def give_back() -> None:
    """Return freed memory to the system; otherwise a fit could reuse it and seem to need none."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)


@dataclass(frozen=True)
class Measured:
    """The value of a call, its seconds, and the peak of resident memory: added by it, in all."""

    value: Any
    seconds: float
    added_mib: float
    peak_mib: float


def measured(call: Callable[[], Any]) -> Measured:
    """Call, and measure time and memory."""
    give_back()
    before = _field("VmRSS")
    # Start the peak at what is resident now.
    Path("/proc/self/clear_refs").write_text("5")
    start = perf_counter()
    value = call()
    seconds = perf_counter() - start
    peak = _field("VmHWM")
    return Measured(value, seconds, peak - before, peak)


def _field(name: str) -> float:
    """Return a field of /proc/self/status in MiB."""
    for line in _STATUS.read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1024
    raise OSError(f"/proc/self/status has no field {name}.")
