"""Quadratic programs over shared points as one call of the compiled solver."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

import maxmargin._native as _native
from maxmargin.kernels import Precomputed
from maxmargin.problems import BoxQP, Points
from maxmargin.solvers.kernel.merging import Distinct
from maxmargin.solvers.kernel.rows import KernelRows, first_alike
from maxmargin.solvers.kernel.stripes import Pause, UnfinishedGramError
from maxmargin.solvers.solution import Ending
from maxmargin.typing import Floats, Integers

if TYPE_CHECKING:
    from maxmargin.solvers.kernel.resident import ResidentGram

__all__ = ["Batch", "Found", "Terms", "Watch"]

# If fewer than this share of the points are distinct, equal points are merged.
_WORTH_MERGING = 0.95

# Rows are stored in segments only if there are at most this many per problem.
_MOST_SEGMENTS = 8

# Kernel values that may still be computed after a run has been ended: in all, or per problem if the
# kernel is expensive.
_AFFORDABLE_VALUES = 20_000_000
_AFFORDABLE_EXPENSIVE_VALUES = 4_000

_EVERYTHING = 1 << 62
_NO_SHARES = np.zeros((0, 0))

#: Told problem, problems done, steps, violation, primal and dual value; True ends the run.
Watch = Callable[[int, int, int, float, float, float], bool]


@dataclass(frozen=True, eq=False)
class Terms:
    """One quadratic program as the compiled solver takes it.

    Attributes
    ----------
    point : ndarray of shape (m,)
        The point of each variable among those of the batch.
    sign, linear, cost, ridge : ndarray of shape (m,)
        As in `BoxQP`.
    group, direction : ndarray of shape (m,)
        The equality constraint that each variable is in, -1 for none, and its coefficient there.
    start : ndarray of shape (m,)
        Feasible signed variables.
    tolerance : float
        Of the largest m(a) - M(a) over the equality constraints: LIBSVM's stopping rule.
    is_relative : bool
        Whether the tolerance is a share of the margin that the nu form of two classes chooses.
    follows, left_out : int
        The program whose solution this one starts from, and the part of it that can only be zero
        here; -1 for none.
    shares : ndarray of shape (n_parts, m), optional
        How much of each variable belongs to each part that followers may leave out.
    """

    point: Integers
    sign: Floats
    linear: Floats
    cost: Floats
    ridge: Floats
    group: Integers
    direction: Floats
    start: Floats
    tolerance: float
    is_relative: bool = False
    follows: int = -1
    left_out: int = -1
    shares: Floats | None = None

    @classmethod
    def of(cls, qp: BoxQP, start: Floats, tolerance: float, **others: Any) -> Terms:
        """Return a dual with its points numbered as its own."""
        m = qp.n_variables
        group = qp.group
        if group is None:
            group = np.full(m, 0 if len(qp.total) else -1)
        # A step begins with the u that gains most by rising. LIBSVM, whose steps these are, gives
        # the first class of a pair the positive sign; here it has the negative one.
        direction = -np.ones(m) if qp.direction is None else -qp.direction
        values = (qp.sign, qp.linear, qp.cost, qp.ridge, group, direction, start)
        return cls(qp.point, *values, tolerance, **others)

    @property
    def n_variables(self) -> int:
        """The number m of variables."""
        return len(self.point)

    def native(self) -> _native.QP:
        """Return the program in the variables u = direction * b."""
        rises = self.sign * self.direction > 0
        direction, ridge, shares = (
            np.ascontiguousarray(values, dtype=np.float64)
            for values in (
                self.direction,
                self.ridge,
                _NO_SHARES if self.shares is None else self.shares,
            )
        )
        return _native.QP(
            np.ascontiguousarray(self.point, dtype=np.int64),
            direction,
            np.where(rises, 0.0, -self.cost),
            np.where(rises, self.cost, 0.0),
            direction * self.linear,
            ridge,
            np.ascontiguousarray(self.group, dtype=np.int64),
            direction * self.start,
            shares,
            self.tolerance,
            self.is_relative,
            self.follows,
            self.left_out,
        )


@dataclass(frozen=True, eq=False)
class Found:
    """The last point of one program.

    Attributes
    ----------
    signed, gradient : ndarray of shape (m,)
        The variables b, and Hb + p.
    violation : float
        The largest m(a) - M(a); infinite if the run ended before it was known.
    steps : int
        Taken in all.
    ending : Ending
        Why it ended.
    expansion : ndarray of shape (n,), optional
        Of b at all points of the batch, where the run kept it.
    """

    signed: Floats
    gradient: Floats
    violation: float
    steps: int
    ending: Ending
    expansion: Floats | None = None

    @property
    def converged(self) -> bool:
        """Whether the violation is within the tolerance."""
        return self.ending is Ending.CONVERGED

    @property
    def is_measured(self) -> bool:
        """Whether the run reached this program and knows its gradient."""
        return bool(np.isfinite(self.violation))


class Batch:
    """Programs over rows of the same points, and the kernel rows that their runs share.

    Parameters
    ----------
    qps : sequence of BoxQP
        Over rows of the same points, with the same constant.
    cache_size : float, optional
        Memory for kept rows in MB.
    n_threads : int
        At most this many; the results do not depend on it.
    """

    def __init__(self, qps: Sequence[BoxQP], cache_size: float | None, n_threads: int) -> None:
        self.qps = qps
        self.cache_size = cache_size
        self.n_threads = n_threads
        self.base: Points = qps[0].points.base
        self.constant = qps[0].constant
        #: A Gram matrix of all points in memory, if there is one.
        self.gram: ResidentGram | None = self.base.residents.get(self.constant)
        whole = np.array([0, self.base.n_points], dtype=np.int64)
        views = [qp.points for qp in qps]
        chosen, boundaries = (None, whole) if self.gram is not None else _layout(views, self.base)
        #: Which rows of the base the batch is about; None for all of them in order.
        self.chosen = chosen
        self.points = self.base if chosen is None else self.base.take(chosen)
        self.boundaries = boundaries

    @cached_property
    def _place(self) -> Integers | None:
        """The place of each row of the base in the batch."""
        if self.chosen is None:
            return None
        place = np.full(self.base.n_points, -1)
        place[self.chosen] = np.arange(len(self.chosen))
        return place

    @cached_property
    def _distinct(self) -> Distinct | None:
        """The distinct points, if many are duplicates and all programs contain all points."""
        kernel = self.points.kernel
        everywhere = all(qp.n_points >= self.points.n_points for qp in self.qps)
        if isinstance(kernel, Precomputed) or kernel.formula is None or not everywhere:
            return None
        if self.gram is not None:
            return None
        n, first = self.points.n_points, first_alike(self.points.X)
        n_distinct = np.count_nonzero(first == np.arange(n))
        return Distinct(first) if n_distinct < _WORTH_MERGING * n else None

    @cached_property
    def rows(self) -> KernelRows:
        """The kernel rows of the distinct points."""
        if self.gram is not None:
            return self.gram.rows(self.n_threads)
        points = self.points if self._distinct is None else self.points.take(self._distinct.kept)
        merged = self._distinct is not None
        boundaries = np.array([0, points.n_points]) if merged else self.boundaries
        return KernelRows(points, self.constant, boundaries, self.cache_size, self.n_threads)

    def solve(
        self,
        programs: Sequence[Terms],
        which: Sequence[int],
        *,
        max_steps: int,
        seconds: float | None,
        watch: Watch | None = None,
        pause: Pause = lambda _: None,
        fine: bool = False,
    ) -> list[Found]:
        """Solve programs of the batch's problems `which`; an early end ends all that are left.

        `pause` is asked now and then while a kernel matrix is computed. `fine` asks for rows in
        float64.
        """
        placed = [self._placed(terms, k) for terms, k in zip(programs, which, strict=True)]
        merged = None if self._distinct is None else [self._distinct.merge(one) for one in placed]
        ready = placed if merged is None else [one.terms for one in merged]
        try:
            store = self.rows.fine_store() if fine else self.rows.store(pause)
        except UnfinishedGramError as unfinished:
            return [self._not_begun(terms, unfinished.ending) for terms in placed]
        results = _native.solve_qps(
            store,
            [terms.native() for terms in ready],
            self.rows.widest(store),
            self.rows.is_resident,
            min(max_steps, _EVERYTHING),
            self.n_threads,
            -1.0 if seconds is None else seconds,
            watch,
            self.rows.exact,
            self.rows.farthest,
            self.rows.row_errors,
            self.rows.fine_store,
        )
        found = [self._found(terms, *result) for terms, result in zip(ready, results, strict=True)]
        if merged is None or self._distinct is None:
            return found
        return [self._distinct.split(*pair) for pair in zip(merged, found, strict=True)]

    def _placed(self, terms: Terms, k: int) -> Terms:
        """Return a program with its points numbered as those of the batch."""
        rows = self.qps[k].points.rows
        if rows is None and self._place is None:
            return terms
        point = terms.point if rows is None else rows[terms.point]
        return replace(terms, point=point if self._place is None else self._place[point])

    def _found(
        self,
        terms: Terms,
        value: Floats,
        gradient: Floats,
        violation: float,
        steps: int,
        ending: str,
        expansion: Floats,
    ) -> Found:
        m, direction = terms.n_variables, terms.direction
        if len(gradient) == 0:
            return self._not_begun(terms, Ending(ending))
        return Found(
            direction * value[:m],
            direction * gradient[:m],
            violation,
            steps,
            Ending(ending),
            expansion if len(expansion) else None,
        )

    def _not_begun(self, terms: Terms, ending: Ending) -> Found:
        """Return the starting point, with its gradient: exact if that is cheap, else sampled."""
        start = terms.start
        gradient = np.asarray(terms.linear + terms.ridge * start)
        coefficients = np.zeros(self.rows.points.n_points)
        np.add.at(coefficients, terms.point, start)
        n_support = int(np.count_nonzero(coefficients))
        if n_support:
            known = np.arange(len(start))
            affordable = max(1, self.affordable_values // n_support)
            if affordable < len(known):
                known = np.unique(np.linspace(0, len(known) - 1, affordable).astype(np.int64))
            values = self.rows.expansion(terms.point[known], coefficients)
            rough = np.full(len(start), np.median(values))
            rough[known] = values
            gradient = gradient + rough
        return Found(start, gradient, np.inf, 0, ending)

    @property
    def affordable_values(self) -> int:
        """How many kernel values may be computed for a point that the run does not begin with."""
        kernel = self.points.kernel
        if kernel.formula is not None or kernel.compares_similarities:
            return _AFFORDABLE_VALUES
        return _AFFORDABLE_EXPENSIVE_VALUES // len(self.qps)


def _layout(views: Sequence[Points], base: Points) -> tuple[Integers | None, Integers]:
    """Return the rows of the base that the views contain, in order, and the starts of segments.

    Points that belong to the same problems are adjacent. A kernel row is stored by segment, so that
    a machine for two classes shares segments with every other machine for one of them.
    """
    whole = np.array([0, base.n_points], dtype=np.int64)
    if all(view.rows is None for view in views):
        return None, whole
    rows = [np.arange(base.n_points) if view.rows is None else view.rows for view in views]
    used = np.zeros(base.n_points, dtype=np.bool_)
    signature = np.zeros(base.n_points, dtype=np.uint64)
    random = np.random.default_rng(0)
    for k, own in enumerate(rows):
        used[own] = True
        if k == 0 or own is not rows[k - 1]:
            signature[own] += random.integers(1 << 63, dtype=np.uint64)
    chosen = np.flatnonzero(used)
    kinds, first, owner = np.unique(signature[chosen], return_index=True, return_inverse=True)
    cuts = np.array([0, len(chosen)], dtype=np.int64)
    splits = base.kernel.formula is not None and 1 < len(kinds) <= _MOST_SEGMENTS * (len(rows) + 2)
    if splits:
        rank = np.argsort(np.argsort(first))
        order = np.argsort(rank[owner], kind="stable")
        chosen = chosen[order]
        sizes = np.bincount(rank[owner])
        cuts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    everything = len(chosen) == base.n_points and not splits
    return (None if everything else chosen), cuts
