"""The multi-class machine of Crammer and Singer, by the compiled sequential dual method.

    min 1/2 sum_m |w_m|^2 + sum_i C_i max_m (1 - [m = y_i] + (w_m - w_{y_i})'x_i)

All classes are trained in one problem: a point pays for the class that comes nearest to, or beats,
its own. A bias is the weight of a constant feature and regularised like the others, or absent. A
free one is not offered: the dual would ask that each class's multipliers sum to zero over all
points, and the method moves the multipliers of one point at a time. A large scale comes close.

Crammer, Singer 2001; Keerthi, Sundararajan, Chang, Hsieh, Lin 2008.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import maxmargin._native as _native
from maxmargin.kernels.blas_threads import single_threaded_blas
from maxmargin.kernels.blocks import as_rows, default_threads
from maxmargin.problems import Regularised
from maxmargin.solvers.answers import Watch
from maxmargin.solvers.linear_answers import ClassAnswer, answer_of, native_watcher
from maxmargin.typing import Floats, Integers

__all__ = ["ClassAnswer", "ClassProgram", "CrammerSingerEngine"]


@dataclass(frozen=True, eq=False)
class ClassProgram:
    """The machine of all classes: labels, what slack costs, and the bias.

    Attributes
    ----------
    label : ndarray of shape (n,)
        From 0 to n_classes - 1.
    cost : ndarray of shape (n,)
        C_i; zero leaves a point out.
    n_classes : int
        Two or more.
    bias : Regularised
        Regularised(scale) adds sum_m (b_m / scale)^2 / 2 to the objective; Regularised(0) means no
        bias.
    """

    label: Integers
    cost: Floats
    n_classes: int
    bias: Regularised = field(default_factory=Regularised)


class CrammerSingerEngine:
    """The solver over one data set.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
        In float32 or float64; a dense array that is not in C order is copied.
    n_threads : int, optional
        At most this many, for measuring the gap; the answers do not depend on it.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.solvers.crammer_singer import ClassProgram, CrammerSingerEngine
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    >>> program = ClassProgram(np.arange(3), np.ones(3), 3)
    >>> answer = CrammerSingerEngine(X).solve(program, gap=1e-9)
    >>> np.argmax(X @ answer.weights.T + answer.bias, axis=1)
    array([0, 1, 2])
    """

    def __init__(self, X: Any, n_threads: int | None = None) -> None:
        self.shape: tuple[int, int] = X.shape
        self.n_threads = default_threads() if n_threads is None else n_threads
        self._rows = as_rows(X, np.float32 if X.dtype == np.float32 else np.float64)

    def solve(
        self,
        program: ClassProgram,
        *,
        gap: float,
        max_iterations: int = 1000,
        seconds: float | None = None,
        watch: Watch | None = None,
        seed: int = 0,
        start: ClassAnswer | None = None,
    ) -> ClassAnswer:
        """Solve the program to the relative duality gap asked for.

        Parameters
        ----------
        program : ClassProgram
            Over the engine's data.
        gap : float
            (primal - dual) over the larger of both.
        max_iterations : int
            Sweeps over the points in use.
        seconds : float, optional
            Time limit.
        watch : callable, optional
            Sees `Progress` a few times a second; returning True ends the run.
        seed : int
            Of the order in which points are visited.
        start : ClassAnswer, optional
            Whose multipliers to start from; they are made feasible first.
        """
        native = _native.ClassProgram(
            np.ascontiguousarray(program.label, dtype=np.int32),
            np.ascontiguousarray(program.cost, dtype=np.float64),
            program.n_classes,
            program.bias.scale,
        )
        with single_threaded_blas:
            result = _native.solve_crammer_singer(
                self._rows,
                native,
                np.empty(0) if start is None else np.ascontiguousarray(start.multipliers).ravel(),
                gap,
                max_iterations,
                seed,
                self.n_threads,
                -1.0 if seconds is None else seconds,
                native_watcher(watch, 1),
            )
        return self._answer(program, result)

    def _answer(self, program: ClassProgram, result: tuple[Any, ...]) -> ClassAnswer:
        (n, d), k = self.shape, program.n_classes
        primal = float(program.cost.sum())
        nothing = ClassAnswer(
            np.zeros((k, d)), np.zeros(k), np.zeros((n, k)), 0, primal, 0.0, "steps"
        )
        answer = answer_of(result, nothing)
        return replace(
            answer,
            weights=answer.weights.reshape(k, d),
            multipliers=answer.multipliers.reshape(n, k),
        )
