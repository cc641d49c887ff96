"""The compiled solvers of linear machines: programs in, weights and multipliers out.

Data stay as they are: float32 or float64, C or Fortran order, memory-mapped, CSR. Only coordinate
descent, which reads row after row, needs rows that are contiguous.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from scipy import sparse

import maxmargin._native as _native
from maxmargin.errors import InvalidInputError
from maxmargin.kernels.blas_threads import single_threaded_blas
from maxmargin.kernels.blocks import default_threads
from maxmargin.problems import BoxQP
from maxmargin.solvers.answers import Watch
from maxmargin.solvers.linear_answers import LinearAnswer, answer_of, native_watcher
from maxmargin.typing import Bools, Floats

__all__ = ["LinearAnswer", "LinearEngine", "LinearProgram", "Method", "native_matrix"]

Method = Literal["interior-point", "newton", "coordinate-descent"]

_METHODS: dict[str, _native.LinearMethod] = {
    "interior-point": _native.LinearMethod.interior_point,
    "newton": _native.LinearMethod.newton,
    "coordinate-descent": _native.LinearMethod.coordinate_descent,
}


@dataclass(frozen=True, eq=False)
class LinearProgram:
    """One linear machine's primal and dual: a `BoxQP` without its Gram matrix.

    Attributes
    ----------
    sign, linear, cost, ridge : ndarray of shape (m,)
        As in `BoxQP`; m is the number of points or, in regression, twice that.
    bias_weight : float
        What b^2 / 2 costs in the primal: zero for a free bias, infinity for none.
    """

    sign: Floats
    linear: Floats
    cost: Floats
    ridge: Floats
    bias_weight: float

    @classmethod
    def of(cls, qp: BoxQP, used: Bools | None = None) -> Self:
        """Return the program of a dual with a linear kernel, of the used variables alone."""
        constant = qp.gram.constant
        weight = 0.0 if len(qp.total) else 1.0 / constant if constant > 0 else np.inf
        kept = np.ones(qp.n_variables, dtype=bool) if used is None else used
        return cls(qp.sign[kept], qp.linear[kept], qp.cost[kept], qp.ridge[kept], float(weight))


class LinearEngine:
    """The solvers over one data set.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
        In float32 or float64.
    n_threads : int, optional
        At most this many; the answers do not depend on it.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solvers.linear_engine import LinearEngine, LinearProgram
    >>> problem = SoftMargin([[0.0], [1.0], [3.0]], [-1, -1, 1], C=10)
    >>> engine = LinearEngine(problem.X)
    >>> (answer,) = engine.solve([LinearProgram.of(problem.dual())], "interior-point", gap=1e-9)
    >>> answer.weights.round(4), round(answer.bias, 4)
    (array([1.]), -2.0)
    """

    def __init__(self, X: Any, n_threads: int | None = None) -> None:
        self.X = X
        self.n_threads = default_threads() if n_threads is None else n_threads
        self._data = native_matrix(X)

    def solve(
        self,
        programs: Sequence[LinearProgram],
        method: Method,
        *,
        gap: float,
        max_iterations: int = 1000,
        seconds: float | None = None,
        watch: Watch | None = None,
        seed: int = 0,
        starts: Sequence[LinearAnswer | None] | None = None,
    ) -> list[LinearAnswer]:
        """Solve the programs; an early end (seconds, watch, interrupt) ends all that are left.

        Every cost must be positive. Interior points use the weights of a start, and only where
        there are very many points.
        """
        for program in programs:
            _require_solvable(program, method)
        data = self._data
        if method == "coordinate-descent" and not sparse.issparse(self.X):
            data = native_matrix(np.ascontiguousarray(self.X))
        given = [None] * len(programs) if starts is None else starts
        with single_threaded_blas:
            results = _native.solve_linear(
                _METHODS[method],
                data,
                [_native_program(program, self.X.shape[0]) for program in programs],
                [_native_start(start) for start in given],
                gap,
                max_iterations,
                seed,
                self.n_threads,
                -1.0 if seconds is None else seconds,
                native_watcher(watch, len(programs)),
            )
        return [
            self._answer(program, result) for program, result in zip(programs, results, strict=True)
        ]

    def _answer(self, program: LinearProgram, result: tuple[Any, ...]) -> LinearAnswer:
        weights, multipliers = np.zeros(self.X.shape[1]), np.zeros(len(program.sign))
        nothing = LinearAnswer(weights, 0.0, multipliers, 0, np.inf, -np.inf, "steps")
        answer = answer_of(result, nothing)
        if program.bias_weight > 0:
            return answer
        return replace(answer, multipliers=_balanced(program.sign, answer.multipliers))


def _require_solvable(program: LinearProgram, method: Method) -> None:
    if not (program.cost > 0).all():
        raise InvalidInputError(
            "Points whose weight is zero or less must be left out of a linear program."
        )
    if method == "newton" and not (program.ridge > 0).all():
        raise InvalidInputError(
            "Newton's method needs a squared loss, for only that has a curvature: choose "
            "'interior-point' or 'coordinate-descent'."
        )


def _balanced(sign: Floats, multipliers: Floats) -> Floats:
    """Reduce the multipliers of one sign until the signed ones sum to zero, as a free bias asks."""
    up, down = multipliers @ (sign > 0), multipliers @ (sign < 0)
    if up == down:
        return multipliers
    heavier = sign > 0 if up > down else sign < 0
    return np.where(heavier, multipliers * (min(up, down) / max(up, down)), multipliers)


def native_matrix(X: Any) -> Any:
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


def _native_program(program: LinearProgram, n_points: int) -> Any:
    arrays = (program.sign, program.linear, program.cost, program.ridge)
    ready = (np.ascontiguousarray(values, dtype=np.float64) for values in arrays)
    return _native.LinearProgram(*ready, n_points, program.bias_weight)


def _native_start(start: LinearAnswer | None) -> Any:
    if start is None:
        return _native.LinearStart(np.empty(0), 0.0, np.empty(0))
    weights, multipliers = np.array(start.weights), np.array(start.multipliers)
    return _native.LinearStart(weights, start.bias, multipliers)
