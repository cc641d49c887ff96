"""Which solver suits a linear machine: from the shape of the data, its sparsity and the loss.

The solvers of each kind of problem say it in their own file.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Literal

from maxmargin.errors import InvalidInputError
from maxmargin.problems import Problem
from maxmargin.solvers.base import Solver
from maxmargin.solvers.linear.engine import Method

__all__ = ["linear_solver"]


@singledispatch
def linear_solver(
    problem: Problem,
    method: Literal["auto"] | Method = "auto",
    *,
    n_jobs: int | None = None,
    seed: int = 0,
) -> Solver:
    """Return the solver of a linear machine, by method or, with "auto", the one that suits it.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solvers.linear import linear_solver
    >>> linear_solver(SoftMargin(np.eye(1000, 10), np.resize([-1, 1], 1000))).name
    'linear-interior-point'
    >>> linear_solver(SoftMargin(np.eye(10, 5000), np.resize([-1, 1], 10))).name
    'coordinate-descent'
    """
    del method, n_jobs, seed
    raise InvalidInputError(
        f"linear_solver takes a linear problem of maxmargin.problems; got {type(problem).__name__}."
    )
