"""One call of the engine: the native runs over shared rows, and what is made up for after them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

import maxmargin._native as _native
from maxmargin.solvers.answers import Answer, Ending, Progress, Watch
from maxmargin.solvers.correction import Correction
from maxmargin.solvers.memory import row_budget, widest
from maxmargin.solvers.near_starts import sums_at_start
from maxmargin.solvers.program import Program, Sums
from maxmargin.solvers.rescue import is_affordable, rescued
from maxmargin.solvers.whole_gram import UnfinishedGramError
from maxmargin.typing import Floats, Integers

if TYPE_CHECKING:
    from maxmargin.solvers.engine import Engine

__all__ = ["Run"]

# Variables worked on at once, and how many a program may have for all of them to be.
_WORKING_SET = 3072
_WHOLE_ALONE = 4096
_WHOLE_AMONG_MANY = 1536

# Both for programs that start near a solution: their runs are short, and memory is dear. Where more
# variables are free, so many times as many.
_WORKING_SET_NEAR = 2048
_WIDEST_NEAR = 2048
_WIDEST_OF_FREE = 1.5

# Kernel values that a run which has been ended may still compute, and how many dear ones.
_AFFORDABLE_VALUES = 20_000_000
_AFFORDABLE_DEAR_VALUES = 4_000

# Steps after which a program is taken to crawl, and how many times that if there is no other way.
_FEW_STEPS = 1_000_000
_STEPS_PER_VARIABLE = 1000
_MANY = 50

# How often, and from how many seconds on, time that some programs left is given to the others.
_SECOND_HELPINGS = 8
_WORTH_GOING_ON = 0.005


class Run:
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
        self.is_limited = max_steps is not None
        self.few_steps = _FEW_STEPS + _STEPS_PER_VARIABLE * max(
            (program.n_variables for program in programs), default=0
        )
        self.max_steps = _MANY * self.few_steps if max_steps is None else max_steps
        self.deadline = None if seconds is None else perf_counter() + seconds
        self.watch = watch
        self.boundaries = _boundaries(self.programs, self.sources.n_points)
        self.budget = row_budget(self.sources.n_points, engine.cache_mb)
        self.similarities: dict[int, Floats] = {}
        self.parts: dict[int, Floats] = {}
        self.source: Any = None
        self.farthest: Integers = np.zeros(0, dtype=np.int64)

    def answers(self) -> list[Answer]:
        """Run; where rounding could hide a violation, go on until it cannot."""
        found = [self._rescued(k, answer) for k, answer in enumerate(self._first_answers())]
        if len(self.boundaries) == 2:
            found = [
                replace(a, sums=self.similarities[k], parts=self._parts(k, a))
                if k in self.similarities
                else a
                for k, a in enumerate(found)
            ]
        if self.is_limited:
            return found
        # Without a limit of the caller's, too many steps are a sign that steps do not help.
        return [replace(a, ending="stalled") if a.ending == "steps" else a for a in found]

    def _parts(self, k: int, answer: Answer) -> list[Sums] | None:
        """Return what each part of the variables adds to the sums, if that is known."""
        program = self.programs[k]
        if program.shares is None or program.near is not None or k not in self.parts:
            return None
        coefficients = [self.coefficients(k, share * answer.signed) for share in program.shares]
        return [Sums(*part) for part in zip(coefficients, self.parts[k], strict=True)]

    def _rescued(self, k: int, answer: Answer) -> Answer:
        crawls = answer.ending == "stalled" or (answer.ending == "steps" and not self.is_limited)
        return rescued(self, k, answer) if crawls and is_affordable(self, k) else answer

    def _first_answers(self) -> list[Answer]:
        which = list(range(len(self.programs)))
        try:
            store = self._first_store()
        except UnfinishedGramError as unfinished:
            return self._answers_at_start(unfinished.ending)
        known, ending = sums_at_start(self, store)
        if ending is not None:
            return self._answers_at_start(ending)
        starts = [program.start for program in self.programs]
        found = self.decompose(store, which, starts, known, self.tol)
        self._spend_what_is_left(store, found)
        return Correction(self, found, store).answers()

    def _first_store(self) -> Any:
        self.sources.pause = self._pause
        try:
            store = None if self.sources.prefers_float64 else self.store(np.float32)
            return self.store(np.float64) if store is None else store
        finally:
            del self.sources.pause

    def _pause(self, share: float) -> Ending | None:
        """Show which share of the kernel's matrix is there; return what ends the run, if any."""
        if self.deadline is not None and self.seconds_left() == 0:
            return "seconds"
        if self.watch is None:
            return None
        n_programs = len(self.programs)
        seen = Progress(0, 0, n_programs, 0, np.inf, np.inf, -np.inf, kernel_share=share)
        return "watch" if self.watch(seen) else None

    def _answers_at_start(self, ending: Ending) -> list[Answer]:
        nothing = np.zeros(0)
        values = [program.direction * program.start for program in self.programs]
        return [
            self._answer(k, value, nothing, np.inf, 0, ending) for k, value in enumerate(values)
        ]

    def _spend_what_is_left(self, store: Any, found: list[Answer]) -> None:
        """Go on with the programs that their share of the time ended, while others left some."""
        for _ in range(_SECOND_HELPINGS):
            late = [k for k, answer in enumerate(found) if answer.ending == "seconds"]
            if not late or len(late) == len(found) or self.seconds_left() < _WORTH_GOING_ON:
                return
            known = {k: self.similarities[k] for k in late if k in self.similarities}
            starts = [found[k].signed for k in late]
            before = max(found[k].steps for k in late)
            again = self.decompose(store, late, starts, known, self.tol, before)
            for k, answer in zip(late, again, strict=True):
                if np.isfinite(answer.violation):
                    found[k] = replace(answer, steps=found[k].steps + answer.steps)

    def _most_steps(self, which: Sequence[int]) -> int:
        """Return the steps a program may take; few where there is another way."""
        if self.is_limited or not all(is_affordable(self, k) for k in which):
            return self.max_steps
        return self.few_steps

    def store(self, dtype: type[np.float32] | type[np.float64]) -> Any:
        """Return the rows kept in that precision, None where it is too coarse for the data."""
        held = self.engine.store(dtype, self.boundaries)
        if held is None:
            return None
        store, self.source = held
        self.farthest = np.array(self.source.farthest, dtype=np.int64)
        return store

    @property
    def whole_up_to(self) -> int:
        """The variables a program may have for all of them to be worked on at once."""
        return _WHOLE_AMONG_MANY if len(self.programs) > 1 else _WHOLE_ALONE

    def _sizes(self, store: Any, which: Sequence[int]) -> tuple[int, int, int]:
        """Return how many variables are worked on at once, far from the solution and near it.

        The third number is how many programs may go in step: the matrices of so many working sets
        take no more memory than the widest.
        """
        room = widest(self.budget, np.float32 if isinstance(store, _native.Store32) else np.float64)
        near = [self.programs[k] for k in which if self.programs[k].near is not None]
        if not near:
            return _WORKING_SET, room, 1
        n_free = max(program.n_free for program in near)
        own = min(room, max(_WIDEST_NEAR, int(_WIDEST_OF_FREE * n_free)))
        return _WORKING_SET_NEAR, own, max(1, room**2 // max(own, _WORKING_SET_NEAR) ** 2)

    def takes_all(self, program: Program) -> bool:
        """Say whether all variables of a program are worked on at once."""
        return program.n_variables < self.whole_up_to

    def columns(self, program: Program) -> Integers:
        """Return the points of all segments that a program touches."""
        segment = np.searchsorted(self.boundaries, program.point, side="right") - 1
        touched = np.unique(segment)
        return np.concatenate(
            [np.arange(self.boundaries[s], self.boundaries[s + 1]) for s in touched]
        )

    def exact_similarities(self, k: int, signed: Floats) -> Floats:
        """Return in float64 what the kernel gives at the program's columns."""
        columns = self.columns(self.programs[k])
        return self.gram.products(columns, self.coefficients(k, signed))

    def coefficients(self, k: int, signed: Floats) -> Floats:
        """Add up a program's variables by point."""
        coefficients = np.zeros(self.sources.n_points)
        np.add.at(coefficients, self.programs[k].point, signed)
        return coefficients

    def seconds_left(self) -> float:
        """Return the time that is left, -1 without a limit."""
        return -1.0 if self.deadline is None else max(0.0, self.deadline - perf_counter())

    def decompose(
        self,
        store: Any,
        which: Sequence[int],
        starts: Sequence[Floats],
        known: dict[int, Floats],
        tol: float,
        steps_before: int = 0,
    ) -> list[Answer]:
        """Run some of the programs in the native core."""
        programs = [self.programs[k] for k in which]
        working_set, room, in_step = self._sizes(store, which)
        natives = [_native_program(p, start) for p, start in zip(programs, starts, strict=True)]
        results = _native.decompose(
            store,
            natives,
            [known.get(k) for k in which],
            tol,
            max(self._most_steps(which) - steps_before, 0),
            working_set,
            self.whole_up_to,
            room,
            in_step,
            self.engine.n_threads,
            self.seconds_left(),
            self._watcher(which),
        )
        self.similarities |= {
            k: result[5] for k, result in zip(which, results, strict=True) if len(result[5])
        }
        for k, result in zip(which, results, strict=True):
            if self.programs[k].shares is not None and len(result[5]):
                added = result[6].reshape(-1, len(result[5]))
                self.parts[k] = added + (self.parts.get(k, 0.0) if k in known else 0.0)
        return [self._answer(k, *result[:5]) for k, result in zip(which, results, strict=True)]

    def _answer(
        self,
        k: int,
        value: Floats,
        gradient: Floats,
        violation: float,
        steps: int,
        ending: Ending,
    ) -> Answer:
        program = self.programs[k]
        m = program.n_variables
        signed = program.direction * value[:m]
        if len(gradient) == 0:
            # The run ended before this program's gradient was known.
            return Answer(signed, self._rough_gradient(k, signed), np.inf, 0, ending)
        return Answer(signed, program.direction * gradient[:m], violation, steps, ending)

    def _rough_gradient(self, k: int, signed: Floats) -> Floats:
        """Return the gradient at a start: exact if that takes little time, else from a sample."""
        program = self.programs[k]
        coefficients = self.coefficients(k, signed)
        gradient = program.linear + program.ridge * signed
        n_support = int(np.count_nonzero(coefficients))
        if n_support == 0:
            return np.asarray(gradient)
        known = np.arange(program.n_variables)
        affordable = max(1, self._affordable_values // n_support)
        if affordable < len(known):
            known = np.unique(np.linspace(0, len(known) - 1, affordable).astype(np.int64))
        similarities = self.gram.products(program.point[known], coefficients)
        rough = np.full(program.n_variables, np.median(similarities))
        rough[known] = similarities
        return np.asarray(gradient + rough)

    @property
    def _affordable_values(self) -> int:
        kernel = self.sources.kernel
        if kernel.formula is not None or kernel.compares_similarities:
            return _AFFORDABLE_VALUES
        return _AFFORDABLE_DEAR_VALUES // len(self.programs)

    def _watcher(self, which: Sequence[int]) -> Callable[..., bool] | None:
        if self.watch is None:
            return None
        watch, n_programs = self.watch, len(self.programs)

        def show(
            program: int, n_done: int, steps: int, violation: float, primal: float, dual: float
        ) -> bool:
            of_all = n_done + n_programs - len(which)
            progress = Progress(which[program], of_all, n_programs, steps, violation, primal, dual)
            return bool(watch(progress))

        return show


def _boundaries(programs: Sequence[Program], n_points: int) -> Integers:
    """Cut the points where a program's points begin or end; not at all if that makes many cuts."""
    whole = np.array([0, n_points], dtype=np.int64)
    if len(programs) == 1:
        return whole
    cuts = {0, n_points}
    for k, program in enumerate(programs):
        if k > 0 and np.array_equal(program.point, programs[k - 1].point):
            continue
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
        np.zeros((0, program.n_variables))
        if program.shares is None
        else np.ascontiguousarray(program.shares, dtype=np.float64),
    )
