"""The l1 machine with squared hinge loss, by compiled coordinate descent.

    min |w|_1 + |b| / scale + sum C_i max(0, 1 - y_i (w'x_i + b))^2

The bias term is absent where the bias is free. Features are visited one at a time, so the solver
reads columns: it keeps a copy of the data by columns, in its own precision, unless they lie in
Fortran order already.

Chang, Hsieh, Lin 2008; Yuan, Chang, Hsieh, Lin 2010.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

import maxmargin._native as _native
from maxmargin.kernels.blas_threads import single_threaded_blas
from maxmargin.kernels.blocks import as_rows, default_threads
from maxmargin.problems import Bias, Free
from maxmargin.solvers.answers import Watch
from maxmargin.solvers.linear_answers import LinearAnswer, answer_of, native_watcher
from maxmargin.typing import Floats

__all__ = ["L1Engine", "L1Program"]


@dataclass(frozen=True, eq=False)
class L1Program:
    """One machine: two classes, what slack costs, and how the bias is treated.

    Attributes
    ----------
    sign : ndarray of shape (n,)
        -1 or 1.
    cost : ndarray of shape (n,)
        C_i, what the square of a slack costs; zero leaves a point out.
    bias : Free or Regularised
        Regularised(scale) adds |b| / scale to the objective, as if the data had a constant feature
        of value scale; Regularised(0) means no bias.
    """

    sign: Floats
    cost: Floats
    bias: Bias = field(default_factory=Free)

    @property
    def bias_price(self) -> float:
        """What |b| costs: zero for a free bias, infinity for none."""
        if isinstance(self.bias, Free):
            return 0.0
        return 1.0 / self.bias.scale if self.bias.scale > 0 else float("inf")


class L1Engine:
    """The solver over one data set.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
        In float32 or float64, in any order.
    n_threads : int, optional
        At most this many, a program each; the answers do not depend on it.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.solvers.l1 import L1Engine, L1Program
    >>> X = np.array([[0.0, 1.0], [1.0, 1.0], [3.0, 1.0]])
    >>> program = L1Program(np.array([-1.0, -1.0, 1.0]), np.full(3, 10.0))
    >>> (answer,) = L1Engine(X).solve([program], gap=1e-9)
    >>> answer.weights.round(4), round(answer.bias, 4), round(answer.primal, 4)
    (array([0.975, 0.   ]), -1.95, 0.9875)
    """

    def __init__(self, X: Any, n_threads: int | None = None) -> None:
        self.shape: tuple[int, int] = X.shape
        self.n_threads = default_threads() if n_threads is None else n_threads
        transposed = X.T.tocsr() if sparse.issparse(X) else X.T
        self._columns = as_rows(transposed, np.float32 if X.dtype == np.float32 else np.float64)

    def solve(
        self,
        programs: Sequence[L1Program],
        *,
        gap: float,
        max_iterations: int = 1000,
        seconds: float | None = None,
        watch: Watch | None = None,
        seed: int = 0,
        starts: Sequence[LinearAnswer | None] | None = None,
    ) -> list[LinearAnswer]:
        """Solve the programs, each to the relative duality gap asked for.

        Parameters
        ----------
        programs : sequence of L1Program
            All over the engine's data.
        gap : float
            (primal - dual) over the larger of both.
        max_iterations : int
            Sweeps over the features in use.
        seconds : float, optional
            For all programs together.
        watch : callable, optional
            Sees `Progress` a few times a second; returning True ends the run.
        seed : int
            Of the order in which features are visited.
        starts : sequence of LinearAnswer or None, optional
            Weights and bias to start from, for instance those of another cost.

        Returns
        -------
        list of LinearAnswer
            The best weights and the best feasible multipliers seen, with their values. An early
            end (seconds, watch, interrupt) ends all programs that are left.
        """
        given = [None] * len(programs) if starts is None else starts
        with single_threaded_blas:
            results = _native.solve_l1(
                self._columns,
                [_native_program(program) for program in programs],
                [_native_start(start) for start in given],
                gap,
                max_iterations,
                seed,
                self.n_threads,
                -1.0 if seconds is None else seconds,
                native_watcher(watch, len(programs)),
            )
        return [
            answer_of(result, self._nothing(program))
            for program, result in zip(programs, results, strict=True)
        ]

    def _nothing(self, program: L1Program) -> LinearAnswer:
        n, d = self.shape
        primal = float(program.cost.sum())
        return LinearAnswer(np.zeros(d), 0.0, np.zeros(n), 0, primal, 0.0, "steps")


def _native_program(program: L1Program) -> Any:
    sign = np.ascontiguousarray(program.sign, dtype=np.float64)
    cost = np.ascontiguousarray(program.cost, dtype=np.float64)
    return _native.L1Program(sign, cost, program.bias_price)


def _native_start(start: LinearAnswer | None) -> Floats:
    return np.empty(0) if start is None else np.append(start.weights, start.bias)
