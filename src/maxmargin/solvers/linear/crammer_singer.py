"""Crammer and Singer's machine of all classes, by the compiled sequential dual method.

Crammer, Singer 2001; Keerthi, Sundararajan, Chang, Hsieh, Lin 2008.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

import maxmargin._native as _native
from maxmargin.kernels.blas_threads import single_threaded_blas
from maxmargin.kernels.blocks import as_rows
from maxmargin.problems import CrammerSinger, Problem
from maxmargin.solvers.linear.driver import LinearSolver
from maxmargin.solvers.linear.engine import Reached, RunOptions, reached
from maxmargin.solvers.solution import Ending, Solution
from maxmargin.solvers.stop import Stop
from maxmargin.typing import Floats

__all__ = ["AllClasses", "ClassDescent"]


class AllClasses(LinearSolver):
    """A solver of `CrammerSinger` problems, one after the other."""

    default_stop: ClassVar[Stop] = Stop(gap=1e-7)

    def refusal(self, problem: Problem) -> str | None:
        """Return why this solver cannot solve the problem, or None if it can."""
        return None if isinstance(problem, CrammerSinger) else "it is not one of all classes"

    def _joins(self, problem: CrammerSinger) -> object:
        """Return nothing that another problem has: each is solved in a call of its own."""
        del problem
        return object()

    def _solve(
        self, problems: Sequence[Any], options: RunOptions, starts: Sequence[Solution | None]
    ) -> list[Reached]:
        (problem,), (start,) = problems, starts
        return [self._solve_one(problem, options, start)]

    def _solve_one(
        self, problem: CrammerSinger, options: RunOptions, start: Solution | None
    ) -> Reached:
        raise NotImplementedError

    def _solution(self, problem: Any, found: Reached, **how: Any) -> Solution:
        return Solution(problem, found.multipliers, found.bias, weights=found.weights, **how)


@dataclass(frozen=True)
class ClassDescent(AllClasses):
    """The sequential dual method: the multipliers of one point at a time go to their optimum.

    Parameters
    ----------
    n_jobs : int, optional
        Threads, at most, for measuring the gap; the solution does not depend on it.
    seed : int
        Of the order in which points are visited.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import CrammerSinger
    >>> X = [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]
    >>> solution = solve(CrammerSinger(X, [0, 1, 2]), "crammer-singer-descent")
    >>> solution.decision(X).argmax(axis=1)
    array([0, 1, 2])
    """

    name: ClassVar[str] = "crammer-singer-descent"
    is_precise: ClassVar[bool] = False

    def _solve_one(
        self, problem: CrammerSinger, options: RunOptions, start: Solution | None
    ) -> Reached:
        X, cost, k = problem.X, problem.cost, problem.n_classes
        n, d = X.shape
        native = _native.ClassProblem(
            np.ascontiguousarray(problem.label, dtype=np.int32),
            np.ascontiguousarray(cost, dtype=np.float64),
            k,
            problem.bias.scale,
        )
        with single_threaded_blas:
            result = _native.solve_crammer_singer(
                as_rows(X, np.float32 if X.dtype == np.float32 else np.float64),
                native,
                _start(start, (n, k)),
                *options.native,
            )
        nothing = Reached(
            np.zeros((k, d)),
            np.zeros(k),
            np.zeros((n, k)),
            0,
            float(cost.sum()),
            0.0,
            Ending.MAX_ITER,
        )
        found = reached(result, nothing)
        return replace(
            found,
            weights=found.weights.reshape(k, d),
            multipliers=found.multipliers.reshape(n, k),
        )


def _start(start: Solution | None, shape: tuple[int, int]) -> Floats:
    if start is None or start.dual.shape != shape:
        return np.empty(0)
    return np.ascontiguousarray(start.dual).ravel()
