"""What a solver returns: a dual point, what goes with it, and how the run ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np

from maxmargin.certificates import (
    Certificate,
    KKTTable,
    Margins,
    Measures,
    Position,
    constraints_of,
    margins,
)
from maxmargin.certificates.certificate import certified
from maxmargin.certificates.constraints import cases_of
from maxmargin.certificates.geometry import margin_norm
from maxmargin.certificates.measures import compared, measure_multipliers
from maxmargin.certificates.subjects import Solved, solutions_of
from maxmargin.errors import InvalidInputError
from maxmargin.kernels import Linear
from maxmargin.kernels.data import as_float64
from maxmargin.problems import Case, CrammerSinger, KernelProblem, Problem
from maxmargin.solvers.trace import NO_TRACE, Trace
from maxmargin.typing import Floats, Integers

__all__ = ["Ending", "Solution"]


class Ending(StrEnum):
    """Why a run ended.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solvers import Ending
    >>> solve(SoftMargin([[0.0], [1.0]], [-1, 1])).ending is Ending.CONVERGED
    True
    """

    CONVERGED = "converged"
    MAX_ITER = "max_iter"
    TIME_LIMIT = "time_limit"
    CALLBACK = "callback"
    INTERRUPT = "interrupt"
    STALLED = "stalled"
    UNKNOWN = "unknown"

    @property
    def is_stop(self) -> bool:
        """Whether it ended all problems of the run, not only this one."""
        return self in (Ending.TIME_LIMIT, Ending.CALLBACK, Ending.INTERRUPT)


_CAUSES = {
    Ending.MAX_ITER: "the limit of iterations was reached",
    Ending.TIME_LIMIT: "the time limit was reached",
    Ending.CALLBACK: "the callback asked for it",
    Ending.INTERRUPT: "it was interrupted",
    Ending.STALLED: "the method made no further progress",
}


@dataclass(frozen=True, eq=False)
class Solution:
    """A machine f(x) = sum_i coefficient_i k(x_i, x) + b, with the multipliers it comes from.

    Attributes
    ----------
    problem : Problem
        What was solved.
    dual : ndarray of shape (m,)
        Lagrange multipliers a_i >= 0, one per constraint: m = n, or 2n in regression (above the
        tube, then below it). For `CrammerSinger` the multipliers of shape (n, k).
    offsets : ndarray of shape (k,)
        Multipliers of the dual's equality constraints; `b` and `level` come from them. For
        `CrammerSinger` the biases of the classes.
    weights : ndarray, optional
        w of a linear machine that was found by itself, rather than as a combination of the points.
    intercept : float, optional
        b that goes with the weights.
    solver : str
        Who found it.
    ending : Ending
        Why the run ended.
    reason : str
        The same in the solver's words, where it has any.
    iterations : int
        In the solver's own unit.
    seconds : float
        Wall time from the start of the call to the end of this run.
    trace : Trace
        Empty unless asked for.
    gradient : ndarray of shape (m,), optional
        Hb + p as the solver knows it: for warm starts and estimates, never for certificates.
    values : tuple of float, optional
        Primal and dual value as the solver knows them, where it has no gradient.
    expansion : ndarray, optional
        sum_j coefficient_j k(x_j, x) at all points of the problem's base, where the solver has it.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> solution = solve(problem)
    >>> solution.dual.round(4), solution.slack.round(4)
    (array([0.5556, 1.    , 1.    , 0.5556]), array([0.    , 1.3333, 1.3333, 0.    ]))
    >>> solution.certificate.holds(1e-6)
    True
    """

    problem: Problem
    dual: Floats
    offsets: Floats
    weights: Floats | None = None
    intercept: float | None = None
    solver: str = "unknown"
    ending: Ending = Ending.UNKNOWN
    reason: str = ""
    iterations: int = 0
    seconds: float = 0.0
    trace: Trace = NO_TRACE
    gradient: Floats | None = None
    values: tuple[float, float] | None = None
    expansion: Floats | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.problem, Problem):
            raise InvalidInputError(
                f"A solution belongs to a problem of maxmargin.problems; got {self.problem!r}."
            )
        dual, offsets = np.asarray(self.dual, np.float64), np.asarray(self.offsets, np.float64)
        if isinstance(self.problem, KernelProblem):
            qp = self.problem.dual()
            if dual.shape != qp.sign.shape or offsets.shape != (len(qp.total),):
                raise InvalidInputError(
                    f"A solution of this problem has {qp.n_variables} multipliers and "
                    f"{len(qp.total)} offsets; got shapes {dual.shape} and {offsets.shape}."
                )
        if not (np.isfinite(dual).all() and np.isfinite(offsets).all()):
            raise InvalidInputError(
                "The dual coefficients or intercepts are not finite. X may contain large values: "
                "scale the features, and C and the weights to moderate numbers."
            )
        for name, values in (("dual", dual), ("offsets", offsets)):
            frozen = values.view()
            frozen.setflags(write=False)
            object.__setattr__(self, name, frozen)

    # How good it is -----------------------------------------------------------------------------

    @property
    def converged(self) -> bool:
        """Whether the accuracy that was asked for was reached."""
        return self.ending is Ending.CONVERGED

    @cached_property
    def certificate(self) -> Certificate:
        """What is proved about the solution, from the problem and the solution alone."""
        return certified(self.problem, self)

    @cached_property
    def estimate(self) -> Measures:
        """How good the solver takes it to be; only `certificate` proves anything."""
        if self.values is not None:
            return compared(*self.values, np.nan, np.nan)
        if self.gradient is None or not isinstance(self.problem, KernelProblem):
            return self.certificate.measures
        signed = self.problem.dual().sign * self.dual
        return measure_multipliers(self.problem, signed, self.offsets, self.gradient)

    @property
    def status(self) -> str:
        """A sentence on how the run ended."""
        if self.ending is Ending.UNKNOWN:
            return "Made by hand."
        found = self.estimate
        reached = f"relative gap {found.relative_gap:.2e}"
        if np.isfinite(found.kkt_violation):
            reached += f", KKT violation {found.kkt_violation:.2e}"
        if self.converged:
            return f"Converged after {self.iterations} iterations: {reached}."
        cause = self.reason or _CAUSES[self.ending]
        return (
            f"Stopped before the accuracy asked for, because {cause}: {reached}. "
            "Allow more in Stop(...), scale the features, or choose another solver."
        )

    def table(self) -> KKTTable:
        """Return the KKT conditions point by point."""
        return self.certificate.table()

    # The machine --------------------------------------------------------------------------------

    @cached_property
    def coefficients(self) -> Floats:
        """Signed coefficient of each point: w = sum_i coefficient_i phi(x_i)."""
        if not isinstance(self.problem, KernelProblem):
            raise InvalidInputError(
                f"The weights of {type(self.problem).__name__} are no combination of the points "
                "with one coefficient each: use w."
            )
        qp = self.problem.dual()
        return qp.coefficients(qp.sign * self.dual)

    @property
    def w(self) -> Floats:
        """The weight vector of a linear machine (the centre of a `Sphere`)."""
        if self.weights is not None:
            return self.weights
        if not isinstance(self.problem.kernel, Linear):
            raise InvalidInputError(
                f"w lives in the feature space of {self.problem.kernel!r} and has no coordinates "
                "here: use decision(X), or feature_map(kernel) with a linear problem."
            )
        return np.asarray(self.problem.X.T @ self.coefficients, dtype=np.float64)

    @cached_property
    def b(self) -> float:
        """The bias of the decision function."""
        if self.intercept is not None:
            return self.intercept
        if not isinstance(self.problem, KernelProblem):
            raise InvalidInputError(
                f"{type(self.problem).__name__} has one bias per class: they are the offsets."
            )
        return self.problem.bias_value(self.coefficients, self.offsets)

    @cached_property
    def level(self) -> float:
        """What the margin condition compares with: 1, rho, epsilon or R^2, by problem."""
        return margin_norm(self)[1]

    @cached_property
    def support(self) -> Integers:
        """Indices of the points whose multiplier is not zero but for rounding, as in `table`."""
        counts = cases_of(self.problem, self) != Case.ZERO
        if isinstance(self.problem, KernelProblem):
            return np.unique(self.problem.dual().point[counts])
        return np.unique(constraints_of(self.problem, self).point[counts])

    @cached_property
    def slack(self) -> Floats:
        """How far each point is on the wrong side of its margin; zero if it is not."""
        constraints = constraints_of(self.problem, self)
        slack = np.zeros(self.problem.n_points)
        np.maximum.at(slack, constraints.point, -constraints.constraint)
        return slack + 0.0

    @cached_property
    def training_decision(self) -> Floats:
        """f(x) of the problem's own points; with `CrammerSinger` that of each point's own class."""
        return constraints_of(self.problem, self).decision[: self.problem.n_points]

    def margins(self) -> Margins:
        """Return the margins of the training points of two classes."""
        return margins(self)

    def positions(self, tolerance: float = 1e-6) -> list[Position]:
        """Return where each point of two classes stands relative to its class's margin plane."""
        return self.margins().positions(tolerance)

    def decision(self, X: Any) -> Floats:
        """Return f(x) for each row of X.

        Parameters
        ----------
        X : data of the problem's kernel
            With a precomputed kernel: similarities to the n training points, shape (m, n).

        Returns
        -------
        ndarray of shape (m,), or (m, k) for `CrammerSinger`
            Positive on the side of the label +1, or inside; predictions in regression.
        """
        problem = self.problem
        points = problem.kernel.validate_new(X)
        if not problem.kernel.compares_similarities:
            self._require_same_features(points)
        if self.weights is not None:
            bias = self.offsets if isinstance(problem, CrammerSinger) else self.b
            return np.asarray(as_float64(points) @ self.weights.T + bias, dtype=np.float64)
        assert isinstance(problem, KernelProblem)
        values = problem.dual().points.expansion_at(points, self.coefficients)
        return np.asarray(values + self.b + problem.baseline(points), dtype=np.float64)

    def _require_same_features(self, points: Any) -> None:
        mine = getattr(self.problem.points.base.X, "shape", None)
        theirs = getattr(points, "shape", None)
        if mine and theirs and len(theirs) == 2 and mine[1] != theirs[1]:
            raise InvalidInputError(
                f"X has {theirs[1]} features, but the problem was solved with {mine[1]}."
            )

    def __repr__(self) -> str:
        return (
            f"<Solution by {self.solver}: {len(self.support)} support vectors of "
            f"{self.problem.n_points} points. {self.status}>"
        )


@solutions_of.register
def _(subject: Solution) -> Sequence[Solved]:
    return [subject]
