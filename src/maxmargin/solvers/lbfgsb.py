"""The box-constrained dual by a limited-memory quasi-Newton method.

Without equality constraints, that is with a regularised bias, the dual has bounds only.
Byrd, Lu, Nocedal, Zhu 1995 (L-BFGS-B).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import Bounds, minimize

from maxmargin.problems import BoxQP, Problem, Solution
from maxmargin.solvers.base import Solver
from maxmargin.solvers.monitor import Monitor, snap, starting_point
from maxmargin.solvers.stop import Stop
from maxmargin.typing import Floats

__all__ = ["LBFGSB"]


@dataclass(frozen=True)
class LBFGSB(Solver):
    """SciPy's L-BFGS-B on the dual of a problem with a regularised bias.

    Parameters
    ----------
    factr : float
        SciPy's own test: stop when the objective falls by less than factr times the machine
        precision, relatively. 0 leaves the decision to the gap and the KKT violation.
    memory : int
        Number of correction pairs.
    observe_every : int
        Iterations between two looks at the gap.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import Regularised, SoftMargin
    >>> problem = SoftMargin([[0.0], [2.0]], [-1, 1], bias=Regularised(1))
    >>> solve(problem, solver="lbfgsb").converged
    True
    """

    factr: float = 0.0
    memory: int = 20
    observe_every: int = 10

    name: ClassVar[str] = "lbfgsb"
    default_stop: ClassVar[Stop] = Stop(gap=5e-7, kkt=1e-6, iterations=200_000)

    def refusal(self, problem: Problem) -> str | None:
        """Refuse duals with equality constraints."""
        if len(problem.dual().total) == 0:
            return None
        return (
            "its dual has equality constraints, and the method knows bounds only "
            "(bias=Regularised(scale) removes the one of a free bias)"
        )

    def run(self, problem: Problem, monitor: Monitor, warm: Solution | None) -> Solution:
        """Minimise the negative dual, again from where it stalled while that helps."""
        qp = problem.dual()
        signed = starting_point(problem, warm)
        value, watch = np.inf, _Watch(monitor, self.observe_every)
        while True:
            result = self._descend(qp, signed, watch)
            signed = np.clip(result.x, qp.lower, qp.upper)
            # Rounding ends SciPy's line search early; forgetting the curvature pairs revives it.
            if watch.ended or self.factr > 0 or not result.fun < value:
                break
            value = result.fun
        ending = f"SciPy ended with: {result.message}"
        return monitor.solution(self.name, snap(problem, signed), ending=ending)

    def _descend(self, qp: BoxQP, start: Floats, watch: _Watch) -> Any:
        limit = watch.monitor.stop.iterations or 10**9

        def objective(signed: Floats) -> tuple[float, Floats]:
            gradient = qp.gradient(signed)
            return qp.value(signed, gradient), gradient

        return minimize(
            objective,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=Bounds(qp.lower, qp.upper),
            callback=watch,
            options={
                "maxcor": self.memory,
                "ftol": self.factr * np.finfo(np.float64).eps,
                "gtol": 0.0,
                "maxiter": limit,
                "maxfun": 10 * limit,
            },
        )


class _Watch:
    """Counts iterations over all descents and ends them when the monitor says so."""

    def __init__(self, monitor: Monitor, observe_every: int) -> None:
        self.monitor = monitor
        self.observe_every = observe_every
        self.iteration = 0
        self.ended = False

    def __call__(self, intermediate_result: Any) -> None:
        self.iteration += 1
        if self.iteration % self.observe_every == 0 or self.monitor.over_limit(self.iteration):
            self.ended = self.monitor.observe(self.iteration, np.asarray(intermediate_result.x))
        if self.ended:
            raise StopIteration
