"""Linear machines of every loss and bias, and their values in float64 by the textbook's formulas.

Nothing that a solver says about itself enters these values: a primal value of its weights, a dual
value of its multipliers, and weak duality between them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin import Solution, Stop, solve
from maxmargin.problems import Bias, EpsilonTube, Free, Regularised, SoftMargin
from maxmargin.solvers import CoordinateDescent, LinearInteriorPoint, PrimalNewton, Solver
from maxmargin.solvers.linear.engine import LinearQP, Method, Reached, RunOptions, solve_linear
from maxmargin.typing import Floats

METHODS_OF: dict[str, tuple[Method, ...]] = {
    "hinge": ("interior-point", "coordinate-descent"),
    "squared hinge": ("interior-point", "coordinate-descent", "newton"),
    "tube": ("interior-point", "coordinate-descent"),
    "squared tube": ("interior-point", "coordinate-descent", "newton"),
}
PAIRS = [(kind, method) for kind, methods in METHODS_OF.items() for method in methods]
METHODS: tuple[Method, ...] = METHODS_OF["squared hinge"]

_SOLVERS = {
    "interior-point": LinearInteriorPoint,
    "coordinate-descent": CoordinateDescent,
    "newton": PrimalNewton,
}

BIASES: dict[str, Bias] = {
    "free": Free(),
    "regularised": Regularised(1.0),
    "cheap": Regularised(10.0),
    "expensive": Regularised(0.1),
    "none": Regularised(0.0),
}

Linear = SoftMargin | EpsilonTube


def draw(kind: str, n: int = 60, d: int = 4, seed: int = 0) -> tuple[Floats, Floats]:
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
    y: Floats,
    *,
    C: float = 1.0,
    bias: Bias = Free(),
    weight: Floats | None = None,
    epsilon: float = 0.1,
) -> Linear:
    """The problem of a kind."""
    shared: dict[str, Any] = {"C": C, "bias": bias, "sample_weight": weight}
    is_squared = kind.startswith("squared")
    if "tube" in kind:
        loss = "squared_epsilon_insensitive" if is_squared else "epsilon_insensitive"
        return EpsilonTube(X, y, epsilon=epsilon, loss=loss, **shared)
    return SoftMargin(X, y, loss="squared_hinge" if is_squared else "hinge", **shared)


# Solvers ----------------------------------------------------------------------------------------


def solver_of(method: Method, n_jobs: int | None = None, seed: int = 0) -> Solver:
    """The solver that runs a method."""
    return _SOLVERS[method](n_jobs, seed)


def solve_by(
    method: Method,
    problem: Linear,
    *,
    gap: float = 1e-8,
    max_iter: int = 200_000,
    warm: Solution | None = None,
    **options: Any,
) -> Solution:
    """Solve a problem by a method, to a gap alone."""
    stop = Stop(gap=gap, max_iter=max_iter)
    return solve(problem, solver_of(method, **options), stop=stop, warm=warm)


def linear_qp(problem: Linear) -> LinearQP:
    """The problem as the compiled methods take it."""
    qp, bias = problem.dual(), problem.bias
    weight = 0.0 if isinstance(bias, Free) else bias.scale**-2 if bias.scale > 0 else np.inf
    return LinearQP(qp.sign, qp.linear, qp.cost, qp.ridge, weight)


def run(
    X: Any,
    problem: Linear,
    method: Method,
    *,
    gap: float = 1e-8,
    max_iter: int = 200_000,
    start: Reached | None = None,
    **limits: Any,
) -> Reached:
    """Run a compiled method by itself, over rows that hold the problem's points in any layout."""
    allowed = RunOptions(gap, max_iter, **limits)
    (found,) = solve_linear(X, [linear_qp(problem)], method, allowed, [start])
    return found


# Values by formula ------------------------------------------------------------------------------


def primal_value(problem: Linear, weights: Floats, bias: float) -> float:
    """1/2 |w|^2 + 1/2 (b / scale)^2 + C sum_i s_i loss_i."""
    scores = problem.X.astype(np.float64) @ weights + bias
    if isinstance(problem, EpsilonTube):
        slack = np.maximum(0.0, np.abs(problem.y - scores) - problem.epsilon)
    else:
        slack = np.maximum(0.0, 1.0 - problem.y * scores)
    loss = slack**2 if problem.loss.startswith("squared") else slack
    own = 0.0
    if isinstance(problem.bias, Regularised) and bias != 0:
        own = (bias / problem.bias.scale) ** 2 if problem.bias.scale > 0 else np.inf
    return float(0.5 * (weights @ weights + own) + problem.C * problem.sample_weight @ loss)


def dual_value(problem: Linear, multipliers: Floats) -> float:
    """The dual value of multipliers made feasible; a free bias takes the excess off one sign."""
    is_tube, is_squared = isinstance(problem, EpsilonTube), problem.loss.startswith("squared")
    sign = np.repeat([1.0, -1.0], problem.n_points) if is_tube else problem.y
    cost = np.tile(problem.C * problem.sample_weight, len(sign) // problem.n_points)
    a = np.clip(multipliers, 0.0, np.inf if is_squared else cost)
    if isinstance(problem.bias, Free):
        up, down = sign > 0, sign < 0
        excess = a[up].sum() - a[down].sum()
        heavier = up if excess > 0 else down
        a = np.where(heavier, a * (1 - abs(excess) / max(a[heavier].sum(), 1e-300)), a)
    coefficients = (sign * a).reshape(-1, problem.n_points).sum(axis=0)
    combination = problem.X.astype(np.float64).T @ coefficients
    quadratic = combination @ combination
    if isinstance(problem.bias, Regularised):
        quadratic += (problem.bias.scale * coefficients.sum()) ** 2
    if is_squared:
        quadratic += np.sum(a**2 / (2 * cost))
    gain = problem.y @ coefficients - problem.epsilon * a.sum() if is_tube else a.sum()
    return float(gain - 0.5 * quadratic)


def values(problem: Linear, found: Solution | Reached) -> tuple[float, float]:
    """Primal and dual value of what was found."""
    if isinstance(found, Solution):
        return primal_value(problem, found.w, found.b), dual_value(problem, found.dual)
    primal = primal_value(problem, found.weights, found.bias)
    return primal, dual_value(problem, found.multipliers)


def relative_gap(problem: Linear, found: Solution | Reached) -> float:
    """The gap over the larger value."""
    primal, dual = values(problem, found)
    return (primal - dual) / max(abs(primal), abs(dual), 1e-300)


def is_proved(problem: Linear, found: Solution | Reached, gap: float) -> bool:
    """Say whether the gap holds, except for the rounding of the sums it is made of."""
    return relative_gap(problem, found) <= 1.01 * gap + 1e-12
