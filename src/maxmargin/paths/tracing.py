"""Following the exact solution path in C from one breakpoint to the next.

Between breakpoints the sets of points beyond, on and inside their margin do not change, and the
multipliers and b are linear in C (Hastie, Rosset, Tibshirani, Zhu 2004). At a breakpoint the next
direction is found for all tied points at once (`steps`), so ties need no special case. If
rounding prevents that, the problem is solved at a slightly larger C (`start`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from maxmargin.errors import MaxMarginError
from maxmargin.interrupts import heed
from maxmargin.kernels.blas_threads import single_threaded_blas
from maxmargin.paths.elbow import SingularElbowError
from maxmargin.paths.position import Position
from maxmargin.paths.start import first_penalty, position_at
from maxmargin.paths.steps import Direction, Step, find_direction, next_step
from maxmargin.problems import Case, SoftMargin
from maxmargin.solvers import Solution
from maxmargin.solvers.stop import Keeping
from maxmargin.typing import Bools, Floats, Integers

__all__ = ["PathEvent", "Piece", "Tracer"]

# The largest violation, in units of the margin, that the path tolerates before it restarts.
_LARGEST_VIOLATION = 1e-8

# A step of at most this relative length has not moved; after so many the path restarts.
_NO_MOVE = 1e-13
_MOST_IDLE_STEPS = 25

# Sums over the bounded points are computed again after this many breakpoints.
_REFRESH_EVERY = 50

# Relative increases of C at which the problem is solved to start or restart, in this order.
_JUMPS = 1e-9 * 10.0 ** np.arange(8)

_NO_POINTS: Integers = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class PathEvent:
    """The change of a point from one set to another.

    Attributes
    ----------
    C : float
        Where it happens.
    point : int
        The index of the point.
    before, after : Case
        ZERO (beyond its margin), FREE (on it) or BOUNDED (inside it).

    Examples
    --------
    >>> from maxmargin import svm_path
    >>> from maxmargin.problems import SoftMargin
    >>> path = svm_path(SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1], C=10))
    >>> [(round(e.C, 6), e.point, e.before.name, e.after.name) for e in path.events]
    [(0.333333, 0, 'BOUNDED', 'FREE'), (0.333333, 3, 'BOUNDED', 'FREE')]
    """

    C: float
    point: int
    before: Case
    after: Case


@dataclass(frozen=True, eq=False)
class Piece:
    """The path between two breakpoints, from its start at C."""

    C: float
    #: b at the start, and its derivative with respect to C.
    bias: float
    bias_slope: float
    #: The free points, their multipliers at the start and the derivatives of these.
    points: Integers
    multipliers: Floats
    slopes: Floats
    #: The number of events up to the start.
    n_events: int


class Tracer:
    """Follows the solution of a problem from C_min to C_max."""

    position: Position
    direction: Direction
    excess: Floats
    tied: Bools

    def __init__(self, problem: SoftMargin, C_min: float, C_max: float) -> None:
        self.problem = problem
        self.C_min, self.C_max = C_min, C_max
        #: By ascending C.
        self.pieces: list[Piece] = []
        self.events: list[PathEvent] = []
        #: How often a problem was solved to continue.
        self.n_restarts = 0
        self._idle_steps = 0
        self._n_breakpoints = 0
        self._is_new_piece = True
        self._work = Keeping()
        # Threads cost more than they save on matrices of the size of an elbow.
        with self._work, single_threaded_blas:
            self._begin()
            self._case = self.position.case.copy()
            #: The set of each point at the start.
            self.start = np.full(problem.n_points, Case.ZERO, dtype=np.int8)
            self.start[self.position.points] = self._case
            self._follow()
        #: C_max, or the C at which rounding or an interrupt ended the path.
        self.end = self.position.C

    @property
    def was_interrupted(self) -> bool:
        """Whether an interrupt ended the path."""
        return self._work.was_interrupted and not self._has_arrived

    def _follow(self) -> None:
        while not self._has_arrived:
            if self._work.was_interrupted and self.pieces:
                heed()
                break
            try:
                step = next_step(self.position, self.direction, self.excess, self.tied, self.C_max)
                self._write_piece(step)
                self._advance(step)
                if not self._has_arrived:
                    self._pass_breakpoint(step.reached)
            except SingularElbowError:
                if not self._restart():
                    break

    @property
    def _has_arrived(self) -> bool:
        return bool(self.C_max <= self.position.C)

    def _begin(self) -> None:
        """Start at C_min, or at a larger C up to which the path is straight."""
        C = max(self.C_min, min(first_penalty(self.problem), 0.5 * self.C_max))
        if not any(self._try_at(C * (1 + jump)) for jump in (0.0, *_JUMPS)):
            raise MaxMarginError(
                f"The path has no start: at C = {C:g} the points on the margin cannot be told from "
                "the others in float64. Centre and scale the features, or choose another C_min."
            )
        position = self.position
        if len(position.elbow) == 0 and position.has_free_bias:
            position.C = self.C_min
            position.center_bias()

    def _restart(self) -> bool:
        """Solve the problem at a slightly larger C; say whether the path can go on there."""
        C = self.position.C
        posed = self.problem.replace(C=C)
        qp = posed.dual()
        dual = np.zeros(self.problem.n_points)
        dual[self.position.points] = self.position.multipliers()
        warm = Solution(posed, np.clip(dual, 0.0, qp.cost), np.zeros(len(qp.total)))
        for jump in _JUMPS:
            self.n_restarts += 1
            self._idle_steps = 0
            if self._try_at(min(C * (1 + jump), self.C_max), warm):
                self._write_events()
                self._is_new_piece = True
                return True
        self.position.C = C
        return False

    def _try_at(self, C: float, warm: Solution | None = None) -> bool:
        """Solve the problem at C and find the direction there; say whether that succeeded."""
        try:
            self.position = position_at(self.problem, C, warm)
            self._find_direction(_NO_POINTS)
        except SingularElbowError:
            return False
        return True

    def _find_direction(self, reached: Integers) -> None:
        """Find the direction; the given points, and all on their margin, are tied."""
        position = self.position
        self.excess = position.correct(position.excess())
        rounding = position.rounding
        beyond = np.where(position.case == Case.BOUNDED, -self.excess, self.excess)
        self.tied = beyond <= rounding
        self.tied[reached] = True
        self.tied &= position.case != Case.FREE
        self.direction = find_direction(position, self.tied)
        self.tied &= position.case != Case.FREE
        if position.violation(self.excess) > max(_LARGEST_VIOLATION, 1e3 * rounding):
            raise SingularElbowError

    def _advance(self, step: Step) -> None:
        """Go to the end of a step, and let the last piece end exactly there."""
        position, piece = self.position, self.pieces[-1]
        members = position.elbow.members
        length = step.end - position.C
        self._idle_steps = self._idle_steps + 1 if length <= _NO_MOVE * step.end else 0
        position.multiplier[members] += length * self.direction.multiplier
        position.bias += length * step.bias
        position.C = step.end
        if len(members) == 0:
            return
        position.correct(position.excess())
        length = position.C - piece.C
        if length > 0 and np.array_equal(position.points[members], piece.points):
            self.pieces[-1] = replace(
                piece,
                slopes=(position.multiplier[members] - piece.multipliers) / length,
                bias_slope=(position.bias - piece.bias) / length,
            )

    def _pass_breakpoint(self, reached: Integers) -> None:
        """Put multipliers that reached a bound there, and find the next direction."""
        position = self.position
        members = position.elbow.members
        value, limit = position.multiplier[members], position.C * position.weight[members]
        at_bound = np.minimum(value, limit - value) <= position.at_bound()[members]
        arrived = members[at_bound | np.isin(members, reached)]
        for point in arrived:
            is_low = position.multiplier[point] < 0.5 * position.C * position.weight[point]
            position.move(int(point), Case.ZERO if is_low else Case.BOUNDED)
        self._n_breakpoints += 1
        if self._n_breakpoints % _REFRESH_EVERY == 0:
            position.refresh()
        self._find_direction(np.concatenate([arrived, reached]))
        if self._idle_steps > _MOST_IDLE_STEPS:
            raise SingularElbowError
        self._write_events()

    def _write_events(self) -> None:
        position = self.position
        for point in np.flatnonzero(position.case != self._case):
            before, after = Case(self._case[point]), Case(position.case[point])
            self.events.append(PathEvent(position.C, int(position.points[point]), before, after))
            self._is_new_piece = True
        self._case = position.case.copy()

    def _write_piece(self, step: Step) -> None:
        position, pieces = self.position, self.pieces
        members = position.elbow.members
        if not self._is_new_piece and len(members):
            return
        if pieces and pieces[-1].C == position.C:
            pieces.pop()
        # The first piece starts at C_min, though the position may be further on.
        back = 0.0 if pieces else position.C - self.C_min
        pieces.append(
            Piece(
                position.C - back,
                position.bias - back * step.bias,
                step.bias,
                position.points[members],
                position.multiplier[members] - back * self.direction.multiplier,
                self.direction.multiplier,
                len(self.events),
            )
        )
        self._is_new_piece = False
