"""Ctrl-C: once stops the work and keeps what it has; again within two seconds aborts it.

While the main thread does work that has something to keep (`maxmargin.solvers.stop.Keeping`), the
first interrupt is noted instead of raised, wherever it arrives: in Python, between two compiled
runs, or in one of them, which looks at the same note. The work asks `pending` now and then, ends,
calls `heed`, and says in a warning what it has kept.

A handler of the program's own is called first; an interrupt is what it raises `KeyboardInterrupt`
for. In other threads, and where the signal is ignored, nothing changes.
"""

from __future__ import annotations

import threading
from time import monotonic
from types import CodeType, FrameType
from typing import Any, ClassVar

import maxmargin._native as _native

__all__ = ["AbortError", "Now", "abort", "heed", "note", "pending", "require_none"]

# Seconds within which a second interrupt aborts.
_SOON = 2.0


class AbortError(KeyboardInterrupt):
    """The second of two interrupts within two seconds."""


class Now:
    """What the main thread is in, and the last interrupt."""

    #: How many `Keeping` contexts are open.
    depth: int = 0
    #: The handler that `note` has replaced.
    before: Any = None
    #: When the last interrupt was noted, whether it is still to be heeded, and how many were.
    at: float = float("-inf")
    is_pending: bool = False
    n_noted: int = 0
    #: Whether an interrupt is raised when it is noted.
    raises: bool = False
    #: Whether a second interrupt waits to be raised.
    is_aborted: bool = False
    #: Functions in the middle of which nothing may be raised.
    whole: ClassVar[set[CodeType]] = set()


def pending() -> bool:
    """Say whether an interrupt was noted that the current thread's work has not heeded yet.

    Examples
    --------
    >>> from maxmargin.interrupts import pending
    >>> pending()
    False
    """
    return Now.is_pending and threading.current_thread() is threading.main_thread()


def heed() -> None:
    """Say that work has ended because of the interrupt; what follows it goes on."""
    if threading.current_thread() is threading.main_thread():
        _set(False)


def require_none(why: str) -> None:
    """Raise `KeyboardInterrupt` if an interrupt is pending, for work that has nothing to keep."""
    if pending():
        raise KeyboardInterrupt(why)


def note(number: int, frame: FrameType | None) -> None:
    """Handle the signal: note the first interrupt, raise the second one if it follows soon."""
    try:
        Now.before(number, frame)
    except KeyboardInterrupt:
        if Now.depth == 0:  # an abort has left this handler behind
            raise
        now = monotonic()
        if now - Now.at <= _SOON:
            Now.at = float("-inf")
            Now.is_aborted = True
            if not _is_within(Now.whole, frame):
                abort()
            return
        Now.at = now
        Now.n_noted += 1
        _set(True)
        if Now.raises:
            raise


def abort() -> None:
    """Raise the second interrupt."""
    Now.is_aborted = False
    _set(False)
    raise AbortError("Interrupted twice within two seconds.") from None


def _is_within(functions: set[CodeType], frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code in functions:
            return True
        frame = frame.f_back
    return False


def _set(is_pending: bool) -> None:
    Now.is_pending = is_pending
    _native.note_interrupt(is_pending)
