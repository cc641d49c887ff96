"""The box-constrained dual by a limited-memory quasi-Newton method.

Without equality constraints, that is with a regularised bias, the dual has bounds only.
Byrd, Lu, Nocedal, Zhu 1995 (L-BFGS-B).
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from threadpoolctl import threadpool_limits

from maxmargin.problems import BoxQP, KernelProblem
from maxmargin.solvers.base import SequentialSolver
from maxmargin.solvers.monitor import Monitor
from maxmargin.solvers.options import finite_from_zero, whole
from maxmargin.solvers.solution import Solution
from maxmargin.solvers.starts import snap, starting_point
from maxmargin.solvers.stop import Stop
from maxmargin.typing import Floats

__all__ = ["LBFGSB"]

_DESCENTS = 50
_ONE_THREAD_UP_TO = 1000


@dataclass(frozen=True)
class LBFGSB(SequentialSolver):
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
    default_stop: ClassVar[Stop] = Stop(gap=1e-7, kkt=5e-7, max_iter=200_000)

    def __post_init__(self) -> None:
        object.__setattr__(self, "factr", finite_from_zero(self.factr, "LBFGSB(factr=...)"))
        for name in ("memory", "observe_every"):
            object.__setattr__(self, name, whole(getattr(self, name), f"LBFGSB({name}=...)"))

    def _objection(self, problem: KernelProblem) -> str | None:
        """Refuse duals with equality constraints."""
        if len(problem.dual().total) == 0:
            return None
        return (
            "its dual has equality constraints, and the method knows bounds only "
            "(bias=Regularised(scale) removes the one of a free bias)"
        )

    def run(self, problem: KernelProblem, monitor: Monitor, warm: Solution | None) -> Solution:
        """Minimise the negative dual; restart from where it stalled as long as that helps."""
        qp = problem.dual()
        problem.points.keep_matrix()
        signed = starting_point(problem, warm)
        watch = _Watch(monitor, self.observe_every)
        with _threads_for(qp):
            for _ in range(_DESCENTS):
                result = self._descend(qp, signed, watch)
                signed = np.clip(result.x, qp.lower, qp.upper)
                if watch.ended or self.factr > 0 or not result.fun < 0:
                    break
        reason = f"SciPy ended with: {result.message}"
        return monitor.solution(self.name, snap(problem, signed), reason=reason)

    def _descend(self, qp: BoxQP, start: Floats, watch: _Watch) -> Any:
        # Takes a quarter of a second to import, for this solver alone.
        from scipy.optimize import Bounds, minimize

        limit = watch.monitor.stop.max_iter or 10**9
        start_gradient = qp.gradient(start)

        def objective(signed: Floats) -> tuple[float, Floats]:
            # The change since the start: near the optimum the value itself has no digits left.
            gradient = qp.gradient(signed)
            return float(0.5 * (signed - start) @ (gradient + start_gradient)), gradient

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


def _threads_for(qp: BoxQP) -> AbstractContextManager[Any]:
    """Use one BLAS thread for small problems, in which several only wait for each other."""
    small = qp.n_variables <= _ONE_THREAD_UP_TO
    limits: AbstractContextManager[Any] = threadpool_limits(1 if small else None, user_api="blas")
    return limits


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
