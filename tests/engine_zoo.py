"""What the engine's tests share: data, runs, and an answer's violation by the definition."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.problems import (
    BoxQP,
    Problem,
)
from maxmargin.solvers.engine import Answer, Engine, Program


def matrix_of(qp: BoxQP) -> np.ndarray:
    """The Gram matrix in float64, from the kernel's own values."""
    X = qp.gram.X
    if isinstance(X, np.ndarray) and X.dtype == np.float32:
        X = X.astype(np.float64)
    return np.asarray(qp.gram.kernel.block(X, X), dtype=np.float64) + qp.gram.constant


def violation(qp: BoxQP, signed: np.ndarray) -> float:
    """m(a) - M(a), the largest over the sums, by its definition."""
    assert np.all(signed >= qp.lower)
    assert np.all(signed <= qp.upper)
    assert qp.infeasibility(signed) < 1e-9
    K = matrix_of(qp)
    per_point = np.zeros(len(K))
    np.add.at(per_point, qp.point, signed)
    gradient = (K @ per_point)[qp.point] + qp.ridge * signed + qp.linear
    if len(qp.equality) == 0:
        rise = np.where(signed < qp.upper, -gradient, 0.0).max(initial=0.0)
        fall = np.where(signed > qp.lower, gradient, 0.0).max(initial=0.0)
        return float(rise + fall)
    worst = 0.0
    for row in qp.equality:
        members = np.flatnonzero(row)
        score = -row[members] * gradient[members]
        lower = np.where(row[members] > 0, qp.lower[members], -qp.upper[members])
        upper = np.where(row[members] > 0, qp.upper[members], -qp.lower[members])
        value = row[members] * signed[members]
        top = score[value < upper].max(initial=-np.inf)
        bottom = score[value > lower].min(initial=np.inf)
        worst = max(worst, float(top - bottom))
    return worst


def objective(qp: BoxQP, signed: np.ndarray) -> float:
    per_point = np.zeros(qp.gram.n_points)
    np.add.at(per_point, qp.point, signed)
    quadratic_part = per_point @ (matrix_of(qp) @ per_point) + qp.ridge @ signed**2
    return float(0.5 * quadratic_part + qp.linear @ signed)


def start_of(qp: BoxQP) -> np.ndarray:
    start = np.zeros(qp.n_variables)
    return start if qp.infeasibility(start) < 1e-12 else qp.project(start)


def engine_for(problem: Problem, **options: Any) -> Engine:
    gram = problem.dual().gram
    return Engine(gram.kernel, gram.X, constant=gram.constant, **options)


def run(problem: Problem, tol: float, **options: Any) -> Answer:
    qp = problem.dual()
    (answer,) = engine_for(problem, **options).solve([Program.of(qp, start_of(qp))], tol=tol)
    return answer


def classes(n: int, seed: int = 0, d: int = 6, noise: float = 0.7) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X[:, 0] * X[:, 1] + noise * rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X, y


def curve(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=n)
