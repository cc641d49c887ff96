"""Linear machines by stochastic steps over the rows, pass after pass.

The compiled learner knows w and b alone. What proves how good they are, a dual point, is made from
them at the end (`maxmargin.solvers.online.dual`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from scipy import sparse

from maxmargin.certificates.measures import Measures, compared
from maxmargin.interrupts import pending
from maxmargin.kernels import Linear
from maxmargin.problems import Free, OneClass, Problem, Regularised, SoftMargin
from maxmargin.solvers.base import Solver
from maxmargin.solvers.online.dual import dual_value, multipliers_at, tightened
from maxmargin.solvers.online.learner import OnlineLearner, OnlineRule
from maxmargin.solvers.online.rows import Rows
from maxmargin.solvers.options import one_of, whole
from maxmargin.solvers.recording import Recorder
from maxmargin.solvers.solution import Ending, Solution
from maxmargin.solvers.stop import Request, Stop
from maxmargin.solvers.trace import NO_TRACE
from maxmargin.typing import Floats

__all__ = ["OnlineDescent"]

# Up to this many rows, equal rows are merged and sorted: the model then depends neither on the
# order of the rows nor on whether a row is given twice or with a weight of two.
_SMALL = 1024

# The gap is first measured after this many passes and steps, because a few rows are learnt in no
# time, and again when there are this many times as many passes.
_FIRST_LOOK = 3
_FEWEST_STEPS = 20_000
_NEXT_LOOK = 1.5

# Sweeps of the solver that bounds the optimum, in all and per pass: a sweep takes about a twentieth
# of the time of a pass (adult and forest cover data).
_FIRST_SWEEPS = 100
_SWEEPS_PER_PASS = 10

# Looks that are compared to tell whether more passes will do, and from which pass on.
_LOOKS_BACK = 2
_ENOUGH_PASSES = 30

_SLOW = "at this rate the gap would not be reached within max_iter passes"


@dataclass(frozen=True)
class OnlineDescent(Solver):
    """Stochastic steps with a length per feature, or those of Pegasos, for linear machines.

    It minimises lambda/2 |w|^2 + mean loss, row by row, with memory for w alone. An iteration is a
    pass over the rows. The steps need no tuning; they come near the optimum in a few passes and
    crawl afterwards.

    Parameters
    ----------
    step : {"adaptive", "pegasos"}
        The lengths of the steps. Pegasos is for the hinge loss without a free bias.
    average : bool
        Whether w is the mean over all steps, recent ones weighing more, or the last one.
    measures : bool
        Whether the run ends when the measured gap is what ``Stop(gap=...)`` asks for, or when it
        falls too slowly for that; otherwise it takes as many passes as ``Stop(max_iter=...)`` says.
    shuffle : bool
        Whether each pass visits the rows in a random order.
    seed : int or numpy.random.Generator
        Of that order.
    n_jobs : int, optional
        Threads; each learns some of the machines of one call.
    learner : OnlineLearner, optional
        What to continue from; it is changed in place.
    counts : ndarray of shape (n,), optional
        How many rows each row counts for, if that is not its whole weight in the problem; what is
        left of the weight, the same for all rows with one label, multiplies the loss.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import Regularised, SoftMargin
    >>> problem = SoftMargin([[-1.0], [1.0], [2.0]], [-1, 1, 1], bias=Regularised(1))
    >>> solution = solve(problem, "online")
    >>> solution.w.round(1), solution.certificate.gap > 0
    (array([1.]), True)
    """

    step: Literal["adaptive", "pegasos"] = "adaptive"
    average: bool = True
    measures: bool = True
    shuffle: bool = True
    seed: int | np.random.Generator = 0
    n_jobs: int | None = None
    learner: OnlineLearner | None = field(default=None, repr=False, compare=False)
    counts: Floats | None = field(default=None, repr=False, compare=False)

    name: ClassVar[str] = "online"
    default_stop: ClassVar[Stop] = Stop(gap=1e-2, max_iter=1000)
    exact: ClassVar[bool] = False

    def __post_init__(self) -> None:
        one_of(self.step, "OnlineDescent(step=...)", ("adaptive", "pegasos"))
        if not isinstance(self.seed, np.random.Generator):
            object.__setattr__(self, "seed", whole(self.seed, "OnlineDescent(seed=...)", 0))
        if self.n_jobs is not None:
            object.__setattr__(self, "n_jobs", whole(self.n_jobs, "OnlineDescent(n_jobs=...)"))

    def refusal(self, problem: Problem) -> str | None:
        """Return why this solver cannot solve the problem, or None if it can."""
        if type(problem.kernel) is not Linear:
            return "its kernel is not Linear()"
        if isinstance(problem, OneClass):
            return None if self.step == "adaptive" else "Pegasos is for two classes"
        if not isinstance(problem, SoftMargin):
            return "it is neither a SoftMargin nor a OneClass"
        if self.step == "pegasos" and (problem.loss != "hinge" or isinstance(problem.bias, Free)):
            return "Pegasos takes the hinge loss and no free bias"
        return None

    def run_all(self, problems: Sequence[Problem], request: Request) -> list[Solution]:
        """Solve the problems: one class against the rest each in common passes, else in turn."""
        if _is_one_against_rest(problems):
            return _Run(self, problems, request, range(len(problems)), len(problems)).solutions()
        solutions: list[Solution] = []
        for k, problem in enumerate(problems):
            solutions += _Run(self, [problem], request, [k], len(problems)).solutions()
        return solutions


def _is_one_against_rest(problems: Sequence[Any]) -> bool:
    """Say whether each row is positive in one of the problems, which are alike otherwise."""
    first = problems[0]
    if len(problems) < 3 or not all(isinstance(one, SoftMargin) for one in problems):
        return False
    is_alike = all(
        (one.points is first.points and one.C == first.C and one.loss == first.loss)
        and one.bias == first.bias
        and np.array_equal(one.sample_weight, first.sample_weight)
        for one in problems
    )
    return is_alike and bool((sum(one.y > 0 for one in problems) == 1).all())


class _Run:
    """Passes over the rows that some problems share."""

    def __init__(
        self,
        solver: OnlineDescent,
        problems: Sequence[Any],
        request: Request,
        places: Sequence[int],
        n_problems: int,
    ) -> None:
        self.solver, self.problems, self.request = solver, problems, request
        self.recorder: Recorder | None = None
        if request.is_watched:
            self.recorder = Recorder(request, places, n_problems, places[0])
        self.generator = np.random.default_rng(solver.seed)
        first = problems[0]
        self.is_one_class = isinstance(first, OneClass)
        weight = np.asarray(first.sample_weight)
        counts = weight if solver.counts is None else solver.counts
        #: What turns the learner's weights into those of the problem.
        self.unit = float(first.nu * weight.sum()) if self.is_one_class else 1.0
        self.rule = self._rule(first, float(counts.sum()))
        labels = np.ones(first.n_points, dtype=np.int64)
        if not self.is_one_class:
            positive = np.stack([one.y > 0 for one in problems])
            labels = positive[0].astype(np.int64) if len(problems) == 1 else positive.argmax(axis=0)
        of_class = np.ones(max(len(problems), 2))
        used = counts > 0
        of_class[labels[used]] = weight[used] / counts[used]
        rows = Rows(self._features(first), labels, counts, of_class).with_weight()
        self.rows = rows.merged() if rows.n_rows <= _SMALL else rows
        self.learner = solver.learner or OnlineLearner(
            len(problems), rows.X.shape[1], self.rule, bias=1.0 if self.is_one_class else 0.0
        )
        self.n_passes = 0
        #: The best dual point so far of each problem.
        self.multipliers: list[Floats | None] = [None] * len(problems)

    def _features(self, problem: Any) -> Any:
        """Return the rows, with a constant feature if the learner does not know the bias."""
        if self.scale is None:
            return problem.X
        constant = np.full((problem.n_points, 1), self.scale, dtype=problem.X.dtype)
        if sparse.issparse(problem.X):
            return sparse.hstack([problem.X, constant], format="csr")
        return np.hstack([problem.X, constant])

    @property
    def scale(self) -> float | None:
        """The constant feature of a regularised bias; None if the learner has that bias itself."""
        bias = self.problems[0].bias
        known = not isinstance(bias, Regularised) or bias.scale in (0.0, 1.0)
        return None if known else bias.scale

    def _rule(self, problem: Any, total: float) -> OnlineRule:
        if self.is_one_class:
            # With the bias 1 - rho the loss is the hinge loss of the label 1.
            return OnlineRule(problem.nu, "hinge", "proximal", "scaled", bias_slope=problem.nu)
        kind: Literal["none", "regularised", "free"] = "free"
        if isinstance(problem.bias, Regularised):
            kind = "regularised" if problem.bias.scale == 1.0 else "none"
        return OnlineRule(1.0 / (problem.C * total), problem.loss, self.solver.step, kind)

    # The passes ---------------------------------------------------------------------------------

    def solutions(self) -> list[Solution]:
        """Learn until the gap is small enough, or a limit is reached."""
        ending = self._learn()
        return [self._solution(k, ending) for k in range(len(self.problems))]

    def _learn(self) -> Ending:
        limit = self.request.stop.max_iter
        assert limit is not None
        next_look = max(_FIRST_LOOK, -(-_FEWEST_STEPS // max(self.rows.n_rows, 1)))
        looks: list[tuple[int, float]] = []
        while self.n_passes < limit:
            order = self.generator.permutation(self.rows.n_rows) if self.solver.shuffle else None
            learnt = self.learner.learn(
                self.rows,
                self.rule,
                order=order,
                n_jobs=self.solver.n_jobs,
                seconds=self.request.time_left,
            )
            self.n_passes += 1
            if learnt.ending is not None:
                return learnt.ending
            if self.request.time_left == 0:
                return Ending.TIME_LIMIT
            if self._show():
                return Ending.CALLBACK
            if not self.solver.measures or self.n_passes < next_look:
                continue
            next_look = int(np.ceil(_NEXT_LOOK * self.n_passes))
            found = [self._measured(k)[-1] for k in range(len(self.problems))]
            if all(self.request.stop.reached_by(one) for one in found):
                return Ending.CONVERGED
            looks.append((self.n_passes, max(one.relative_gap for one in found)))
            if self._is_too_slow(looks, limit):
                return Ending.STALLED
        return Ending.MAX_ITER

    def _is_too_slow(self, looks: list[tuple[int, float]], limit: int) -> bool:
        """Say whether the gap, falling as a power of the passes, would not be reached in time."""
        if len(looks) <= _LOOKS_BACK or self.n_passes < _ENOUGH_PASSES:
            return False
        (before, large), (now, small) = looks[-1 - _LOOKS_BACK], looks[-1]
        power = np.log(large / small) / np.log(now / before) if small < large else 0.0
        wanted = small * (limit / now) ** -power
        return bool(wanted > 2 * self.request.stop.accuracy)

    def _show(self) -> bool:
        """Measure and show where the machines are; True if the callback asks to end the run."""
        if self.recorder is None:
            return False
        asked = False
        for k in range(len(self.problems)):
            found = self._measured(k)[-1]
            asked |= self.recorder.watch(k, self.n_passes, found.primal, found.dual)
        return asked

    # The end ------------------------------------------------------------------------------------

    def _solution(self, k: int, ending: Ending) -> Solution:
        problem, request = self.problems[k], self.request
        weights, bias, multipliers, found = self._measured(k)
        reason = _SLOW if ending is Ending.STALLED else request.reason(ending)
        if request.stop.reached_by(found):
            ending, reason = Ending.CONVERGED, ""
        if self.recorder is not None:
            self.recorder.record(k, self.n_passes, found.primal, found.dual, k + 1)
        return Solution(
            problem,
            multipliers,
            np.full(len(problem.dual().total), -bias),
            weights=weights,
            intercept=bias,
            solver=self.solver.name,
            ending=ending,
            reason=reason,
            iterations=self.n_passes,
            seconds=request.seconds,
            values=(found.primal, found.dual),
            trace=NO_TRACE if self.recorder is None else self.recorder.trace(k),
        )

    def _measured(self, k: int) -> tuple[Floats, float, Floats, Measures]:
        """Return w, b, multipliers for them, and how good they are."""
        problem = self.problems[k]
        weights, bias = self._machine(k)
        qp = problem.dual()
        constraint = qp.sign * (problem.points.scores(weights) + bias + qp.linear)
        unit = (abs(bias) or 1.0) if self.is_one_class else 1.0
        multipliers = self._bound(k, multipliers_at(qp, constraint, unit), weights, bias)
        norm = float(weights @ weights)
        if isinstance(problem.bias, Regularised) and problem.bias.scale > 0:
            norm += (bias / problem.bias.scale) ** 2
        primal = 0.5 * norm + qp.penalty(np.maximum(0.0, -constraint))
        primal += float(qp.total.sum()) * bias
        found = compared(primal, dual_value(qp, qp.sign * multipliers), np.nan, 0.0)
        return weights, bias, multipliers, found

    def _bound(self, k: int, ramp: Floats, weights: Floats, bias: float) -> Floats:
        """Return the best multipliers so far, after as many more sweeps as the passes pay for."""
        problem, kept = self.problems[k], self.multipliers[k]
        qp = problem.dual()
        best = ramp
        if kept is not None and dual_value(qp, qp.sign * kept) > dual_value(qp, qp.sign * ramp):
            best = kept
        if self.request.time_left != 0 and not pending():
            offsets = np.full(len(qp.total), -bias)
            start = Solution(problem, best, offsets, weights=weights, intercept=bias)
            n_sweeps = _FIRST_SWEEPS + _SWEEPS_PER_PASS * self.n_passes
            gap = 0.1 * self.request.stop.accuracy
            best = tightened(problem, start, n_sweeps, gap, self.solver.n_jobs)
        self.multipliers[k] = best
        return best

    def _machine(self, k: int) -> tuple[Floats, float]:
        """Return w and b in the problem's units."""
        weights, bias = self.learner.weights(self.rule, average=self.solver.average)
        if self.is_one_class:
            return self.unit * weights[k], float(self.unit * (bias[k] - 1.0))
        if self.scale is not None:
            return weights[k, :-1], float(self.scale * weights[k, -1])
        return weights[k], float(bias[k])
