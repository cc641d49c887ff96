"""The part of the input space that a picture shows, and the machine's values on it."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from maxmargin.errors import InvalidInputError
from maxmargin.problems import Solution
from maxmargin.typing import Floats

__all__ = ["decision_on", "inputs", "span"]

_ENTRIES_AT_ONCE = 4_000_000


def inputs(solution: Solution, n_features: int) -> Floats:
    """Return the points as a dense array, or say why they cannot be drawn."""
    problem = solution.problem
    name = type(problem).__name__
    if problem.kernel.compares_similarities:
        raise InvalidInputError(
            f"A precomputed kernel knows similarities, not points, so {name} cannot be drawn: "
            "solve it with the points and a kernel on them, such as kernels.Function."
        )
    X = problem.X.toarray() if sparse.issparse(problem.X) else problem.X
    if not isinstance(X, np.ndarray) or X.ndim != 2:
        raise InvalidInputError(
            f"The points of this {name} are not rows of numbers and have no place on a page: "
            "use plot.kkt(certificate), which needs no coordinates."
        )
    if X.shape[1] != n_features:
        shape = "1 feature" if n_features == 1 else f"{n_features} features"
        raise InvalidInputError(
            f"A picture of {name} needs points with {shape}; X has {X.shape[1]}: choose or "
            "project to that many and solve again, or use plot.kkt(certificate), which needs none."
        )
    return np.asarray(X, dtype=np.float64)


def span(values: Floats, padding: float) -> tuple[float, float]:
    """Return the interval of the values, widened at both ends by a fraction of its length."""
    low, high = float(values.min()), float(values.max())
    margin = padding * ((high - low) or 1.0)
    return low - margin, high + margin


def decision_on(solution: Solution, points: Floats) -> Floats:
    """Evaluate the machine at many points without a kernel block of all of them at once."""
    step = max(1, _ENTRIES_AT_ONCE // solution.problem.n_points)
    points = points.astype(solution.problem.X.dtype, copy=False)
    parts = [solution.decision(points[i : i + step]) for i in range(0, len(points), step)]
    return np.concatenate(parts)
