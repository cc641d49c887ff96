"""Machines along their prices over a search's matrix: each solution starts from the last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import maxmargin._native as _native
from maxmargin.errors import UnsupportedProblemError
from maxmargin.solvers.answers import Answer
from maxmargin.solvers.program import Program
from maxmargin.solvers.shared_gram import SharedGram
from maxmargin.typing import Floats, Integers

__all__ = ["PricePath", "Stop", "similarities", "solve_paths"]

#: Asked now and then; True ends what goes on.
Stop = Callable[[], bool]

# Above so many tolerances a few variables move at a time, below it all that may still move.
_COARSE = 300.0

_FEW_STEPS = 1_000_000
_STEPS_PER_VARIABLE = 1000


class PricePath:
    """One machine along its prices over a shared matrix: each solution starts from the last.

    Parameters
    ----------
    gram : SharedGram
        Filled; it must not change while the path is in use.
    program : Program
        Any of the path's programs: they have these points and sums.
    points : ndarray of shape (m,)
        The point of the matrix that each variable belongs to, all different.
    tol : float
        Of the programs.
    """

    def __init__(self, gram: SharedGram, program: Program, points: Integers, tol: float) -> None:
        if not self.suits(program):
            raise UnsupportedProblemError("A path needs one variable a point, and plain sums.")
        self.gram = gram
        self.points = np.ascontiguousarray(points, dtype=np.int64)
        kind = _native.Sweep32 if gram.dtype is np.float32 else _native.Sweep64
        self.native = kind(
            gram.values,
            gram.n_points,
            self.points,
            max(int(program.group.max(initial=-1)) + 1, 1),
            bool((program.group < 0).any()),
            tol < 5e-5,
        )
        rounding = gram.rounding
        self._rounding = None if rounding is None else np.ascontiguousarray(rounding[:, points])

    @staticmethod
    def suits(program: Program) -> bool:
        """Say whether a path can solve such a program."""
        point = program.point
        one_each = bool((point[1:] > point[:-1]).all()) or len(np.unique(point)) == len(point)
        return bool(one_each and not program.ridge.any() and (program.direction == 1.0).all())

    def stage(self, program: Program, factor: float, tol: float) -> Any:
        """Return a program that starts near `factor` times the last solution, for `solve_paths`."""
        return _native.Stage(
            np.ascontiguousarray(program.start, dtype=np.float64),
            program.low,
            program.high,
            np.ascontiguousarray(program.linear, dtype=np.float64),
            np.maximum(program.group, 0).astype(np.int64, copy=False),
            factor,
            tol,
            _COARSE,
            _FEW_STEPS + _STEPS_PER_VARIABLE * program.n_variables,
        )

    def solve(self, program: Program, factor: float, tol: float, stop: Stop | None) -> Answer:
        """Solve one program."""
        (answer,) = solve_paths([self], [self.stage(program, factor, tol)], stop)
        return answer

    def settle(self, signed: Floats) -> None:
        """Replace the sums at the last solution by those of the kernel in float64."""
        self.native.set_similarities(self.gram.exact(self.points, signed))

    def error(self, signed: Floats) -> float:
        """Return the most that rounding of the matrix moves the gradient, in a sample of points.

        Of a solution whose sums were settled, `signed` is what it has changed since.
        """
        if self._rounding is None:
            return 0.0
        return float(np.abs(np.einsum("ij,j->i", self._rounding, signed)).max(initial=0.0))


def solve_paths(
    paths: Sequence[PricePath], stages: Sequence[Any], stop: Stop | None, n_threads: int = 1
) -> list[Answer]:
    """Take each of some paths over one matrix to its next stage, on so many threads."""
    kind = type(paths[0].native)
    watch = None if stop is None else lambda *_: stop()
    found = kind.solve([path.native for path in paths], stages, n_threads, watch)
    return [Answer(*one) for one in found]


def similarities(paths: Sequence[PricePath], at: Integers, n_threads: int = 1) -> Floats:
    """Return of each path sum_j b_j k(x_j, x) at some points of the matrix."""
    kind = type(paths[0].native)
    sums = kind.similarities([path.native for path in paths], at, n_threads)
    return np.asarray(sums).reshape(len(paths), len(at))
