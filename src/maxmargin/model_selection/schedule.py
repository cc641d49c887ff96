"""The order of the cells: one kernel matrix after the other, all folds and penalties over each."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, Generic, TypeVar

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from maxmargin.kernels import Kernel
from maxmargin.machines.sweeps import matrix_type
from maxmargin.model_selection.cells import Group, groups_of
from maxmargin.model_selection.folds import (
    BarePlace,
    Fold,
    PipelinePlace,
    SearchPoints,
    points_of,
    side_by_side,
)
from maxmargin.model_selection.matrices import Matrices, Shared, affordable
from maxmargin.problems import Points

__all__ = ["Once", "Schedule", "Task", "schedule"]

T = TypeVar("T")

Place = BarePlace | PipelinePlace


class Once(Generic[T]):
    """A value computed for its first user and released by its last."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: T | None = None
        self._lock = Lock()
        self.n_users = 0

    def get(self) -> T:
        """Return the value."""
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made

    def leave(self) -> None:
        """Say that one of the users no longer needs it."""
        with self._lock:
            self.n_users -= 1
            if self.n_users == 0:
                self._made = None


@dataclass(frozen=True, eq=False)
class Task:
    """A group of candidates on one fold."""

    fold: Fold
    group: Group
    place: Once[Place]
    shared: Shared

    def leave(self) -> None:
        """Say that the task no longer needs its data."""
        self.shared.leave()
        self.place.leave()


@dataclass(frozen=True, eq=False)
class Schedule:
    """The work of a search.

    Attributes
    ----------
    tasks : list of Task
        Those that share a matrix one after the other.
    alone : list of (int, Fold)
        Cells that need a fit of their own.
    points : Once
        The points of an estimator that is a machine.
    matrices : Matrices
        Where the tasks' matrices come from.
    """

    tasks: list[Task]
    alone: list[tuple[int, Fold]]
    points: Once[SearchPoints]
    matrices: Matrices


def schedule(
    estimator: Any,
    X: Any,
    y: Any,
    candidates: Sequence[dict[str, Any]],
    folds: Sequence[Fold],
    *,
    takes_params: bool,
    cache_size: float | None,
    n_threads: int,
    stopped: Callable[[], bool],
) -> Schedule:
    """Return the tasks; `takes_params` says whether fits take no parameters but sample weights."""
    groups, alone = groups_of(estimator, candidates)
    n_points = max(len(fold.train_rows) + len(fold.test_rows) for fold in folds)
    pairwise = get_tags(estimator).input_tags.pairwise
    room = max(n_threads, 2)
    sharing: list[tuple[Group, type[np.float32] | type[np.float64]]] = []
    for group in groups:
        bare = group.is_bare
        n = folds[0].n_rows if bare else n_points
        dtype = matrix_type(group.machine, group.kernel, n)
        n_matrices = affordable(n, dtype, cache_size, n_threads, 1 if bare else 2)
        fits = n_matrices > 0 and group.kernel.compares_similarities == pairwise
        fits = fits and _kind(group.kernel) == _kind(groups[0].kernel)
        if fits and (takes_params or not bare):
            sharing.append((group, dtype))
            room = min(room, n_matrices)
        else:
            alone += [candidate for candidate, _ in group.members]
    matrices = Matrices(room, stopped)
    points = Once(lambda: _all_points([group for group, _ in sharing], X, y, folds, n_threads))
    tasks = _tasks(sharing, folds, matrices, points, n_threads)
    return Schedule(tasks, [(c, fold) for c in sorted(alone) for fold in folds], points, matrices)


def _all_points(
    groups: Sequence[Group], X: Any, y: Any, folds: Sequence[Fold], n_threads: int
) -> SearchPoints:
    order = side_by_side(folds, y)
    first = groups[0]
    points = points_of(first.machine, X)
    if first.kernel.compares_columns:
        # Each kernel adds the columns that it compares.
        data = points.X
        for group in groups:
            data = group.kernel.validate(data)
        points = Points.checked(data, points.kernel)
    return SearchPoints(points, n_threads, order)


def _kind(kernel: Kernel) -> tuple[bool, bool]:
    """Say whether the kernel's data are sequences, and whether columns of a frame."""
    return kernel.compares_sequences, kernel.compares_columns


def _tasks(
    sharing: Sequence[tuple[Group, type[np.float32] | type[np.float64]]],
    folds: Sequence[Fold],
    matrices: Matrices,
    points: Once[SearchPoints],
    n_threads: int,
) -> list[Task]:
    places: dict[Hashable, Once[Place]] = {}
    shared: dict[Hashable, Shared] = {}
    found: list[tuple[tuple[int, int], Task]] = []
    for group, dtype in sharing:
        for fold in folds:
            own = None if group.is_bare else (group.setting, fold.number)
            place = places.setdefault(
                (group.setting, fold.number), Once(_maker(group, fold, points, n_threads))
            )
            rule = fold.number if group.gamma_is_a_rule else None
            kernel = (own, group.kernel, group.constant, dtype, rule)
            users = shared.setdefault(kernel, Shared(matrices, dtype))
            users.n_users += 1
            place.n_users += 1
            where = list(places.values()).index(place) if own is not None else 0
            rank = (where, list(shared.values()).index(users))
            found.append((rank, Task(fold, group, place, users)))
    found.sort(key=lambda ranked: ranked[0])
    return [task for _, task in found]


def _maker(
    group: Group, fold: Fold, points: Once[SearchPoints], n_threads: int
) -> Callable[[], Place]:
    if group.is_bare:
        return lambda: BarePlace(fold, points.get())
    return lambda: PipelinePlace(fold, clone(group.estimator), n_threads)
