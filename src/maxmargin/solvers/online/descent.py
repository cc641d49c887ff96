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
from maxmargin.kernels import Linear
from maxmargin.problems import Free, OneClass, Problem, Regularised, SoftMargin
from maxmargin.solvers.base import Solver
from maxmargin.solvers.online.dual import dual_value, multipliers_at, tightened
from maxmargin.solvers.online.learner import OnlineLearner, OnlineRule
from maxmargin.solvers.online.rows import Rows
from maxmargin.solvers.options import finite_from_zero, one_of, whole
from maxmargin.solvers.recording import Recorder
from maxmargin.solvers.solution import Ending, Solution
from maxmargin.solvers.stop import Request, Stop
from maxmargin.solvers.trace import NO_TRACE
from maxmargin.typing import Floats

__all__ = ["OnlineDescent"]

# Up to this many rows, equal rows are merged and sorted: the model then depends neither on the
# order of the rows nor on whether a row is given twice or with a weight of two.
_SMALL = 1024

# A run does not end before this many steps, because a few rows are learnt in no time, nor before
# this many passes in a row have lowered the objective by less than the tolerance.
_FEWEST_STEPS = 20_000
_PATIENCE = 2

# The tolerance is a fraction of the objective, or of this share of its value in the first pass.
_NEGLIGIBLE = 0.01

_STILL = "two passes in a row lowered the objective by less than tol"


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
    tol : float, optional
        End after two passes in a row that lower the objective by no more than this fraction; None
        for as many passes as ``Stop(max_iter=...)`` allows.
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
    tol: float | None = 1e-3
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
        if self.tol is not None:
            finite_from_zero(self.tol, "OnlineDescent(tol=...)")
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
        """Learn until the objective stays where it is, or a limit is reached."""
        ending = self._learn()
        return [self._solution(k, ending) for k in range(len(self.problems))]

    def _learn(self) -> Ending:
        limit = self.request.stop.max_iter
        assert limit is not None
        last, negligible, n_still = np.inf, 0.0, 0
        while self.n_passes < limit:
            seen, total = self.learner.seen, self.learner.total_loss
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
            if self.solver.tol is None:
                continue
            mean_loss = (self.learner.total_loss - total) / (self.learner.seen - seen)
            value = float(np.sum(self.learner.objectives(self.rule, mean_loss)))
            if self.n_passes == 1:
                negligible = _NEGLIGIBLE * abs(value)
            is_still = last - value <= self.solver.tol * max(abs(value), negligible)
            n_still = n_still + 1 if is_still else 0
            last = value
            if n_still >= _PATIENCE and self.n_passes * self.rows.n_rows >= _FEWEST_STEPS:
                return Ending.STALLED
        return Ending.STALLED if n_still >= _PATIENCE else Ending.MAX_ITER

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
        reason = _STILL if ending is Ending.STALLED else request.reason(ending)
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
        multipliers = multipliers_at(qp, constraint, unit)
        multipliers = tightened(problem, weights, bias, multipliers)
        norm = float(weights @ weights)
        if isinstance(problem.bias, Regularised) and problem.bias.scale > 0:
            norm += (bias / problem.bias.scale) ** 2
        primal = 0.5 * norm + qp.penalty(np.maximum(0.0, -constraint))
        primal += float(qp.total.sum()) * bias
        found = compared(primal, dual_value(qp, qp.sign * multipliers), np.nan, 0.0)
        return weights, bias, multipliers, found

    def _machine(self, k: int) -> tuple[Floats, float]:
        """Return w and b in the problem's units."""
        weights, bias = self.learner.weights(self.rule, average=self.solver.average)
        if self.is_one_class:
            return self.unit * weights[k], float(self.unit * (bias[k] - 1.0))
        if self.scale is not None:
            return weights[k, :-1], float(self.scale * weights[k, -1])
        return weights[k], float(bias[k])
