"""The solutions of a two-class kernel machine at every C, in one object.

For the hinge loss the multipliers and b are piecewise linear in C (Hastie, Rosset, Tibshirani, Zhu
2004): finitely many breakpoints hold all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify import Certificate, certify, measure
from maxmargin.errors import InvalidInputError, UnsupportedProblemError
from maxmargin.kernels.base import positive, real
from maxmargin.model_selection.start import at_price
from maxmargin.model_selection.trace import Piece, Route, trace_path
from maxmargin.problems import Case, SoftMargin, Solution
from maxmargin.solvers import Decomposition
from maxmargin.typing import Floats, Integers

__all__ = ["PathEvent", "SVMPath", "svm_path"]


@dataclass(frozen=True)
class PathEvent:
    """A point's change of set.

    Attributes
    ----------
    C : float
        Where it happens.
    point : int
        Which point.
    before, after : Case
        ZERO (beyond its margin), FREE (on it) or BOUNDED (short of it).

    Examples
    --------
    >>> from maxmargin import svm_path
    >>> from maxmargin.problems import SoftMargin
    >>> path = svm_path(SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1], C=10))
    >>> [(round(e.C, 6), e.point, e.before.name, e.after.name) for e in path.events]
    [(0.333333, 0, 'BOUNDED', 'FREE'), (0.333333, 3, 'BOUNDED', 'FREE')]
    """

    C: float
    point: int
    before: Case
    after: Case


@dataclass(frozen=True, eq=False, repr=False)
class SVMPath:
    """The solutions of one problem at every C, made by `svm_path`.

    Methods that take C take one number, or an array of them for an array of results.

    Attributes
    ----------
    problem : SoftMargin
        The problem; its own C is one of many here.
    breakpoints : ndarray of shape (k,)
        Ascending: the ends of the path, and between them each C where a point changes its set.
    events : tuple of PathEvent
        Those changes; several may happen at one C.
    n_restarts : int
        How often rounding made it necessary to solve a problem anew in order to go on.
    seconds : float
        Wall time.
    status : str
        A sentence on how far the path goes.

    Examples
    --------
    >>> from maxmargin import svm_path
    >>> from maxmargin.problems import SoftMargin
    >>> path = svm_path(SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1], C=10))
    >>> path.breakpoints.round(4)
    array([ 0.    ,  0.3333, 10.    ])
    >>> path.multipliers([0.25, 1.0]).round(4)
    array([[0.25  , 0.25  , 0.25  , 0.25  ],
           [0.5556, 1.    , 1.    , 0.5556]])
    >>> path.certificate(1.0).holds(1e-9)
    True
    """

    problem: SoftMargin
    breakpoints: Floats
    events: tuple[PathEvent, ...]
    n_restarts: int
    seconds: float
    status: str
    _start: NDArray[np.int8] = field(repr=False)
    _pieces: tuple[Piece, ...] = field(repr=False)

    def at(self, C: float) -> Solution:
        """Return the solution at one C, with the problem it solves.

        Where no point is free, several biases are optimal; this is then the one that makes the
        path continuous, where `solve` returns the middle of them.
        """
        price = positive(C, "C")
        posed = at_price(self.problem, price)
        qp = posed.dual()
        dual = self._multipliers_at(price)
        offsets = np.full(len(qp.total), -self._bias_at(price))
        measures = measure(posed, qp.sign * dual, offsets)
        return Solution(
            posed,
            dual,
            offsets,
            solver="path",
            converged=Decomposition.default_stop.reached_by(measures),
            status=(
                f"On the path after {self._piece(price).n_events} events: relative gap "
                f"{measures.relative_gap:.2e}, KKT violation {measures.kkt_violation:.2e}."
            ),
            iterations=self._piece(price).n_events,
        )

    def certificate(self, C: float) -> Certificate:
        """Return what is proved about the solution at one C, from problem and solution alone."""
        solution = self.at(C)
        return certify(solution.problem, solution)

    def multipliers(self, C: Any) -> Floats:
        """Return the multipliers, shape (n,) or (len(C), n)."""
        return self._each(C, self._multipliers_at)

    def bias(self, C: Any) -> Any:
        """Return b."""
        return self._each(C, self._bias_at)[()]

    def coef(self, C: Any) -> Floats:
        """Return the weights w of a linear machine, shape (d,) or (len(C), d)."""
        return self._each(C, lambda price: self.at(price).w)

    def margins(self, C: Any) -> Floats:
        """Return the functional margins y f(x) of the problem's points."""
        return self._each(C, self._margins_at)

    def n_free(self, C: Any) -> Any:
        """Return how many points are free: on their margin, with 0 < a < C."""
        return self._each(C, lambda price: len(self._piece(price).points))[()]

    def n_support(self, C: Any) -> Any:
        """Return how many points are support vectors, free or bounded."""
        return self._each(C, lambda price: np.count_nonzero(self._cases(price) != Case.ZERO))[()]

    def cases(self, C: Any) -> NDArray[np.int8]:
        """Return the set that each point is in, as `Case`."""
        return np.asarray(self._each(C, self._cases), dtype=np.int8)

    def __repr__(self) -> str:
        return (
            f"<SVMPath of {self.problem.n_points} points: {len(self.events)} events, "
            f"C from {self.breakpoints[0]:g} to {self.breakpoints[-1]:g}>"
        )

    @cached_property
    def _starts(self) -> Floats:
        return np.array([piece.C for piece in self._pieces])

    @cached_property
    def _event_arrays(self) -> tuple[Integers, NDArray[np.int8]]:
        points = np.array([event.point for event in self.events], dtype=np.int64)
        return points, np.array([event.after for event in self.events], dtype=np.int8)

    def _each(self, C: Any, value: Callable[[float], Any]) -> NDArray[Any]:
        prices = np.asarray(C, dtype=np.float64)
        if prices.ndim == 0:
            return np.asarray(value(self._on_path(float(prices))))
        if prices.ndim != 1:
            raise InvalidInputError(f"C must be a number or one-dimensional; got {prices.ndim}-d.")
        return np.array([value(self._on_path(float(price))) for price in prices])

    def _on_path(self, C: float) -> float:
        first, last = self.breakpoints[0], self.breakpoints[-1]
        if not first <= C <= last:
            raise InvalidInputError(
                f"C = {C:g} is not on this path, which goes from {first:g} to {last:g}: make it "
                "with svm_path(problem, C_min=..., C_max=...)."
            )
        return C

    def _piece(self, C: float) -> Piece:
        return self._pieces[max(int(np.searchsorted(self._starts, C, side="right")) - 1, 0)]

    def _cases(self, C: float) -> NDArray[np.int8]:
        points, after = self._event_arrays
        n_events = self._piece(C).n_events
        case = self._start.copy()
        case[points[:n_events]] = after[:n_events]
        return case

    def _multipliers_at(self, C: float) -> Floats:
        piece = self._piece(self._on_path(C))
        limit = C * self.problem.sample_weight
        found: Floats = np.where(self._cases(C) == Case.BOUNDED, limit, 0.0)
        found[piece.points] = piece.multipliers + (C - piece.C) * piece.slopes
        return np.clip(found, 0.0, limit)

    def _bias_at(self, C: float) -> float:
        piece = self._piece(self._on_path(C))
        gram = self.problem.dual().gram
        if gram.constant or not len(self.problem.dual().total):
            return float(gram.constant * (self.problem.y @ self._multipliers_at(C)))
        return piece.bias + (C - piece.C) * piece.bias_slope

    def _margins_at(self, C: float) -> Floats:
        y, gram = self.problem.y, self.problem.dual().gram
        bias = 0.0 if gram.constant else self._bias_at(C)
        return np.asarray(y * (gram @ (y * self._multipliers_at(C)) + bias))


def svm_path(problem: SoftMargin, *, C_min: float = 0.0, C_max: float | None = None) -> SVMPath:
    """Follow the exact solution of a soft-margin problem as C grows.

    Between breakpoints the multipliers and b are linear in C; a breakpoint is where a point reaches
    its margin, or leaves it. One path holds the machines of all C; a step takes O(n m + m^2)
    operations for m points on the margin, and a thousand points take seconds. Simultaneous events,
    duplicate points and an empty margin need no perturbation.

    Parameters
    ----------
    problem : SoftMargin
        With hinge loss and a positive semidefinite kernel; any bias and sample weights (the bound
        of point i is C times its weight).
    C_min : float
        Where the path starts. From 0 on, where all multipliers are zero, by default.
    C_max : float, optional
        Where it ends; the problem's own C by default.

    Returns
    -------
    SVMPath
        Solutions, certificates and numbers of support vectors at any C in between.

    Examples
    --------
    >>> from maxmargin import svm_path
    >>> from maxmargin.problems import SoftMargin
    >>> path = svm_path(SoftMargin([[0.0], [1.0], [3.0], [4.0]], [-1, -1, 1, 1], C=100))
    >>> path.n_support([0.01, 100.0])
    array([4, 2])
    >>> path.at(3.0).converged
    True
    """
    low, high = _checked(problem, C_min, C_max)
    started = perf_counter()
    route = trace_path(problem, low, high)
    return SVMPath(
        problem=problem,
        breakpoints=np.append([piece.C for piece in route.pieces], route.end),
        events=tuple(PathEvent(*event) for event in route.events),
        n_restarts=route.n_restarts,
        seconds=perf_counter() - started,
        status=_sentence(route, high),
        _start=route.start,
        _pieces=tuple(route.pieces),
    )


def _checked(problem: Any, C_min: Any, C_max: Any) -> tuple[float, float]:
    if not isinstance(problem, SoftMargin):
        raise InvalidInputError(
            "svm_path takes a SoftMargin of maxmargin.problems, such as SoftMargin(X, y, C=100); "
            f"got {type(problem).__name__}."
        )
    if problem.loss != "hinge":
        raise UnsupportedProblemError(
            f"svm_path needs loss='hinge', for only then is the path piecewise linear; this "
            f"problem has {problem.loss!r}."
        )
    if problem.kernel.positive_semidefinite is not True:
        found = problem.dual().gram.semidefiniteness
        if not found:
            raise UnsupportedProblemError(
                f"svm_path needs a positive semidefinite kernel; {problem.kernel!r} has the "
                f"eigenvalue {found.eigenvalue:.3g} on this data, and its solutions may jump."
            )
    high = problem.C if C_max is None else positive(C_max, "C_max")
    low = real(C_min, "C_min")
    if not 0 <= low < high:
        raise InvalidInputError(
            f"C_min must be zero or more and below C_max = {high:g}; got {C_min!r}."
        )
    return low, high


def _sentence(route: Route, C_max: float) -> str:
    again = f" It took {route.n_restarts} restarts." if route.n_restarts else ""
    if route.end >= C_max:
        return f"The whole path to C = {C_max:g}, with {len(route.events)} events.{again}"
    return (
        f"The path ends at C = {route.end:g} instead of {C_max:g}: beyond that the points on the "
        "margin cannot be told from the others in float64. Centre and scale the features, or "
        f"choose other parameters of the kernel.{again}"
    )
