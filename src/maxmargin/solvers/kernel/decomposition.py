"""The compiled decomposition method: every kernel machine, at any size, many at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from maxmargin.certificates.measures import measure_multipliers
from maxmargin.interrupts import require_none
from maxmargin.kernels.blocks import default_threads
from maxmargin.problems import KernelProblem, NuMargin, Problem
from maxmargin.solvers.base import NO_BOX_QP, Solver, Warm
from maxmargin.solvers.kernel.batch import Batch, Found, Terms, Watch
from maxmargin.solvers.kernel.multiples import best_multiple
from maxmargin.solvers.kernel.parts import left_out_parts
from maxmargin.solvers.kernel.refine import refined
from maxmargin.solvers.kernel.rescue import can_be_rescued, rescued
from maxmargin.solvers.kernel.starts import FEASIBLE, balanced, filled, scaled
from maxmargin.solvers.options import positive, whole
from maxmargin.solvers.recording import Recorder
from maxmargin.solvers.solution import Ending, Solution
from maxmargin.solvers.stop import Request, Stop
from maxmargin.solvers.trace import NO_TRACE
from maxmargin.typing import Floats

__all__ = ["Decomposition"]

# Problems of at most this many points are solved to rounding if that takes little work (steps times
# variables; about 10 ms), which makes the solution independent of the order of the points.
_SMALL = 256
_FINER = 1e-7
_LITTLE_WORK = 1 << 22

# A run that takes more steps than _FEW_STEPS plus some per variable makes no progress. It is then
# rescued or, if that is impossible, allowed _MANY times as many.
_FEW_STEPS = 1_000_000
_STEPS_PER_VARIABLE = 1000
_MANY = 50

# If a gap is asked for, the tolerance is multiplied by _TIGHTER until the gap is reached, at most
# this many times.
_TIGHTER = 0.1
_MOST_TIGHTENINGS = 12

# Endings after which the best multiple of the point is kept. A limit of iterations keeps the point
# itself, which is LIBSVM's.
_CUT_SHORT = (Ending.TIME_LIMIT, Ending.CALLBACK, Ending.INTERRUPT)

# Kernel values that may be computed for the first record of a trace: a few milliseconds.
_AFFORDABLE_VALUES = 1_000_000


@dataclass(frozen=True)
class Decomposition(Solver):
    """Second-order decomposition in compiled code, for any size and every kernel machine.

    Each round solves for the few thousand variables that violate optimality most, with the others
    fixed (Osuna, Freund, Girosi 1997; Joachims 1999; Fan, Chen, Lin 2005; Wen et al. 2018). No
    matrix of all points is formed: rows are computed when needed, kept within a budget, and shared
    by all problems over the same points.

    With ``Stop(kkt=...)`` alone a run ends by LIBSVM's rule: the largest violating pair of the
    dual's gradient, in whatever units that has, and goes on if the gap is still large. With
    ``Stop(gap=...)`` it goes on until what is measured is small enough.

    Parameters
    ----------
    cache_size : float, optional
        Memory for kept rows in MB; by default the whole matrix if it fits in a quarter of the
        available memory, else that quarter.
    n_jobs : int, optional
        Threads, at most; the solution does not depend on it.
    max_gap : float, optional
        With ``Stop(kkt=...)`` alone, the relative duality gap above which a run goes on with a
        smaller tolerance; None for LIBSVM's rule alone.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.kernels import RBF
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [2.0]], [-1, 1, -1], C=10, kernel=RBF(1.0))
    >>> solve(problem, solver="decomposition").certificate.holds(1e-6)
    True
    """

    cache_size: float | None = None
    n_jobs: int | None = None
    max_gap: float | None = 1e-2

    name: ClassVar[str] = "decomposition"
    default_stop: ClassVar[Stop] = Stop(gap=1e-7, kkt=5e-7)

    def __post_init__(self) -> None:
        if self.cache_size is not None:
            value = positive(self.cache_size, "Decomposition(cache_size=...)")
            object.__setattr__(self, "cache_size", value)
        if self.n_jobs is not None:
            object.__setattr__(self, "n_jobs", whole(self.n_jobs, "Decomposition(n_jobs=...)"))
        if self.max_gap is not None and not (type(self.max_gap) is float and self.max_gap > 0):
            object.__setattr__(
                self, "max_gap", positive(self.max_gap, "Decomposition(max_gap=...)")
            )

    def refusal(self, problem: Problem) -> str | None:
        """Return why this solver cannot solve the problem, or None if it can."""
        return None if isinstance(problem, KernelProblem) else NO_BOX_QP

    def run_all(self, problems: Sequence[Problem], request: Request) -> list[Solution]:
        """Solve the problems, those over the same points together."""
        solutions: dict[int, Solution] = {}
        ended = request.ended
        for members in _parts(problems, request.warm):
            chosen = [problems[k] for k in members]
            warm = [_within(request.warm[k], members, solutions) for k in members]
            run = _Run(self, chosen, warm, request, members, len(problems), len(solutions))
            found = run.solutions() if ended is None else run.not_begun(ended)
            solutions.update(zip(members, found, strict=True))
            ended = ended or next((one.ending for one in found if one.ending.is_stop), None)
        return [solutions[k] for k in range(len(problems))]


def _parts(problems: Sequence[Problem], warm: Sequence[Warm]) -> list[list[int]]:
    """Group problems over the same points; a warm start belongs to an earlier or the same part."""
    parts: list[list[int]] = []
    latest: dict[tuple[int, float], int] = {}
    part_of: list[int] = []
    for k, problem in enumerate(problems):
        assert isinstance(problem, KernelProblem)
        qp = problem.dual()
        key = (id(qp.points.base), qp.constant)
        start = warm[k]
        is_solved = not isinstance(start, int) or part_of[start] <= latest.get(key, -1)
        if key not in latest or not is_solved:
            latest[key] = len(parts)
            parts.append([])
        part_of.append(latest[key])
        parts[latest[key]].append(k)
    return parts


def _within(warm: Warm, members: Sequence[int], solved: dict[int, Solution]) -> Warm:
    """Return a warm start with the places of the part's own problems."""
    if not isinstance(warm, int):
        return warm
    return members.index(warm) if warm in members else solved[warm]


class _Run:
    """One call over problems that share points."""

    def __init__(
        self,
        solver: Decomposition,
        problems: Sequence[Problem],
        warm: Sequence[Warm],
        request: Request,
        places: Sequence[int],
        n_problems: int,
        n_done: int,
    ) -> None:
        self.asked = [problem for problem in problems if isinstance(problem, KernelProblem)]
        # The tolerance has no units; weights do, in the nu forms.
        scaled_problems = [problem.in_unit_weights() for problem in self.asked]
        self.problems = [problem for problem, _ in scaled_problems]
        self.units = [unit for _, unit in scaled_problems]
        self.qps = [problem.dual() for problem in self.problems]
        self.warm, self.request, self.stop = warm, request, request.stop
        self.max_gap = solver.max_gap
        n_threads = default_threads() if solver.n_jobs is None else solver.n_jobs
        self.batch = Batch(self.qps, solver.cache_size, n_threads)
        self.recorder: Recorder | None = None
        if request.is_watched:
            self.recorder = Recorder(request, places, n_problems, n_done, self.units)

    def not_begun(self, ending: Ending) -> list[Solution]:
        """Return all problems at their starting points."""
        starts = [self._start(k) for k in range(len(self.qps))]
        found = [
            Found(start, qp.linear + qp.ridge * start, np.inf, 0, ending)
            for qp, start in zip(self.qps, starts, strict=True)
        ]
        return [self._solution(k, one) for k, one in enumerate(found)]

    def solutions(self) -> list[Solution]:
        """Solve all problems."""
        if self.request.time_left == 0:
            return self.not_begun(Ending.TIME_LIMIT)
        if self.recorder is not None and self._starts_end_the_run():
            return self.not_begun(Ending.CALLBACK)
        found = self._small() if self._is_small else self._solve(self._programs(1.0))
        found = [self._rescued(k, one) for k, one in enumerate(found)]
        if self._is_small and all(one.converged for one in found):
            found = [refined(qp, one) for qp, one in zip(self.qps, found, strict=True)]
        if self.stop.gap is not None:
            return [self._to_the_gap(k, one) for k, one in enumerate(found)]
        if self.max_gap is not None and not self._is_small:
            found = [self._narrowed(k, one, self.max_gap) for k, one in enumerate(found)]
        return [self._solution(k, one) for k, one in enumerate(found)]

    # Programs -----------------------------------------------------------------------------------

    def _tolerance(self, k: int) -> float:
        # LIBSVM's rule has no units; a measured violation is in units of the margin.
        unit = 1.0 if self.stop.gap is None else self.problems[k].margin_scale or 1.0
        return self.stop.accuracy * unit

    def _programs(self, factor: float) -> list[Terms]:
        """Return all problems as programs with their starting points and scaled tolerances."""
        programs = [
            Terms.of(
                self.qps[k],
                self._start(k),
                factor * self._tolerance(k),
                is_relative=isinstance(problem, NuMargin),
                follows=self._leader(k),
            )
            for k, problem in enumerate(self.problems)
        ]
        if all(terms.follows < 0 for terms in programs):
            return programs
        parts = left_out_parts(self.qps, self.warm)
        both = zip(programs, parts.left_out, parts.shares, strict=True)
        return [replace(one, left_out=place, shares=shares) for one, place, shares in both]

    def _leader(self, k: int) -> int:
        warm = self.warm[k]
        if not isinstance(warm, int) or self.qps[warm].n_variables != self.qps[k].n_variables:
            return -1
        return warm

    def _start(self, k: int) -> Floats:
        warm, qp = self.warm[k], self.qps[k]
        if isinstance(warm, Solution) and warm.dual.shape == (qp.n_variables,):
            return scaled(qp, warm)
        return filled(qp) if qp.total.any() else np.zeros(len(qp.sign))

    # Runs ---------------------------------------------------------------------------------------

    @property
    def _is_small(self) -> bool:
        return self.batch.points.n_points <= _SMALL and self.stop.is_unlimited

    @property
    def _few_steps(self) -> int:
        return _FEW_STEPS + _STEPS_PER_VARIABLE * max(qp.n_variables for qp in self.qps)

    @property
    def _most_steps(self) -> int:
        """The steps that a problem may take before another way is tried."""
        return self._few_steps if self.stop.max_iter is None else self.stop.max_iter

    def _solve(self, programs: Sequence[Terms], max_steps: int | None = None) -> list[Found]:
        everything = range(len(self.qps))
        return self.batch.solve(
            programs,
            everything,
            max_steps=self._most_steps if max_steps is None else max_steps,
            seconds=self.request.time_left,
            watch=self._watch(everything),
            pause=self._pause,
        )

    def _small(self) -> list[Found]:
        """Solve to rounding; if that takes more than a little work, to the tolerance."""
        finest = max(self._tolerance(k) for k in range(len(self.qps)))
        n_variables = max(qp.n_variables for qp in self.qps)
        programs = self._programs(min(1.0, _FINER / finest))
        found = self._solve(programs, _LITTLE_WORK // n_variables)
        if any(one.ending.is_stop for one in found):
            return found
        reached = [
            one.converged or (one.ending is Ending.STALLED and one.violation <= self._tolerance(k))
            for k, one in enumerate(found)
        ]
        if not all(reached):
            return self._solve(self._programs(1.0))
        return [replace(one, ending=Ending.CONVERGED) for one in found]

    def _rescued(self, k: int, found: Found) -> Found:
        """Return a better point if the steps made no progress."""
        crawls = found.ending is Ending.STALLED or (
            found.ending is Ending.MAX_ITER and self.stop.max_iter is None
        )
        if crawls and can_be_rescued(self.qps[k]):
            found = rescued(self.batch, k, found, self._tolerance(k), self.request.time_left)
        elif crawls and found.ending is Ending.MAX_ITER:
            found = self._further(k, found, self._tolerance(k), _MANY * self._few_steps)
        if found.ending is Ending.MAX_ITER and self.stop.max_iter is None:
            # No limit was asked for: this many steps are a sign that more would not help.
            return replace(found, ending=Ending.STALLED)
        return found

    def _narrowed(self, k: int, found: Found, max_gap: float) -> Found:
        """Tighten the tolerance while the estimated gap is larger than it may be."""
        tolerance = self._tolerance(k)
        for _ in range(_MOST_TIGHTENINGS):
            if not found.converged or self._estimated_gap(k, found) <= max_gap:
                return found
            tolerance *= _TIGHTER
            later = self._further(k, found, tolerance, self._most_steps)
            if later.ending is Ending.MAX_ITER:
                # The tolerance that was asked for had been reached within the limit.
                return replace(later, ending=Ending.CONVERGED)
            found = later
        return replace(found, ending=Ending.STALLED) if found.converged else found

    def _estimated_gap(self, k: int, found: Found) -> float:
        """Return the relative gap by the solver's own gradient; zero if it means nothing."""
        problem, qp = self.problems[k], self.qps[k]
        if qp.total.any() or qp.points.kernel.positive_semidefinite is not True:
            return 0.0
        signed, gradient = found.signed, found.gradient
        offsets = qp.offsets(signed, gradient)
        constraint = qp.constraint(signed, gradient, offsets)
        primal = problem.primal_value(qp.norm_squared(signed, gradient), constraint, offsets)
        dual = -qp.value(signed, gradient)
        # If all targets coincide, the optimum is zero, and so are the values up to rounding.
        least = 1e-7 * qp.value_scale * float(np.abs(signed).sum())
        return (primal - dual) / max(abs(primal), abs(dual), least, 1e-300)

    def _to_the_gap(self, k: int, found: Found) -> Solution:
        """Tighten the tolerance until the measured gap is what was asked for."""
        problem, qp, tolerance = self.problems[k], self.qps[k], self._tolerance(k)
        best, least = found, np.inf
        for _ in range(_MOST_TIGHTENINGS):
            signed = np.clip(found.signed, qp.lower, qp.upper)
            gradient = qp.gradient(signed)
            found = replace(found, signed=signed, gradient=gradient)
            measures = measure_multipliers(problem, signed, qp.offsets(signed, gradient), gradient)
            if self.recorder is not None:
                self.recorder.record(k, found.steps, measures.primal, measures.dual)
            if self.stop.reached_by(measures):
                return self._solution(k, replace(found, ending=Ending.CONVERGED))
            if not abs(measures.gap) >= least:
                best, least = found, abs(measures.gap)
            if not found.converged:
                break
            tolerance *= _TIGHTER
            found = self._further(k, found, tolerance, self._most_steps)
        ending = Ending.STALLED if found.converged else found.ending
        return self._solution(k, replace(best, steps=found.steps, ending=ending))

    def _further(self, k: int, found: Found, tolerance: float, max_steps: int) -> Found:
        """Continue one problem from its current point."""
        terms = Terms.of(
            self.qps[k],
            found.signed,
            tolerance,
            is_relative=isinstance(self.problems[k], NuMargin),
        )
        limit = self.stop.max_iter
        (later,) = self.batch.solve(
            [terms],
            [k],
            max_steps=max_steps if limit is None else max(limit - found.steps, 0),
            seconds=self.request.time_left,
            watch=self._watch([k], found.steps),
        )
        if not later.is_measured:
            return replace(found, ending=later.ending)
        return replace(later, steps=found.steps + later.steps)

    # What is seen -------------------------------------------------------------------------------

    def _watch(self, which: Sequence[int], steps_before: int = 0) -> Watch | None:
        """Return the callback of a run over some of the problems; None if nobody watches."""
        recorder = self.recorder
        if recorder is None:
            return None

        def watch(
            k: int, n_done: int, steps: int, violation: float, primal: float, dual: float
        ) -> bool:
            del violation
            return recorder.watch(which[k], steps_before + steps, primal, dual, n_done)

        return watch

    def _record(self, k: int, found: Found) -> bool:
        """Measure and record the current point of a problem; True if the callback ends the run."""
        assert self.recorder is not None
        qp = self.qps[k]
        offsets = qp.offsets(found.signed, found.gradient)
        now = measure_multipliers(self.problems[k], found.signed, offsets, found.gradient)
        return self.recorder.record(k, found.steps, now.primal, now.dual)

    def _starts_end_the_run(self) -> bool:
        """Record starting points that are not another's solution; True if the callback says so."""
        affordable = min(_AFFORDABLE_VALUES, self.batch.affordable_values)
        for k, qp in enumerate(self.qps):
            start = None if isinstance(self.warm[k], int) else self._start(k)
            if start is not None and np.count_nonzero(start) * qp.n_points <= affordable:
                found = Found(start, qp.gradient(start), np.inf, 0, Ending.UNKNOWN)
                if self._record(k, found):
                    return True
        return False

    def _pause(self, share: float) -> Ending | None:
        """Show how much of a kernel matrix is computed; return the ending of the run, if any."""
        require_none("The run was interrupted before its first step: there is no model yet.")
        if self.request.time_left == 0:
            return Ending.TIME_LIMIT
        is_over = self.recorder is not None and self.recorder.show_kernel_share(share)
        return Ending.CALLBACK if is_over else None

    # Solutions ----------------------------------------------------------------------------------

    def _solution(self, k: int, found: Found) -> Solution:
        qp = self.qps[k]
        if qp.infeasibility(found.signed) > FEASIBLE:
            signed = balanced(qp, found.signed)
            gradient = qp.gradient(signed) if found.is_measured else found.gradient
            found = replace(found, signed=signed, gradient=gradient)
        is_usual = found.is_measured and found.ending is not Ending.STALLED
        if found.is_measured and found.ending in _CUT_SHORT and not qp.total.any():
            found, offsets = best_multiple(self.problems[k], found)
        elif is_usual or not np.isfinite(qp.cost).all():
            offsets = qp.offsets(found.signed, found.gradient)
        else:
            # The best offsets for these weights: an untrained machine predicts the heavier class,
            # and points that made a run stall have gradients that say nothing about the bias.
            offsets = qp.vertex(found.gradient)[1]
        if self.recorder is not None and found.is_measured:
            self._record(k, found)
        unit = self.units[k]
        return Solution(
            problem=self.asked[k],
            dual=unit * np.maximum(qp.sign * found.signed, 0.0),
            offsets=unit * offsets,
            solver=Decomposition.name,
            ending=found.ending,
            reason="" if found.converged else self.request.reason(found.ending),
            iterations=found.steps,
            seconds=self.request.seconds,
            trace=NO_TRACE if self.recorder is None else self.recorder.trace(k),
            gradient=unit * found.gradient,
            values=None if found.is_measured else (np.inf, -np.inf),
            expansion=self._expansion(k, found),
        )

    def _expansion(self, k: int, found: Found) -> Floats | None:
        if found.expansion is None or not self.batch.rows.is_resident:
            return None
        return self.units[k] * found.expansion
