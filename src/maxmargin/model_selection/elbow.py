"""The points on the margin, and the linear system that says how they move together.

With the signed multipliers b of the points E on the margin, a free bias and values r, s:

    K_EE b + bias = r,   sum b = s

The matrix is kept as Q R; a point that comes or goes updates both in O(m^2).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import LinAlgError, qr, qr_delete, qr_insert, solve_triangular
from scipy.linalg.blas import dgemv

from maxmargin.typing import Floats, Integers

__all__ = ["Elbow", "SingularElbowError"]

# Below this size, and after this many updates, the matrix is factorised afresh.
_SMALL = 6
_MOST_UPDATES = 64


class SingularElbowError(Exception):
    """The equations of the points on the margin have no unique solution in float64."""


class Elbow:
    """The points on the margin in the order of the system, with their rows of the Gram matrix.

    Parameters
    ----------
    row : callable
        Returns a point's row of the Gram matrix over all n points.
    n_points : int
        n.
    bias_unit : float
        Size of a kernel value, which keeps the bias's part of the matrix in scale; 0 without a
        free bias.

    Attributes
    ----------
    members : ndarray of shape (m,)
        The points.
    """

    def __init__(self, row: Callable[[int], Floats], n_points: int, bias_unit: float) -> None:
        self._row = row
        self._unit = bias_unit
        self._border = 1 if bias_unit > 0 else 0
        self._members: list[int] = []
        self.members: Integers = np.zeros(0, dtype=np.int64)
        # Rows keep their slot while others come and go.
        self._slots: list[int] = []
        self._free_slots: list[int] = []
        self._rows = np.zeros((8, n_points))
        self._factors: tuple[Floats, Floats] | None = None
        self._updates = 0

    def __len__(self) -> int:
        return len(self._members)

    @property
    def has_bias(self) -> bool:
        """Whether the system holds a free bias."""
        return self._border == 1

    def row(self, point: int) -> Floats:
        """Return a member's row of the Gram matrix."""
        return np.asarray(self._rows[self._slots[self._members.index(point)]])

    def products(self, coefficients: Floats) -> Floats:
        """Return sum_i coefficient_i k(x_i, x) over the members, at every point."""
        if not self._members:
            return np.zeros(self._rows.shape[1])
        placed = np.zeros(max(self._slots) + 1)
        placed[self._slots] = coefficients
        return _times(self._rows[: len(placed)].T, placed)

    def add(self, point: int) -> None:
        """Take a point in."""
        slot = self._free_slots.pop() if self._free_slots else len(self._members)
        if slot == len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
        row = self._rows[slot]
        row[:] = self._row(point)
        old = self.members
        self._members.append(point)
        self.members = np.append(old, point)
        self._slots.append(slot)
        if self._factors is None or len(old) < _SMALL:
            self._factors = None
            return
        border = np.concatenate([np.full(self._border, self._unit), row[old]])
        Q, R = self._factors
        place = len(border)
        Q, R = qr_insert(Q, R, border, place, which="row", check_finite=False)
        column = np.append(border, row[point])
        self._keep(*qr_insert(Q, R, column, place, which="col", check_finite=False))

    def remove(self, point: int) -> None:
        """Let a point go."""
        place = self._members.index(point)
        del self._members[place]
        self.members = np.delete(self.members, place)
        self._free_slots.append(self._slots.pop(place))
        if self._factors is None or len(self._members) < _SMALL:
            self._factors = None
            return
        Q, R = self._factors
        place += self._border
        Q, R = qr_delete(Q, R, place, which="col", check_finite=False)
        self._keep(*qr_delete(Q, R, place, which="row", check_finite=False))

    def solve(self, values: Floats, total: float) -> tuple[Floats, float]:
        """Return the signed multipliers and the bias that give these values and this sum."""
        if not self._members:
            return np.zeros(0), 0.0
        right = np.concatenate([np.full(self._border, self._unit * total), values])
        if self._factors is None:
            self._factors = qr(self._matrix(), check_finite=False)
            self._updates = 0
        Q, R = self._factors
        try:
            with np.errstate(all="ignore"):
                found = solve_triangular(R, _times(Q, right, transposed=True), check_finite=False)
        except LinAlgError:
            raise SingularElbowError from None
        if not np.isfinite(found).all():
            raise SingularElbowError
        bias = self._unit * float(found[0]) if self._border else 0.0
        return found[self._border :], bias

    def dependence(self, point: int) -> tuple[Floats, float, float]:
        """Say how far a point that is not a member is from depending on the members.

        Returns the combination of members, and its bias, that stands for the point on all members,
        and the squared distance of the two in feature space: zero for a point that depends on them.
        """
        row = self._row(point)
        combination, bias = self.solve(row[self.members], 1.0)
        return combination, bias, float(row[point] - combination @ row[self.members]) - bias

    def _keep(self, Q: Floats, R: Floats) -> None:
        self._updates += 1
        self._factors = None if self._updates > _MOST_UPDATES else (Q, R)

    def _matrix(self) -> Floats:
        size, border = len(self._members), self._border
        matrix = np.zeros((size + border, size + border))
        matrix[border:, border:] = self._rows[np.ix_(self._slots, self._members)]
        matrix[:border, border:] = matrix[border:, :border] = self._unit
        return matrix


def _times(matrix: Floats, vector: Floats, *, transposed: bool = False) -> Floats:
    """Multiply by SciPy's BLAS, whose threads `single_threaded_blas` rules, unlike NumPy's."""
    return np.asarray(dgemv(1.0, matrix, vector, trans=int(transposed)))
