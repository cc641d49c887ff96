"""Rescue of runs whose steps make no progress: restart from the end of an interior-point method.

Low-rank kernels with a large C, or features of very different sizes, can take more steps than
anyone will wait for. An interior-point method is not affected, as long as its system is small.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from maxmargin.interrupts import pending
from maxmargin.problems import BoxQP
from maxmargin.solvers.kernel.batch import Batch, Found, Terms
from maxmargin.solvers.qp.dual import has_few_features, interior_point
from maxmargin.solvers.solution import Ending
from maxmargin.solvers.starts import snapped_onto

__all__ = ["can_be_rescued", "rescued"]

# Largest problems for which the interior-point method takes seconds rather than minutes: variables
# for any kernel; variables and features for kernels with a finite feature map.
_FEW_VARIABLES = 1500
_MOST_VARIABLES = 20_000
_MOST_FEATURES = 200

# Relative gap that the interior-point method is asked for.
_ACCURACY = 1e-6

# Steps that the second try may take per variable.
_STEPS_PER_VARIABLE = 10_000


def can_be_rescued(qp: BoxQP) -> bool:
    """Say whether the interior-point method would take seconds rather than minutes."""
    if qp.points.kernel.positive_semidefinite is not True:
        return False
    if qp.n_variables <= _FEW_VARIABLES:
        return True
    features = qp.n_features
    return (
        qp.n_variables <= _MOST_VARIABLES
        and features is not None
        and features <= _MOST_FEATURES
        and has_few_features(qp)
    )


def rescued(batch: Batch, k: int, found: Found, tolerance: float, time_left: float | None) -> Found:
    """Return the better of what was found and what a start from an interior point leads to."""
    qp = batch.qps[k]
    limit = None if time_left is None else max(time_left, 1e-3)
    _, signed = interior_point(qp, _ACCURACY, seconds=limit)
    if pending():
        return replace(found, ending=Ending.INTERRUPT)
    if not np.isfinite(signed).all():
        return found
    start = snapped_onto(qp, signed)
    if qp.infeasibility(start) > 1e-9:
        start = qp.project(start)
    (again,) = batch.solve(
        [Terms.of(qp, start, tolerance)],
        [k],
        max_steps=_STEPS_PER_VARIABLE * qp.n_variables,
        seconds=time_left,
        fine=True,
    )
    better = again.converged or again.violation < found.violation
    return replace(again if better else found, steps=found.steps + again.steps)
