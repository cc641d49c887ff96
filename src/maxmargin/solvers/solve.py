"""The door to all solvers: choose one, check that it can, run it."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

from maxmargin.certify import measure
from maxmargin.certify.separability import require_separable
from maxmargin.errors import InvalidInputError, UnsupportedProblemError
from maxmargin.problems import HardMargin, Problem, Solution
from maxmargin.solvers.base import Solver
from maxmargin.solvers.decomposition import Decomposition
from maxmargin.solvers.dual_qp import DualQP
from maxmargin.solvers.lbfgsb import LBFGSB
from maxmargin.solvers.linear import CoordinateDescent, LinearInteriorPoint, PrimalNewton
from maxmargin.solvers.monitor import Callback, Monitor
from maxmargin.solvers.primal_qp import PrimalQP
from maxmargin.solvers.sgd import SGD
from maxmargin.solvers.smo import SMO
from maxmargin.solvers.stop import Stop
from maxmargin.solvers.subgradient import Subgradient

__all__ = ["SOLVERS", "solve", "solvers_for"]

#: Every solver with its default options, by name.
SOLVERS: dict[str, Solver] = {
    solver.name: solver
    for solver in (
        PrimalQP(),
        DualQP(),
        Decomposition(),
        LinearInteriorPoint(),
        PrimalNewton(),
        CoordinateDescent(),
        LBFGSB(),
        SMO(),
        Subgradient(),
        SGD(),
    )
}

_PRIMAL_UP_TO_FEATURES = 500
_DUAL_UP_TO_VARIABLES = 2000
_SEPARABILITY_UP_TO_POINTS = 10_000
_SECOND_TRY_UP_TO = 20_000


def solve(
    problem: Problem,
    solver: str | Solver = "auto",
    *,
    stop: Stop | None = None,
    warm: Solution | None = None,
    callback: Callback | None = None,
    trace: bool = False,
) -> Solution:
    """Solve a problem.

    Parameters
    ----------
    problem : Problem
        One of `maxmargin.problems`.
    solver : str or Solver
        A name (``"primal-qp"``, ``"dual-qp"``, ``"decomposition"``, ``"linear-interior-point"``,
        ``"primal-newton"``, ``"coordinate-descent"``, ``"lbfgsb"``, ``"smo"``,
        ``"subgradient"``, ``"sgd"``), a solver with options such as ``LBFGSB(memory=5)``, or
        ``"auto"``: interior-point methods where the size allows them, then ``"decomposition"``,
        until one converges.
    stop : Stop, optional
        Accuracy to reach and limits; the solver's own by default.
    warm : Solution, optional
        Where to start: a solution of a similar problem with as many constraints. Interior-point
        methods ignore it.
    callback : callable, optional
        Called with each `Record`; returning True ends the run.
    trace : bool
        Whether to keep the records in ``solution.trace``.

    Returns
    -------
    Solution
        Also where the accuracy was not reached: ``converged`` and ``status`` say so.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import SoftMargin
    >>> solution = solve(SoftMargin([[0.0], [1.0], [3.0]], [-1, -1, 1], C=10))
    >>> solution.w.round(6), round(solution.b, 6)
    (array([1.]), -2.0)
    """
    if not isinstance(problem, Problem):
        raise InvalidInputError(
            f"solve takes a problem of maxmargin.problems, such as SoftMargin(X, y, C=1); "
            f"got {type(problem).__name__}."
        )
    _check_types(stop, warm, callback)
    started = perf_counter()
    candidates = _automatic(problem) if solver == "auto" else [_by_name(solver)]
    reason = candidates[0].refusal(problem)
    if reason is not None:
        able = ", ".join(f"'{name}'" for name in solvers_for(problem))
        raise UnsupportedProblemError(
            f"Solver '{candidates[0].name}' cannot solve {problem!r}: {reason}. These can: {able}."
        )
    if isinstance(problem, HardMargin) and problem.n_points <= _SEPARABILITY_UP_TO_POINTS:
        require_separable(problem)
    found: list[Solution] = []
    for chosen in candidates:
        complete = (stop or Stop()).completed_by(chosen.default_stop)
        if found and complete.iterations is not None:
            complete = replace(complete, iterations=min(complete.iterations, _SECOND_TRY_UP_TO))
        monitor = Monitor(problem, complete, callback, trace, started=started)
        found.append(chosen.run(problem, monitor, _best(problem, found) if found else warm))
        if found[-1].converged or (monitor.ended_early and len(found) == 1):
            return found[-1]
    return _best(problem, found)


def solvers_for(problem: Problem) -> list[str]:
    """Return the names of the solvers that can solve a problem.

    Examples
    --------
    >>> from maxmargin.problems import HardMargin
    >>> from maxmargin.solvers import solvers_for
    >>> solvers_for(HardMargin([[0.0], [1.0]], [-1, 1]))
    ['primal-qp', 'dual-qp', 'decomposition', 'smo']
    """
    return [name for name, solver in SOLVERS.items() if solver.refusal(problem) is None]


def _check_types(stop: Any, warm: Any, callback: Any) -> None:
    if stop is not None and not isinstance(stop, Stop):
        raise InvalidInputError(f"stop must be a Stop, such as Stop(gap=1e-6); got {stop!r}.")
    if warm is not None and not isinstance(warm, Solution):
        raise InvalidInputError(f"warm must be a Solution to start from; got {warm!r}.")
    if callback is not None and not callable(callback):
        raise InvalidInputError(f"callback must be a function of a Record; got {callback!r}.")


def _by_name(solver: Any) -> Solver:
    if isinstance(solver, Solver):
        return solver
    if not isinstance(solver, str) or solver not in SOLVERS:
        names = ", ".join(f"'{name}'" for name in ("auto", *SOLVERS))
        raise InvalidInputError(f"solver must be one of {names}, or a Solver; got {solver!r}.")
    return SOLVERS[solver]


def _automatic(problem: Problem) -> list[Solver]:
    """Return solvers in the order in which to try them, until one converges."""
    qp = problem.dual()
    chosen: list[Solver] = []
    if qp.gram.n_features is not None and qp.gram.n_features <= _PRIMAL_UP_TO_FEATURES:
        is_large = qp.n_variables > _DUAL_UP_TO_VARIABLES
        if is_large and LinearInteriorPoint().refusal(problem) is None:
            chosen.append(LinearInteriorPoint())
        else:
            chosen.append(PrimalQP())
    if qp.n_variables <= _DUAL_UP_TO_VARIABLES and DualQP().refusal(problem) is None:
        chosen.append(DualQP())
    # Where rounding spoils interior points, steps on pairs from the best of them may still arrive.
    return [*chosen, Decomposition()]


def _best(problem: Problem, found: list[Solution]) -> Solution:
    def primal(solution: Solution) -> float:
        signed = problem.dual().sign * solution.dual
        return measure(problem, signed, solution.offsets).primal

    return min(found, key=primal)
