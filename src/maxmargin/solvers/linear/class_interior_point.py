"""The multi-class machine of Crammer and Singer, by an interior-point method.

With u_i the highest level of a point's classes and e_im = 1 - [m = y_i]:

    primal  min 1/2 sum_m |w_m|^2 + sum_i C_i (u_i - w_{y_i}'x_i),
            s_im = u_i - e_im - w_m'x_i >= 0
    dual    z_im >= 0,   sum_m z_im = C_i,   w_m = sum_i (C_i [m = y_i] - z_im) x_i

Eliminating z, s and u leaves one system in the weights, with as many unknowns as features times
classes (`class_system`): for data that are longer than that, where the sequential method crawls as
soon as C is large.

Mehrotra 1992; Crammer, Singer 2001.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any, ClassVar, Literal

import numpy as np
from scipy import linalg, sparse

from maxmargin.interrupts import pending
from maxmargin.kernels.blas_threads import single_threaded_blas
from maxmargin.problems import CrammerSinger
from maxmargin.solvers.base import Solver
from maxmargin.solvers.linear.choice import linear_solver
from maxmargin.solvers.linear.class_system import ClassSystem, apart, differences
from maxmargin.solvers.linear.crammer_singer import AllClasses, ClassDescent
from maxmargin.solvers.linear.engine import Method, Reached, RunOptions
from maxmargin.solvers.linear.margin import MOST_FEATURES, MOST_PASSES, entries_per_row
from maxmargin.solvers.solution import Ending, Solution
from maxmargin.typing import Floats, Integers

__all__ = ["ClassInteriorPoint"]

# A sum of multipliers closer to the cost than this relative difference equals the cost.
_ROUNDING = 1e-15

# The largest fraction of the way to the boundary that a step takes.
_SHORT_OF_THE_BORDER = 0.995

# The most iterations. If the relative gap is below _NEAR and has not decreased for _PATIENCE of
# them, rounding prevents progress.
_MOST_ITERATIONS = 300
_PATIENCE = 8
_NEAR = 1e-2

# A system of at most this many unknowns is cheap to factorise, however sparse the data.
_FEW = 200


@dataclass(eq=False)
class _Point:
    """The variables of an iteration, or their changes."""

    W: Floats
    u: Floats
    s: Floats
    z: Floats

    def moved(self, step: _Point, length: float) -> _Point:
        return _Point(
            self.W + length * step.W,
            self.u + length * step.u,
            self.s + length * step.s,
            self.z + length * step.z,
        )

    @property
    def complementarity(self) -> float:
        return float(np.vdot(self.s, self.z)) / self.s.size


@dataclass(frozen=True)
class ClassInteriorPoint(AllClasses):
    """Interior points for Crammer and Singer's machine with few features and classes.

    Parameters
    ----------
    n_jobs, seed : int, optional
        Have no effect.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import CrammerSinger
    >>> problem = CrammerSinger([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]], [0, 1, 2], C=1e4)
    >>> solve(problem, "crammer-singer-interior-point").certificate.holds(1e-6)
    True
    """

    name: ClassVar[str] = "crammer-singer-interior-point"

    def _solve_one(
        self, problem: CrammerSinger, options: RunOptions, start: Solution | None
    ) -> Reached:
        del start
        run = _Run(problem, options)
        with single_threaded_blas:
            ending = run.to_the_end()
        return run.reached(ending)


@linear_solver.register
def _(
    problem: CrammerSinger,
    method: Literal["auto"] | Method = "auto",
    *,
    n_jobs: int | None = None,
    seed: int = 0,
) -> Solver:
    if method == "auto":
        method = _method_of(problem.X, problem.n_classes)
    descends = method == "coordinate-descent"
    return ClassDescent(n_jobs, seed) if descends else ClassInteriorPoint(n_jobs, seed)


def _method_of(X: Any, n_classes: int) -> Method:
    """Return what "auto" stands for: there are as many unknowns as features times classes."""
    entries = max(X.nnz if sparse.issparse(X) else X.size, 1)
    unknowns = X.shape[1] * n_classes
    passes = entries_per_row(X, entries) * n_classes + unknowns**3 / (3 * entries * n_classes)
    fits = unknowns <= _FEW or (unknowns <= MOST_FEATURES and passes <= MOST_PASSES)
    return "interior-point" if fits else "coordinate-descent"


class _StoppedError(Exception):
    """The time limit was reached, or an interrupt has arrived."""

    def __init__(self, ending: Ending) -> None:
        super().__init__()
        self.ending = ending


class _Run:
    def __init__(self, problem: CrammerSinger, options: RunOptions) -> None:
        cost = problem.cost
        self.used: Integers = np.flatnonzero(cost > 0)
        X = problem.X if len(self.used) == len(cost) else problem.X[self.used]
        self.n_points, self.scale, self.k = len(cost), problem.bias.scale, problem.n_classes
        self.system = ClassSystem(X, self.k, self.scale, self._look_at_the_clock)
        self.options = options
        self.label, self.cost = problem.label[self.used], cost[self.used]
        self.d = self.system.d
        self.at = np.arange(len(self.used))
        self.margin = np.ones((len(self.used), self.k))
        self.margin[self.at, self.label] = 0.0
        self.iterations = 0
        self.primal, self.dual = float(self.cost.sum()), 0.0
        self.best_weights = np.zeros((self.k, self.d))
        self.best_multipliers = np.zeros((len(self.used), self.k))

    @property
    def relative_gap(self) -> float:
        size = max(abs(self.primal), abs(self.dual))
        return (self.primal - self.dual) / size if size > 0 else 0.0

    # The run ------------------------------------------------------------------------------------

    def to_the_end(self) -> Ending:
        try:
            return self._iterate()
        except _StoppedError as stopped:
            return stopped.ending

    def _look_at_the_clock(self) -> None:
        if perf_counter() >= self.options.deadline:
            raise _StoppedError(Ending.TIME_LIMIT)
        if pending():
            raise _StoppedError(Ending.INTERRUPT)

    def _iterate(self) -> Ending:
        point = self._first_point()
        in_vain = 0
        while True:
            last = self.relative_gap
            self._measure(point)
            if self.relative_gap <= self.options.gap:
                return Ending.CONVERGED
            in_vain = 0 if self.relative_gap < last else in_vain + 1
            ending = self._early_end(in_vain)
            if ending is not None:
                return ending
            step = self._step(point)
            if step is None:
                return Ending.STALLED
            point = point.moved(*step)
            self.iterations += 1

    def _early_end(self, in_vain: int) -> Ending | None:
        watch, seen = self.options.watch, (self.relative_gap, self.primal, self.dual)
        if watch is not None and watch(0, 0, self.iterations, *seen):
            return Ending.CALLBACK
        if self.iterations >= self.options.max_iter:
            return Ending.MAX_ITER
        is_stuck = in_vain >= _PATIENCE and self.relative_gap < _NEAR
        is_stuck |= self.iterations >= _MOST_ITERATIONS
        return Ending.STALLED if is_stuck else None

    def _first_point(self) -> _Point:
        n, k = len(self.used), self.k
        u = np.full(n, 2.0)
        z = np.repeat(self.cost[:, np.newaxis] / k, k, axis=1)
        return _Point(np.zeros((k, self.d)), u, u[:, np.newaxis] - self.margin, z)

    def _measure(self, point: _Point) -> None:
        """Keep the weights if they are the best so far, and the multipliers, made feasible."""
        levels = self.system.scores(point.W) + self.margin
        slack = levels.max(axis=1) - levels[self.at, self.label]
        primal = 0.5 * float(np.vdot(point.W, point.W)) + float(self.cost @ slack)
        if primal < self.primal:
            self.primal, self.best_weights = primal, point.W
        fallen = point.z * self.margin
        total = fallen.sum(axis=1)
        fallen *= np.minimum(1.0, self.cost / np.maximum(total, self.cost))[:, np.newaxis]
        multipliers = -fallen
        multipliers[self.at, self.label] = fallen.sum(axis=1)
        combined = self.system.combination(multipliers)
        dual = float(fallen.sum()) - 0.5 * float(np.vdot(combined, combined))
        if dual > self.dual:
            self.dual, self.best_multipliers = dual, multipliers

    # One iteration ------------------------------------------------------------------------------

    def _step(self, point: _Point) -> tuple[_Point, float] | None:
        """Return a direction and how far to go along it, by a prediction and its correction."""
        residuals = self._residuals(point)
        D = point.z / point.s
        factor = self.system.factor(D)
        if factor is None:
            return None
        mu = point.complementarity
        ahead = self._direction(point, D, factor, residuals, -point.s * point.z)
        predicted = point.moved(ahead, _reach(point, ahead))
        centring = (max(predicted.complementarity, 0.0) / mu) ** 3
        target = min(centring, 1.0) * mu - point.s * point.z - ahead.s * ahead.z
        step = self._direction(point, D, factor, residuals, target)
        length = min(1.0, _SHORT_OF_THE_BORDER * _reach(point, step))
        usable = np.isfinite(step.W).all() and np.isfinite(step.z).all() and length > 1e-10
        return (step, length) if usable else None

    def _residuals(self, point: _Point) -> tuple[Floats, Floats, Floats]:
        """Return what is missing in the equations of the weights, of the sums and of the slacks."""
        signed = -point.z
        others = (point.z * self.margin).sum(axis=1)
        sums = self.cost - others - point.z[self.at, self.label]
        sums[np.abs(sums) <= _ROUNDING * self.cost] = 0.0
        # C - z of the label, without cancellation if it is small beside C.
        signed[self.at, self.label] = others + sums
        weights = point.W - self.system.combination(signed)
        slacks = point.s - (point.u[:, np.newaxis] - self.margin - self.system.scores(point.W))
        return weights, sums, slacks

    def _direction(
        self,
        point: _Point,
        D: Floats,
        factor: Any,
        residuals: tuple[Floats, Floats, Floats],
        target: Floats,
    ) -> _Point:
        """Return the solution of Newton's equations, s dz + z ds = target among them."""
        weights, sums, slacks = residuals
        total = D.sum(axis=1)
        q = target / point.s + D * slacks
        shared = differences(D, q) + D * (sums / total)[:, np.newaxis]
        right = -weights - self.system.combination(shared)
        dW = linalg.cho_solve(factor, right.ravel()).reshape(right.shape)
        # One refinement, with the products instead of the factor.
        left = right - self.system.apply(D, dW)
        dW += linalg.cho_solve(factor, left.ravel()).reshape(right.shape)
        g = self.system.scores(dW)
        level = ((q.sum(axis=1) - sums) / total)[:, np.newaxis]
        ds = level - apart(D, g) - slacks
        dz = target / point.s - D * ds
        du = level[:, 0] + (D * g).sum(axis=1) / total
        return _Point(dW, du, ds, dz)

    # The end ------------------------------------------------------------------------------------

    def reached(self, ending: Ending) -> Reached:
        multipliers = np.zeros((self.n_points, self.k))
        multipliers[self.used] = self.best_multipliers
        n_features = self.system.X.shape[1]
        bias = np.zeros(self.k)
        if self.scale > 0:
            bias = self.scale * self.best_weights[:, n_features]
        weights = np.ascontiguousarray(self.best_weights[:, :n_features])
        return Reached(weights, bias, multipliers, self.iterations, self.primal, self.dual, ending)


def _reach(point: _Point, step: _Point) -> float:
    """Return how far slacks and multipliers stay positive, at most one."""
    shrinking = [(point.s, step.s), (point.z, step.z)]
    limits = [float(np.min(-a[da < 0] / da[da < 0], initial=1.0)) for a, da in shrinking]
    return min(1.0, *limits)
