"""The compiled decomposition solver's Python face: programs in, answers out, over shared rows.

Rows are float32 wherever that can carry the accuracy asked for, the multipliers and the gradient
float64. What the rounding of the rows adds to the gradient grows with the multipliers; where it
could matter, the gradient is computed again in float64 and the run goes on from there, and should
that not help, it goes on with float64 rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Literal

import numpy as np

import maxmargin._native as _native
from maxmargin.kernels import Kernel, Precomputed
from maxmargin.kernels.blocks import default_threads
from maxmargin.problems.gram import Gram
from maxmargin.solvers.memory import row_budget
from maxmargin.solvers.program import Merged, Program
from maxmargin.solvers.row_sources import RowSources, first_alike
from maxmargin.typing import Floats, Integers

__all__ = ["Answer", "Engine", "Program", "Progress", "Watch"]

Ending = Literal["converged", "steps", "seconds", "watch", "interrupt", "stalled"]

_ENDS_ALL = ("seconds", "watch", "interrupt")

# Variables worked on at once, and how many a program may have for all of them to be.
_WORKING_SET = 2048
_WHOLE_ALONE = 4096
_WHOLE_AMONG_MANY = 1536

# The most variables that may still move to be taken as one working set; its matrix may have this
# share of the memory for rows.
_WIDEST = 9216
_SHARE_OF_WIDEST = 0.25

# Points fewer than this share of which are different are merged.
_WORTH_MERGING = 0.95

# The share of the tolerance up to which an error of the gradient is met by a tighter tolerance, how
# many variables and programs tell the error, and the rounds of correction.
_SMALL_ERROR = 0.7
_SAMPLE = 256
_LOOKED_AT_FIRST = 8
_CORRECTIONS = 12
_NO_LIMIT = 1 << 62


@dataclass(frozen=True)
class Progress:
    """What a watcher sees a few times a second.

    Attributes
    ----------
    program, n_done, n_programs : int
        The program that was looked at, how many are solved, how many there are.
    steps : int
        Of this program so far.
    violation : float
        Its largest m(a) - M(a) over the sums: LIBSVM's stopping measure.
    primal, dual : float
        Estimates of its objective values.
    """

    program: int
    n_done: int
    n_programs: int
    steps: int
    violation: float
    primal: float
    dual: float


#: Returning True ends the run with the point reached.
Watch = Callable[[Progress], bool | None]


@dataclass(frozen=True, eq=False)
class Answer:
    """Where the engine ended with one program.

    Attributes
    ----------
    signed : ndarray of shape (m,)
        The variables b.
    gradient : ndarray of shape (m,)
        Hb + p.
    violation : float
        The largest m(a) - M(a) over the sums.
    steps : int
        Taken in all.
    ending : str
        "converged", or what ended the run before: "steps", "seconds", "watch", "interrupt", or
        "stalled" when no step helps any more.
    """

    signed: Floats
    gradient: Floats
    violation: float
    steps: int
    ending: Ending

    @property
    def converged(self) -> bool:
        """Whether the violation is below the tolerance."""
        return self.ending == "converged"


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
        self._sources = RowSources(kernel, X, constant, self.n_threads)
        self._gram = Gram(kernel, X, constant)

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
        merged = self._merge(programs[0]) if len(programs) == 1 else None
        if merged is None:
            return _Run(self, programs, tol, max_steps, seconds, watch).answers()
        sources, first = merged
        kept = np.flatnonzero(first == np.arange(len(first)))
        place = np.zeros(len(first), dtype=np.int64)
        place[kept] = np.arange(len(kept))
        reduced = Merged.of(programs[0], first, place)
        engine = Engine(
            sources.kernel,
            sources.X[kept],
            constant=sources.constant,
            cache_mb=self.cache_mb,
            n_threads=self.n_threads,
        )
        (answer,) = _Run(engine, [reduced.program], tol, max_steps, seconds, watch).answers()
        signed = reduced.split(answer.signed)
        gradient = answer.gradient[reduced.owner]
        return [replace(answer, signed=signed, gradient=gradient)]

    def _merge(self, program: Program) -> tuple[RowSources, Integers] | None:
        """Return each point's first equal where many have one."""
        sources = self._sources
        if isinstance(sources.kernel, Precomputed) or sources.kernel.formula is None:
            return None
        if len(program.point) < sources.n_points:
            return None
        first = first_alike(sources.X)
        different = np.count_nonzero(first == np.arange(len(first)))
        return (sources, first) if different < _WORTH_MERGING * len(first) else None


class _Run:
    """One call of `Engine.solve` over points that are all different."""

    def __init__(
        self,
        engine: Engine,
        programs: Sequence[Program],
        tol: float,
        max_steps: int | None,
        seconds: float | None,
        watch: Watch | None,
    ) -> None:
        self.engine = engine
        self.sources = engine._sources
        self.gram = engine._gram
        self.programs = list(programs)
        self.tol = tol
        self.max_steps = _NO_LIMIT if max_steps is None else max_steps
        self.deadline = None if seconds is None else perf_counter() + seconds
        self.watch = watch
        self.boundaries = _boundaries(self.programs, self.sources.n_points)
        self.budget = row_budget(self.sources.n_points, engine.cache_mb)
        self._similarities: dict[int, Floats] = {}

    def answers(self) -> list[Answer]:
        """Run; where rounding could hide a violation, go on until it cannot."""
        which = list(range(len(self.programs)))
        starts = [program.start for program in self.programs]
        single = None if self.sources.prefers_float64 else self._store(np.float32)
        if single is None:
            return self._decompose(self._store(np.float64), which, starts, {}, self.tol)
        found = self._decompose(single, which, starts, {}, self.tol)
        self._correct(found, single)
        return found

    def _store(self, dtype: type[np.float32] | type[np.float64]) -> Any:
        source = self.sources.source(dtype, self.boundaries)
        kind = _native.Store32 if dtype is np.float32 else _native.Store64
        widest_bytes = np.dtype(dtype).itemsize * self._widest(dtype) ** 2
        return None if source is None else kind(source, self.boundaries, self.budget - widest_bytes)

    def _widest(self, dtype: type) -> int:
        affordable = math.isqrt(int(_SHARE_OF_WIDEST * self.budget) // np.dtype(dtype).itemsize)
        return min(_WIDEST, affordable)

    def _correct(self, found: list[Answer], store: Any) -> None:
        """Go on from answers whose gradient is off by more than the tolerance leaves room for."""
        doubtful = self._doubtful(found)
        before = np.inf
        for _ in range(_CORRECTIONS):
            known: dict[int, Floats] = {}
            tolerance = self.tol
            for k, error in doubtful.items():
                if found[k].converged and 2 * error <= _SMALL_ERROR * self.tol:
                    # A little further in the same arithmetic covers a small error.
                    tolerance = min(tolerance, self.tol - 2 * error)
                    if k in self._similarities:
                        known[k] = self._similarities[k]
                    continue
                known[k] = self._exact_similarities(k, found[k].signed)
                found[k] = self._measured(k, found[k], known[k])
            unsolved = [k for k in doubtful if tolerance < self.tol or not found[k].converged]
            if not unsolved or self._seconds_left() == 0.0:
                return
            worst = max(found[k].violation for k in unsolved)
            if tolerance == self.tol and worst > 0.5 * before:
                store = self._store(np.float64)
            before = worst
            starts = [found[k].signed for k in unsolved]
            again = self._decompose(store, unsolved, starts, known, tolerance)
            for k, answer in zip(unsolved, again, strict=True):
                reached = answer.ending == "stalled" and answer.violation <= self.tol
                ending = "converged" if reached else answer.ending
                found[k] = replace(answer, steps=found[k].steps + answer.steps, ending=ending)
            if any(answer.ending in _ENDS_ALL for answer in again):
                return
            doubtful = self._doubtful(found, unsolved)

    def _doubtful(
        self, found: Sequence[Answer], which: Sequence[int] | None = None
    ) -> dict[int, float]:
        """Return the programs that may not be as good as their gradient says, and its error.

        Of many programs those with the largest multipliers are looked at first, for the error
        grows with them; if they are fine so are the others.
        """
        finished = [
            k
            for k in (range(len(found)) if which is None else which)
            if found[k].ending in ("converged", "stalled")
        ]
        finished.sort(key=lambda k: -float(np.linalg.norm(found[k].signed)))
        doubtful: dict[int, float] = {}
        for rank, k in enumerate(finished):
            if rank >= _LOOKED_AT_FIRST and not doubtful:
                break
            error = self._gradient_error(k, found[k])
            if found[k].ending == "stalled" or found[k].violation + 2 * error > self.tol:
                doubtful[k] = error
        return doubtful

    def _gradient_error(self, k: int, answer: Answer) -> float:
        """Return the largest deviation from the gradient in float64, over a sample of variables."""
        program = self.programs[k]
        m = program.n_variables
        sample = np.unique(np.linspace(0, m - 1, min(m, _SAMPLE)).astype(np.int64))
        exact = self.gram.products(program.point[sample], self._coefficients(k, answer.signed))
        exact += program.ridge[sample] * answer.signed[sample] + program.linear[sample]
        return float(np.abs(answer.gradient[sample] - exact).max(initial=0.0))

    def _measured(self, k: int, answer: Answer, similarities: Floats) -> Answer:
        """Return the answer with its float64 gradient, converged if that says so."""
        program = self.programs[k]
        own = np.searchsorted(self._columns(program), program.point)
        gradient = similarities[own] + program.ridge * answer.signed + program.linear
        violation = program.violation(answer.signed, gradient)
        ending: Ending = "converged" if violation <= self.tol else "stalled"
        return replace(answer, gradient=gradient, violation=violation, ending=ending)

    def _columns(self, program: Program) -> Integers:
        """Return the points of all segments that a program touches."""
        segment = np.searchsorted(self.boundaries, program.point, side="right") - 1
        touched = np.unique(segment)
        return np.concatenate(
            [np.arange(self.boundaries[s], self.boundaries[s + 1]) for s in touched]
        )

    def _exact_similarities(self, k: int, signed: Floats) -> Floats:
        columns = self._columns(self.programs[k])
        return self.gram.products(columns, self._coefficients(k, signed))

    def _coefficients(self, k: int, signed: Floats) -> Floats:
        coefficients = np.zeros(self.sources.n_points)
        np.add.at(coefficients, self.programs[k].point, signed)
        return coefficients

    def _seconds_left(self) -> float:
        return -1.0 if self.deadline is None else max(0.0, self.deadline - perf_counter())

    def _decompose(
        self,
        store: Any,
        which: Sequence[int],
        starts: Sequence[Floats],
        known: dict[int, Floats],
        tol: float,
    ) -> list[Answer]:
        programs = [self.programs[k] for k in which]
        natives = [_native_program(p, start) for p, start in zip(programs, starts, strict=True)]
        results = _native.decompose(
            store,
            natives,
            [known.get(k) for k in which],
            tol,
            self.max_steps,
            _WORKING_SET,
            _WHOLE_AMONG_MANY if len(self.programs) > 1 else _WHOLE_ALONE,
            self._widest(np.float32 if isinstance(store, _native.Store32) else np.float64),
            self.engine.n_threads,
            self._seconds_left(),
            self._watcher(),
        )
        self._similarities = {
            k: result[5] for k, result in zip(which, results, strict=True) if len(result[5])
        }
        return [_answer(p, *result[:5]) for p, result in zip(programs, results, strict=True)]

    def _watcher(self) -> Callable[..., bool] | None:
        if self.watch is None:
            return None
        watch, n_programs = self.watch, len(self.programs)

        def show(
            program: int, n_done: int, steps: int, violation: float, primal: float, dual: float
        ) -> bool:
            progress = Progress(program, n_done, n_programs, steps, violation, primal, dual)
            return bool(watch(progress))

        return show


def _boundaries(programs: Sequence[Program], n_points: int) -> Integers:
    """Cut the points where a program's points begin or end; not at all if that makes many cuts."""
    whole = np.array([0, n_points], dtype=np.int64)
    if len(programs) == 1:
        return whole
    cuts = {0, n_points}
    for program in programs:
        used = np.unique(program.point)
        breaks = np.flatnonzero(np.diff(used) > 1)
        cuts.update(used[np.append(breaks + 1, 0)].tolist())
        cuts.update((used[np.append(breaks, len(used) - 1)] + 1).tolist())
        if len(cuts) > 8 * (len(programs) + 2):
            return whole
    return np.array(sorted(cuts), dtype=np.int64)


def _native_program(program: Program, start: Floats) -> Any:
    return _native.Program(
        np.ascontiguousarray(program.point, dtype=np.int64),
        *(
            np.ascontiguousarray(values, dtype=np.float64)
            for values in (
                program.direction,
                program.low,
                program.high,
                program.direction * program.linear,
                program.ridge,
            )
        ),
        np.ascontiguousarray(program.group, dtype=np.int64),
        np.ascontiguousarray(program.direction * start, dtype=np.float64),
    )


def _answer(
    program: Program,
    value: Floats,
    gradient: Floats,
    violation: float,
    steps: int,
    ending: Ending,
) -> Answer:
    m = program.n_variables
    if len(gradient) < m:
        # The run ended before this program's turn.
        gradient, violation = program.direction * program.linear, float("inf")
    return Answer(
        program.direction * value[:m], program.direction * gradient[:m], violation, steps, ending
    )
