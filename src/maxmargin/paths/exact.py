"""The solutions of a two-class kernel machine at every C.

For the hinge loss the multipliers and b are piecewise linear in C (Hastie, Rosset, Tibshirani, Zhu
2004), so finitely many breakpoints determine the solutions at every C.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.certificates import Certificate
from maxmargin.errors import InvalidInputError, UnsupportedProblemError
from maxmargin.kernels import Kernel
from maxmargin.kernels.base import positive, real
from maxmargin.machines.endings import warn
from maxmargin.paths.arguments import require_defaults
from maxmargin.paths.tracing import PathEvent, Piece, Tracer
from maxmargin.problems import Bias, Case, Free, Problem, SoftMargin
from maxmargin.solvers import Decomposition, Ending, Solution
from maxmargin.typing import Floats, Integers

__all__ = ["SVMPath", "svm_path"]

# The last C of a path from data, if C_max is not given.
_C_MAX = 100.0


@dataclass(frozen=True, eq=False, repr=False)
class SVMPath:
    """The solutions of one problem at every C, made by `svm_path`.

    Methods that take C also take an array of values and return an array of results.

    Attributes
    ----------
    problem : SoftMargin
        The problem; its own C does not matter here.
    breakpoints : ndarray of shape (k,)
        The ends of the path and each C at which a point changes its set, ascending.
    events : tuple of PathEvent
        Those changes; several may happen at the same C.
    n_restarts : int
        How often rounding made it necessary to solve a problem in order to continue.
    seconds : float
        Wall time.
    status : str
        A sentence that says how far the path goes.

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
        """Return the solution at one C, with the problem that it solves.

        If no point is free, several biases are optimal. This solution has the one that makes the
        path continuous; `solve` returns the middle of them.
        """
        value = self._on_path(positive(C, "C"))
        posed = self.problem.replace(C=value)
        qp = posed.dual()
        dual = self._multipliers_at(value)
        solution = Solution(
            posed,
            dual,
            np.full(len(qp.total), -self._bias_at(value)),
            solver="path",
            ending=Ending.CONVERGED,
            iterations=self._piece(value).n_events,
            gradient=qp.gradient(qp.sign * dual),
        )
        if Decomposition.default_stop.reached_by(solution.estimate):
            return solution
        return replace(solution, ending=Ending.STALLED, reason="rounding limits the path here")

    def certificate(self, C: float) -> Certificate:
        """Return the certificate of the solution at one C."""
        return self.at(C).certificate

    def multipliers(self, C: Any) -> Floats:
        """Return the multipliers, of shape (n,) or (len(C), n)."""
        return self._each(C, self._multipliers_at)

    def bias(self, C: Any) -> Any:
        """Return b."""
        return self._each(C, self._bias_at)[()]

    def coef(self, C: Any) -> Floats:
        """Return the weights w of a linear machine, of shape (d,) or (len(C), d)."""
        return self._each(C, lambda at: self.at(at).w)

    def margins(self, C: Any) -> Floats:
        """Return the functional margins y f(x) of the problem's points."""
        return self._each(C, self._margins_at)

    def n_free(self, C: Any) -> Any:
        """Return the number of free points, which are on their margin with 0 < a < C."""
        return self._each(C, lambda at: len(self._piece(at).points))[()]

    def n_support(self, C: Any) -> Any:
        """Return the number of support vectors, free and bounded."""
        return self._each(C, lambda at: np.count_nonzero(self._cases(at) != Case.ZERO))[()]

    def cases(self, C: Any) -> NDArray[np.int8]:
        """Return the set of each point, as `Case`."""
        return np.asarray(self._each(C, self._cases), dtype=np.int8)

    def __repr__(self) -> str:
        return (
            f"<SVMPath of {self.problem.n_points} points: {len(self.events)} events, "
            f"C from {self.breakpoints[0]:g} to {self.breakpoints[-1]:g}>"
        )

    @cached_property
    def _event_arrays(self) -> tuple[Integers, NDArray[np.int8]]:
        points = np.array([event.point for event in self.events], dtype=np.int64)
        return points, np.array([event.after for event in self.events], dtype=np.int8)

    def _each(self, C: Any, value: Callable[[float], Any]) -> NDArray[Any]:
        values = np.asarray(C, dtype=np.float64)
        if values.ndim == 0:
            return np.asarray(value(self._on_path(float(values))))
        if values.ndim != 1:
            raise InvalidInputError(f"C must be a number or one-dimensional; got {values.ndim}-d.")
        return np.array([value(self._on_path(float(one))) for one in values])

    def _on_path(self, C: float) -> float:
        first, last = self.breakpoints[0], self.breakpoints[-1]
        if not first <= C <= last:
            raise InvalidInputError(
                f"C = {C:g} is not on this path, which goes from {first:g} to {last:g}: make it "
                "with svm_path(problem, C_min=..., C_max=...)."
            )
        return C

    def _piece(self, C: float) -> Piece:
        last = int(np.searchsorted(self.breakpoints[:-1], C, side="right")) - 1
        return self._pieces[max(last, 0)]

    def _cases(self, C: float) -> NDArray[np.int8]:
        points, after = self._event_arrays
        n_events = self._piece(C).n_events
        case = self._start.copy()
        case[points[:n_events]] = after[:n_events]
        return case

    def _multipliers_at(self, C: float) -> Floats:
        piece = self._piece(C)
        limit = C * self.problem.sample_weight
        found: Floats = np.where(self._cases(C) == Case.BOUNDED, limit, 0.0)
        found[piece.points] = piece.multipliers + (C - piece.C) * piece.slopes
        return np.clip(found, 0.0, limit)

    def _bias_at(self, C: float) -> float:
        piece, qp = self._piece(C), self.problem.dual()
        if qp.constant or not len(qp.total):
            return float(qp.constant * (self.problem.y @ self._multipliers_at(C)))
        return piece.bias + (C - piece.C) * piece.bias_slope

    def _margins_at(self, C: float) -> Floats:
        y, qp = self.problem.y, self.problem.dual()
        bias = 0.0 if qp.constant else self._bias_at(C)
        return np.asarray(y * (qp.expansion(y * self._multipliers_at(C)) + bias))


def svm_path(
    X: Any,
    y: Any = None,
    *,
    kernel: Kernel | None = None,
    bias: Bias = Free(),
    sample_weight: Any = None,
    C_min: float = 0.0,
    C_max: float | None = None,
) -> SVMPath:
    """Follow the exact solution of a soft margin as C grows.

    Between breakpoints the multipliers and b are linear in C; at a breakpoint a point reaches its
    margin or leaves it. The path contains the machines for all C. A step takes O(n m + m^2)
    operations for m points on the margin; a thousand points take seconds. Simultaneous events,
    duplicate points and an empty margin are handled without perturbation.

    Parameters
    ----------
    X : array-like of shape (n, d), CSR matrix, or whatever the kernel takes
        The points. Or, instead of all data, a `maxmargin.problems.SoftMargin` with hinge loss.
    y : array-like of shape (n,)
        Labels of two classes; the larger one is positive.
    kernel : Kernel, optional
        Positive semidefinite; linear by default.
    bias : Free or Regularised
        How b is treated.
    sample_weight : array-like of shape (n,), optional
        The bound of point i is C times its weight.
    C_min : float
        The first C; by default 0, where all multipliers are zero.
    C_max : float, optional
        The last C; by default that of the problem, or 100.

    Returns
    -------
    SVMPath
        Solutions, certificates and numbers of support vectors at any C in between.

    Examples
    --------
    >>> from maxmargin import svm_path
    >>> path = svm_path([[0.0], [1.0], [3.0], [4.0]], ["a", "a", "b", "b"])
    >>> path.n_support([0.01, 100.0])
    array([4, 2])
    >>> path.at(3.0).converged
    True
    """
    problem = _posed(X, y, kernel, bias, sample_weight)
    low, high = _checked(problem, C_min, C_max)
    started = perf_counter()
    traced = Tracer(problem, low, high)
    if traced.was_interrupted:
        warn(f"{_status(traced)} Another interrupt within two seconds raises KeyboardInterrupt.")
    return SVMPath(
        problem=problem,
        breakpoints=np.append([piece.C for piece in traced.pieces], traced.end),
        events=tuple(traced.events),
        n_restarts=traced.n_restarts,
        seconds=perf_counter() - started,
        status=_status(traced),
        _start=traced.start,
        _pieces=tuple(traced.pieces),
    )


def _posed(X: Any, y: Any, kernel: Kernel | None, bias: Bias, sample_weight: Any) -> SoftMargin:
    if isinstance(X, Problem):
        if not isinstance(X, SoftMargin):
            raise InvalidInputError(
                f"svm_path takes data, or a SoftMargin of maxmargin.problems; got "
                f"{type(X).__name__}."
            )
        require_defaults(svm_path, y=y, kernel=kernel, bias=bias, sample_weight=sample_weight)
        return X
    if y is None:
        raise InvalidInputError(
            "svm_path takes points and labels, svm_path(X, y), or a problem such as "
            f"SoftMargin(X, y, C=100); got {type(X).__name__} alone."
        )
    labels = np.asarray(y)
    classes = np.unique(labels)
    if labels.ndim != 1 or len(classes) != 2:
        raise InvalidInputError(
            f"y must hold labels of two classes, one per point; it holds {len(classes)} classes. "
            "For more classes take the path of each pair of them."
        )
    signs = np.where(labels == classes[1], 1.0, -1.0)
    return SoftMargin(X, signs, C=_C_MAX, kernel=kernel, bias=bias, sample_weight=sample_weight)


def _checked(problem: SoftMargin, C_min: Any, C_max: Any) -> tuple[float, float]:
    if problem.loss != "hinge":
        raise UnsupportedProblemError(
            f"svm_path needs loss='hinge', because only then is the path piecewise linear; this "
            f"problem has {problem.loss!r}."
        )
    if problem.kernel.positive_semidefinite is not True:
        found = problem.dual().semidefiniteness
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


def _status(traced: Tracer) -> str:
    end, C_max = traced.end, traced.C_max
    restarts = f" It took {traced.n_restarts} restarts." if traced.n_restarts else ""
    if end >= C_max:
        return f"The whole path to C = {C_max:g}, with {len(traced.events)} events.{restarts}"
    if traced.was_interrupted:
        return (
            f"The path was interrupted at C = {end:g}, short of {C_max:g}: up to there it is "
            f"complete and exact.{restarts}"
        )
    return (
        f"The path ends at C = {end:g} instead of {C_max:g}: beyond that the points on the "
        "margin cannot be told from the others in float64. Centre and scale the features, or "
        f"choose other parameters of the kernel.{restarts}"
    )
