"""Making up for the rounding of rows, above all those in float32.

It moves the gradient by an amount that grows with the multipliers, and so could hide a violation.
The error is measured in float64 on a sample of the variables: those with the largest multipliers,
those of points far from the centre, where distances lose most digits, and some of all others. A
small error is met by a tighter tolerance; for a large one the gradient is computed again in float64
and the run goes on from there, with float64 rows if that does not help either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from maxmargin.solvers.answers import Answer, Ending
from maxmargin.typing import Floats, Integers

if TYPE_CHECKING:
    from maxmargin.solvers.engine_run import Run

__all__ = ["Correction", "measured"]

# The share of the tolerance up to which twice the error is met by a tighter tolerance.
_SMALL_ERROR = 0.7

# Variables of each kind that tell the error, programs looked at before all are trusted, and rounds.
_SAMPLE = 64
_EVENLY = 128
_LOOKED_AT_FIRST = 8
_ROUNDS = 12

_ENDS_ALL = ("seconds", "watch", "interrupt")


class Correction:
    """Goes on from answers until none is off by more than the tolerance allows."""

    def __init__(self, run: Run, found: list[Answer], store: Any) -> None:
        self.run = run
        self.found = found
        self.store = store
        self.tolerance = run.tol

    def answers(self) -> list[Answer]:
        """Return the answers, each converged only where its gradient could be trusted."""
        doubtful = self._doubtful(range(len(self.found)))
        before = np.inf
        for _ in range(_ROUNDS):
            known = self._known(doubtful)
            unsolved = [
                k for k in doubtful if self.tolerance < self.run.tol or not self.found[k].converged
            ]
            if not unsolved:
                return self.found
            if self.run.seconds_left() == 0.0:
                self._end(unsolved, "seconds")
                return self.found
            worst = max(self.found[k].violation for k in unsolved)
            if self.tolerance == self.run.tol and worst > 0.5 * before:
                self.store = self.run.store(np.float64)
            before = worst
            if self._go_on(unsolved, known):
                return self.found
            doubtful = self._doubtful(unsolved)
        self._end(list(doubtful), "stalled")
        return self.found

    def _known(self, doubtful: dict[int, float]) -> dict[int, Floats]:
        """Choose how to go on: the tolerance, and the gradient to start from."""
        known: dict[int, Floats] = {}
        self.tolerance = self.run.tol
        for k, error in doubtful.items():
            if self.found[k].converged and 2 * error <= _SMALL_ERROR * self.run.tol:
                self.tolerance = min(self.tolerance, self.run.tol - 2 * error)
                if k in self.run.similarities:
                    known[k] = self.run.similarities[k]
            else:
                known[k] = self.run.exact_similarities(k, self.found[k].signed)
                self.run.similarities[k] = known[k]
                self.found[k] = measured(self.run, k, self.found[k], known[k])
        return known

    def _go_on(self, unsolved: Sequence[int], known: dict[int, Floats]) -> bool:
        """Run again; True if that was ended early."""
        starts = [self.found[k].signed for k in unsolved]
        steps = max(self.found[k].steps for k in unsolved)
        again = self.run.decompose(self.store, unsolved, starts, known, self.tolerance, steps)
        for k, answer in zip(unsolved, again, strict=True):
            if np.isinf(answer.violation):
                # It ended before it began: what was there before is better known.
                self.found[k] = replace(self.found[k], ending=answer.ending)
                continue
            reached = answer.ending == "stalled" and answer.violation <= self.run.tol
            ending: Ending = "converged" if reached else answer.ending
            total = self.found[k].steps + answer.steps
            self.found[k] = replace(answer, steps=total, ending=ending)
        return any(answer.ending in (*_ENDS_ALL, "steps") for answer in again)

    def _end(self, which: Sequence[int], ending: Ending) -> None:
        for k in which:
            self.found[k] = replace(self.found[k], ending=ending)

    def _doubtful(self, which: Sequence[int]) -> dict[int, float]:
        """Return the programs that may not be as good as their gradient says, and its error.

        Of many programs those with the largest multipliers are looked at first, for the error
        grows with them; if they are fine so are the others.
        """
        finished = [k for k in which if self.found[k].ending in ("converged", "stalled")]
        finished.sort(key=lambda k: -float(np.linalg.norm(self.found[k].signed)))
        doubtful: dict[int, float] = {}
        for rank, k in enumerate(finished):
            if rank >= _LOOKED_AT_FIRST and not doubtful:
                break
            answer, error = self.found[k], self._gradient_error(k)
            if answer.ending == "stalled" or answer.violation + 2 * error > self.run.tol:
                doubtful[k] = error
        return doubtful

    def _gradient_error(self, k: int) -> float:
        program, answer = self.run.programs[k], self.found[k]
        sample = self._sample(k)
        coefficients = self.run.coefficients(k, answer.signed)
        exact = self.run.gram.products(program.point[sample], coefficients)
        exact += program.ridge[sample] * answer.signed[sample] + program.linear[sample]
        return float(np.abs(answer.gradient[sample] - exact).max(initial=0.0))

    def _sample(self, k: int) -> Integers:
        program, signed = self.run.programs[k], self.found[k].signed
        m = program.n_variables
        evenly = np.linspace(0, m - 1, min(m, _EVENLY)).astype(np.int64)
        largest = np.argpartition(-np.abs(signed), min(m, _SAMPLE) - 1)[:_SAMPLE]
        far = np.flatnonzero(np.isin(program.point, self.run.farthest[:_SAMPLE]))[: 2 * _SAMPLE]
        return np.unique(np.concatenate([evenly, largest, far]))


def measured(run: Run, k: int, answer: Answer, similarities: Floats) -> Answer:
    """Return the answer with its float64 gradient, converged if that says so."""
    program = run.programs[k]
    own = np.searchsorted(run.columns(program), program.point)
    gradient = similarities[own] + program.ridge * answer.signed + program.linear
    violation = program.violation(answer.signed, gradient)
    ending: Ending = "converged" if violation <= run.tol else "stalled"
    return replace(answer, gradient=gradient, violation=violation, ending=ending)
