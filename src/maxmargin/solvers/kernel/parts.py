"""Folds that start from the fit to all points: the parts of its expansion that they leave out.

A fold is the problem of all points with zero costs for the held-out ones. It starts from the
solution for all points, minus what the held-out points contribute to its expansion. If these
contributions are accumulated separately during the fit to all points, a fold needs no kernel rows
but those of the variables that it changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from maxmargin.problems import BoxQP
from maxmargin.solvers.base import Warm
from maxmargin.typing import Bools, Floats

__all__ = ["Parts", "left_out_parts"]


@dataclass(frozen=True, eq=False)
class Parts:
    """For each program: the part that it leaves out (-1 for none), and the shares of its parts."""

    left_out: Sequence[int]
    shares: Sequence[Floats | None]


def left_out_parts(qps: Sequence[BoxQP], warm: Sequence[Warm]) -> Parts:
    """Find the programs that differ from the one they follow by points left out."""
    left_out = [-1] * len(qps)
    shares: list[Floats | None] = [None] * len(qps)
    if not any(isinstance(start, int) for start in warm):
        return Parts(left_out, shares)
    for leader, qp in enumerate(qps):
        followers = [k for k, start in enumerate(warm) if start == leader and start is not None]
        followers = [k for k in followers if isinstance(warm[k], int)]
        missing = [_missing(qp, qps[k]) for k in followers]
        if len(followers) < 2 or any(part is None for part in missing):
            continue
        parts = np.array(missing, dtype=np.float64)
        covered = parts.sum(axis=0)
        if covered.max() > 1:
            continue
        rest = 1.0 - covered
        shares[leader] = np.vstack([parts, rest]) if rest.any() else parts
        for place, k in enumerate(followers):
            left_out[k] = place
    return Parts(left_out, shares)


def _missing(whole: BoxQP, fold: BoxQP) -> Bools | None:
    """Return the variables that a fold leaves out; None if it is no fold of the whole."""
    same = (
        fold.n_variables == whole.n_variables
        and fold.points.rows is whole.points.rows
        and np.isfinite(whole.cost).all()
        and not whole.ridge.any()
        and np.array_equal(fold.sign, whole.sign)
    )
    if not same:
        return None
    missing: Bools = (fold.cost == 0) & (whole.cost > 0)
    return missing if missing.any() else None
