"""One run of the engine over all programs of a fit: starts, limits, and how it ended."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Protocol

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from maxmargin.errors import InvalidInputError
from maxmargin.estimators.interrupts import heed_interrupt
from maxmargin.estimators.programs import balanced, filled
from maxmargin.estimators.refine import refined
from maxmargin.problems import BoxQP
from maxmargin.solvers.engine import Answer, Engine, Program, Sums, Watch
from maxmargin.typing import Floats

__all__ = [
    "STOPPED",
    "FitStoppedError",
    "Former",
    "Limits",
    "Outcome",
    "chosen_margin",
    "run",
    "warn_unless_converged",
]

#: Endings that end all programs of a run.
STOPPED = frozenset({"seconds", "watch", "interrupt"})

# Up to this many points the accuracy of rounding costs next to nothing, and makes the model
# independent of the order of the points.
_SMALL = 256
_FINER = 1e-7
_FEASIBLE = 1e-10
_STEPS_PER_VARIABLE = 1000

# A margin below this counts as this: the classes are then not separable at that nu.
_SMALLEST_MARGIN = 1e-4
_TIGHTENINGS = 4

# What nobody reaches, and the engine can still count.
_MOST_STEPS = 1 << 62
_MOST_SECONDS = 1e9


class FitStoppedError(BaseException):
    """A fit ended with the search around it, like an interrupt: no error of the fit."""


@dataclass(frozen=True)
class Limits:
    """What ends a run: accuracy, steps a program, and a time that all runs of a fit share."""

    tol: float
    max_steps: int | None
    deadline: float | None

    @classmethod
    def of(cls, tol: float, max_iter: int, time_limit: float | None, started: float) -> Limits:
        """Return the limits that an estimator's parameters describe for a fit begun then."""
        steps = None if max_iter == -1 else min(int(max_iter), _MOST_STEPS)
        limit = None if time_limit is None else started + min(float(time_limit), _MOST_SECONDS)
        return cls(float(tol), steps, limit)

    @property
    def seconds(self) -> float | None:
        """What is left of the time."""
        return None if self.deadline is None else max(0.0, self.deadline - perf_counter())

    @property
    def only_accuracy(self) -> bool:
        """Whether nothing but the accuracy ends a run."""
        return self.max_steps is None and self.deadline is None


@dataclass(frozen=True, eq=False)
class Former:
    """Where an earlier fit ended, for a warm start.

    Attributes
    ----------
    signed, cost : ndarray of shape (m,)
        The variables, and the costs they had.
    gradient, sums : ndarray, optional
        As in `maxmargin.solvers.engine.Answer`, for starts on the same engine.
    left_out : Sums, optional
        The part of the sums that variables have which can only be zero from now on.
    """

    signed: Floats
    cost: Floats
    gradient: Floats | None = None
    sums: Floats | None = None
    left_out: Sums | None = None

    def start(self, qp: BoxQP) -> Floats:
        """Return the former point scaled with the costs, or one nearby that is feasible."""
        scaled: Floats = np.clip(self._growth(qp) * self.signed, qp.lower, qp.upper)
        # What was at its bound stays there, whatever rounding makes of the product.
        scaled = np.where(np.abs(self.signed) >= self.cost, qp.sign * qp.cost, scaled)
        if qp.infeasibility(scaled) <= _FEASIBLE:
            return scaled
        if self.gradient is not None:
            return balanced(qp, scaled, self.gradient)
        # A projection moves every variable off its bound, if only by rounding.
        return qp.project(scaled)

    def program(self, qp: BoxQP) -> Program:
        """Return the program that starts there."""
        program = Program.of(qp, self.start(qp))
        if self.sums is None:
            return program
        coefficients, values = qp.coefficients(self.signed), self.sums
        if self.left_out is not None:
            coefficients = coefficients - self.left_out.coefficients
            values = values - self.left_out.values
        factor = float(self._growth(qp).max())
        return replace(program, near=Sums(factor * coefficients, factor * values))

    def _growth(self, qp: BoxQP) -> Floats:
        return np.divide(qp.cost, self.cost, out=np.ones(len(qp.cost)), where=self.cost > 0)


@dataclass(frozen=True, eq=False)
class Outcome:
    """Where the run ended with one program."""

    qp: BoxQP
    answer: Answer

    @property
    def signed(self) -> Floats:
        """The signed variables."""
        return self.answer.signed

    @property
    def measured(self) -> bool:
        """Whether the run reached this program and knows its gradient."""
        return bool(np.isfinite(self.answer.violation))

    def offsets(self) -> Floats:
        """Return the multipliers of the sums, or say that the numbers overflowed."""
        offsets = self.qp.offsets(self.answer.signed, self.answer.gradient)
        if not (np.isfinite(self.answer.signed).all() and np.isfinite(offsets).all()):
            raise InvalidInputError(
                "The dual coefficients or intercepts are not finite. X may contain large values: "
                "scale the features, and C and the weights to moderate numbers."
            )
        return offsets

    def gap(self) -> tuple[float, float]:
        """Return the gap and the relative gap, from the engine's gradient; infinite without one."""
        if not self.measured:
            return np.inf, np.inf
        qp, signed, gradient = self.qp, self.answer.signed, self.answer.gradient
        offsets = self.offsets()
        slack = np.maximum(0.0, -qp.constraint(signed, gradient, offsets))
        primal = 0.5 * qp.norm_squared(signed, gradient) + qp.penalty(slack)
        primal -= float(qp.total @ offsets)
        dual = -qp.value(signed, gradient)
        return primal - dual, (primal - dual) / (max(abs(primal), abs(dual)) or 1.0)


def run(
    engine: Engine,
    qps: Sequence[BoxQP],
    limits: Limits,
    *,
    formers: Sequence[Former] | None = None,
    watch: Watch | None = None,
) -> list[Outcome]:
    """Solve the programs, from where an earlier fit ended if it had as many variables."""
    if not qps:
        return []
    if formers is not None and _alike(formers, qps):
        programs = [former.program(qp) for former, qp in zip(formers, qps, strict=True)]
    else:
        programs = [Program.of(qp, filled(qp)) for qp in qps]
    small = qps[0].gram.n_points <= _SMALL and limits.only_accuracy
    answers = _to_rounding(engine, programs, limits.tol, watch) if small else None
    if answers is None:
        answers = engine.solve(
            programs,
            tol=limits.tol,
            max_steps=limits.max_steps,
            seconds=limits.seconds,
            watch=watch,
        )
    if limits.only_accuracy:
        answers = _to_the_margin(engine, qps, programs, answers, limits.tol, watch)
    if small and all(answer.converged for answer in answers):
        answers = [refined(qp, answer) for qp, answer in zip(qps, answers, strict=True)]
    if any(answer.ending == "interrupt" for answer in answers):
        heed_interrupt()
    return [Outcome(qp, answer) for qp, answer in zip(qps, answers, strict=True)]


def _to_the_margin(
    engine: Engine,
    qps: Sequence[BoxQP],
    programs: Sequence[Program],
    answers: Sequence[Answer],
    tol: float,
    watch: Watch | None,
) -> list[Answer]:
    """Go on where the data chose a margin below one, of which the tolerance is then a fraction.

    The nu form's decision is divided by its margin rho, and an error with it.
    """
    best, at_their_best = list(answers), set[int]()
    for _ in range(_TIGHTENINGS):
        margins = [chosen_margin(qp, a) for qp, a in zip(qps, best, strict=True)]
        coarse = [
            k
            for k, (margin, a) in enumerate(zip(margins, best, strict=True))
            if a.converged and a.violation > tol * margin and k not in at_their_best
        ]
        if not coarse or any(a.ending in STOPPED for a in best):
            break
        finer = engine.solve(
            [_further_from(programs[k], qps[k], best[k]) for k in coarse],
            tol=tol * min(margins[k] for k in coarse),
            watch=watch,
        )
        for k, answer in zip(coarse, finer, strict=True):
            best[k] = _further(best[k], answer, tol)
            if not answer.converged:
                at_their_best.add(k)
    return best


def chosen_margin(qp: BoxQP, answer: Answer) -> float:
    """Return the margin of a nu form of two classes, at most one; one for every other program."""
    if qp.linear.any() or len(qp.total) == 0 or (qp.sign > 0).all():
        return 1.0
    offsets = qp.offsets(answer.signed, answer.gradient)
    rho = float(offsets[0] if len(offsets) == 1 else 0.5 * (offsets[0] - offsets[1]))
    return min(1.0, max(rho, _SMALLEST_MARGIN))


def _alike(formers: Sequence[Former], qps: Sequence[BoxQP]) -> bool:
    return [len(former.signed) for former in formers] == [qp.n_variables for qp in qps]


def _to_rounding(
    engine: Engine, programs: Sequence[Program], tol: float, watch: Watch | None
) -> list[Answer] | None:
    """Solve small programs as finely as rounding allows; None where that takes too many steps."""
    n_variables = max(program.n_variables for program in programs)
    answers = engine.solve(
        programs,
        tol=min(tol, _FINER),
        max_steps=_STEPS_PER_VARIABLE * n_variables,
        watch=watch,
    )
    stalled_beyond = [a.ending == "stalled" and a.violation <= tol for a in answers]
    reached = [a.converged or b for a, b in zip(answers, stalled_beyond, strict=True)]
    if any(a.ending in STOPPED for a in answers):
        return answers
    return [replace(a, ending="converged") for a in answers] if all(reached) else None


def _further_from(program: Program, qp: BoxQP, answer: Answer) -> Program:
    """Return the program that starts where an answer ended."""
    near = None
    if answer.sums is not None:
        near = Sums(qp.coefficients(answer.signed), answer.sums)
    return replace(program, start=answer.signed, near=near)


def _further(converged: Answer, later: Answer, tol: float) -> Answer:
    """Return the later of two answers unless it is worse; only a stop makes it unconverged."""
    kept = later if later.violation <= max(tol, converged.violation) else converged
    ending = later.ending if later.ending in STOPPED else "converged"
    return replace(kept, steps=converged.steps + later.steps, ending=ending)


_CAUSES = {
    "steps": "Solver terminated early (max_iter={max_iter}).",
    "seconds": "Solver terminated early (time_limit={time_limit}).",
    "watch": "Solver terminated early (a callback asked for it).",
    "interrupt": "Solver terminated early (interrupted).",
    "stalled": "Solver stalled: no step improves the dual any more.",
}
_SCALE = "  Consider pre-processing your data with StandardScaler or MinMaxScaler."
_CURES = {
    "steps": _SCALE + " Raise max_iter or tol for a certified answer.",
    "seconds": _SCALE + " Raise time_limit or tol for a certified answer.",
    "watch": "",
    "interrupt": " With warm_start=True another fit goes on from here. Another interrupt within "
    "two seconds raises KeyboardInterrupt, which ends a loop or a search.",
    "stalled": _SCALE + " An indefinite kernel, such as 'sigmoid', can cause it too: try 'rbf'.",
}


class Ended(Protocol):
    """What a run left of one machine: an answer that knows its ending, and a gap."""

    @property
    def answer(self) -> Any:
        """Where the solver ended."""

    def gap(self) -> tuple[float, float]:
        """Return the gap and the relative gap."""


def warn_unless_converged(
    outcomes: Sequence[Ended], names: Sequence[str], parameters: dict[str, Any], depth: int = 1
) -> int:
    """Warn where a program did not reach the tolerance; return scikit-learn's `fit_status_`.

    The warning is that of the fit, which is `depth` calls above the caller.
    """
    short = [i for i, outcome in enumerate(outcomes) if not outcome.answer.converged]
    if not short:
        return 0
    gaps = [outcome.gap() for outcome in outcomes]
    ending = outcomes[max(short, key=lambda i: abs(gaps[i][1]))].answer.ending
    message = _CAUSES[ending].format(**parameters) + _CURES[ending] + _quality(gaps, names)
    warnings.warn(message, ConvergenceWarning, stacklevel=4 + depth)
    return 1


def _quality(gaps: Sequence[tuple[float, float]], names: Sequence[str]) -> str:
    """Say how large the largest relative gap is, by which a certificate orders machines too."""
    n = len(gaps)
    unknown = sum(gap == np.inf for gap, _ in gaps)
    if unknown:
        place = f" in {unknown} of {n} machines" if n > 1 else ""
        return f" The duality gap is unknown{place}: the run ended before it was measured."
    worst = max(range(n), key=lambda i: abs(gaps[i][1]))
    gap, relative = gaps[worst]
    place = f" in {names[worst]}, the worst of {n}" if n > 1 else ""
    return (
        f" The model is usable: its duality gap is {gap:.3g}, a fraction of {relative:.2g} of "
        f"the objective{place}."
    )
