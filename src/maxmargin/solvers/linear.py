"""Three solvers for linear machines of any size, in compiled code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from maxmargin.kernels import Linear
from maxmargin.problems import EpsilonTube, Problem, SoftMargin, Solution
from maxmargin.solvers.base import Solver
from maxmargin.solvers.linear_engine import LinearAnswer, LinearEngine, LinearProgram, Method
from maxmargin.solvers.monitor import Monitor
from maxmargin.solvers.options import whole
from maxmargin.solvers.points import starting_point
from maxmargin.solvers.stop import Stop
from maxmargin.typing import Bools, Floats

__all__ = ["CoordinateDescent", "LinearInteriorPoint", "PrimalNewton"]

_TIGHTER = 0.1
_MOST_TIGHTENINGS = 12
_MOST_ITERATIONS = 100_000
_NO_PROGRESS = "rounding leaves no further progress"


@dataclass(frozen=True)
class _LinearSolver(Solver):
    """Runs one of the engine's methods, more finely until the monitor is satisfied."""

    n_threads: int | None = None

    method: ClassVar[Method]
    #: What the first run aims at, as a share of the gap that is asked for.
    aim: ClassVar[float] = 1.0

    def __post_init__(self) -> None:
        if self.n_threads is not None:
            threads = whole(self.n_threads, f"{type(self).__name__}(n_threads=...)")
            object.__setattr__(self, "n_threads", threads)

    def refusal(self, problem: Problem) -> str | None:
        """Return why this solver cannot solve the problem, or None if it can."""
        if type(problem.kernel) is not Linear:
            return "its kernel is not Linear()"
        if not isinstance(problem, SoftMargin | EpsilonTube):
            return "it is neither a SoftMargin nor an EpsilonTube"
        return None

    def run(self, problem: Problem, monitor: Monitor, warm: Solution | None) -> Solution:
        """Tighten the gap until the monitor is satisfied."""
        qp = problem.dual()
        # Points without weight are left out: their multipliers can only be zero.
        used = qp.cost > 0
        points = np.flatnonzero(used[: problem.n_points])
        X = qp.gram.X if used.all() else qp.gram.X[points]
        engine = LinearEngine(X, self.n_threads)
        program = LinearProgram.of(qp, used)
        signed = starting_point(problem, warm)
        ended = monitor.observe(0, signed) if monitor.is_watched else monitor.over_limit(0)
        if ended:
            return monitor.solution(self.name, signed)
        gap = self.aim * (monitor.stop.gap or monitor.stop.accuracy)
        start = None if warm is None else self._start(problem, signed, used)
        offsets, done, ending = None, 0, ""
        for _ in range(_MOST_TIGHTENINGS):
            answer = self._run_once(engine, program, gap, monitor, start, done)
            done += answer.iterations
            start = answer
            multipliers = np.zeros(qp.n_variables)
            multipliers[used] = answer.multipliers
            signed = qp.sign * np.clip(multipliers, 0.0, qp.cost)
            offsets = np.array([-answer.bias] if len(qp.total) else [])
            if answer.ending == "interrupt":
                raise KeyboardInterrupt
            if monitor.observe(done, signed, offsets):
                break
            if not answer.converged:
                ending = _NO_PROGRESS
                break
            gap *= _TIGHTER
        return monitor.solution(self.name, signed, offsets, ending=ending)

    def _run_once(
        self,
        engine: LinearEngine,
        program: LinearProgram,
        gap: float,
        monitor: Monitor,
        start: LinearAnswer | None,
        done: int,
    ) -> LinearAnswer:
        stop = monitor.stop
        most = _MOST_ITERATIONS if stop.iterations is None else max(stop.iterations - done, 0)
        (answer,) = engine.solve(
            [program],
            self.method,
            gap=gap,
            max_iterations=most,
            seconds=None if stop.seconds is None else max(stop.seconds - monitor.seconds, 0.0),
            watch=lambda seen: monitor.record(done + seen.steps, seen.primal, seen.dual),
            starts=[start],
        )
        return answer

    def _start(self, problem: Problem, signed: Floats, used: Bools) -> LinearAnswer:
        qp = problem.dual()
        coefficients = qp.coefficients(signed)
        weights = qp.gram.weights(coefficients)
        offsets = qp.offsets(signed, qp.gradient(signed))
        bias = problem.bias_value(coefficients, offsets)
        multipliers = (qp.sign * signed)[used]
        return LinearAnswer(weights, bias, multipliers, 0, np.inf, -np.inf, "steps")


@dataclass(frozen=True)
class CoordinateDescent(_LinearSolver):
    """Dual coordinate descent with shrinking, for linear machines with many, sparse features.

    One multiplier at a time goes to its optimum with all others fixed (Hsieh, Chang, Lin, Keerthi,
    Sundararajan 2008). A free bias is found by the method of multipliers. Large C make it slow.

    Parameters
    ----------
    n_threads : int, optional
        Has no effect on one problem.

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
    default_stop: ClassVar[Stop] = Stop(gap=1e-7, kkt=5e-7)


@dataclass(frozen=True)
class LinearInteriorPoint(_LinearSolver):
    """Interior points for linear machines with many more points than features, at any C.

    Each iteration factorises one matrix of the size of w (Mehrotra 1992; Ferris, Munson 2003).

    Parameters
    ----------
    n_threads : int, optional
        At most this many; the answer does not depend on it.

    Examples
    --------
    >>> from maxmargin import certify, solve
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [3.0]], [-1, -1, 1], C=1e6)
    >>> certify(problem, solve(problem, "linear-interior-point")).holds(1e-6)
    True
    """

    name: ClassVar[str] = "linear-interior-point"
    method: ClassVar[Method] = "interior-point"
    default_stop: ClassVar[Stop] = Stop(gap=1e-7, kkt=5e-7)
    aim: ClassVar[float] = 1e-3


@dataclass(frozen=True)
class PrimalNewton(_LinearSolver):
    """Newton's method on the primal of a linear machine with a squared loss.

    The objective is piecewise quadratic: with an exact line search a few steps reach its optimum
    (Keerthi, DeCoste 2005).

    Parameters
    ----------
    n_threads : int, optional
        At most this many; the answer does not depend on it.

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
    default_stop: ClassVar[Stop] = Stop(gap=1e-7, kkt=5e-7)
    aim: ClassVar[float] = 1e-3

    def refusal(self, problem: Problem) -> str | None:
        """Return why this solver cannot solve the problem, or None if it can."""
        reason = super().refusal(problem)
        qp = problem.dual()
        if reason is None and not (qp.ridge[qp.cost > 0] > 0).all():
            return "its loss is not squared, and Newton steps need a curvature"
        return reason
