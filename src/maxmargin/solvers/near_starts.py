"""Starts near a point whose kernel sums are known: what has changed is all that costs anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import maxmargin._native as _native
from maxmargin.solvers.answers import Ending
from maxmargin.typing import Floats

if TYPE_CHECKING:
    from maxmargin.solvers.engine_run import Run

__all__ = ["sums_at_start"]

# Changes of a coefficient below this share of the largest are rounding.
_ROUNDING = 1e-13


def sums_at_start(run: Run, store: Any) -> tuple[dict[int, Floats], Ending | None]:
    """Return similarities at the starts that are near known ones, or what ended this before."""
    known: dict[int, Floats] = {}
    changes: dict[int, Floats] = {}
    for k, program in enumerate(run.programs):
        if program.near is None or len(run.boundaries) > 2 or run.takes_all(program):
            continue
        start = run.coefficients(k, program.start)
        change = start - program.near.coefficients
        change[np.abs(change) <= _ROUNDING * np.abs(start).max(initial=0.0)] = 0.0
        if np.count_nonzero(change) < np.count_nonzero(start):
            known[k] = program.near.values
            if change.any():
                changes[k] = change
    if not changes:
        return known, None
    # Runs without steps: all that they do is to add up the rows of their start. None is kept, for
    # most will not be wanted again.
    results = _native.decompose(
        type(store)(run.source, run.boundaries, 0),
        [_weights_of(change) for change in changes.values()],
        [None] * len(changes),
        tolerance=np.inf,
        most_steps=0,
        working_set=1,
        whole_up_to=0,
        widest=1,
        in_step=1,
        n_threads=run.engine.n_threads,
        seconds=run.seconds_left(),
        watch=None,
    )
    for k, result in zip(changes, results, strict=True):
        if result[4] not in ("converged", "steps", "stalled"):
            return {}, result[4]
        known[k] = known[k] + result[5]
    return known, None


def _weights_of(change: Floats) -> Any:
    """Return a program without bounds whose start is the change of the points' coefficients."""
    point = np.flatnonzero(change)
    m = len(point)
    ones, zeros, endless = np.ones(m), np.zeros(m), np.full(m, np.inf)
    group = np.zeros(m, dtype=np.int64)
    amount = np.ascontiguousarray(change[point])
    none = np.zeros((0, m))
    return _native.Program(point, ones, -endless, endless, zeros, zeros, group, amount, none)
