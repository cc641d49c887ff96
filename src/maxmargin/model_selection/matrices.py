"""Shared kernel matrices within a memory budget: how many there may be, and their users."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition, Lock

import numpy as np

from maxmargin.machines.fitting import FitStoppedError
from maxmargin.machines.sweeps import Sweep, constant_of
from maxmargin.model_selection.folds import SearchPoints
from maxmargin.problems import Points
from maxmargin.solvers.kernel.memory import available_bytes
from maxmargin.solvers.kernel.resident import ResidentGram

__all__ = ["Matrices", "Shared", "affordable"]

# By default a search may take this share of the available memory.
_SHARE = 0.25

# Memory of a worker's own matrices, at most, as a share of the shared one.
_OWN_SHARE = 1.5

# Memory of the multipliers of all folds, from which the final machine starts, as the same share.
_SOLUTIONS_SHARE = 0.5

# Seconds between two looks whether the search was stopped.
_PATIENCE = 0.1


def affordable(
    n_points: int, dtype: type, cache_size: float | None, n_workers: int, n_terms: int
) -> int:
    """Return how many matrices fit into the budget, beside the terms that they are made from.

    Parameters
    ----------
    n_points : int
        Points of the search.
    dtype : float32 or float64
        Of the matrices and terms.
    cache_size : float, optional
        The budget in MB; by default a quarter of the available memory.
    n_workers : int
        Each has matrices of its own too.
    n_terms : int
        How many matrices of terms there are at a time.

    Returns
    -------
    int
        From 0, where not even one fits, to n_workers, but up to 2 for one worker: the next matrix
        is made while the last machines work on the one before.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.model_selection.matrices import affordable
    >>> affordable(1000, np.float32, 100.0, 2, 1), affordable(10_000, np.float32, 100.0, 2, 1)
    (2, 0)
    """
    budget = _SHARE * available_bytes() if cache_size is None else cache_size * (1 << 20)
    matrix = np.dtype(dtype).itemsize * n_points**2
    left = budget / max(matrix, 1) - n_terms - _OWN_SHARE * n_workers - _SOLUTIONS_SHARE
    return max(0, min(int(left), max(n_workers, 2)))


class Matrices:
    """Matrices that are filled again and again, at most this many at a time.

    Points have one matrix per constant at a time; users of the same matrix share it.
    """

    def __init__(self, most: int, stopped: Callable[[], bool]) -> None:
        self._most = most
        self._stopped = stopped
        self._n_users: dict[ResidentGram, int] = {}
        self._spare: list[ResidentGram] = []
        self._changed = Condition()

    def borrow(
        self, dtype: type[np.float32] | type[np.float64], points: Points, constant: float
    ) -> ResidentGram:
        """Return a matrix of that size, filled already if possible, once there may be another."""
        with self._changed:
            while True:
                same = [gram for gram in self._n_users if gram.holds(points, constant)]
                if same and same[0].dtype is dtype:
                    self._n_users[same[0]] += 1
                    return same[0]
                if not same and len(self._n_users) < self._most:
                    gram = self._unused(dtype, points, constant)
                    self._n_users[gram] = 1
                    return gram
                if self._stopped():
                    raise FitStoppedError("The search was stopped.")
                self._changed.wait(_PATIENCE)

    def _unused(
        self, dtype: type[np.float32] | type[np.float64], points: Points, constant: float
    ) -> ResidentGram:
        n = points.n_points
        fitting = [gram for gram in self._spare if gram.n_points == n and gram.dtype is dtype]
        if not fitting:
            self._spare.clear()
            return ResidentGram(n, dtype)
        gram = max(fitting, key=lambda gram: gram.holds(points, constant))
        self._spare.remove(gram)
        return gram

    def give_back(self, gram: ResidentGram) -> None:
        """Let the matrix be filled with another kernel, when its last user has given it back."""
        with self._changed:
            self._n_users[gram] -= 1
            if self._n_users[gram] == 0:
                del self._n_users[gram]
                self._spare.append(gram)
                self._changed.notify_all()

    def clear(self) -> None:
        """Release the matrices without users, and detach them from their points."""
        with self._changed:
            for gram in self._spare:
                gram.release()
            self._spare.clear()


class Shared:
    """The matrix of one kernel over one set of points, computed for its first user.

    Parameters
    ----------
    matrices : Matrices
        Where it comes from, and goes when its last user has left.
    dtype : float32 or float64
        Of the matrix.
    """

    def __init__(self, matrices: Matrices, dtype: type[np.float32] | type[np.float64]) -> None:
        self.matrices = matrices
        self.dtype = dtype
        self.n_users = 0
        self._gram: ResidentGram | None = None
        self._lock = Lock()

    @contextmanager
    def matrix(self, sweep: Sweep, points: SearchPoints) -> Iterator[ResidentGram]:
        """Lend the matrix of the sweep's kernel."""
        with self._lock:
            if self._gram is None:
                wanted, constant = sweep.points.base, constant_of(sweep.machine)
                # The lock keeps others from borrowing a matrix that is about to be filled.
                with points.lock:
                    gram = self.matrices.borrow(self.dtype, wanted, constant)
                    try:
                        complete = gram.holds(wanted, constant) or gram.fill(
                            wanted, points.terms, constant, sweep.should_stop
                        )
                        if not complete:
                            raise FitStoppedError("The search was stopped.")
                    except BaseException:
                        self.matrices.give_back(gram)
                        raise
                self._gram = gram
        yield self._gram

    def leave(self) -> None:
        """Say that one of the users no longer needs the matrix."""
        with self._lock:
            self.n_users -= 1
            if self.n_users == 0 and self._gram is not None:
                self.matrices.give_back(self._gram)
                self._gram = None
