"""Three solvers for linear margins and tubes of any size, in compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, ClassVar, Literal

import numpy as np
from scipy import sparse

from maxmargin.kernels import Linear
from maxmargin.problems import BoxQP, EpsilonTube, Free, KernelProblem, Problem, SoftMargin
from maxmargin.solvers.base import Solver
from maxmargin.solvers.linear.choice import linear_solver
from maxmargin.solvers.linear.driver import LinearSolver
from maxmargin.solvers.linear.engine import LinearQP, Method, Reached, RunOptions, solve_linear
from maxmargin.solvers.solution import Ending, Solution
from maxmargin.typing import Bools, Floats

__all__ = [
    "CoordinateDescent",
    "LinearInteriorPoint",
    "PrimalNewton",
    "entries_per_row",
    "method_of",
]

# A system of more features takes too long to factorise, and too much memory.
MOST_FEATURES = 3000

# Largest cost of factorising one system, in passes over the data; beyond it coordinate descent is
# faster. A squared loss needs fewer systems. A stored entry of a sparse row costs as much as
# _SPARSE_ENTRY dense ones. Measured on a9a, w8a, news20, sector and covtype.
MOST_PASSES = 400.0
_MOST_PASSES_SQUARED = 800.0
_SPARSE_ENTRY = 4.0

# Passes of coordinate descent after which interior points take over.
_PATIENCE = 10_000


class _Margins(LinearSolver):
    """Runs one of the engine's methods on soft margins and tubes."""

    method: ClassVar[Method]

    def refusal(self, problem: Problem) -> str | None:
        """Return why this solver cannot solve the problem, or None if it can."""
        if not isinstance(problem, SoftMargin | EpsilonTube):
            return "it is neither a SoftMargin nor an EpsilonTube"
        return None if type(problem.kernel) is Linear else "its kernel is not Linear()"

    def _joins(self, problem: KernelProblem) -> bytes | None:
        """Return which points count, as bytes; None if all do.

        Points without weight are left out: their multipliers can only be zero.
        """
        used = _used(problem.dual())
        return None if used is None else used.tobytes()

    def _solve(
        self,
        problems: Sequence[KernelProblem],
        options: RunOptions,
        starts: Sequence[Solution | None],
    ) -> list[Reached]:
        rows, X = _used(problems[0].dual()), problems[0].X
        qps = [_linear_qp(problem, rows) for problem in problems]
        found = solve_linear(
            X if rows is None else X[rows],
            qps,
            self.method,
            options,
            [_start(p, s, rows) for p, s in zip(problems, starts, strict=True)],
        )
        if rows is None:
            return found
        return [_spread(one, problem, rows) for one, problem in zip(found, problems, strict=True)]

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


def _used(qp: BoxQP) -> Bools | None:
    """Return which points count; None if all do."""
    used: Bools = qp.cost[: qp.points.n_points] > 0
    return None if used.all() else used


def _by_variable(rows: Bools, qp: BoxQP) -> Bools:
    return rows if qp.n_variables == qp.n_points else np.tile(rows, 2)


def _linear_qp(problem: KernelProblem, rows: Bools | None) -> LinearQP:
    qp = problem.dual()
    weight = 0.0 if len(qp.total) else 1.0 / qp.constant if qp.constant > 0 else np.inf
    kept = slice(None) if rows is None else _by_variable(rows, qp)
    return LinearQP(qp.sign[kept], qp.linear[kept], qp.cost[kept], qp.ridge[kept], float(weight))


def _start(problem: KernelProblem, warm: Solution | None, rows: Bools | None) -> Reached | None:
    """Return a warm start from a solution, its multipliers scaled with the costs."""
    qp = problem.dual()
    if warm is None or warm.dual.shape != qp.sign.shape:
        return None
    assert isinstance(warm.problem, KernelProblem)
    before = warm.problem.dual().cost
    finite = np.isfinite(before) & np.isfinite(qp.cost) & (before > 0)
    growth = np.divide(qp.cost, before, out=np.ones(len(before)), where=finite)
    multipliers: Floats = np.clip(growth * warm.dual, 0.0, qp.cost)
    if rows is not None:
        multipliers = multipliers[_by_variable(rows, qp)]
    weights, bias = warm.w, warm.b
    if len(weights) != problem.X.shape[1]:
        return None
    return Reached(weights, bias, multipliers, 0, np.inf, -np.inf, warm.ending)


def _spread(found: Reached, problem: KernelProblem, rows: Bools) -> Reached:
    """Return the multipliers of all points."""
    qp = problem.dual()
    multipliers = np.zeros(qp.n_variables)
    multipliers[_by_variable(rows, qp)] = found.multipliers
    values = (found.weights, found.bias, multipliers, found.iterations, found.primal, found.dual)
    return Reached(*values, found.ending)


@dataclass(frozen=True)
class CoordinateDescent(_Margins):
    """Dual coordinate descent with shrinking, for linear machines with many, sparse features.

    One multiplier at a time goes to its optimum with all others fixed (Hsieh, Chang, Lin, Keerthi,
    Sundararajan 2008). A free bias is found by the method of multipliers. Large C make it slow: a
    machine that takes more than 10,000 passes, and has few enough features, is handed over to
    "linear-interior-point", as ``solution.solver`` then says.

    Parameters
    ----------
    n_jobs : int, optional
        Threads, at most; the solution does not depend on it.
    seed : int
        Of the order in which coordinates are visited.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import SoftMargin
    >>> solution = solve(SoftMargin([[0.0], [1.0], [3.0]], [-1, -1, 1]), "coordinate-descent")
    >>> solution.w.round(5)
    array([1.])
    """

    name: ClassVar[str] = "coordinate-descent"
    method: ClassVar[Method] = "coordinate-descent"
    is_precise: ClassVar[bool] = False

    def _solve(
        self,
        problems: Sequence[KernelProblem],
        options: RunOptions,
        starts: Sequence[Solution | None],
    ) -> list[Reached]:
        if options.max_iter <= _PATIENCE or problems[0].X.shape[1] > MOST_FEATURES:
            return super()._solve(problems, options, starts)
        found = super()._solve(problems, replace(options, max_iter=_PATIENCE), starts)
        slow = [k for k, one in enumerate(found) if one.ending in (Ending.MAX_ITER, Ending.STALLED)]
        if slow:
            rest = _handed_over(
                [problems[k] for k in slow], options, [found[k] for k in slow], slow
            )
            for k, one in zip(slow, rest, strict=True):
                found[k] = one
        return found


@dataclass(frozen=True)
class LinearInteriorPoint(_Margins):
    """Interior points for linear machines with many more points than features, at any C.

    Each iteration factorises one matrix of the size of w (Mehrotra 1992; Ferris, Munson 2003).

    Parameters
    ----------
    n_jobs : int, optional
        Threads, at most; the solution does not depend on it.
    seed : int
        Has no effect.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [3.0]], [-1, -1, 1], C=1e6)
    >>> solve(problem, "linear-interior-point").certificate.holds(1e-6)
    True
    """

    name: ClassVar[str] = "linear-interior-point"
    method: ClassVar[Method] = "interior-point"
    aim: ClassVar[float] = 1e-3


def _handed_over(
    problems: Sequence[KernelProblem],
    options: RunOptions,
    found: Sequence[Reached],
    places: Sequence[int],
) -> list[Reached]:
    """Solve by interior points what coordinate descent did not finish; keep the better of both.

    `places` are the places of the problems in the whole run, for its callback.
    """
    seconds = None if options.seconds is None else max(options.deadline - perf_counter(), 0.0)
    watch = options.watch

    def watch_on(k: int, n_done: int, steps: int, gap: float, primal: float, dual: float) -> bool:
        assert watch is not None
        return watch(places[k], n_done, found[k].iterations + steps, gap, primal, dual)

    left = replace(
        options,
        max_iter=options.max_iter - _PATIENCE,
        seconds=seconds,
        watch=None if watch is None else watch_on,
        started=perf_counter(),
    )
    second = LinearInteriorPoint(options.n_jobs, options.seed)
    both = f"{CoordinateDescent.name}, then {second.name}"
    ends = zip(found, second._solve(problems, left, [None] * len(problems)), strict=True)
    return [
        replace(two, iterations=one.iterations + two.iterations, solver=both)
        if two.relative_gap < one.relative_gap
        else replace(one, ending=two.ending)
        for one, two in ends
    ]


@dataclass(frozen=True)
class PrimalNewton(_Margins):
    """Newton's method on the primal of a linear machine with a squared loss.

    The objective is piecewise quadratic: with an exact line search a few steps reach its optimum
    (Keerthi, DeCoste 2005).

    Parameters
    ----------
    n_jobs : int, optional
        Threads, at most; the solution does not depend on it.
    seed : int
        Has no effect.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [3.0]], [-1, -1, 1], loss="squared_hinge")
    >>> solve(problem, "primal-newton").converged
    True
    """

    name: ClassVar[str] = "primal-newton"
    method: ClassVar[Method] = "newton"
    aim: ClassVar[float] = 1e-3

    def refusal(self, problem: Problem) -> str | None:
        """Return why this solver cannot solve the problem, or None if it can."""
        reason = super().refusal(problem)
        if reason is None and not problem.loss.startswith("squared"):  # type: ignore[attr-defined]
            return "its loss is not squared, and Newton steps need a curvature"
        return reason


_METHODS = {
    "interior-point": LinearInteriorPoint,
    "newton": PrimalNewton,
    "coordinate-descent": CoordinateDescent,
}


@linear_solver.register
def _(
    problem: KernelProblem,
    method: Literal["auto"] | Method = "auto",
    *,
    n_jobs: int | None = None,
    seed: int = 0,
) -> Solver:
    # Methods that factorise a matrix of the size of the features in every iteration end after a few
    # dozen, whatever C is; their cost, (n z^2 + d^3 / 3) for z entries per row, must not be too
    # many passes over the data. Coordinate descent takes over for wide data.
    squared = problem.loss.startswith("squared")  # type: ignore[attr-defined]
    if method == "auto":
        method = method_of(problem.X, squared=squared)
    # Newton steps need a curvature, which the other losses do not have.
    if method == "newton" and not squared:
        method = "interior-point"
    return _METHODS[method](n_jobs, seed)


def method_of(X: Any, *, squared: bool) -> Method:
    """Return the method that "auto" stands for in a machine with a squared loss, or a plain one."""
    d = X.shape[1]
    entries = max(X.nnz if sparse.issparse(X) else X.size, 1)
    passes = entries_per_row(X, entries) + d**3 / (3 * entries)
    if d > MOST_FEATURES or passes > (_MOST_PASSES_SQUARED if squared else MOST_PASSES):
        return "coordinate-descent"
    return "newton" if squared else "interior-point"


def entries_per_row(X: Any, entries: int) -> float:
    """Return the mean number of entries, a sparse one counted as what it costs."""
    per_row = entries / max(int(X.shape[0]), 1)
    return per_row * (_SPARSE_ENTRY if sparse.issparse(X) else 1.0)
