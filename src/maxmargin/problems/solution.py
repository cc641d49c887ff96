"""What a solver returns: a dual point, the offsets that go with it, and how it got there."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from maxmargin.errors import InvalidInputError
from maxmargin.kernels import Linear
from maxmargin.kernels.data import count
from maxmargin.problems.base import Problem
from maxmargin.problems.trace import Trace
from maxmargin.typing import Floats

__all__ = ["Solution"]


@dataclass(frozen=True, eq=False)
class Solution:
    """A machine f(x) = sum_i coefficient_i k(x_i, x) + b, with the multipliers it comes from.

    Attributes
    ----------
    problem : Problem
        What was solved.
    dual : ndarray of shape (m,)
        Lagrange multipliers a_i >= 0, one a constraint: m = n, or 2n in regression (above the
        tube, then below it).
    offsets : ndarray of shape (k,)
        Multipliers of the dual's equality constraints; `b` and `level` come from them.
    solver : str
        Who found it.
    converged : bool
        Whether the accuracy that was asked for was reached.
    status : str
        A sentence on how the run ended.
    iterations : int
        In the solver's own unit.
    seconds : float
        Wall time.
    trace : Trace
        Empty unless asked for.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> solution = solve(problem)
    >>> solution.dual.round(4), solution.slack.round(4)
    (array([0.5556, 1.    , 1.    , 0.5556]), array([0.    , 1.3333, 1.3333, 0.    ]))
    """

    problem: Problem
    dual: Floats
    offsets: Floats
    solver: str = "unknown"
    converged: bool = False
    status: str = "Made by hand."
    iterations: int = 0
    seconds: float = 0.0
    trace: Trace = field(default_factory=Trace)

    def __post_init__(self) -> None:
        if not isinstance(self.problem, Problem):
            raise InvalidInputError(
                f"A solution belongs to a problem of maxmargin.problems; got {self.problem!r}."
            )
        qp = self.problem.dual()
        dual = np.array(self.dual, dtype=np.float64)
        offsets = np.array(self.offsets, dtype=np.float64)
        if dual.shape != (qp.n_variables,) or offsets.shape != (len(qp.total),):
            raise InvalidInputError(
                f"A solution of this problem has {qp.n_variables} multipliers and "
                f"{len(qp.total)} offsets; got shapes {dual.shape} and {offsets.shape}."
            )
        if not (np.isfinite(dual).all() and np.isfinite(offsets).all()):
            raise InvalidInputError(
                "The multipliers or offsets are not finite: the problem is too badly scaled to be "
                "solved. Scale the features, and C and the weights to moderate numbers."
            )
        for name, values in (("dual", dual), ("offsets", offsets)):
            values.setflags(write=False)
            object.__setattr__(self, name, values)

    @cached_property
    def coefficients(self) -> Floats:
        """Signed coefficient of each point: w = sum_i coefficient_i phi(x_i)."""
        qp = self.problem.dual()
        return qp.coefficients(qp.sign * self.dual)

    @property
    def w(self) -> Floats:
        """The weight vector of a linear machine (the centre of a `Sphere`)."""
        if not isinstance(self.problem.kernel, Linear):
            raise InvalidInputError(
                f"w lives in the feature space of {self.problem.kernel!r} and has no coordinates "
                "here: use decision(X), or feature_map(kernel) with a linear problem."
            )
        return np.asarray(self.problem.X.T @ self.coefficients, dtype=np.float64)

    @cached_property
    def b(self) -> float:
        """The bias of the decision function."""
        return self.problem.bias_value(self.coefficients, self.offsets)

    @cached_property
    def level(self) -> float:
        """What the margin condition compares with: 1, rho, epsilon or R^2, by problem."""
        return self.problem.level(self._gradient_parts[1], self.offsets)

    @cached_property
    def slack(self) -> Floats:
        """How far each point is on the wrong side of its margin; zero if it is not."""
        qp = self.problem.dual()
        gradient, _ = self._gradient_parts
        constraint = qp.constraint(qp.sign * self.dual, gradient, self.offsets)
        slack = np.zeros(self.problem.n_points)
        np.maximum.at(slack, qp.point, -constraint)
        return slack + 0.0

    @cached_property
    def support(self) -> Any:
        """Indices of the points with a coefficient other than zero."""
        return np.flatnonzero(self.coefficients)

    def decision(self, X: Any) -> Floats:
        """Return f(x) for each row of X.

        Parameters
        ----------
        X : data of the problem's kernel
            With a precomputed kernel: similarities to the n training points, shape (m, n).

        Returns
        -------
        ndarray of shape (m,)
            Positive on the side of the label +1, or inside; predictions in regression.
        """
        problem = self.problem
        kernel = problem.dual_kernel
        points = kernel.validate_new(X)
        if not kernel.compares_similarities:
            self._require_same_features(points)
        values = problem.dual().gram.at(points, self.coefficients)
        return np.asarray(values + self.b + problem.baseline(points), dtype=np.float64)

    def _require_same_features(self, points: Any) -> None:
        mine = getattr(self.problem.X, "shape", None)
        theirs = getattr(points, "shape", None)
        if mine and theirs and len(theirs) == 2 and mine[1] != theirs[1]:
            raise InvalidInputError(
                f"X has {theirs[1]} features, but the problem was solved with {mine[1]}."
            )

    @cached_property
    def _gradient_parts(self) -> tuple[Floats, float]:
        qp = self.problem.dual()
        signed = qp.sign * self.dual
        gradient = qp.gradient(signed)
        return gradient, qp.norm_squared(signed, gradient)

    def __repr__(self) -> str:
        return (
            f"<Solution by {self.solver}: {np.count_nonzero(self.coefficients)} support vectors of "
            f"{count(self.problem.X)} points, b = {self.b:.6g}. {self.status}>"
        )
