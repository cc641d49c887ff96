"""What to do when steps on pairs crawl: start again from where an interior-point method ends.

Low-rank kernels with a large C, or with features of very different sizes, can take more steps than
anyone will wait for. An interior-point method does not mind, as long as its system is small.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from maxmargin.solvers.answers import Answer
from maxmargin.solvers.correction import measured
from maxmargin.solvers.dual_qp import has_few_features, interior_point
from maxmargin.solvers.points import snapped_onto

if TYPE_CHECKING:
    from maxmargin.solvers.engine_run import Run

__all__ = ["is_affordable", "rescued"]

_FEW_VARIABLES = 1500
_MOST_VARIABLES = 20_000
_MOST_FEATURES = 200
_ACCURACY = 1e-6


def is_affordable(run: Run, k: int) -> bool:
    """Say whether the interior-point method would take seconds rather than minutes."""
    kernel = run.sources.kernel
    if kernel.positive_semidefinite is not True:
        return False
    m = run.programs[k].n_variables
    if m <= _FEW_VARIABLES:
        return True
    features = run.gram.n_features
    return m <= _MOST_VARIABLES and features is not None and features <= _MOST_FEATURES


def rescued(run: Run, k: int, answer: Answer) -> Answer:
    """Return the better of an answer and the one that starts from an interior point."""
    qp = run.programs[k].to_qp(run.gram)
    if qp.n_variables > _FEW_VARIABLES and not has_few_features(qp):
        return answer
    left = run.seconds_left()
    _, signed = interior_point(qp, _ACCURACY, seconds=None if left < 0 else max(left, 1e-3))
    if not np.isfinite(signed).all():
        return answer
    start = snapped_onto(qp, signed)
    if qp.infeasibility(start) > 1e-9:
        start = qp.project(start)
    store = run.store(np.float64)
    (again,) = run.decompose(store, [k], [start], {}, run.tol)
    again = measured(run, k, again, run.exact_similarities(k, again.signed))
    better = again.converged or again.violation < answer.violation
    total = answer.steps + again.steps
    return replace(again if better else answer, steps=total)
