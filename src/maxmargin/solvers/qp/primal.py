"""The primal as a convex quadratic program in w, offsets and slacks, by an interior-point method.

    min 1/2 |w|^2 + cost'slack (or slack^2 / (2 ridge)) - d'mu
    s.t. sign (phi(x)'w + p - A'mu) + slack >= 0,  slack >= 0

The multipliers of the first constraints are the dual variables. With s the size of the costs and t
that of the decision values, the program is stated in w / sqrt(s t), mu / t and slack / t and its
objective divided by s t, so that C and features of any size are solved alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from maxmargin.interior_point import quadratic_program
from maxmargin.problems import KernelProblem
from maxmargin.solvers.base import SequentialSolver
from maxmargin.solvers.monitor import Monitor
from maxmargin.solvers.qp.polish import polished_solution
from maxmargin.solvers.solution import Solution
from maxmargin.solvers.stop import Stop

__all__ = ["PrimalQP"]

_MOST_FEATURES = 20_000


@dataclass(frozen=True)
class PrimalQP(SequentialSolver):
    """Clarabel on the primal, for kernels with an explicit feature map.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import HardMargin
    >>> solve(HardMargin([[0.0], [4.0]], [-1, 1]), solver="primal-qp").w.round(6)
    array([0.5])
    """

    name: ClassVar[str] = "primal-qp"
    default_stop: ClassVar[Stop] = Stop(gap=1e-7, kkt=5e-7, max_iter=200)

    def _objection(self, problem: KernelProblem) -> str | None:
        """Refuse kernels without a finite feature map, or with one too wide."""
        width = problem.dual().n_features
        if width is None:
            return f"{problem.kernel!r} has no explicit feature map of finite size"
        if width > _MOST_FEATURES:
            return f"the feature map of {problem.kernel!r} has {width} features here"
        return None

    def run(self, problem: KernelProblem, monitor: Monitor, warm: Solution | None) -> Solution:
        """Solve; an interior-point method cannot use a warm start."""
        del warm
        qp = problem.dual()
        used = np.flatnonzero(qp.cost > 0)
        sign = sparse.diags(qp.sign[used])
        scale, unit = qp.cost_scale, qp.value_scale
        features = sign @ sparse.csc_matrix(qp.features[qp.point[used]])
        features *= np.sqrt(scale / unit)
        levels = sign @ sparse.csc_matrix(-qp.equality[:, used].T)
        soft = np.flatnonzero(np.isfinite(qp.cost[used]) | (qp.ridge[used] > 0))
        slack = sparse.identity(len(used), format="csc")[:, soft]
        width, sums, slacks = features.shape[1], len(qp.total), len(soft)

        ridge = qp.ridge[used][soft]
        curvature = np.divide(unit / scale, ridge, out=np.zeros(slacks), where=ridge > 0)
        penalty = np.where(ridge > 0, 0.0, qp.cost[used][soft] / scale)
        objective = sparse.block_diag(
            [sparse.identity(width), sparse.csc_matrix((sums, sums)), sparse.diags(curvature)]
        )
        linear = np.concatenate([np.zeros(width), -qp.total / scale, penalty])
        constraints = sparse.vstack(
            [
                -sparse.hstack([features, levels, slack]),
                sparse.hstack(
                    [sparse.csc_matrix((slacks, width + sums)), -sparse.identity(slacks)]
                ),
            ],
            format="csc",
        )
        limits = np.concatenate([qp.sign[used] * qp.linear[used] / unit, np.zeros(slacks)])
        nothing: tuple[Any, Any] = (sparse.csc_matrix((0, len(linear))), np.zeros(0))
        result = quadratic_program(
            objective,
            linear,
            nothing,
            (constraints, limits),
            tolerance=max(1e-13, 1e-4 * monitor.stop.accuracy),
            max_iter=monitor.stop.max_iter,
            time_limit=monitor.time_left,
            callback=lambda at: monitor.record(
                at.iteration, scale * unit * at.primal, scale * unit * at.dual
            ),
        )
        signed = np.zeros(qp.n_variables)
        signed[used] = scale * qp.sign[used] * result.inequality[: len(used)]
        signed = np.clip(signed, qp.lower, qp.upper)
        offsets = unit * result.x[width : width + sums]
        return polished_solution(self.name, monitor, result, signed, offsets)
