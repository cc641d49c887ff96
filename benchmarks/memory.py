"""Resident memory of this process, from Linux's /proc."""

from __future__ import annotations

import ctypes
import gc
from pathlib import Path

import numpy as np

_STATUS = Path("/proc/self/status")


def warm(n_bytes: int = 4 << 30) -> None:
    """Touch memory and free it, so that the system has it at hand for whoever asks next.

    A virtual machine gets its memory from the host at the first touch, ten times as slowly as
    later; whether a fit had to pay for that would be chance.
    """
    np.ones(n_bytes // 8)


def give_back() -> None:
    """Return freed memory to the system; a fit would reuse it and seem to need none."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)


def forget_peak() -> None:
    """Start the peak anew, at what is resident now."""
    Path("/proc/self/clear_refs").write_text("5")


def resident_mib() -> float:
    return _field("VmRSS")


def peak_mib() -> float:
    """The most that was resident since `forget_peak`."""
    return _field("VmHWM")


def _field(name: str) -> float:
    for line in _STATUS.read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1024
    raise OSError(f"/proc/self/status has no field {name}.")
