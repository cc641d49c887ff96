"""Primal and dual values of a linear machine in float64, from its data alone.

A dual value of feasible multipliers is a lower bound of every primal value: the excess over it
bounds from above how far a machine is from its optimum.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import datasets
from maxmargin.problems import Regularised, SoftMargin

SCALE = 1.0


def machines_of(problem_file: str) -> Iterator[SoftMargin]:
    """The problem of each class against the rest, or of class 1 where there are two."""
    data = datasets.read(Path(problem_file))
    classes = np.unique(data["y"])
    for positive in classes[1:] if len(classes) == 2 else classes:
        yield SoftMargin(
            data["X"],
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
