"""How much memory kernel rows may take."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["ALWAYS_THERE", "available_bytes", "has_room_for_whole", "row_budget"]

# Bytes assumed to be available if the system does not tell.
_UNKNOWN = 4 << 30

#: A matrix of at most this many bytes (2048 points in float32) is kept without asking the system
#: how much memory is available, which would take as long as a small fit.
ALWAYS_THERE = 1 << 24

_MEMINFO = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")


def row_budget(n_points: int, cache_size: float | None) -> int:
    """Return the bytes for rows: as told, else the whole matrix up to a quarter of what is free.

    Examples
    --------
    >>> from maxmargin.solvers.kernel.memory import row_budget
    >>> row_budget(1000, 200.0), row_budget(1000, None)
    (209715200, 4000000)
    """
    if cache_size is not None:
        return int(cache_size * (1 << 20))
    whole = 4 * n_points**2
    return whole if whole <= ALWAYS_THERE else min(whole, available_bytes() // 4)


def has_room_for_whole(n_points: int, cache_size: float | None) -> bool:
    """Say whether a matrix in float64 fits into what is told, else a quarter of what is free.

    Examples
    --------
    >>> from maxmargin.solvers.kernel.memory import has_room_for_whole
    >>> has_room_for_whole(1000, 10.0), has_room_for_whole(2000, 10.0)
    (True, False)
    """
    whole = 8 * n_points**2
    if cache_size is not None:
        return whole <= cache_size * (1 << 20)
    return whole <= max(ALWAYS_THERE, available_bytes() // 4)


def available_bytes() -> int:
    """Return the memory that this process can still get without swapping.

    Examples
    --------
    >>> from maxmargin.solvers.kernel.memory import available_bytes
    >>> available_bytes() > 0
    True
    """
    found = [value for value in (_of_system(), _of_container()) if value is not None]
    return min(found, default=_UNKNOWN)


def _of_system() -> int | None:
    if _MEMINFO.exists():
        for line in _MEMINFO.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, OSError, ValueError):
        return None


def _of_container() -> int | None:
    """Return what the limit of a container leaves."""
    try:
        limit = (_CGROUP / "memory.max").read_text().strip()
        used = (_CGROUP / "memory.current").read_text().strip()
    except OSError:
        return None
    return max(int(limit) - int(used), 0) if limit.isdecimal() else None
