"""How many threads `n_jobs` asks for."""

from __future__ import annotations

import os

from maxmargin.errors import InvalidInputError

__all__ = ["thread_count"]

_MOST_THREADS = 256


def thread_count(n_jobs: int | None) -> int | None:
    """Return the threads that n_jobs asks for; negative counts from the number of CPUs."""
    if n_jobs is None or n_jobs == -1:
        return None
    if n_jobs == 0:
        raise InvalidInputError("n_jobs must not be zero: give a number of threads, or None.")
    return min(n_jobs, _MOST_THREADS) if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)
