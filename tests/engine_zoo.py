"""What the tests of the decomposition share: data, runs, and a violation by the definition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from maxmargin.kernels.blocks import default_threads
from maxmargin.problems import BoxQP, KernelProblem
from maxmargin.solvers.kernel.batch import Batch, Found, Terms

EVERYTHING = 1 << 40


def matrix_of(qp: BoxQP) -> np.ndarray:
    """The Gram matrix in float64, from the kernel's own values."""
    X = qp.points.X
    if isinstance(X, np.ndarray) and X.dtype == np.float32:
        X = X.astype(np.float64)
    return np.asarray(qp.points.kernel.block(X, X), dtype=np.float64) + qp.constant


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
    per_point = np.zeros(qp.n_points)
    np.add.at(per_point, qp.point, signed)
    quadratic_part = per_point @ (matrix_of(qp) @ per_point) + qp.ridge @ signed**2
    return float(0.5 * quadratic_part + qp.linear @ signed)


def start_of(qp: BoxQP) -> np.ndarray:
    start = np.zeros(qp.n_variables)
    return start if qp.infeasibility(start) < 1e-12 else qp.project(start)


def batch_of(
    problems: Sequence[KernelProblem], cache_size: float | None = None, n_threads: int | None = None
) -> Batch:
    return Batch(
        [problem.dual() for problem in problems], cache_size, n_threads or default_threads()
    )


def run_all(
    problems: Sequence[KernelProblem],
    tol: float,
    *,
    batch: Batch | None = None,
    follows: Sequence[int] | None = None,
    max_steps: int = EVERYTHING,
    seconds: float | None = None,
    watch: Any = None,
    **options: Any,
) -> list[Found]:
    """Solve problems over shared points in one call of the compiled solver."""
    batch = batch or batch_of(problems, **options)
    leaders = [-1] * len(problems) if follows is None else follows
    terms = [
        Terms.of(problem.dual(), start_of(problem.dual()), tol, follows=leader)
        for problem, leader in zip(problems, leaders, strict=True)
    ]
    which = range(len(problems))
    return batch.solve(terms, which, max_steps=max_steps, seconds=seconds, watch=watch)


def run(problem: KernelProblem, tol: float, **options: Any) -> Found:
    (found,) = run_all([problem], tol, **options)
    return found


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
