"""The part of the input space that a picture shows, ."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from maxmargin.errors import InvalidInputError
from maxmargin.problems import Solution
from maxmargin.typing import Floats

__all__ = ["inputs", "span"]


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
