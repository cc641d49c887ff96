"""The door to all solvers: choose one, check that it can, run it."""

from __future__ import annotations

from maxmargin.certify.separability import require_separable
from maxmargin.errors import InvalidInputError, UnsupportedProblemError
from maxmargin.kernels import has_feature_map
from maxmargin.problems import HardMargin, Problem, Solution
from maxmargin.solvers.base import Solver
from maxmargin.solvers.dual_qp import DualQP
from maxmargin.solvers.lbfgsb import LBFGSB
from maxmargin.solvers.monitor import Callback, Monitor
from maxmargin.solvers.primal_qp import PrimalQP
from maxmargin.solvers.sgd import SGD
from maxmargin.solvers.smo import SMO
from maxmargin.solvers.stop import Stop
from maxmargin.solvers.subgradient import Subgradient

__all__ = ["SOLVERS", "solve", "solvers_for"]

#: Every solver with its default options, by name.
SOLVERS: dict[str, Solver] = {
    solver.name: solver for solver in (PrimalQP(), DualQP(), LBFGSB(), SMO(), Subgradient(), SGD())
}

_PRIMAL_UP_TO_FEATURES = 500
_DUAL_UP_TO_VARIABLES = 2000


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
        A name (``"primal-qp"``, ``"dual-qp"``, ``"lbfgsb"``, ``"smo"``, ``"subgradient"``,
        ``"sgd"``), a solver with options such as ``LBFGSB(memory=5)``, or ``"auto"``.
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
    chosen = _choose(solver, problem)
    reason = chosen.refusal(problem)
    if reason is not None:
        able = ", ".join(f"'{name}'" for name in solvers_for(problem))
        raise UnsupportedProblemError(
            f"Solver '{chosen.name}' cannot solve {problem!r}: {reason}. These can: {able}."
        )
    if isinstance(problem, HardMargin):
        require_separable(problem)
    complete = (stop or Stop()).completed_by(chosen.default_stop)
    return chosen.run(problem, Monitor(problem, complete, callback, trace), warm)


def solvers_for(problem: Problem) -> list[str]:
    """Return the names of the solvers that can solve a problem.

    Examples
    --------
    >>> from maxmargin.problems import HardMargin
    >>> from maxmargin.solvers import solvers_for
    >>> solvers_for(HardMargin([[0.0], [1.0]], [-1, 1]))
    ['primal-qp', 'dual-qp', 'smo']
    """
    return [name for name, solver in SOLVERS.items() if solver.refusal(problem) is None]


def _choose(solver: str | Solver, problem: Problem) -> Solver:
    if isinstance(solver, Solver):
        return solver
    if isinstance(solver, str) and solver == "auto":
        return _automatic(problem)
    if not isinstance(solver, str) or solver not in SOLVERS:
        names = ", ".join(f"'{name}'" for name in ("auto", *SOLVERS))
        raise InvalidInputError(f"solver must be one of {names}, or a Solver; got {solver!r}.")
    return SOLVERS[solver]


def _automatic(problem: Problem) -> Solver:
    qp = problem.dual()
    if has_feature_map(problem.dual_kernel) and qp.gram.features.shape[1] <= _PRIMAL_UP_TO_FEATURES:
        return PrimalQP()
    if qp.n_variables <= _DUAL_UP_TO_VARIABLES and DualQP().refusal(problem) is None:
        return DualQP()
    return SMO()
