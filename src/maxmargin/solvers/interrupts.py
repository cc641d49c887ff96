"""Ctrl-C: once ends a fit with the model so far; soon again it ends whatever calls the fits."""

from __future__ import annotations

from time import monotonic

__all__ = ["heed_interrupt"]

_SOON = 2.0


class _Heard:
    """When the last fit of this process was interrupted."""

    at: float = float("-inf")


def heed_interrupt() -> None:
    """Note that a run was interrupted; raise `KeyboardInterrupt` if another was just before."""
    now = monotonic()
    again = now - _Heard.at <= _SOON
    _Heard.at = float("-inf") if again else now
    if again:
        raise KeyboardInterrupt("Interrupted twice within two seconds.")
