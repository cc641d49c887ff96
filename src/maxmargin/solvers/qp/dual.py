"""The dual as a convex quadratic program, by an interior-point method.

With an explicit feature map of moderate size the program is stated with the extra variables
v = sum b_i phi(x_i), so that the solver sees a sparse matrix instead of the Gram matrix. The
variables are divided by the size of the costs and the objective by that of its values, so that C
and features of any size are solved alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from maxmargin.interior_point import InteriorPoint, Progress, quadratic_program
from maxmargin.problems import BoxQP, KernelProblem
from maxmargin.solvers.base import SequentialSolver
from maxmargin.solvers.monitor import Monitor
from maxmargin.solvers.qp.polish import polished_solution
from maxmargin.solvers.solution import Solution
from maxmargin.solvers.stop import Stop
from maxmargin.typing import Floats, Integers

__all__ = ["DualQP", "has_few_features", "interior_point"]

_LARGEST = 12_000


@dataclass(frozen=True)
class DualQP(SequentialSolver):
    """Clarabel on the dual.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.kernels import RBF
    >>> from maxmargin.problems import OneClass
    >>> solve(OneClass([[0.0], [1.0]], nu=1, kernel=RBF(1.0)), solver="dual-qp").dual
    array([1., 1.])
    """

    name: ClassVar[str] = "dual-qp"
    default_stop: ClassVar[Stop] = Stop(gap=1e-7, kkt=5e-7, max_iter=200)

    def _objection(self, problem: KernelProblem) -> str | None:
        """Refuse indefinite kernels, and Gram matrices too large to factor."""
        qp = problem.dual()
        if qp.n_variables > _LARGEST and not has_few_features(qp):
            return (
                f"its {qp.n_variables} variables need a dense matrix of that size to be factored "
                f"(the limit is {_LARGEST})"
            )
        if problem.dual_kernel.positive_semidefinite is None and not qp.semidefiniteness:
            return (
                "the kernel is indefinite on this data (smallest eigenvalue "
                f"{qp.semidefiniteness.eigenvalue:.3g}) and the method needs a convex problem"
            )
        return None

    def run(self, problem: KernelProblem, monitor: Monitor, warm: Solution | None) -> Solution:
        """Solve; an interior-point method cannot use a warm start."""
        del warm
        qp = problem.dual()
        if not has_few_features(qp):
            problem.points.keep_matrix()
        result, signed = interior_point(
            qp,
            monitor.stop.accuracy,
            iterations=monitor.stop.max_iter,
            seconds=monitor.time_left,
            observe=lambda at: _watch(monitor, at),
        )
        offsets = -qp.value_scale * result.equality[: len(qp.total)]
        return polished_solution(self.name, monitor, result, signed, offsets)


def interior_point(
    qp: BoxQP,
    accuracy: float,
    *,
    iterations: int | None = None,
    seconds: float | None = None,
    observe: Callable[[Progress], bool] | None = None,
) -> tuple[InteriorPoint, Floats]:
    """Solve the program by Clarabel; returns its result and the signed variables in their box."""
    used = np.flatnonzero(qp.cost > 0)
    objective, linear, equalities, targets = (
        _with_features(qp, used) if has_few_features(qp) else _with_gram(qp, used)
    )
    extra = len(linear) - len(used)
    bounds, limits = _box(qp, used)
    bounds = sparse.hstack([bounds, sparse.csc_matrix((len(limits), extra))], format="csc")
    result = quadratic_program(
        objective,
        linear,
        (equalities, targets),
        (bounds, limits),
        tolerance=max(1e-13, 1e-4 * accuracy),
        max_iter=iterations,
        time_limit=seconds,
        callback=observe,
    )
    signed = np.zeros(qp.n_variables)
    solved = qp.cost_scale * result.x[: len(used)]
    signed[used] = np.clip(solved, qp.lower[used], qp.upper[used])
    return result, signed


def _watch(monitor: Monitor, at: Progress) -> bool:
    # The program minimises the negative dual, so its values come back with signs and roles changed.
    qp = monitor.problem.dual()
    scale = qp.cost_scale * qp.value_scale
    return monitor.record(at.iteration, primal=-scale * at.dual, dual=-scale * at.primal)


def has_few_features(qp: BoxQP) -> bool:
    """Say whether the features make a smaller system than the Gram matrix."""
    return qp.n_features is not None and 3 * qp.n_features < qp.n_variables


def _with_gram(qp: BoxQP, used: Integers) -> tuple[Any, Floats, Any, Floats]:
    scale, unit = qp.cost_scale, qp.value_scale
    hessian = (scale / unit) * qp.hessian()[np.ix_(used, used)]
    return hessian, qp.linear[used] / unit, qp.equality[:, used], qp.total / scale


def _with_features(qp: BoxQP, used: Integers) -> tuple[Any, Floats, Any, Floats]:
    scale, unit = qp.cost_scale, qp.value_scale
    features = sparse.csc_matrix(qp.features[qp.point[used]]) * np.sqrt(scale / unit)
    width = features.shape[1]
    ridge = sparse.diags((scale / unit) * qp.ridge[used])
    objective = sparse.block_diag([ridge, sparse.identity(width)])
    equalities = sparse.bmat([[features.T, -sparse.identity(width)]], format="csc")
    if len(qp.total):
        sums = sparse.csc_matrix(qp.equality[:, used])
        empty = sparse.csc_matrix((len(qp.total), width))
        equalities = sparse.vstack([sparse.hstack([sums, empty]), equalities], format="csc")
    linear = np.concatenate([qp.linear[used] / unit, np.zeros(width)])
    return objective, linear, equalities, np.concatenate([qp.total / scale, np.zeros(width)])


def _box(qp: BoxQP, used: Integers) -> tuple[Any, Floats]:
    """Return G, h of 0 <= a and, for finite costs, a <= cost."""
    sign = sparse.diags(qp.sign[used], format="csr")
    finite = np.isfinite(qp.cost[used])
    rows = sparse.vstack([-sign, sign[np.flatnonzero(finite)]], format="csc")
    return rows, np.concatenate([np.zeros(len(used)), qp.cost[used][finite] / qp.cost_scale])
