"""Machines that leave some points out, and their values there.

A fold is the machine's own problem with the weights of the held-out points at zero. Their variables
stay, so that the solver knows the gradient, and with it the decision value, there too. A fold
starts from the solution for all points, and shares its kernel rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.machines.family import Posed
from maxmargin.problems import KernelProblem, NuMargin
from maxmargin.solvers import Solution
from maxmargin.typing import Floats, Integers

__all__ = ["Fold", "held_out_values", "leave_out", "random_folds"]

# Folds behind the probabilities of a fit.
_FOLDS = 5


@dataclass(frozen=True, eq=False)
class Fold:
    """One machine that leaves points out.

    Attributes
    ----------
    machine : int
        Its place among the problems of the fit.
    points : ndarray of int
        Those held out, by place among the problem's points.
    problem : KernelProblem or None
        What the others are fitted by; None if they are all on one side.
    side : float
        That side.
    """

    machine: int
    points: Integers
    problem: KernelProblem | None
    side: float = 0.0


def leave_out(posed: Posed, machine: int, points: Integers, weight: Floats | None = None) -> Fold:
    """Return the fold of a machine without some of its points.

    `weight`, if given, are the weights of all points in the fold.
    """
    problem: Any = posed.problems[machine]
    kept = np.array(problem.sample_weight if weight is None else weight)
    kept[points] = 0.0
    sides = problem.y[kept > 0]
    if len(sides) == 0 or (sides == sides[0]).all():
        return Fold(machine, points, None, float(sides[0]) if len(sides) else 0.0)
    changes: dict[str, Any] = {"sample_weight": kept}
    fold = problem.posed(problem.points, **{**_values(problem), **changes})
    if isinstance(fold, NuMargin):
        fold = fold.replace(nu=min(fold.nu, fold.largest_nu))
    return Fold(machine, points, fold)


def _values(problem: KernelProblem) -> dict[str, Any]:
    kept = {"points", "_qp"}
    return {name: value for name, value in problem.__dict__.items() if name not in kept}


def random_folds(posed: Posed, generator: Any) -> list[Fold]:
    """Return five random folds of each machine."""
    return [
        leave_out(posed, k, points)
        for k, problem in enumerate(posed.problems)
        for points in np.array_split(generator.permutation(problem.n_points), _FOLDS)
        if len(points)
    ]


def held_out_values(fold: Fold, solution: Solution | None) -> Floats:
    """Return the decision values of a fold's machine at the points that it leaves out.

    The label +1 is positive; the nu form is divided by its margin.
    """
    if fold.problem is None or solution is None:
        return np.full(len(fold.points), fold.side)
    qp = fold.problem.dual()
    assert solution.gradient is not None
    coefficients = solution.coefficients
    expansion = (solution.gradient - qp.linear)[fold.points]
    values = expansion + solution.b - qp.constant * float(coefficients.sum())
    if isinstance(fold.problem, NuMargin):
        level = fold.problem.level(0.0, solution.offsets)
        return values / (level if level > 0 else 1.0)
    return values
