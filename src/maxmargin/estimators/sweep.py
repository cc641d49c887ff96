"""Fits that differ in their prices alone (C, nu, epsilon), over a matrix that is there already.

The machine is prepared once; at each price its programs start from the solutions at the price
before. What comes out is a fitted machine like any other. Programs that do not converge are left
to a fit of their own, which knows more ways.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone

from maxmargin.estimators.base import KernelMachine
from maxmargin.estimators.callbacks import has_callbacks
from maxmargin.estimators.programs import filled
from maxmargin.estimators.run import Former, Limits, Outcome, chosen_margin, run
from maxmargin.kernels import (
    RBF,
    Chi2,
    Function,
    Kernel,
    Laplacian,
    On,
    Precomputed,
    Product,
    Scaled,
    Sum,
)
from maxmargin.problems import BoxQP
from maxmargin.solvers.engine import Answer, Engine, Program
from maxmargin.solvers.price_path import PricePath, Stop, similarities, solve_paths
from maxmargin.solvers.shared_gram import SharedGram
from maxmargin.typing import Floats, Integers

__all__ = ["Multipliers", "PriceSweep", "Swept", "can_sweep", "matrix_type", "points_of"]

#: Of one program: training rows, and their signed multipliers.
Multipliers = tuple[Integers, Floats]

# Up to this many points all is computed in float64, to the accuracy of rounding.
_SMALL = 256
_FINER = 1e-7

# Steps in float32 lose too many digits below this tolerance.
_COARSE_TOLERANCE = 5e-5

# The share of the tolerance up to which an error of the matrix is met by a tighter one, and rounds.
_SMALL_ERROR = 0.7
_ROUNDS = 6

# A multiplier this close to its cost, relative to it, is at its bound; of a mean, up to rounding.
_AT_BOUND = 1e-9
_ROUNDING = 1e-13


def can_sweep(machine: KernelMachine) -> bool:
    """Say whether nothing but the accuracy ends the machine's fits, and nobody watches them."""
    alone = not (machine.verbose or machine.warm_start or has_callbacks(machine))
    unlimited = machine.max_iter == -1 and machine.time_limit is None
    plain = getattr(machine, "probability", "deprecated") == "deprecated"
    return alone and unlimited and plain and _is_known(machine.kernel)


def _is_known(kernel: Any) -> bool:
    """Say whether a kernel's values depend on nothing but the two points."""
    if isinstance(kernel, Sum | Product):
        return all(_is_known(part) for part in kernel.parts)
    if isinstance(kernel, Scaled | On):
        return _is_known(kernel.kernel)
    return isinstance(kernel, str | Kernel) and not isinstance(kernel, Function)


def matrix_type(
    machine: KernelMachine, kernel: Kernel, n_points: int
) -> type[np.float32] | type[np.float64]:
    """Return the type that the shared matrix must have: float32 where that is accurate enough."""
    bounded = isinstance(kernel, RBF | Laplacian | Chi2)
    on_paths = not machine._two_sided and ("C" in machine._prices or machine.bias == "free")
    coarse = machine.tol >= _COARSE_TOLERANCE and n_points > _SMALL
    return np.float32 if bounded and coarse and on_paths else np.float64


def points_of(machine: KernelMachine, X: Any) -> Any:
    """Return data as the machine's kernel takes it; the machine itself stays as it is."""
    return clone(machine)._prepare(X, None, None).points


@dataclass(frozen=True, eq=False)
class Swept:
    """A fitted machine, and the values of its programs at the points that were asked for.

    Attributes
    ----------
    machine : KernelMachine
        Fitted.
    values : ndarray of shape (m, n_machines)
        At the points.
    multipliers : sequence of (rows, signed)
        Of each program, where they have one variable a point.
    """

    machine: KernelMachine
    values: Floats
    multipliers: Sequence[Multipliers]

    def remember(self, X: Any, part: slice) -> None:
        """Let the machine know its values at X, which holds some of the points asked for."""
        self.machine._known = (*self.machine._known, (X, self.values[part]))


class PriceSweep:
    """One machine on one set of training points, at one price after the other.

    Parameters
    ----------
    machine : KernelMachine
        Not fitted; it is prepared in place.
    X, y, sample_weight
        What it would be fitted to.
    stop : callable, optional
        Asked now and then; True ends a fit.
    n_threads : int
        At most this many, each on programs of its own.
    """

    def __init__(
        self,
        machine: KernelMachine,
        X: Any,
        y: Any,
        sample_weight: Any,
        stop: Stop | None = None,
        n_threads: int = 1,
    ) -> None:
        machine._validate_params()
        self.machine = machine
        self.stop = stop
        self.n_threads = n_threads
        self.training = machine._prepare(X, y, sample_weight)
        self.layout = machine._lay_out(self.training)
        self._solver: _Paths | _Runs | None = None
        #: The training rows of each program's variables.
        self._rows: list[Integers] = []

    @property
    def kernel(self) -> Kernel:
        """The kernel with numbers for its parameters."""
        return self.training.kernel

    @property
    def constant(self) -> float:
        """What a regularised bias adds to the kernel."""
        return 0.0 if self.machine.bias == "free" else 1.0

    def over(self, gram: SharedGram, points: Integers, at: Integers) -> PriceSweep:
        """Work on a matrix, given which of its points are the training points.

        Values are asked for at other points of it, `at`.
        """
        self.gram, self.points, self.at = gram, points, np.ascontiguousarray(at, dtype=np.int64)
        return self

    def fit(self, prices: Mapping[str, Any], seeds: Sequence[Floats] | None = None) -> Swept | None:
        """Return the machine fitted at these prices, or None if that takes more than a sweep.

        The first fit starts from `seeds`, multipliers by training row, one array a program.
        """
        machine = copy(self.machine)
        for name, value in prices.items():
            setattr(machine, name, value)
        machine._validate_params()
        training = replace(self.training, started=perf_counter())
        plan = machine._plan(training, self.layout)
        if not self._rows:
            self._rows = [plan.order[qp.point] for qp in plan.qps]
        if self._solver is None:
            self._solver = self._make_solver(plan.qps, self.points[plan.order])
            if seeds is not None and len(seeds) == len(plan.qps):
                planted = [seed[rows] for seed, rows in zip(seeds, self._rows, strict=True)]
                self._solver.seed([_planted(*both) for both in zip(plan.qps, planted, strict=True)])
        answers = self._solver.solve(plan.qps)
        if answers is None:
            self._solver = None
            return None
        outcomes = [Outcome(qp, answer) for qp, answer in zip(plan.qps, answers, strict=True)]
        kept = machine._keep(training, plan, outcomes)
        machine.fit_status_ = 0
        machine._conclude(training, kept.machines)
        similarities = self._solver.similarities(outcomes, self.at)
        values = machine._values_from(plan, kept, outcomes, similarities)
        pairs = zip(self._rows, answers, strict=True)
        one_each = isinstance(self._solver, _Paths)
        return Swept(machine, values, [(r, a.signed) for r, a in pairs] if one_each else [])

    def _make_solver(self, qps: Sequence[BoxQP], points: Integers) -> _Paths | _Runs:
        tol = float(self.machine.tol)
        if len(points) <= _SMALL:
            tol = min(tol, _FINER)
        if all(PricePath.suits(Program.of(qp, qp.linear)) for qp in qps):
            return _Paths(self.gram, points, tol, self.stop, self.n_threads)
        return _Runs(self.gram, points, float(self.machine.tol), self.stop)


class _Paths:
    """Programs with one variable a point, each on a path of its own."""

    def __init__(
        self, gram: SharedGram, points: Integers, tol: float, stop: Stop | None, n_threads: int
    ) -> None:
        self.gram, self.points, self.tol, self.stop = gram, points, tol, stop
        self.n_threads = n_threads
        self.paths: list[_Path] = []
        self.formers: Sequence[Former | None] | None = None

    def seed(self, formers: Sequence[Former]) -> None:
        """Start the first programs there."""
        self.formers = formers

    def solve(self, qps: Sequence[BoxQP]) -> list[Answer] | None:
        """Return the solutions, or None where one did not converge."""
        if not self.paths:
            formers = [None] * len(qps) if self.formers is None else self.formers
            self.paths = [_Path(self, qp, start) for qp, start in zip(qps, formers, strict=True)]
        programs = [path.next(qp) for path, qp in zip(self.paths, qps, strict=True)]
        stages = [
            path.path.stage(program, path.factor, self.tol)
            for path, program in zip(self.paths, programs, strict=True)
        ]
        found = solve_paths([one.path for one in self.paths], stages, self.stop, self.n_threads)
        answers = []
        for path, qp, program, first in zip(self.paths, qps, programs, found, strict=True):
            answers.append(path.finish(qp, program, first))
            if not answers[-1].converged:
                return None
        return answers

    def similarities(self, outcomes: Sequence[Outcome], at: Integers) -> Floats:
        """Return the sums of each program at some points of the matrix."""
        del outcomes
        return similarities([one.path for one in self.paths], at, self.n_threads)


class _Path:
    """One program along the prices, as accurate as its tolerance whatever the matrix rounds."""

    def __init__(self, paths: _Paths, qp: BoxQP, former: Former | None) -> None:
        program = Program.of(qp, np.zeros(qp.n_variables))
        self.path = PricePath(paths.gram, program, paths.points[qp.point], paths.tol)
        self.tol, self.stop = paths.tol, paths.stop
        self.former = former
        self.factor = 1.0
        # Where the sums were last those of float64.
        self.settled = np.zeros(qp.n_variables)

    def next(self, qp: BoxQP) -> Program:
        """Return the next program, from a start near `factor` times the last solution."""
        start, self.factor = filled(qp), 1.0
        former = self.former
        if former is not None:
            if _is_mostly_free(former):
                former = replace(former, cost=qp.cost)
            start = former.start(qp)
            self.factor = float(qp.cost.sum() / former.cost.sum())
        self.settled = self.factor * self.settled
        return Program.of(qp, start)

    def finish(self, qp: BoxQP, program: Program, first: Answer) -> Answer:
        """Go on from the first answer; not converged if it takes more than steps."""
        answer = self._accurate(program, first, self.tol)
        for _ in range(_ROUNDS):
            # The nu form's decision is divided by its margin, and an error with it.
            margin = chosen_margin(qp, answer)
            if not answer.converged or answer.violation <= self.tol * margin:
                break
            program = replace(program, start=answer.signed)
            coarse = self.path.solve(program, 1.0, self.tol * margin, self.stop)
            finer = self._accurate(program, coarse, self.tol * margin)
            answer = replace(finer, steps=answer.steps + finer.steps)
        self.former = Former(answer.signed, qp.cost)
        return answer

    def _accurate(self, program: Program, answer: Answer, tol: float) -> Answer:
        """Go on until the rounding of the matrix cannot hide a violation."""
        for _ in range(_ROUNDS):
            error = 2 * self.path.error(answer.signed - self.settled)
            if not answer.converged or answer.violation + error <= tol:
                return answer
            finer = tol - error
            if error > _SMALL_ERROR * tol:
                self.path.settle(answer.signed)
                self.settled, finer = answer.signed, tol
            again = replace(program, start=answer.signed)
            later = self.path.solve(again, 1.0, finer, self.stop)
            answer = replace(later, steps=answer.steps + later.steps)
        return replace(answer, ending="stalled")


def _planted(qp: BoxQP, signed: Floats) -> Former:
    """Return a start from multipliers of the same costs, at their bounds where they nearly are."""
    bounded = np.abs(signed) >= (1 - _ROUNDING) * qp.cost
    return Former(np.where(bounded, qp.sign * qp.cost, signed), qp.cost)


def _is_mostly_free(former: Former) -> bool:
    """Say whether most multipliers are between their bounds: those do not grow with the price."""
    size = np.abs(former.signed)
    bounded = np.count_nonzero(size >= (1 - _AT_BOUND) * former.cost)
    return bool(2 * bounded < np.count_nonzero(size))


class _Runs:
    """Programs of any kind, by the engine, over the training points' own part of the matrix."""

    def __init__(self, gram: SharedGram, points: Integers, tol: float, stop: Stop | None) -> None:
        self.gram, self.points, self.stop = gram, points, stop
        self.engine = Engine(Precomputed(), gram.take(points), n_threads=1)
        self.limits = Limits(tol, None, None)
        self.formers: Sequence[Former] | None = None

    def seed(self, formers: Sequence[Former]) -> None:
        """Start the first programs there."""
        self.formers = formers

    def solve(self, qps: Sequence[BoxQP]) -> list[Answer] | None:
        """Return the solutions, or None where one did not converge."""
        stop = self.stop
        watch = None if stop is None else lambda _: stop()
        found = run(self.engine, qps, self.limits, formers=self.formers, watch=watch)
        self.formers = [Former(outcome.signed, outcome.qp.cost) for outcome in found]
        answers = [outcome.answer for outcome in found]
        return answers if all(answer.converged for answer in answers) else None

    def similarities(self, outcomes: Sequence[Outcome], at: Integers) -> Floats:
        """Return the sums of each program at some points of the matrix."""
        sums = []
        for outcome in outcomes:
            coefficients = np.zeros(len(self.points))
            np.add.at(coefficients, outcome.qp.point, outcome.signed)
            sums.append(self.gram.weigh(self.points, coefficients, at))
        return np.array(sums)
