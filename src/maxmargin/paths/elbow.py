"""The elbow: the points on the margin, and the linear system of their multipliers.

Hastie et al. call the points on the margin the elbow E. With their signed multipliers b, a free
bias and given values r, s:

    K_EE b + bias = r,   sum b = s

The matrix is kept as a product Q R, which is updated in O(m^2) when one of m points comes or goes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import LinAlgError, qr, qr_delete, qr_insert, solve_triangular
from scipy.linalg.blas import dgemv

from maxmargin.typing import Floats, Integers

__all__ = ["Elbow", "SingularElbowError"]

# A matrix of fewer points is factorised again instead of updated.
_SMALL = 6

# The matrix is factorised again after this many updates, each of which adds rounding.
_MOST_UPDATES = 64


class SingularElbowError(Exception):
    """The equations of the points on the margin have no unique solution in float64."""


class Elbow:
    """The points on the margin, with their rows of the Gram matrix over all n points.

    `row` computes the row of a point. `bias_unit`, the size of a kernel value, gives the row and
    column of the bias the same scale as the others; it is 0 without a free bias.
    """

    def __init__(self, row: Callable[[int], Floats], n_points: int, bias_unit: float) -> None:
        #: The points, in the order of the system.
        self.members: Integers = np.zeros(0, dtype=np.int64)
        self._row = row
        self._unit = bias_unit
        self._border = 1 if bias_unit > 0 else 0
        # The first m rows are those of the members.
        self._rows = np.zeros((8, n_points))
        self._factors: tuple[Floats, Floats] | None = None
        self._n_updates = 0

    def __len__(self) -> int:
        return len(self.members)

    @property
    def has_bias(self) -> bool:
        """Whether the system includes a free bias."""
        return self._border == 1

    def row(self, point: int) -> Floats:
        """Return a member's row of the Gram matrix."""
        return np.asarray(self._rows[self._index(point)])

    def products(self, coefficients: Floats) -> Floats:
        """Return sum_i coefficient_i k(x_i, x) over the members, at every point x."""
        if len(self) == 0:
            return np.zeros(self._rows.shape[1])
        return _times(self._rows[: len(self)].T, coefficients)

    def add(self, point: int) -> None:
        """Add a point."""
        size, old = len(self), self.members
        if size == len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
        row = self._rows[size]
        row[:] = self._row(point)
        self.members = np.append(old, point)
        if self._factors is None or size < _SMALL:
            self._factors = None
            return
        border = np.concatenate([np.full(self._border, self._unit), row[old]])
        Q, R = self._factors
        Q, R = qr_insert(Q, R, border, len(border), which="row", check_finite=False)
        column = np.append(border, row[point])
        self._keep(*qr_insert(Q, R, column, len(border), which="col", check_finite=False))

    def remove(self, point: int) -> None:
        """Remove a point."""
        index, size = self._index(point), len(self)
        self._rows[index : size - 1] = self._rows[index + 1 : size]
        self.members = np.delete(self.members, index)
        if self._factors is None or len(self) < _SMALL:
            self._factors = None
            return
        Q, R = self._factors
        Q, R = qr_delete(Q, R, index + self._border, which="col", check_finite=False)
        self._keep(*qr_delete(Q, R, index + self._border, which="row", check_finite=False))

    def solve(self, values: Floats, total: float) -> tuple[Floats, float]:
        """Return the signed multipliers and the bias that give these values and this sum."""
        if len(self) == 0:
            return np.zeros(0), 0.0
        right = np.concatenate([np.full(self._border, self._unit * total), values])
        if self._factors is None:
            self._factors = qr(self._matrix(), check_finite=False)
            self._n_updates = 0
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
        """Return how a point depends on the members.

        Returns the combination of members, and its bias, that equals the point's kernel values at
        all members, and the squared distance between point and combination in feature space. The
        distance is zero if the point depends on the members linearly.
        """
        row = self._row(point)
        combination, bias = self.solve(row[self.members], 1.0)
        return combination, bias, float(row[point] - combination @ row[self.members]) - bias

    def _index(self, point: int) -> int:
        return int(np.flatnonzero(self.members == point)[0])

    def _keep(self, Q: Floats, R: Floats) -> None:
        self._n_updates += 1
        self._factors = None if self._n_updates > _MOST_UPDATES else (Q, R)

    def _matrix(self) -> Floats:
        size, border = len(self), self._border
        matrix = np.zeros((size + border, size + border))
        matrix[border:, border:] = self._rows[:size, self.members]
        matrix[:border, border:] = matrix[border:, :border] = self._unit
        return matrix


def _times(matrix: Floats, vector: Floats, *, transposed: bool = False) -> Floats:
    """Multiply with SciPy's BLAS, which `single_threaded_blas` limits, unlike NumPy's."""
    return np.asarray(dgemv(1.0, matrix, vector, trans=int(transposed)))
