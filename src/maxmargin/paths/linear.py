"""Linear machines at ascending values of C, each from the solution of the one before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from maxmargin.certificates import FitCertificate
from maxmargin.errors import InvalidInputError
from maxmargin.kernels import Linear
from maxmargin.machines.classes import (
    LinearFamily,
    coefficients_of,
    encoded,
    linear_bias,
    seed_of,
)
from maxmargin.machines.endings import warn_of_early_end
from maxmargin.machines.threads import thread_count
from maxmargin.paths.arguments import require_defaults
from maxmargin.problems import Bias, Points, Problem, SoftMargin
from maxmargin.problems.checks import weights
from maxmargin.solvers import Solution, Stop, solve_all
from maxmargin.solvers.linear import linear_solver
from maxmargin.solvers.stop import kept
from maxmargin.typing import Floats, Integers

__all__ = ["LinearPath", "linear_path"]

#: The values of C of a path, if Cs is not given.
_CS: Floats = np.logspace(-3, 3, 13)


@dataclass(frozen=True, eq=False, repr=False)
class LinearPath:
    """Linear machines at ascending values of C, made by `linear_path`.

    Attributes
    ----------
    Cs : ndarray of shape (n,)
        The values of C, ascending.
    solutions : sequence of sequence of Solution
        The solutions at each C, one per machine.
    machine_classes : sequence of tuple
        The classes that each machine separates, as in `Machine`.
    classes : ndarray
        The labels; if there are two, the second one is positive.
    coef : ndarray of shape (n, n_machines, d)
        Weights.
    intercept : ndarray of shape (n, n_machines)
        Biases.
    certificates : list of FitCertificate
        The certificate at each C.
    times : ndarray of shape (n,)
        Seconds spent at each C.
    n_iter : ndarray of shape (n,)
        Iterations at each C.

    Examples
    --------
    >>> from maxmargin import linear_path
    >>> path = linear_path([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1], [0.01, 0.1, 1.0])
    >>> path.coef.shape, path.at(0.1).converged
    ((3, 1, 1), True)
    """

    Cs: Floats
    solutions: Sequence[Sequence[Solution]]
    machine_classes: Sequence[tuple[Any, ...]]
    classes: Any

    def at(self, C: float, machine: int | None = None) -> Solution:
        """Return the solution at one of the values of C; with several machines, of one of them."""
        own = self.solutions[self._place(C)]
        if machine is None and len(own) > 1:
            raise InvalidInputError(
                f"This path has {len(own)} machines: say which one with machine=0 to "
                f"{len(own) - 1}; machine_classes lists their classes."
            )
        return own[machine or 0]

    def certificate(self, C: float) -> FitCertificate:
        """Return the certificate of all machines at one of the values of C."""
        return self.certificates[self._place(C)]

    def _place(self, C: float) -> int:
        found = np.flatnonzero(np.isclose(self.Cs, C, rtol=1e-12, atol=0.0))
        if len(found) == 0:
            raise InvalidInputError(
                f"C = {C:g} is not on this path: it has {', '.join(f'{c:g}' for c in self.Cs)}."
            )
        return int(found[0])

    @cached_property
    def coef(self) -> Floats:
        """Weights."""
        return np.array([coefficients_of(own)[0] for own in self.solutions])

    @cached_property
    def intercept(self) -> Floats:
        """Biases."""
        return np.array([coefficients_of(own)[1] for own in self.solutions])

    @cached_property
    def certificates(self) -> list[FitCertificate]:
        """The certificate at each C."""
        return [
            FitCertificate.of(
                solution.certificate.of_classes(*classes)
                for solution, classes in zip(own, self.machine_classes, strict=True)
            )
            for own in self.solutions
        ]

    @property
    def times(self) -> Floats:
        """Seconds spent at each C."""
        ends = [max(solution.seconds for solution in own) for own in self.solutions]
        return np.diff(ends, prepend=0.0)

    @property
    def n_iter(self) -> Integers:
        """Iterations at each C."""
        return np.array([max(one.iterations for one in own) for own in self.solutions])

    def __repr__(self) -> str:
        gap = max(certificate.relative_gap for certificate in self.certificates)
        return (
            f"<LinearPath at {len(self.Cs)} values of C from {self.Cs[0]:g} to {self.Cs[-1]:g}, "
            f"largest relative gap {gap:.2e}>"
        )


@kept
def linear_path(
    X: Any,
    y: Any = None,
    Cs: Any = None,
    *,
    penalty: Literal["l1", "l2"] = "l2",
    loss: Literal["hinge", "squared_hinge"] = "squared_hinge",
    multi_class: Literal["ovr", "crammer_singer"] = "ovr",
    bias: Literal["free", "regularised"] | Bias = "regularised",
    fit_intercept: bool = True,
    intercept_scaling: float = 1.0,
    class_weight: Any = None,
    sample_weight: Any = None,
    solver: Literal["auto", "coordinate-descent", "interior-point", "newton"] = "auto",
    tol: float = 1e-4,
    max_iter: int = 1000,
    time_limit: float | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> LinearPath:
    """Fit linear machines for ascending values of C, each from the solution of the one before.

    The multipliers of that solution are scaled with C (DeCoste, Wagstaff 2000). Coordinate descent
    leaves out multipliers that the duality gap proves to be at a bound. Interior-point methods
    start afresh at every C, because they take only a few iterations.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        The points. Or, instead of all data, a `maxmargin.problems.SoftMargin` with a linear
        kernel; its loss, bias and weights are used.
    y : array-like of shape (n,)
        Class labels.
    Cs : array-like, optional
        Positive values of C; by default 13 of them from 0.001 to 1000.
    penalty, loss, multi_class, bias, fit_intercept, intercept_scaling, class_weight, solver, tol, \
max_iter, n_jobs, random_state
        As in `maxmargin.LinearSVC`, for every machine.
    sample_weight : array-like of shape (n,), optional
        Multiplies C point by point.
    time_limit : float, optional
        At most this many seconds for the whole path. Machines that are not finished by then keep
        their starting point, and a warning says so.

    Returns
    -------
    LinearPath

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import linear_path
    >>> path = linear_path([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1], np.logspace(-3, 3, 7))
    >>> all(certificate.relative_gap <= 1e-4 for certificate in path.certificates)
    True
    """
    values = np.unique(np.asarray(_CS if Cs is None else Cs, dtype=np.float64))
    if values.ndim != 1 or len(values) == 0 or not (np.isfinite(values) & (values > 0)).all():
        raise InvalidInputError(f"Cs must hold positive, finite numbers; got {Cs!r}.")
    if isinstance(X, Problem):
        require_defaults(
            linear_path,
            y=y,
            penalty=penalty,
            loss=loss,
            multi_class=multi_class,
            bias=bias,
            fit_intercept=fit_intercept,
            intercept_scaling=intercept_scaling,
            class_weight=class_weight,
            sample_weight=sample_weight,
        )
    treated = linear_bias(bias, fit_intercept, intercept_scaling)
    family = LinearFamily(penalty, loss, multi_class, treated, class_weight)
    posed, classes = _posed(X, y, sample_weight, family, values)
    engine = linear_solver(
        posed[0][0], solver, n_jobs=thread_count(n_jobs), seed=seed_of(random_state)
    )
    problems, n_machines = [problem for at_C in posed for problem in at_C], len(posed[0])
    solutions = solve_all(
        problems,
        engine,
        stop=Stop(gap=tol, time_limit=time_limit, max_iter=max_iter),
        warm=[None] * n_machines + list(range(len(problems) - n_machines)),
    )
    names = family.machine_classes(classes) if y is not None else [tuple(classes)]
    if not all(solution.converged for solution in solutions):
        about = [f"C = {C:g}, {name}" for C in values for name in names]
        limits = {"max_iter": max_iter, "time_limit": time_limit, "tol": tol}
        warn_of_early_end(solutions, about, limits)
    by_C = [solutions[k : k + n_machines] for k in range(0, len(solutions), n_machines)]
    return LinearPath(values, by_C, names, classes)


def _posed(
    X: Any, y: Any, sample_weight: Any, family: LinearFamily, Cs: Floats
) -> tuple[list[list[Problem]], Any]:
    """Return the problems at each C, and the labels."""
    if isinstance(X, SoftMargin) and type(X.kernel) is Linear:
        return [[X.replace(C=float(C))] for C in Cs], np.array([-1, 1])
    if isinstance(X, Problem) or y is None:
        raise InvalidInputError(
            "linear_path takes points and labels, linear_path(X, y), or a SoftMargin with a linear "
            f"kernel; got {X if isinstance(X, Problem) else type(X).__name__} alone."
        )
    points = Points(X)
    labels = np.asarray(y)
    if labels.shape != (points.n_points,):
        raise InvalidInputError(
            f"y has shape {labels.shape} for {points.n_points} points: give one label per point."
        )
    classes, places = encoded(labels)
    if len(classes) < 2:
        raise InvalidInputError("y holds one class only: linear machines need two classes.")
    weight = weights(sample_weight, points.n_points)
    return [family.pose(points, classes, places, weight, float(C)) for C in Cs], classes
