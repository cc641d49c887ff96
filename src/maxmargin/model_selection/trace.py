"""The exact solution path in C: from one breakpoint to the next.

Hastie, Rosset, Tibshirani, Zhu 2004. Between breakpoints the sets of points beyond, on and inside
their margin stay and everything is linear in C. At a breakpoint the next direction is found for
all tied points at once (`direction`), so that ties need no special case. Where rounding spoils
that, the problem is solved anew a little further on (`start`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import MaxMarginError
from maxmargin.kernels.blas_threads import single_threaded_blas
from maxmargin.model_selection.direction import Direction, find_direction
from maxmargin.model_selection.elbow import SingularElbowError
from maxmargin.model_selection.legs import Leg, next_leg
from maxmargin.model_selection.position import Position
from maxmargin.model_selection.start import at_price, first_price, settled
from maxmargin.problems import Case, SoftMargin, Solution
from maxmargin.typing import Bools, Floats, Integers

__all__ = ["Piece", "Route", "trace_path"]

_LARGEST_VIOLATION = 1e-8
_MOST_STANDSTILLS = 25
_STANDSTILL = 1e-13
_REFRESH_EVERY = 50
_JUMPS = 1e-9 * 10.0 ** np.arange(8)


@dataclass(frozen=True, eq=False)
class Piece:
    """The path between two breakpoints.

    Attributes
    ----------
    C : float
        Where it starts.
    bias, bias_slope : float
        b there, and its change with C.
    points, multipliers, slopes : ndarray
        The free points, their multipliers at the start and the change of these with C.
    n_events : int
        How many events have happened by then.
    """

    C: float
    bias: float
    bias_slope: float
    points: Integers
    multipliers: Floats
    slopes: Floats
    n_events: int


@dataclass(eq=False)
class Route:
    """What was found on the way.

    Attributes
    ----------
    start : ndarray of Case
        Each point's set at the start.
    pieces : list of Piece
        By C.
    events : list of (C, point, Case before, Case after)
        By C.
    end : float
        How far the path goes.
    n_restarts : int
        How often a problem was solved to go on.
    """

    start: NDArray[np.int8]
    pieces: list[Piece] = field(default_factory=list)
    events: list[tuple[float, int, Case, Case]] = field(default_factory=list)
    end: float = 0.0
    n_restarts: int = 0


def trace_path(problem: SoftMargin, C_min: float, C_max: float) -> Route:
    """Follow the solution from C_min to C_max."""
    # Threads cost more than they bring on matrices of the size of an elbow.
    with single_threaded_blas:
        return _Tracer(problem, C_min, C_max).run()


class _Tracer:
    position: Position
    direction: Direction
    excess: Floats
    tied: Bools

    def __init__(self, problem: SoftMargin, C_min: float, C_max: float) -> None:
        self.problem = problem
        self.first, self.farthest = C_min, C_max
        self._standstills = 0
        self._turns = 0
        self._is_new_piece = True
        self._start()
        self._case = self.position.case.copy()
        start = np.full(problem.n_points, Case.ZERO, dtype=np.int8)
        start[self.position.points] = self._case
        self.route = Route(start)

    def run(self) -> Route:
        while not self._has_arrived:
            try:
                leg = next_leg(self.position, self.direction, self.excess, self.tied, self.farthest)
                self._write_piece(leg)
                self._advance(leg)
                if not self._has_arrived:
                    self._turn(leg.reached)
            except SingularElbowError:
                if not self._restart():
                    break
        self.route.end = self.position.C
        return self.route

    @property
    def _has_arrived(self) -> bool:
        return bool(self.farthest <= self.position.C)

    def _start(self) -> None:
        """Begin at C_min or, as the path is straight at first, a little further on."""
        C = max(self.first, min(first_price(self.problem), 0.5 * self.farthest))
        for jump in (0.0, *_JUMPS):
            try:
                self.position = settled(self.problem, C * (1 + jump))
                self._look(np.zeros(0, dtype=np.int64))
                break
            except SingularElbowError:
                continue
        else:
            raise MaxMarginError(
                f"The path has no start: at C = {C:g} the points on the margin cannot be told from "
                "the others in float64. Centre and scale the features, or choose another C_min."
            )
        position = self.position
        if len(position.elbow) == 0 and position.has_free_bias:
            position.C = self.first
            low, high, _ = position.bias_interval(self.first)
            position.bias = 0.5 * (low + high)

    def _look(self, reached: Integers) -> None:
        """Find the direction, with the given points and all that are at their margin tied."""
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

    def _advance(self, leg: Leg) -> None:
        position = self.position
        length = leg.end - position.C
        self._standstills = self._standstills + 1 if length <= _STANDSTILL * leg.end else 0
        position.multiplier[position.elbow.members] += length * self.direction.multiplier
        position.bias += length * leg.bias
        position.C = leg.end
        if len(position.elbow):
            position.correct(position.excess())
            self._straighten()

    def _straighten(self) -> None:
        """Let the last piece end where the path is: over a long way its slopes are not exact."""
        position, piece = self.position, self.route.pieces[-1]
        members, length = position.elbow.members, position.C - piece.C
        if length > 0 and np.array_equal(position.points[members], piece.points):
            self.route.pieces[-1] = replace(
                piece,
                slopes=(position.multiplier[members] - piece.multipliers) / length,
                bias_slope=(position.bias - piece.bias) / length,
            )

    def _turn(self, reached: Integers) -> None:
        """At a breakpoint: put multipliers that reached a bound there and look where to go."""
        position = self.position
        members = position.elbow.members
        value, limit = position.multiplier[members], position.C * position.weight[members]
        is_reached = np.zeros(len(position.y), dtype=np.bool_)
        is_reached[reached] = True
        near = np.minimum(value, limit - value) <= position.at_bound()[members]
        arrived = members[near | is_reached[members]]
        for point in arrived:
            is_low = position.multiplier[point] < 0.5 * position.C * position.weight[point]
            position.move(int(point), Case.ZERO if is_low else Case.BOUNDED)
        self._turns += 1
        if self._turns % _REFRESH_EVERY == 0:
            position.refresh()
        self._look(np.concatenate([arrived, reached]))
        if self._standstills > _MOST_STANDSTILLS:
            raise SingularElbowError
        self._write_events()

    def _restart(self) -> bool:
        """Solve the problem a little further on; False where that does not help either."""
        C = self.position.C
        warm = self._as_solution()
        for jump in _JUMPS:
            self.route.n_restarts += 1
            self._standstills = 0
            try:
                self.position = settled(self.problem, min(C * (1 + jump), self.farthest), warm)
                self._look(np.zeros(0, dtype=np.int64))
            except SingularElbowError:
                continue
            self._write_events()
            self._is_new_piece = True
            return True
        self.position.C = C
        return False

    def _as_solution(self) -> Solution:
        posed = at_price(self.problem, self.position.C)
        qp = posed.dual()
        dual = np.zeros(self.problem.n_points)
        dual[self.position.points] = self.position.multipliers()
        return Solution(posed, np.clip(dual, 0.0, qp.cost), np.zeros(len(qp.total)))

    def _write_events(self) -> None:
        position = self.position
        for point in np.flatnonzero(position.case != self._case):
            before, after = Case(self._case[point]), Case(position.case[point])
            self.route.events.append((position.C, int(position.points[point]), before, after))
            self._is_new_piece = True
        self._case = position.case.copy()

    def _write_piece(self, leg: Leg) -> None:
        position, pieces = self.position, self.route.pieces
        members = position.elbow.members
        if not self._is_new_piece and len(members):
            return
        if pieces and pieces[-1].C == position.C:
            pieces.pop()
        back = 0.0 if pieces else position.C - self.first
        pieces.append(
            Piece(
                position.C - back,
                position.bias - back * leg.bias,
                leg.bias,
                position.points[members],
                position.multiplier[members] - back * self.direction.multiplier,
                self.direction.multiplier,
                len(self.route.events),
            )
        )
        self._is_new_piece = False
