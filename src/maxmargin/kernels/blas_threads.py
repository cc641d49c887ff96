"""Keep SciPy's BLAS to one thread while the native core uses threads of its own.

The core calls BLAS from several threads at once; a BLAS that started more threads for each call
would overload the machine. `threadpoolctl.threadpool_limits` is not enough: it searches for the
libraries at every use, which costs more than a small block; it ignores the limit that a second
thread sets for OpenBLAS; it does not count overlapping uses, so the end of one block may lift the
limit of another; and a child process forked inside a block would keep the limit for ever. Here
threadpoolctl finds the libraries once, and their limit is counted and set directly.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from threadpoolctl import ThreadpoolController

__all__ = ["single_threaded_blas"]


class _SingleThreadedBlas:
    """A context manager: the first of overlapping uses sets the limit, the last one lifts it."""

    def __init__(self) -> None:
        self._controls: list[_BlasThreads] | None = None
        self._before: list[int] = []
        self._inside = 0
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        with self._lock:
            if self._controls is None:
                self._controls = _find_blas_threads()
            if self._inside == 0:
                self._before = [control.get() for control in self._controls]
                self._set([1] * len(self._before))
            self._inside += 1

    def __exit__(self, *exception: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._set(self._before)

    def forget_other_threads(self) -> None:
        """In a forked child no other thread exists: none is inside, and none holds the lock."""
        self._lock = threading.Lock()
        if self._inside > 0:
            self._inside = 0
            self._set(self._before)

    def _set(self, counts: list[int]) -> None:
        for control, count in zip(self._controls or [], counts, strict=True):
            if control.get() != count:
                control.set(count)


class _BlasThreads(NamedTuple):
    get: Callable[[], int]
    set: Callable[[int], object]


def _find_blas_threads() -> list[_BlasThreads]:
    """Return how to read and set the number of threads of SciPy's BLAS."""
    libraries = ThreadpoolController().select(user_api="blas").lib_controllers
    bundled = [
        library
        for library in libraries
        if any(part.startswith("scipy") for part in Path(library.filepath).parent.parts)
    ]
    return [_blas_threads_of(library) for library in bundled or libraries]


def _blas_threads_of(library: Any) -> _BlasThreads:
    # OpenBLAS's own functions, because threadpoolctl ignores all threads but one.
    if library.internal_api == "openblas" and library.threading_layer == "pthreads":
        for prefix, suffix in product(("", "scipy_"), ("", "64_", "_64")):
            names = [f"{prefix}openblas_{verb}_num_threads{suffix}" for verb in ("get", "set")]
            functions: list[Any] = [getattr(library.dynlib, name, None) for name in names]
            if None not in functions:
                return _BlasThreads(*functions)
    return _BlasThreads(library.get_num_threads, library.set_num_threads)


single_threaded_blas = _SingleThreadedBlas()
if sys.platform != "win32":
    os.register_at_fork(after_in_child=single_threaded_blas.forget_other_threads)
