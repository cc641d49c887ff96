"""`solve` and `solve_all`: choose a solver, check that it suits the problems, run it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import index
from typing import Any

from maxmargin.certificates.separation import require_separable
from maxmargin.errors import InvalidInputError, UnsupportedProblemError
from maxmargin.interrupts import heed, require_none
from maxmargin.problems import (
    CrammerSinger,
    Free,
    HardMargin,
    KernelProblem,
    L1Margin,
    Problem,
)
from maxmargin.solvers.base import Solver, Warm
from maxmargin.solvers.linear import linear_solver
from maxmargin.solvers.solution import Ending, Solution
from maxmargin.solvers.stop import Keeping, Request, Stop
from maxmargin.solvers.table import SOLVERS, solvers_for
from maxmargin.solvers.trace import Callback

__all__ = ["explain", "solve", "solve_all"]

# Sizes up to which "auto" takes interior-point methods: features for the primal, variables for the
# dual. Beyond them the compiled methods are faster.
_PRIMAL_UP_TO_FEATURES = 500
_DUAL_UP_TO_VARIABLES = 2000

# Points up to which a hard margin's separability is decided before it is solved.
_SEPARABILITY_UP_TO_POINTS = 10_000

#: Said of an interrupt before the first step.
NO_MODEL = "The run was interrupted before its first step: there is no model yet."

# Largest number of iterations of a second solver, which starts from the end of the first.
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
        A name of `maxmargin.solvers.SOLVERS` such as ``"decomposition"``, a solver with options
        such as ``LBFGSB(memory=5)``, or ``"auto"``: interior-point methods where the size allows
        them, then compiled methods, until one converges. `explain` says which and why.
    stop : Stop, optional
        Accuracy to reach and limits; the solver's own by default.
    warm : Solution, optional
        Where to start: a solution of a similar problem with as many constraints. Interior-point
        methods ignore it.
    callback : callable, optional
        Called with each `Progress`; returning True ends the run.
    trace : bool
        Whether to keep the records in ``solution.trace``.

    Returns
    -------
    Solution
        Also where the accuracy was not reached: ``converged`` and ``status`` say so. An interrupt
        (Ctrl-C) ends a run with what it has; another one within two seconds raises
        `KeyboardInterrupt`.

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
    if warm is not None and not isinstance(warm, Solution):
        raise InvalidInputError(f"warm must be a Solution to start from; got {warm!r}.")
    (solution,) = solve_all(
        [problem], solver, stop=stop, warm=[warm], callback=callback, trace=trace
    )
    return solution


def solve_all(
    problems: Sequence[Problem],
    solver: str | Solver = "auto",
    *,
    stop: Stop | None = None,
    warm: Sequence[Warm] | None = None,
    callback: Callback | None = None,
    trace: bool = False,
) -> list[Solution]:
    """Solve many problems; those over the same `Points` share kernel rows and threads.

    Parameters
    ----------
    problems : sequence of Problem
        Pairs of classes, folds, values of C: whatever belongs together.
    solver, callback, trace
        As in `solve`.
    stop : Stop, optional
        Its time limit is for all problems together.
    warm : sequence, optional
        Where each problem starts: a `Solution`, None, or the place of an earlier problem in the
        list, from whose solution it starts as soon as that is known.

    Returns
    -------
    list of Solution
        In the order of the problems.

    Examples
    --------
    >>> from maxmargin import Stop, solve_all
    >>> from maxmargin.kernels import RBF
    >>> from maxmargin.problems import Points, SoftMargin
    >>> points = Points([[0.0], [1.0], [2.0], [3.0]], RBF(1.0))
    >>> path = [SoftMargin(points, [-1, 1, -1, 1], C=C) for C in (0.1, 1.0, 10.0)]
    >>> solutions = solve_all(path, "decomposition", warm=[None, 0, 1])
    >>> [round(solution.certificate.primal, 3) for solution in solutions]
    [0.391, 3.067, 4.572]
    """
    request = _checked(problems, Request(stop or Stop(), warm or (), callback, trace))
    if not problems:
        return []
    with Keeping():
        _require_separable(problems, request)
        if isinstance(solver, Solver) or solver != "auto":
            chosen = _by_name(solver)
            _require_able(chosen, problems)
            solutions = chosen.run_all(problems, _completed(request, chosen))
        else:
            solutions = _automatic(problems, request)
        if any(solution.ending is Ending.INTERRUPT for solution in solutions):
            has_started = any(solution.iterations for solution in solutions)
            if not has_started and not any(start is not None for start in request.warm):
                require_none(NO_MODEL)
            heed()
    return solutions


def _completed(request: Request, solver: Solver) -> Request:
    """Return the request with the solver's own accuracy and limits for those not given."""
    stop = request.stop.completed_by(solver.default_stop)
    return request if stop is request.stop else replace(request, stop=stop)


def _automatic(problems: Sequence[Problem], request: Request) -> list[Solution]:
    """Solve with the first solver that suits each problem, then others, until one converges."""
    groups: dict[tuple[Solver, ...], list[int]] = {}
    for k, problem in enumerate(problems):
        groups.setdefault(_candidates(problem), []).append(k)
    solutions: dict[int, Solution] = {}
    for candidates, members in groups.items():
        _require_able(candidates[0], [problems[k] for k in members])
        left = list(members)
        for rank, solver in enumerate(candidates):
            asked = _completed(request, solver)
            if rank and asked.stop.max_iter is not None:
                most = min(asked.stop.max_iter, _SECOND_TRY_UP_TO)
                asked = replace(asked, stop=replace(asked.stop, max_iter=most))
            warm = [_start(k, left, request.warm, solutions) for k in left]
            found = solver.run_all([problems[k] for k in left], replace(asked, warm=warm))
            for k, solution in zip(left, found, strict=True):
                best = solutions.get(k)
                if best is None or solution.converged or _primal(solution) < _primal(best):
                    solutions[k] = solution
            endings = {one.ending for one in found}
            ended = endings & {Ending.CALLBACK, Ending.INTERRUPT}
            request = replace(request, ended=request.ended or next(iter(ended), None))
            left = [k for k in left if not solutions[k].converged]
            was_limited = rank == 0 and bool(endings & _LIMITS)
            if not left or was_limited or ended or Ending.TIME_LIMIT in endings:
                break
    return [solutions[k] for k in range(len(problems))]


_LIMITS = {Ending.MAX_ITER, Ending.TIME_LIMIT, Ending.CALLBACK, Ending.INTERRUPT}


def _start(
    k: int, members: Sequence[int], warm: Sequence[Warm], solved: dict[int, Solution]
) -> Warm:
    if k in solved:
        return solved[k]
    start = warm[k]
    if not isinstance(start, int):
        return start
    return members.index(start) if start in members else solved.get(start)


def _primal(solution: Solution) -> float:
    return solution.estimate.primal


def _candidates(problem: Problem) -> tuple[Solver, ...]:
    """Return solvers in the order in which to try them, until one converges."""
    return tuple(solver for solver, _ in _reasons(problem))


def _reasons(problem: Problem) -> list[tuple[Solver, str]]:
    """Return solvers in the order in which to try them, and why."""
    if isinstance(problem, L1Margin):
        return [(SOLVERS["l1-descent"], "its penalty is l1")]
    if isinstance(problem, CrammerSinger):
        return [(linear_solver(problem), "it has all classes in one problem")]
    assert isinstance(problem, KernelProblem)
    qp = problem.dual()
    chosen: list[tuple[Solver, str]] = []
    features = qp.n_features
    if features is not None and features <= _PRIMAL_UP_TO_FEATURES:
        large = SOLVERS["linear-interior-point"]
        if qp.n_variables > _DUAL_UP_TO_VARIABLES and large.refusal(problem) is None:
            why = f"it is linear, with {qp.n_variables} constraints and {features} features"
            chosen.append((large, why))
        else:
            chosen.append((SOLVERS["primal-qp"], f"it has {features} features"))
    small = qp.n_variables <= _DUAL_UP_TO_VARIABLES
    if small and SOLVERS["dual-qp"].refusal(problem) is None:
        chosen.append((SOLVERS["dual-qp"], f"its dual has {qp.n_variables} variables"))
    # If rounding stops an interior-point method, decomposition from its last point may converge.
    return [*chosen, (SOLVERS["decomposition"], f"its dual has {qp.n_variables} variables")]


def explain(problem: Problem) -> str:
    """Say which solvers ``"auto"`` takes for a problem, in which order, and why.

    If that is a linear method, because there are many points and few features, a second sentence
    names the linear estimator: those of kernels take "decomposition", the slower way there.

    Examples
    --------
    >>> from maxmargin.kernels import RBF
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solvers import explain
    >>> print(explain(SoftMargin([[0.0], [1.0]], [-1, 1], kernel=RBF(1.0))))
    'dual-qp', because its dual has 2 variables; then 'decomposition', if that does not converge.
    """
    if not isinstance(problem, Problem):
        raise InvalidInputError(
            "explain takes a problem of maxmargin.problems, such as model.machines_[0].problem; "
            f"got {type(problem).__name__}."
        )
    (first, why), *others = _reasons(problem)
    later = [f"then '{solver.name}', if that does not converge" for solver, _ in others]
    return "; ".join([f"'{first.name}', because {why}", *later]) + "." + _hint(problem, first)


def _hint(problem: Problem, first: Solver) -> str:
    """Name the estimator that takes the fast way to the optimum, where kernel estimators do not."""
    if first is not SOLVERS["linear-interior-point"]:
        return ""
    kind = "LinearSVC" if problem.has_two_classes else "LinearSVR"
    bias = "'free'" if isinstance(problem.bias, Free) else repr(problem.bias)
    loss = problem.loss  # type: ignore[attr-defined]
    return (
        f" Estimators with kernel='linear' take 'decomposition'; {kind}(loss={loss!r}, "
        f"bias={bias}) reaches the same optimum sooner."
    )


def _checked(problems: Any, request: Request) -> Request:
    """Refuse what solve_all does not take, with a sentence; return the request with its starts."""
    if not isinstance(problems, Sequence) or isinstance(problems, str):
        raise InvalidInputError(
            f"solve_all takes a list of problems; got {type(problems).__name__}. For one problem "
            "there is solve."
        )
    for problem in problems:
        if not isinstance(problem, Problem):
            raise InvalidInputError(
                "solve_all takes a list of problems of maxmargin.problems; it holds "
                f"{type(problem).__name__}."
            )
    stop, callback = request.stop, request.callback
    if not isinstance(stop, Stop):
        raise InvalidInputError(f"stop must be a Stop, such as Stop(gap=1e-6); got {stop!r}.")
    if callback is not None and not callable(callback):
        raise InvalidInputError(f"callback must be a function of a Progress; got {callback!r}.")
    if not request.warm:
        return replace(request, warm=[None] * len(problems))
    if isinstance(request.warm, Solution) or len(request.warm) != len(problems):
        given = "one Solution" if isinstance(request.warm, Solution) else len(request.warm)
        raise InvalidInputError(
            f"warm must be a list with a start, or None, for each of the {len(problems)} problems; "
            f"got {given}."
        )
    starts = [
        _checked_start(k, problem, start)
        for k, (problem, start) in enumerate(zip(problems, request.warm, strict=True))
    ]
    return replace(request, warm=starts)


def _checked_start(k: int, problem: Problem, start: Any) -> Warm:
    if start is None:
        return None
    if not isinstance(start, Solution):
        place = _place(start)
        if place is None:
            raise InvalidInputError(
                f"warm[{k}] must be a Solution, the index of an earlier problem, or None; "
                f"got {start!r}."
            )
        if not 0 <= place < k:
            raise InvalidInputError(
                f"warm[{k}] is {place}: a problem can start from an earlier one only."
            )
        return place
    both = (problem, start.problem)
    alike = all(isinstance(one, KernelProblem) for one in both) or type(both[0]) is type(both[1])
    if not alike:
        raise InvalidInputError(
            f"warm is a solution of {type(start.problem).__name__}, from which "
            f"{type(problem).__name__} cannot start: give one of the same kind of problem."
        )
    if isinstance(problem, KernelProblem):
        n_variables = problem.dual().n_variables
        if start.dual.shape != (n_variables,):
            raise InvalidInputError(
                f"warm has {len(start.dual)} multipliers and the problem {n_variables}: start "
                "from a solution of a problem with as many constraints."
            )
    return start


def _place(start: Any) -> int | None:
    try:
        return index(start)
    except TypeError:
        return None


def _require_separable(problems: Sequence[Problem], request: Request) -> None:
    """Refuse hard margins that do not exist, as far as the time limit allows to tell."""
    for problem in problems:
        if isinstance(problem, HardMargin) and problem.n_points <= _SEPARABILITY_UP_TO_POINTS:
            try:
                require_separable(problem, request.time_left)
            except TimeoutError:
                return


def _require_able(solver: Solver, problems: Sequence[Problem]) -> None:
    for problem in problems:
        reason = solver.refusal(problem)
        if reason is not None:
            able = ", ".join(f"'{name}'" for name in solvers_for(problem))
            raise UnsupportedProblemError(
                f"Solver '{solver.name}' cannot solve {problem!r}: {reason}. These can: {able}."
            )


def _by_name(solver: Any) -> Solver:
    if isinstance(solver, Solver):
        return solver
    if not isinstance(solver, str) or solver not in SOLVERS:
        names = ", ".join(f"'{name}'" for name in ("auto", *SOLVERS))
        raise InvalidInputError(f"solver must be one of {names}, or a Solver; got {solver!r}.")
    return SOLVERS[solver]
