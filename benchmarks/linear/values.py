"""Primal and dual values of a linear machine in float64, from its data alone.

The dual value of feasible multipliers is a lower bound on every primal value, so the difference
bounds the distance of a machine from its optimum.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import datasets
from maxmargin import Linear, Points, SoftMargin
from maxmargin.problems import Regularised

# The value of the constant feature whose weight is the bias.
SCALE = 1.0


def machines_of(problem_file: str) -> Iterator[SoftMargin]:
    """Yield the problem of each class against the rest, or that of class 1 if there are two."""
    data = datasets.read(Path(problem_file))
    points, classes = Points(data["X"], Linear()), np.unique(data["y"])
    for positive in classes[1:] if len(classes) == 2 else classes:
        yield SoftMargin(
            points,
            np.where(data["y"] == positive, 1.0, -1.0),
            C=float(data["C"]),
            loss=str(data["loss"]),
            bias=Regularised(SCALE),
        )


def primal_value(problem: SoftMargin, w: Any, b: float) -> float:
    qp = problem.dual()
    constraint = qp.sign * (problem.X @ w + b + qp.linear)
    return problem.primal_value(float(w @ w) + (b / SCALE) ** 2, constraint, np.empty(0))


def dual_value(problem: SoftMargin, multipliers: Any) -> float:
    qp = problem.dual()
    signed = qp.sign * np.clip(multipliers, 0.0, qp.cost)
    w, b = problem.X.T @ signed, SCALE * signed.sum()
    return -float(0.5 * (w @ w + b * b + qp.ridge @ signed**2) + qp.linear @ signed)


def relative_gap(primal: float, dual: float) -> float:
    return (primal - dual) / max(abs(primal), abs(dual))
