"""The compiled decomposition solver's Python face: programs in, answers out, over shared rows.

Rows are float32 wherever that can carry the accuracy asked for, the multipliers and the gradient
float64; what the rounding of the rows does to the gradient is made up for in
`maxmargin.solvers.correction`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

import maxmargin._native as _native
from maxmargin.kernels import Kernel, Precomputed
from maxmargin.kernels.blocks import default_threads
from maxmargin.problems.gram import Gram
from maxmargin.solvers.answers import Answer, Progress, Watch
from maxmargin.solvers.engine_run import Run
from maxmargin.solvers.memory import row_budget, widest
from maxmargin.solvers.merging import Distinct
from maxmargin.solvers.program import Program, Sums
from maxmargin.solvers.row_sources import RowSources, first_alike
from maxmargin.typing import Floats, Integers

__all__ = ["Answer", "Engine", "Program", "Progress", "Sums", "Watch"]

# Points fewer than this share of which are different are merged.
_WORTH_MERGING = 0.95


class Engine:
    """The rows of one kernel over one data set, and the solver that shares them.

    Parameters
    ----------
    kernel : Kernel
        With numbers for its parameters.
    X : data
        Validated by the kernel.
    constant : float
        Added to every kernel value: the squared scale of a regularised bias.
    cache_mb : float, optional
        Memory for kept rows in MB; by default the whole matrix if it fits in a quarter of the
        available memory, else that quarter.
    n_threads : int, optional
        At most this many; the answers do not depend on it.

    Examples
    --------
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solvers.engine import Engine, Program
    >>> problem = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> qp = problem.dual()
    >>> (answer,) = Engine(problem.kernel, problem.X).solve([Program.of(qp, 0 * qp.sign)], tol=1e-8)
    >>> answer.signed.round(4) + 0.0
    array([-0.5556,  1.    , -1.    ,  0.5556])
    """

    def __init__(
        self,
        kernel: Kernel,
        X: Any,
        *,
        constant: float = 0.0,
        cache_mb: float | None = None,
        n_threads: int | None = None,
    ) -> None:
        self.n_threads = default_threads() if n_threads is None else n_threads
        self.cache_mb = cache_mb
        self._sources = RowSources(kernel, X, constant, self.n_threads, cache_mb)
        self._gram = Gram(kernel, X, constant)
        #: The part that each point belongs to, where answers are to know their sums by parts.
        self.part_of_point: Integers | None = None
        #: By precision: the cuts of the columns, the rows kept, and where they come from.
        self._stores: dict[type, tuple[Integers, Any, Any]] = {}

    def solve(
        self,
        programs: Sequence[Program],
        *,
        tol: float,
        max_steps: int | None = None,
        seconds: float | None = None,
        watch: Watch | None = None,
    ) -> list[Answer]:
        """Solve the programs; an early end (seconds, watch, interrupt) ends all that are left."""
        if self.part_of_point is not None:
            programs = [replace(p, shares=self._shares(p)) for p in programs]
        if not self._are_everywhere(programs) or self._distinct is None:
            return Run(self, programs, tol, max_steps, seconds, watch).answers()
        points, engine = self._distinct
        merged = [points.merge(program) for program in programs]
        reduced = [one.program for one in merged]
        found = Run(engine, reduced, tol, max_steps, seconds, watch).answers()
        return [points.split(one, answer) for one, answer in zip(merged, found, strict=True)]

    def _shares(self, program: Program) -> Floats:
        assert self.part_of_point is not None
        parts = np.arange(self.part_of_point.max() + 1)
        shares: Floats = (self.part_of_point[program.point] == parts[:, None]).astype(np.float64)
        return shares

    def _are_everywhere(self, programs: Sequence[Program]) -> bool:
        """Say whether each program has a variable at every point."""
        return all(len(program.point) >= self._sources.n_points for program in programs)

    @cached_property
    def _distinct(self) -> tuple[Distinct, Engine] | None:
        """The points without repeats and an engine over them, where many repeat others."""
        sources = self._sources
        if isinstance(sources.kernel, Precomputed) or sources.kernel.formula is None:
            return None
        points = Distinct(first_alike(sources.X))
        if len(points.kept) >= _WORTH_MERGING * sources.n_points:
            return None
        engine = Engine(
            sources.kernel,
            sources.X[points.kept],
            constant=sources.constant,
            cache_mb=self.cache_mb,
            n_threads=self.n_threads,
        )
        return points, engine

    def store(self, dtype: type[np.float32] | type[np.float64], boundaries: Integers) -> Any:
        """Return the rows kept so far in that precision and their source; None if it is coarse."""
        held = self._stores.get(dtype)
        if held is not None and np.array_equal(held[0], boundaries):
            return held[1:]
        source = self._sources.source(dtype, boundaries)
        if source is None:
            return None
        if self._sources.whole is not None:
            self._gram.keep(self._sources.whole)
        kind = _native.Store32 if dtype is np.float32 else _native.Store64
        budget = row_budget(self._sources.n_points, self.cache_mb)
        taken = np.dtype(dtype).itemsize * widest(budget, dtype) ** 2
        store = kind(source, boundaries, budget - taken)
        self._stores[dtype] = (boundaries, store, source)
        return store, source
