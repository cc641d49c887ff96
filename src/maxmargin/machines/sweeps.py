"""Fits that differ in their penalties alone (C, nu, epsilon), over the same points.

The training data is checked once; at each value the problems start from the solutions at the
previous value. The results are ordinary fitted estimators. Problems that do not converge are left
to a fit of their own, which can be rescued.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from maxmargin.kernels import (
    RBF,
    Chi2,
    Function,
    Kernel,
    Laplacian,
    On,
    Product,
    Scaled,
    Sum,
)
from maxmargin.machines.family import KernelFamily, Posed
from maxmargin.machines.training import Training
from maxmargin.problems import KernelProblem, Points, Regularised
from maxmargin.solvers import Decomposition, Solution, solve_all
from maxmargin.solvers.base import Warm
from maxmargin.typing import Floats, Integers

if TYPE_CHECKING:
    from maxmargin.solvers.kernel.resident import ResidentGram

__all__ = ["Sweep", "Swept", "can_sweep", "constant_of", "matrix_type"]

# Up to this many points all is computed in float64, to the accuracy of rounding.
_SMALL = 256

# Steps in float32 lose too many digits below this tolerance.
_COARSE_TOLERANCE = 5e-5


def can_sweep(machine: KernelFamily) -> bool:
    """Say whether nothing but the accuracy ends the machine's fits, and nobody watches them."""
    parameters: Any = machine
    plain = getattr(parameters, "probability", "deprecated") == "deprecated"
    return machine._is_plain and plain and _is_known(parameters.kernel)


def _is_known(kernel: Any) -> bool:
    """Say whether a kernel's values depend on nothing but the two points."""
    if isinstance(kernel, Sum | Product):
        return all(_is_known(part) for part in kernel.parts)
    if isinstance(kernel, Scaled | On):
        return _is_known(kernel.kernel)
    return isinstance(kernel, str | Kernel) and not isinstance(kernel, Function)


def constant_of(machine: KernelFamily) -> float:
    """Return what a regularised bias adds to the kernel."""
    bias = machine._bias()
    return bias.eps if isinstance(bias, Regularised) else 0.0


def matrix_type(
    machine: KernelFamily, kernel: Kernel, n_points: int
) -> type[np.float32] | type[np.float64]:
    """Return the type of a shared matrix: float32 if that is accurate enough."""
    parameters: Any = machine
    bounded = isinstance(kernel, RBF | Laplacian | Chi2)
    one_sided = not machine.is_two_sided and ("C" in machine.penalties or not constant_of(machine))
    coarse = parameters.tol >= _COARSE_TOLERANCE and n_points > _SMALL
    return np.float32 if bounded and coarse and one_sided else np.float64


@dataclass(frozen=True, eq=False)
class Swept:
    """A fitted machine, and the values of its problems at the points that were asked for.

    Attributes
    ----------
    machine : KernelFamily
        Fitted.
    values : ndarray of shape (m, n_machines)
        At the points.
    posed, solutions
        What it was fitted by.
    """

    machine: Any
    values: Floats
    posed: Posed
    solutions: Sequence[Solution]

    def remember(self, X: Any, part: slice) -> None:
        """Let the machine know its values at X, which holds some of the points asked for."""
        self.machine._known = (*self.machine._known, (X, self.values[part]))


class Sweep:
    """One machine on one set of training points, at several penalties.

    Parameters
    ----------
    machine : KernelFamily
        Not fitted; it is prepared in place.
    X, y, sample_weight
        What it would be fitted to.
    points : Points
        The rows of X, as a selection of points that were checked before.
    should_stop : callable, optional
        Asked now and then; True ends a fit.
    n_threads : int
        At most this many, each on problems of its own.
    """

    def __init__(
        self,
        machine: Any,
        X: Any,
        y: Any,
        sample_weight: Any,
        points: Points,
        should_stop: Callable[[], bool] | None = None,
        n_threads: int = 1,
    ) -> None:
        machine._validate_params()
        self.machine: Any = machine
        self.should_stop = should_stop
        self.n_threads = n_threads
        self.training: Training = machine._train(X, y, sample_weight, points)
        self._last: Sequence[Solution] = ()

    @property
    def points(self) -> Points:
        """The training points, with the kernel's parameters made numbers."""
        return self.training.points

    def fit(
        self,
        penalties: Sequence[Mapping[str, Any]],
        at: Integers,
        starts: Sequence[Floats] | None = None,
    ) -> list[Swept | None]:
        """Return a machine fitted at each penalty; None if a fit of its own is needed.

        Parameters
        ----------
        penalties : sequence of mapping
            Parameters, in an order in which each is near the one before.
        at : ndarray of int
            Points of the base at which values are wanted.
        starts : sequence of ndarray, optional
            Signed multipliers by training row from which the first problems start; by default
            they start where an earlier call has ended.
        """
        posed = [self._posed(values) for values in penalties]
        steps = [one for one in posed if one is not None]
        if not steps:
            return [None] * len(posed)
        started = perf_counter()
        solutions = self._solve([one for _, one in steps], steps[0][0], starts)
        seconds = (perf_counter() - started) / len(steps)
        found: list[Swept | None] = []
        for step in posed:
            if step is None:
                found.append(None)
                continue
            machine, one = step
            own, solutions = solutions[: len(one.problems)], solutions[len(one.problems) :]
            swept = self._swept(machine, one, own, at)
            if swept is not None:
                swept.machine.fit_time_ = seconds
            found.append(swept)
        return found

    def _posed(self, values: Mapping[str, Any]) -> tuple[Any, Posed] | None:
        """Return a machine with these penalties and its problems; None if they are invalid."""
        machine = copy(self.machine)
        for name, value in values.items():
            setattr(machine, name, value)
        try:
            machine._validate_params()
            return machine, machine._pose(self.training)
        except Exception:
            # Left to a fit of its own, whose error becomes that of the candidate.
            return None

    def _solve(
        self, posed: Sequence[Posed], machine: Any, starts: Sequence[Floats] | None
    ) -> list[Solution]:
        warm = _path(posed)
        first = posed[0]
        if starts is not None and len(starts) == len(first.problems):
            given = zip(first.problems, first.rows, starts, strict=True)
            warm[: len(starts)] = [_warm_start(*one) for one in given]
        elif len(self._last) == len(first.problems):
            warm[: len(self._last)] = self._last
        stop = self.should_stop
        solutions = solve_all(
            [problem for one in posed for problem in one.problems],
            Decomposition(n_jobs=self.n_threads, max_gap=machine.max_gap),
            stop=machine._stop(),
            warm=warm,
            callback=None if stop is None else lambda _: stop(),
        )
        self._last = solutions[-len(posed[-1].problems) :]
        return solutions

    def _swept(
        self, machine: Any, posed: Posed, solutions: Sequence[Solution], at: Integers
    ) -> Swept | None:
        if not all(solution.converged for solution in solutions):
            return None
        machine._adopt(self.training, posed, solutions)
        machine.fit_status_ = 0
        values = machine._values_from(posed, solutions, self._expansions(solutions, at))
        return Swept(machine, values, posed, solutions)

    def _expansions(self, solutions: Sequence[Solution], at: Integers) -> Floats:
        """Return the expansion of each solution at points of the base, without the constant."""
        gram: ResidentGram = self.points.base.residents[constant_of(self.machine)]
        found = np.zeros((len(solutions), len(at)))
        missing = [k for k, solution in enumerate(solutions) if solution.expansion is None]
        for k, solution in enumerate(solutions):
            if solution.expansion is not None:
                found[k] = solution.expansion[at]
        if missing:
            coefficients = np.zeros((len(missing), gram.n_points))
            for row, k in zip(coefficients, missing, strict=True):
                points = solutions[k].problem.points
                row[points.places(np.arange(points.n_points))] = solutions[k].coefficients
            found[missing] = gram.expand(coefficients, at, self.n_threads)
        totals = np.array([solution.coefficients.sum() for solution in solutions])
        return found - gram.constant * totals[:, np.newaxis]


def _path(posed: Sequence[Posed]) -> list[Warm]:
    """Return for each problem the place of the same machine's problem at the penalty before."""
    warm: list[Warm] = []
    for k, one in enumerate(posed):
        before = len(warm) - len(one.problems)
        follows = k > 0 and len(posed[k - 1].problems) == len(one.problems)
        warm += [before + place if follows else None for place in range(len(one.problems))]
    return warm


def _warm_start(problem: KernelProblem, rows: Integers | None, signed: Floats) -> Solution | None:
    """Return signed multipliers by training row as a solution to start from."""
    qp = problem.dual()
    own = signed if rows is None else signed[rows]
    if own.shape != qp.sign.shape:
        return None
    dual = np.clip(qp.sign * own, 0.0, qp.cost)
    # The mean of multipliers at their bounds misses the bound by rounding alone.
    bounded = dual >= (1 - 1e-13) * qp.cost
    return Solution(problem, np.where(bounded, qp.cost, dual), np.zeros(len(qp.total)))
