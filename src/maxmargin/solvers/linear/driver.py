"""What the solvers of linear machines share: grouping, warm starts, and when to stop.

With ``Stop(gap=...)`` alone a run ends by the solver's own gap, which it computes in float64; with
``Stop(kkt=...)`` it goes on until the measured violation is small enough.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from maxmargin.certificates.measures import measure_solution
from maxmargin.problems import Problem
from maxmargin.solvers.base import Solver
from maxmargin.solvers.linear.engine import Reached, RunOptions
from maxmargin.solvers.options import whole
from maxmargin.solvers.recording import Recorder
from maxmargin.solvers.solution import Ending, Solution
from maxmargin.solvers.stop import Request, Stop

__all__ = ["LinearSolver"]

# Problems of at most this many points are solved to rounding: that costs next to nothing, and makes
# the solution independent of the order and precision of the points.
_SMALL = 256
_ROUNDING = 1e-15

# If a KKT violation is asked for, the gap is multiplied by _TIGHTER until the violation is reached,
# at most this many times.
_TIGHTER = 0.1
_MOST_TIGHTENINGS = 12

_MOST_ITERATIONS = 100_000


@dataclass(frozen=True)
class LinearSolver(Solver):
    """Runs a compiled solver on many problems over the same rows.

    Parameters
    ----------
    n_jobs : int, optional
        Threads, at most; the solution does not depend on it.
    seed : int
        Of the order in which coordinates are visited.
    """

    n_jobs: int | None = None
    seed: int = 0

    default_stop: ClassVar[Stop] = Stop(gap=1e-7, kkt=5e-7)
    #: If a KKT violation is asked for, the first run aims at this share of the gap.
    aim: ClassVar[float] = 1.0
    #: Whether small problems are solved to rounding.
    is_precise: ClassVar[bool] = True

    def __post_init__(self) -> None:
        name = type(self).__name__
        if self.n_jobs is not None:
            object.__setattr__(self, "n_jobs", whole(self.n_jobs, f"{name}(n_jobs=...)"))
        if type(self.seed) is not int or self.seed < 0:
            object.__setattr__(self, "seed", whole(self.seed, f"{name}(seed=...)", smallest=0))

    # What a solver adds -------------------------------------------------------------------------

    @abstractmethod
    def _solve(
        self, problems: Sequence[Any], options: RunOptions, starts: Sequence[Solution | None]
    ) -> list[Reached]:
        """Solve problems over the same rows, each point with a positive weight or none."""

    @abstractmethod
    def _solution(self, problem: Any, found: Reached, **how: Any) -> Solution:
        """Return what was found as a solution."""

    def _joins(self, problem: Any) -> Hashable:
        """Return a key; problems over the same points with equal keys are solved in one call."""
        del problem
        return ()

    # The run ------------------------------------------------------------------------------------

    def run_all(self, problems: Sequence[Problem], request: Request) -> list[Solution]:
        """Solve the problems, those over the same rows together."""
        solutions: dict[int, Solution] = {}
        ended = request.ended
        for members in self._parts(problems, request):
            run = _Run(self, problems, members, request, solutions, ended)
            solutions.update(zip(members, run.solutions(), strict=True))
            ended = run.ended
        return [solutions[k] for k in range(len(problems))]

    def _parts(self, problems: Sequence[Problem], request: Request) -> list[list[int]]:
        """Group the problems into runs; each starts from solutions of earlier runs."""
        depth: list[int] = []
        for warm in request.warm:
            depth.append(depth[warm] + 1 if isinstance(warm, int) else 0)
        parts: dict[Hashable, list[int]] = {}
        for k in sorted(range(len(problems)), key=depth.__getitem__):
            key = (depth[k], id(problems[k].points), self._joins(problems[k]))
            parts.setdefault(key, []).append(k)
        return list(parts.values())


class _Run:
    """One call of a compiled solver, and tighter ones that may follow.

    `ended` is the ending of this run or of an earlier one, if it ends all problems that are left.
    """

    def __init__(
        self,
        solver: LinearSolver,
        problems: Sequence[Problem],
        members: Sequence[int],
        request: Request,
        solved: dict[int, Solution],
        ended: Ending | None,
    ) -> None:
        self.solver, self.request, self.stop = solver, request, request.stop
        self.problems = [problems[k] for k in members]
        self.recorder: Recorder | None = None
        if request.is_watched:
            self.recorder = Recorder(request, members, len(problems), len(solved))
        warm = [request.warm[k] for k in members]
        self.starts = [solved[one] if isinstance(one, int) else one for one in warm]
        self.ended = ended

    def solutions(self) -> list[Solution]:
        measures = self.stop.kkt is not None
        gap = self.stop.gap or self.stop.accuracy
        is_small = self.problems[0].n_points <= _SMALL and self.solver.is_precise
        aim = min(gap, _ROUNDING) if is_small else self.solver.aim * gap if measures else gap
        found = self._solve(range(len(self.problems)), aim, self.starts)
        found = [_judged(one, gap) for one in found]
        made = [self._solution(k, one) for k, one in enumerate(found)]
        if measures:
            made = [self._to_the_violation(k, one, aim) for k, one in enumerate(made)]
        elif self.recorder is not None:
            for k, one in enumerate(found):
                self.recorder.record(k, one.iterations, one.primal, one.dual, len(made))
        if self.recorder is None or not self.request.trace:
            return made
        return [replace(one, trace=self.recorder.trace(k)) for k, one in enumerate(made)]

    def _solve(
        self, which: Sequence[int], gap: float, starts: Sequence[Solution | None], done: int = 0
    ) -> list[Reached]:
        """Solve some of the problems; if the run has ended, begin none of them."""
        recorder = self.recorder

        def watch(k: int, n_done: int, steps: int, gap: float, primal: float, dual: float) -> bool:
            del gap
            assert recorder is not None
            return recorder.watch(which[k], done + steps, primal, dual, n_done)

        limit = _MOST_ITERATIONS if self.stop.max_iter is None else self.stop.max_iter
        options = RunOptions(
            gap,
            max(limit - done, 0),
            self.request.time_left,
            None if recorder is None else watch,
            self.solver.seed,
            self.solver.n_jobs,
        )
        if options.seconds == 0 and self.ended is None:
            self.ended = Ending.TIME_LIMIT
        if self.ended is not None:
            options = replace(options, max_iter=0, seconds=0.0, watch=None)
        found = self.solver._solve([self.problems[k] for k in which], options, starts)
        if self.ended is not None:
            return [replace(one, ending=self.ended) for one in found]
        self.ended = next((one.ending for one in found if one.ending.is_stop), None)
        return found

    def _to_the_violation(self, k: int, solution: Solution, gap: float) -> Solution:
        """Tighten the gap until the measured violation is what was asked for."""
        for _ in range(_MOST_TIGHTENINGS):
            measures = measure_solution(self.problems[k], solution)
            solution = replace(solution, values=(measures.primal, measures.dual))
            recorder, n_steps = self.recorder, solution.iterations
            if recorder is not None and recorder.record(k, n_steps, measures.primal, measures.dual):
                self.ended = self.ended or Ending.CALLBACK
            if self.stop.reached_by(measures):
                return replace(solution, ending=Ending.CONVERGED)
            if not solution.converged:
                return solution
            if self.ended is not None:
                return self._ended(solution, self.ended)
            gap *= _TIGHTER
            (found,) = self._solve([k], gap, [solution], solution.iterations)
            if found.ending.is_stop and found.relative_gap > measures.relative_gap:
                return self._ended(solution, found.ending)
            steps = solution.iterations + found.iterations
            solution = replace(self._solution(k, found), iterations=steps)
        return replace(solution, ending=Ending.STALLED)

    def _ended(self, solution: Solution, ending: Ending) -> Solution:
        return replace(solution, ending=ending, reason=self.request.reason(ending))

    def _solution(self, k: int, found: Reached) -> Solution:
        return self.solver._solution(
            self.problems[k],
            found,
            solver=found.solver or self.solver.name,
            ending=found.ending,
            reason="" if found.ending is Ending.CONVERGED else self.request.reason(found.ending),
            iterations=found.iterations,
            seconds=self.request.seconds,
            values=(found.primal, found.dual),
        )


def _judged(found: Reached, gap: float) -> Reached:
    """Return the solution as converged if its gap is small enough, whatever the run aimed at."""
    short = found.ending in (Ending.MAX_ITER, Ending.STALLED)
    return replace(found, ending=Ending.CONVERGED) if short and found.relative_gap <= gap else found
