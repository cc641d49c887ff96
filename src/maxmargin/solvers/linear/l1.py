"""The l1 machine with squared hinge loss, by compiled coordinate descent on the primal.

Features are visited one at a time, so the solver reads columns: it keeps a copy of the data by
columns, in its own precision, unless they lie in Fortran order already.

Chang, Hsieh, Lin 2008; Yuan, Chang, Hsieh, Lin 2010.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

import maxmargin._native as _native
from maxmargin.kernels.blas_threads import single_threaded_blas
from maxmargin.kernels.blocks import as_rows
from maxmargin.problems import Free, L1Margin, Problem
from maxmargin.solvers.base import Solver
from maxmargin.solvers.linear.choice import linear_solver
from maxmargin.solvers.linear.driver import LinearSolver
from maxmargin.solvers.linear.engine import Reached, RunOptions, reached
from maxmargin.solvers.solution import Ending, Solution
from maxmargin.solvers.stop import Stop
from maxmargin.typing import Floats

__all__ = ["L1Descent"]


@dataclass(frozen=True)
class L1Descent(LinearSolver):
    """Coordinate descent with shrinking on the weights of an l1 machine.

    Parameters
    ----------
    n_jobs : int, optional
        Threads, at most, one problem each; the solution does not depend on it.
    seed : int
        Of the order in which features are visited.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import L1Margin
    >>> solution = solve(L1Margin([[0.0, 1.0], [1.0, 1.0], [3.0, 1.0]], [-1, -1, 1], C=10))
    >>> solution.solver, solution.w.round(4)
    ('l1-descent', array([0.975, 0.   ]))
    """

    name: ClassVar[str] = "l1-descent"
    default_stop: ClassVar[Stop] = Stop(gap=1e-7)
    is_precise: ClassVar[bool] = False

    def refusal(self, problem: Problem) -> str | None:
        """Return why this solver cannot solve the problem, or None if it can."""
        return None if isinstance(problem, L1Margin) else "its penalty is not l1"

    def _solve(
        self, problems: Sequence[L1Margin], options: RunOptions, starts: Sequence[Solution | None]
    ) -> list[Reached]:
        X = problems[0].X
        n, d = X.shape
        transposed = X.T.tocsr() if sparse.issparse(X) else X.T
        columns = as_rows(transposed, np.float32 if X.dtype == np.float32 else np.float64)
        costs = [np.ascontiguousarray(problem.cost) for problem in problems]
        with single_threaded_blas:
            results = _native.solve_l1(
                columns,
                [
                    _native.L1Problem(
                        np.ascontiguousarray(problem.y, dtype=np.float64),
                        cost,
                        problem.bias_penalty,
                    )
                    for problem, cost in zip(problems, costs, strict=True)
                ],
                [_start(start, d) for start in starts],
                *options.native,
            )
        found = []
        for cost, result in zip(costs, results, strict=True):
            primal = float(cost.sum())
            nothing = Reached(np.zeros(d), 0.0, np.zeros(n), 0, primal, 0.0, Ending.MAX_ITER)
            found.append(reached(result, nothing))
        return found

    def _solution(self, problem: Any, found: Reached, **how: Any) -> Solution:
        offsets = np.array([-found.bias] if isinstance(problem.bias, Free) else [])
        return Solution(
            problem,
            found.multipliers,
            offsets,
            weights=found.weights,
            intercept=float(found.bias),
            **how,
        )


@linear_solver.register
def _(
    problem: L1Margin, method: Any = "auto", *, n_jobs: int | None = None, seed: int = 0
) -> Solver:
    del problem, method
    return L1Descent(n_jobs, seed)


def _start(start: Solution | None, n_features: int) -> Floats:
    if start is None or start.w.shape != (n_features,):
        return np.empty(0)
    return np.append(start.w, start.b)
