"""The compiled solvers of linear machines: quadratic programs in, weights and multipliers out.

Data stay as they are: float32 or float64, C or Fortran order, memory-mapped, CSR. Only coordinate
descent, which reads row after row, needs rows that are contiguous.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, Literal

import numpy as np
from scipy import sparse

import maxmargin._native as _native
from maxmargin.errors import InvalidInputError
from maxmargin.kernels.blas_threads import single_threaded_blas
from maxmargin.kernels.blocks import default_threads
from maxmargin.solvers.solution import Ending
from maxmargin.typing import Floats

__all__ = [
    "LinearQP",
    "Method",
    "Reached",
    "RunOptions",
    "native_matrix",
    "reached",
    "solve_linear",
]

Method = Literal["interior-point", "newton", "coordinate-descent"]

# Entries of the data up to which BLAS uses one thread anyway.
_SMALL_PRODUCTS = 1 << 15

_METHODS: dict[str, _native.LinearMethod] = {
    "interior-point": _native.LinearMethod.interior_point,
    "newton": _native.LinearMethod.newton,
    "coordinate-descent": _native.LinearMethod.coordinate_descent,
}


@dataclass(frozen=True)
class RunOptions:
    """How a compiled solver runs, and what ends it.

    Attributes
    ----------
    gap : float
        Relative duality gap.
    max_iter : int
        Iterations, in the solver's own unit.
    seconds : float, optional
        For all programs together, from now on.
    watch : callable, optional
        Told program, programs done, iterations, gap, primal and dual value; True ends the run.
    seed : int
        Of the order of visits.
    n_jobs : int, optional
        Threads, at most.
    started : float
        `time.perf_counter` at the start.
    """

    gap: float
    max_iter: int
    seconds: float | None = None
    watch: Callable[..., bool] | None = None
    seed: int = 0
    n_jobs: int | None = None
    started: float = field(default_factory=perf_counter)

    @property
    def deadline(self) -> float:
        """`time.perf_counter` at which the time is over; infinity without a limit."""
        return np.inf if self.seconds is None else self.started + self.seconds

    @property
    def native(self) -> tuple[float, int, int, int, float, Callable[..., bool] | None]:
        """The options as the compiled solvers take them."""
        threads = default_threads() if self.n_jobs is None else self.n_jobs
        seconds = -1.0 if self.seconds is None else max(self.deadline - perf_counter(), 0.0)
        return (self.gap, self.max_iter, self.seed, threads, seconds, self.watch)


@dataclass(frozen=True, eq=False)
class Reached:
    """The last point of a compiled solver, for one program.

    Attributes
    ----------
    weights : ndarray
        w; of all classes at once, one row per class.
    bias : float or ndarray
        b.
    multipliers : ndarray
        The dual point, feasible except for rounding.
    iterations : int
        In the solver's own unit.
    primal, dual : float
        The solver's own values; a certificate recomputes them.
    ending : Ending
        Why it ended.
    solver : str
        Who found it, if not the solver that was asked alone.
    """

    weights: Floats
    bias: Any
    multipliers: Floats
    iterations: int
    primal: float
    dual: float
    ending: Ending
    solver: str = ""

    @property
    def relative_gap(self) -> float:
        """The gap over the larger value."""
        if not (np.isfinite(self.primal) and np.isfinite(self.dual)):
            return np.inf
        return (self.primal - self.dual) / (max(abs(self.primal), abs(self.dual)) or 1.0)


def reached(
    result: tuple[Floats, float | Floats, Floats, int, float, float, str], nothing: Reached
) -> Reached:
    """Return the result of a compiled run; `nothing`, with its ending, if it never began."""
    weights, bias, multipliers, iterations, primal, dual, ending = result
    if len(multipliers) == 0:
        return replace(nothing, ending=Ending(ending))
    return Reached(weights, bias, multipliers, iterations, primal, dual, Ending(ending))


@dataclass(frozen=True, eq=False)
class LinearQP:
    """One linear machine's primal and dual: a `BoxQP` without its points, all costs positive.

    Attributes
    ----------
    sign, linear, cost, ridge : ndarray of shape (m,)
        As in `BoxQP`; m is the number of points or, in regression, twice that.
    bias_weight : float
        The weight of b^2 / 2 in the primal: zero for a free bias, infinity for none.
    """

    sign: Floats
    linear: Floats
    cost: Floats
    ridge: Floats
    bias_weight: float


def solve_linear(
    X: Any,
    qps: Sequence[LinearQP],
    method: Method,
    options: RunOptions,
    starts: Sequence[Reached | None] | None = None,
) -> list[Reached]:
    """Solve linear machines over the same rows; an early end ends all that are left.

    Interior points use the weights of a warm start, and only if there are very many points.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.solvers.linear.engine import RunOptions, LinearQP, solve_linear
    >>> X, y = np.array([[0.0], [1.0], [3.0]]), np.array([-1.0, -1.0, 1.0])
    >>> qp = LinearQP(y, -y, np.full(3, 10.0), np.zeros(3), bias_weight=0.0)
    >>> (found,) = solve_linear(X, [qp], "interior-point", RunOptions(gap=1e-9, max_iter=100))
    >>> found.weights.round(4), round(found.bias, 4)
    (array([1.]), -2.0)
    """
    n, d = X.shape
    data = X
    if method == "coordinate-descent" and not sparse.issparse(X):
        data = np.ascontiguousarray(X)
    given = [None] * len(qps) if starts is None else starts
    with single_threaded_blas if n * d > _SMALL_PRODUCTS else nullcontext():
        results = _native.solve_linear(
            _METHODS[method],
            native_matrix(data),
            [_native_qp(qp, n) for qp in qps],
            [_native_start(start) for start in given],
            *options.native,
        )
    found = []
    for qp, result in zip(qps, results, strict=True):
        nothing = Reached(
            np.zeros(d), 0.0, np.zeros(len(qp.sign)), 0, np.inf, -np.inf, Ending.MAX_ITER
        )
        found.append(_balanced(qp, reached(result, nothing)))
    return found


def _balanced(qp: LinearQP, found: Reached) -> Reached:
    """Reduce the multipliers of one sign until the signed ones sum to zero, as a free bias asks."""
    if qp.bias_weight > 0:
        return found
    sign, multipliers = qp.sign, found.multipliers
    up, down = multipliers @ (sign > 0), multipliers @ (sign < 0)
    if up == down:
        return found
    heavier = sign > 0 if up > down else sign < 0
    multipliers *= np.where(heavier, min(up, down) / max(up, down), 1.0)
    return found


def native_matrix(X: Any) -> _native.Matrix32 | _native.Matrix64:
    """Return data as the linear solvers read it, without a copy of its values."""
    kind = _native.Matrix32 if X.dtype == np.float32 else _native.Matrix64
    if not sparse.issparse(X):
        return kind.dense(X)
    if X.shape[1] > np.iinfo(np.int32).max:
        raise InvalidInputError(
            f"A sparse matrix may have at most {np.iinfo(np.int32).max} columns; "
            f"this one has {X.shape[1]}."
        )
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return kind.csr(
        np.ascontiguousarray(X.data),
        np.ascontiguousarray(X.indices, np.int32),
        np.ascontiguousarray(X.indptr, np.int64),
        X.shape[1],
    )


def _native_qp(qp: LinearQP, n_points: int) -> _native.LinearQP:
    sign, linear, cost, ridge = (
        np.ascontiguousarray(values, dtype=np.float64)
        for values in (qp.sign, qp.linear, qp.cost, qp.ridge)
    )
    return _native.LinearQP(sign, linear, cost, ridge, n_points, qp.bias_weight)


def _native_start(start: Reached | None) -> _native.LinearWarmStart:
    if start is None:
        return _native.LinearWarmStart(np.empty(0), 0.0, np.empty(0))
    weights, multipliers = np.array(start.weights), np.array(start.multipliers)
    return _native.LinearWarmStart(weights, start.bias, multipliers)
