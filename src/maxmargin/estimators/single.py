"""Estimators that are one machine: a problem in, its solution's attributes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from maxmargin.estimators.base import KernelEstimator
from maxmargin.machines.family import Posed
from maxmargin.machines.training import Training, positive_rows
from maxmargin.problems import KernelProblem, Points
from maxmargin.solvers import Solution
from maxmargin.typing import Floats

__all__ = ["SingleMachine"]


class SingleMachine(KernelEstimator):
    """Base of the estimators without classes."""

    def _problem(self, points: Points, y: Any, weight: Floats) -> KernelProblem:
        """Return the problem."""
        raise NotImplementedError

    def _pose(self, training: Training) -> Posed:
        points, y, weight = training.points, training.y, training.weight
        rows = None if training.sample_weight is None else positive_rows(weight)
        if rows is not None:
            points, weight = points.take(rows), weight[rows]
            y = None if y is None else y[rows]
        return Posed([self._problem(points, y, weight)], [rows], [type(self).__name__])

    def _adopt(self, training: Training, posed: Posed, solutions: Sequence[Solution]) -> None:
        (solution,), (rows,) = solutions, posed.rows
        coefficients = solution.coefficients[np.newaxis]
        support = self._keep(training, posed, solutions, [()], rows, coefficients)
        self._n_support: Any = np.array([len(support)], dtype=np.int32)
        self._intercept_ = np.array([solution.b])
        self._publish()
        self.n_iter_ = int(solution.iterations)

    def _values_from(
        self, posed: Posed, solutions: Sequence[Solution], expansions: Floats
    ) -> Floats:
        del posed, solutions
        values: Floats = expansions.T + self._intercept_
        return values
