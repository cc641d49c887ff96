"""Shared matrices within a budget of memory: how many there may be, and who uses which."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Semaphore

import numpy as np

from maxmargin.estimators.run import FitStoppedError
from maxmargin.estimators.sweep import PriceSweep
from maxmargin.model_selection.folds import SearchPoints
from maxmargin.problems.gram import Gram
from maxmargin.solvers.memory import available_bytes
from maxmargin.solvers.shared_gram import SharedGram

__all__ = ["Matrices", "Shared", "affordable"]

# By default a search may take this share of the available memory.
_SHARE = 0.25

# What a worker's own matrices take at most, as a share of the shared one.
_OWN_SHARE = 1.5

# What the multipliers of all folds take, from which the final machine starts.
_SEEDS_SHARE = 0.5

_PATIENCE = 0.1


def affordable(
    n_points: int, dtype: type, cache_mb: float | None, n_workers: int, n_sums: int
) -> int:
    """Return how many matrices fit into the budget, beside the sums that they are made from.

    Parameters
    ----------
    n_points : int
        Points of the search.
    dtype : float32 or float64
        Of the matrices and sums.
    cache_mb : float, optional
        The budget in MB; by default a quarter of the available memory.
    n_workers : int
        Each has matrices of its own too.
    n_sums : int
        How many matrices of sums there are at a time.

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
    budget = _SHARE * available_bytes() if cache_mb is None else cache_mb * (1 << 20)
    matrix = np.dtype(dtype).itemsize * n_points**2
    left = budget / max(matrix, 1) - n_sums - _OWN_SHARE * n_workers - _SEEDS_SHARE
    return max(0, min(int(left), max(n_workers, 2)))


class Matrices:
    """Matrices that are filled again and again, so many at a time."""

    def __init__(self, most: int, stopped: Callable[[], bool]) -> None:
        self._free = Semaphore(most)
        self._stopped = stopped
        self._spare: list[SharedGram] = []
        self._lock = Lock()

    def borrow(
        self, dtype: type[np.float32] | type[np.float64], gram: Gram, n_points: int
    ) -> SharedGram:
        """Return a matrix of that size, filled already if possible, once there may be another."""
        while not self._free.acquire(timeout=_PATIENCE):
            if self._stopped():
                raise FitStoppedError("The search was stopped.")
        with self._lock:
            fitting = [
                spare
                for spare in self._spare
                if spare.n_points == n_points and spare.dtype is dtype
            ]
            if fitting:
                spare = max(fitting, key=lambda spare: spare.holds(gram))
                self._spare.remove(spare)
                return spare
            self._spare.clear()
        return SharedGram(n_points, dtype)

    def give_back(self, gram: SharedGram) -> None:
        """Let the matrix be filled with another kernel."""
        with self._lock:
            self._spare.append(gram)
        self._free.release()


class Shared:
    """The matrix of one kernel over one set of points, made by the first who needs it.

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
        self._gram: SharedGram | None = None
        self._lock = Lock()

    @contextmanager
    def matrix(self, sweep: PriceSweep, points: SearchPoints) -> Iterator[SharedGram]:
        """Lend the matrix of the sweep's kernel."""
        with self._lock:
            if self._gram is None:
                wanted = Gram(sweep.kernel, points.points, sweep.constant)
                gram = self.matrices.borrow(self.dtype, wanted, points.n_points)
                try:
                    with points.lock:
                        complete = gram.holds(wanted) or gram.fill(
                            sweep.kernel, points.sums, sweep.constant, sweep.stop
                        )
                    if not complete:
                        raise FitStoppedError("The search was stopped.")
                except BaseException:
                    self.matrices.give_back(gram)
                    raise
                self._gram = gram
        yield self._gram

    def leave(self) -> None:
        """Say that one of the users needs the matrix no more."""
        with self._lock:
            self.n_users -= 1
            if self.n_users == 0 and self._gram is not None:
                self.matrices.give_back(self._gram)
                self._gram = None
