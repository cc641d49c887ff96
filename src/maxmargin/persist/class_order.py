"""The same machines with the classes in another order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from maxmargin.estimators.decision import pairs_of
from maxmargin.typing import Floats, Integers

__all__ = ["Machines"]


@dataclass(frozen=True, eq=False)
class Machines:
    """One machine a pair of classes, the first of the two positive.

    Attributes
    ----------
    coefficients : ndarray of shape (n_classes - 1, n_vectors)
        A vector of class c has in row r its coefficient against the r-th of the other classes.
    intercepts : ndarray of shape (n_machines,)
        One a pair.
    n_support : ndarray of shape (n_classes,)
        Vectors of each class, in whose order they lie.
    support : ndarray of shape (n_vectors,)
        Which training points they are.
    vectors : csr_array
        The vectors.
    sigmoids : ndarray of shape (2, n_machines), optional
        A and B: the first class has the probability 1 / (1 + exp(A f + B)).
    """

    coefficients: Floats
    intercepts: Floats
    n_support: Integers
    support: Integers
    vectors: sparse.csr_array
    sigmoids: Floats | None = None

    def reordered(self, order: Integers) -> Machines:
        """Return the machines with class ``order[i]`` in place i.

        A pair whose classes change places changes the sign of its values.
        """
        starts = np.concatenate([[0], np.cumsum(self.n_support)])
        places = [np.arange(starts[c], starts[c + 1]) for c in order]
        rows = np.concatenate(places).astype(np.int64)
        n_support = self.n_support[order]
        new_starts = np.concatenate([[0], np.cumsum(n_support)])
        coefficients = np.zeros_like(self.coefficients)
        intercepts = np.zeros_like(self.intercepts)
        sigmoids = None if self.sigmoids is None else np.zeros_like(self.sigmoids)
        old_machine = {pair: k for k, pair in enumerate(pairs_of(len(order)))}
        for machine, (i, j) in enumerate(pairs_of(len(order))):
            a, b = int(order[i]), int(order[j])
            sign = 1.0 if a < b else -1.0
            old = old_machine[min(a, b), max(a, b)]
            mine, theirs = (slice(new_starts[c], new_starts[c + 1]) for c in (i, j))
            coefficients[j - 1, mine] = sign * self.coefficients[_row(a, b), places[i]]
            coefficients[i, theirs] = sign * self.coefficients[_row(b, a), places[j]]
            intercepts[machine] = sign * self.intercepts[old]
            if sigmoids is not None and self.sigmoids is not None:
                slope, level = self.sigmoids[:, old]
                sigmoids[:, machine] = slope, sign * level
        return Machines(
            coefficients,
            intercepts,
            n_support,
            self.support[rows],
            self.vectors[rows],
            sigmoids,
        )


def _row(own: int, other: int) -> int:
    """Return where a vector of one class has its coefficient against another."""
    return other - 1 if other > own else other
