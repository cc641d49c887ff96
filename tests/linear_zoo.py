"""Linear programs of every loss and bias, and their values in float64 by the textbook's formulas.

Nothing that a solver says about itself enters these values: a primal value of its weights, a dual
value of its multipliers, and weak duality between them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.problems import Bias, EpsilonTube, Free, Problem, Regularised, SoftMargin
from maxmargin.solvers.linear_engine import LinearAnswer, LinearEngine, LinearProgram, Method

SOLVERS: dict[str, tuple[Method, ...]] = {
    "hinge": ("interior-point", "coordinate-descent"),
    "squared hinge": ("interior-point", "coordinate-descent", "newton"),
    "tube": ("interior-point", "coordinate-descent"),
    "squared tube": ("interior-point", "coordinate-descent", "newton"),
}
PAIRS = [(kind, method) for kind, methods in SOLVERS.items() for method in methods]
METHODS: tuple[Method, ...] = SOLVERS["squared hinge"]

BIASES: dict[str, Bias] = {
    "free": Free(),
    "regularised": Regularised(1.0),
    "cheap": Regularised(10.0),
    "dear": Regularised(0.1),
    "none": Regularised(0.0),
}


def draw(kind: str, n: int = 60, d: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Points with labels that overlap, or with noisy targets."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    score = X[:, 0] - 0.5 * X[:, -1] + 0.3 + 0.7 * rng.normal(size=n)
    if "tube" in kind:
        return X, score
    y = np.where(score > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X, y


def problem_of(
    kind: str,
    X: Any,
    y: np.ndarray,
    *,
    C: float = 1.0,
    bias: Bias = Free(),  # noqa: B008
    weight: np.ndarray | None = None,
    epsilon: float = 0.1,
) -> Problem:
    """The problem of a kind."""
    shared: dict[str, Any] = {"C": C, "bias": bias, "sample_weight": weight}
    is_squared = kind.startswith("squared")
    if "tube" in kind:
        loss = "squared_epsilon_insensitive" if is_squared else "epsilon_insensitive"
        return EpsilonTube(X, y, epsilon=epsilon, loss=loss, **shared)
    return SoftMargin(X, y, loss="squared_hinge" if is_squared else "hinge", **shared)


def program_of(kind: str, X: Any, y: np.ndarray, **parameters: Any) -> LinearProgram:
    return LinearProgram.of(problem_of(kind, X, y, **parameters).dual())


def run(
    X: Any, program: LinearProgram, method: Method, n_threads: int | None = None, **limits: Any
) -> LinearAnswer:
    settings = {"gap": 1e-8, "max_iterations": 200_000, **limits}
    (answer,) = LinearEngine(X, n_threads).solve([program], method, **settings)
    return answer


def primal_value(X: Any, program: LinearProgram, weights: np.ndarray, bias: float) -> float:
    scores = X.astype(np.float64) @ weights + bias
    repeats = len(program.sign) // X.shape[0]
    slack = np.maximum(0.0, -program.sign * (np.tile(scores, repeats) + program.linear))
    square = program.ridge > 0
    penalty = np.sum(slack[square] ** 2 / (2 * program.ridge[square]))
    penalty += np.where(np.isfinite(program.cost), program.cost, 0.0)[~square] @ slack[~square]
    own = program.bias_weight * bias**2 if 0 < program.bias_weight < np.inf else 0.0
    return float(0.5 * (weights @ weights + own) + penalty)


def dual_value(X: Any, program: LinearProgram, multipliers: np.ndarray) -> float:
    """The dual value of multipliers made feasible; a free bias takes the excess off one sign."""
    a = np.clip(multipliers, 0.0, program.cost)
    if program.bias_weight == 0:
        up, down = program.sign > 0, program.sign < 0
        excess = a[up].sum() - a[down].sum()
        heavier = up if excess > 0 else down
        a = np.where(heavier, a * (1 - abs(excess) / max(a[heavier].sum(), 1e-300)), a)
    signed = program.sign * a
    combination = X.astype(np.float64).T @ signed.reshape(-1, X.shape[0]).sum(axis=0)
    own = signed.sum() ** 2 / program.bias_weight if 0 < program.bias_weight < np.inf else 0.0
    quadratic = combination @ combination + own + program.ridge @ a**2
    return float(-0.5 * quadratic - program.linear @ signed)


def values(X: Any, program: LinearProgram, answer: LinearAnswer) -> tuple[float, float]:
    return (
        primal_value(X, program, answer.weights, answer.bias),
        dual_value(X, program, answer.multipliers),
    )


def relative_gap(X: Any, program: LinearProgram, answer: LinearAnswer) -> float:
    primal, dual = values(X, program, answer)
    return (primal - dual) / max(abs(primal), abs(dual), 1e-300)
