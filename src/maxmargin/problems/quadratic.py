"""The quadratic program that is the dual of every kernel machine, and its primal.

With a_i >= 0, the Lagrange multiplier of constraint i, and the signed variables b_i = sign_i a_i:

    dual     min  1/2 b'Hb + p'b      0 <= a_i <= cost_i,   Ab = d
             H = S'KS + diag(ridge),  S adds up the variables that share a point

    primal   min  1/2 |w|^2 + sum_i penalty_i(slack_i) - d'mu
             s.t. c_i + slack_i >= 0,  c = sign (phi(x)'w + p - A'mu),  slack >= 0

The rows of A have entries in {-1, 0, 1} and do not overlap. The multipliers mu of Ab = d are the
offsets: they contain the bias and, in the nu forms, the level (rho or epsilon) of the margin. The
penalty is cost_i slack_i if ridge_i is zero, and slack_i^2 / (2 ridge_i), with an infinite cost,
if it is positive.

At the optimum  sign (Hb + p - A'mu)  is zero for a free variable (0 < a_i < cost_i), at least zero
for a_i = 0 and at most zero for a_i = cost_i.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.kernels import Semidefiniteness, is_positive_semidefinite
from maxmargin.problems.points import Points
from maxmargin.typing import Bools, Floats, Integers

__all__ = ["BoxQP", "Case"]

# A multiplier closer to a bound than this, in units of `step_scale`, is at the bound.
_AT_BOUND = 1e-7


class Case(IntEnum):
    """Whether a multiplier is zero, free (between its bounds) or bounded (at its cost).

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.problems import Case, SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0]], [-1, 1], C=2)
    >>> [Case(found).name for found in problem.dual().case(np.array([0.5, 2.0]))]
    ['FREE', 'BOUNDED']
    """

    ZERO = 0
    FREE = 1
    BOUNDED = 2


@dataclass(frozen=True, eq=False)
class BoxQP:
    """The dual of a kernel machine: a quadratic program in signed variables.

    It has m = n variables or m = 2n; variable i belongs to point i modulo n.

    Attributes
    ----------
    points : Points
        The n points; K is their Gram matrix plus the constant.
    constant : float
        The constant that a regularised bias adds to every kernel value.
    sign, linear, cost, ridge : ndarray of shape (m,)
        As in the formulas; linear is p.
    total : ndarray of shape (k,)
        The right-hand side d of the equality constraints.
    group : ndarray of shape (m,), optional
        The row of A that contains each variable. None if A has one row with all of them, or none.
    direction : ndarray of shape (m,), optional
        The variable's coefficient in that row, +1 or -1; None means +1 for all.

    Examples
    --------
    >>> from maxmargin.problems import SoftMargin
    >>> qp = SoftMargin([[0.0], [1.0]], [-1, 1], C=2).dual()
    >>> qp.lower + 0.0, qp.upper, qp.equality
    (array([-2.,  0.]), array([0., 2.]), array([[1., 1.]]))
    """

    points: Points
    constant: float
    sign: Floats
    linear: Floats
    cost: Floats
    ridge: Floats
    total: Floats
    group: Integers | None = None
    direction: Floats | None = None

    @property
    def n_points(self) -> int:
        """The number n of points."""
        return self.points.n_points

    @property
    def n_variables(self) -> int:
        """The number m of variables."""
        return len(self.sign)

    @cached_property
    def point(self) -> Integers:
        """The point of each variable."""
        return np.tile(np.arange(self.n_points), self.n_variables // self.n_points)

    def by_variable(self, values: Floats) -> Floats:
        """Return for each variable the value of its point."""
        return values if len(values) == self.n_variables else np.tile(values, 2)

    def coefficients(self, signed: Floats) -> Floats:
        """Add up the variables of each point: w = sum of coefficient times phi(x)."""
        n = self.n_points
        return signed if len(signed) == n else signed[:n] + signed[n:]

    @cached_property
    def lower(self) -> Floats:
        """Lower bounds of the signed variables."""
        return np.where(self.sign > 0, 0.0, -self.cost)

    @cached_property
    def upper(self) -> Floats:
        """Upper bounds of the signed variables."""
        return np.where(self.sign > 0, self.cost, 0.0)

    # The equality constraints Ab = d ------------------------------------------------------------

    @cached_property
    def equality(self) -> Floats:
        """The matrix A, of shape (k, m)."""
        matrix = np.zeros((len(self.total), self.n_variables))
        for k, (members, direction) in enumerate(self._rows()):
            matrix[k, members] = direction
        return matrix

    @cached_property
    def groups(self) -> list[Integers]:
        """The variables of each row of A."""
        if self.group is None:
            return [np.arange(self.n_variables)] * len(self.total)
        return [np.flatnonzero(self.group == k) for k in range(len(self.total))]

    def _rows(self) -> Iterator[tuple[Integers, Floats]]:
        """Yield the variables of each row of A and their coefficients."""
        for members in self.groups:
            direction = self.direction
            yield members, np.ones(len(members)) if direction is None else direction[members]

    def sums(self, signed: Floats) -> Floats:
        """Return Ab."""
        if len(self.total) == 0:
            return np.zeros(0)
        values = signed if self.direction is None else self.direction * signed
        if self.group is None:
            return np.array([values.sum()])
        return np.array([values[self.group == k].sum() for k in range(len(self.total))])

    def pull(self, offsets: Floats) -> Floats | float:
        """Return A'mu."""
        if len(self.total) == 0:
            return 0.0
        values: Floats | float = float(offsets[0]) if self.group is None else offsets[self.group]
        return values if self.direction is None else self.direction * values

    # Sizes --------------------------------------------------------------------------------------

    @cached_property
    def diagonal(self) -> Floats:
        """The diagonal of H."""
        return self.by_variable(self.points.diagonal + self.constant) + self.ridge

    @cached_property
    def cost_scale(self) -> float:
        """The size of the multipliers: the largest finite cost, else 1 / max k(x, x)."""
        finite = self.cost[np.isfinite(self.cost)]
        largest = float(np.abs(self.diagonal).max(initial=0.0))
        return float(finite.max(initial=0.0)) or (1.0 / largest if largest > 0 else 1.0)

    @cached_property
    def value_scale(self) -> float:
        """The size of the decision values: that of p, or of cost k(x, x) if p is zero."""
        linear = float(np.abs(self.linear).max(initial=0.0))
        return linear or self.cost_scale * float(np.abs(self.diagonal).max(initial=0.0)) or 1.0

    def step_scale(self, unit: float = 1.0) -> Floats:
        """Return for each multiplier the size of a significant change.

        That is its cost or, if smaller, unit / H_ii: the Newton step that repairs a margin
        violation of one unit.
        """
        curvature = np.abs(self.diagonal)
        newton = np.divide(
            unit, curvature, out=np.full(self.n_variables, np.inf), where=curvature > 1e-300
        )
        scale = np.minimum(self.cost, newton)
        return np.where(np.isinf(scale), 1.0, scale)

    # The Hessian --------------------------------------------------------------------------------

    @property
    def n_features(self) -> int | None:
        """The length of phi(x), the constant feature included; None without a finite map."""
        width = self.points.n_features
        return None if width is None else width + (self.constant > 0)

    @cached_property
    def features(self) -> Any:
        """Rows phi(x_i), including the constant feature, for kernels that have a finite map."""
        mapped = self.points.features
        if self.constant == 0:
            return mapped
        column = np.full((self.n_points, 1), np.sqrt(self.constant))
        if sparse.issparse(mapped):
            return sparse.hstack([mapped, column]).tocsr()
        return np.hstack([mapped, column])

    @property
    def gram(self) -> Floats:
        """K in float64, with the constant."""
        matrix = self.points.gram()
        return matrix + self.constant if self.constant else matrix

    @cached_property
    def semidefiniteness(self) -> Semidefiniteness:
        """Whether K, with the constant, is positive semidefinite, by its eigenvalues."""
        if self.constant == 0:
            return self.points.semidefiniteness
        return is_positive_semidefinite(self.gram)

    def gram_rows(self, points: Integers) -> Floats:
        """Return rows of K, with the constant."""
        rows = self.points.gram_rows(points)
        return rows + self.constant if self.constant else rows

    def hessian_rows(self, variables: Integers) -> Floats:
        """Return rows of H."""
        rows = self.gram_rows(self.point[variables])[:, self.point]
        rows[np.arange(len(variables)), variables] += self.ridge[variables]
        return rows

    def hessian(self) -> Floats:
        """Return H."""
        matrix: Floats = self.gram[np.ix_(self.point, self.point)]
        matrix[np.diag_indices_from(matrix)] += self.ridge
        return matrix

    def expansion(self, coefficients: Floats) -> Floats:
        """Return K times the coefficients of the points, with the constant."""
        values = self.points.expansion(coefficients)
        return values + self.constant * float(coefficients.sum()) if self.constant else values

    def gradient(self, signed: Floats) -> Floats:
        """Return Hb + p."""
        expansion = self.expansion(self.coefficients(signed))
        return self.by_variable(expansion) + self.ridge * signed + self.linear

    def value(self, signed: Floats, gradient: Floats | None = None) -> float:
        """Return 1/2 b'Hb + p'b."""
        gradient = self.gradient(signed) if gradient is None else gradient
        return float(0.5 * signed @ (gradient + self.linear))

    def norm_squared(self, signed: Floats, gradient: Floats) -> float:
        """Return |w|^2, including a regularised bias."""
        return float(signed @ (gradient - self.linear - self.ridge * signed))

    # Optimality ---------------------------------------------------------------------------------

    def constraint(self, signed: Floats, gradient: Floats, offsets: Floats) -> Floats:
        """Return c; the slack is max(0, -c)."""
        return self.stationarity(gradient, offsets) - self.ridge * self.sign * signed

    def stationarity(self, gradient: Floats, offsets: Floats) -> Floats:
        """Return sign (Hb + p - A'mu), whose sign the optimality conditions prescribe."""
        return self.sign * (gradient - self.pull(offsets))

    def penalty(self, slack: Floats) -> float:
        """Return the penalty of slacks in the primal; infinite if a hard constraint has one."""
        if np.any((slack > 0) & np.isinf(self.cost) & (self.ridge == 0)):
            return float("inf")
        linear = np.where(np.isinf(self.cost), 0.0, self.cost) @ slack
        soft = self.ridge > 0
        return float(linear + (slack[soft] ** 2 / (2 * self.ridge[soft])).sum())

    def case(self, multipliers: Floats) -> NDArray[np.int8]:
        """Return for each multiplier whether it is zero, free or bounded, as `Case`."""
        near_zero = _AT_BOUND * self.step_scale(self.value_scale)
        finite = np.where(np.isinf(self.cost), 0.0, self.cost)
        near_cost = np.minimum(np.maximum(near_zero, 1e-9 * finite), 0.5 * finite)
        bounded = np.isfinite(self.cost) & (multipliers >= finite - near_cost)
        kind = np.where(bounded, np.int8(Case.BOUNDED), np.int8(Case.FREE))
        return np.where(multipliers <= near_zero, np.int8(Case.ZERO), kind)

    def offsets(self, signed: Floats, gradient: Floats) -> Floats:
        """Return mu: the mean over the free variables or, without any, a midpoint.

        The optimality conditions of the other variables bound mu from both sides.
        """
        offsets = np.zeros(len(self.total))
        if len(offsets) == 0:
            return offsets
        case = self.case(np.abs(signed))
        for k, (members, direction) in enumerate(self._rows()):
            slope = direction * gradient[members]
            free = case[members] == Case.FREE
            if free.any():
                offsets[k] = slope[free].mean()
                continue
            usable = self.cost[members] > 0
            can_grow = usable & (
                (case[members] == Case.ZERO) == (direction * self.sign[members] > 0)
            )
            offsets[k] = _midpoint(slope, can_grow, usable & ~can_grow)
        return offsets

    # Feasible points ----------------------------------------------------------------------------

    def vertex(self, gradient: Floats) -> tuple[Floats, Floats]:
        """Minimise gradient'b over the feasible set; all costs must be finite.

        Returns the minimiser and mu. For the gradient at b, they are the target of a subgradient
        step for w and the best offsets for that w (Bach 2015).
        """
        vertex = np.where(self.sign * gradient < 0, self.sign * self.cost, 0.0)
        offsets = np.zeros(len(self.total))
        for k, (members, direction) in enumerate(self._rows()):
            slope = direction * gradient[members]
            order = np.argsort(slope, kind="stable")
            low = np.where(direction > 0, self.lower[members], -self.upper[members])[order]
            cost = self.cost[members][order]
            missing = self.total[k] - low.sum() - cost.cumsum()
            vertex[members[order]] = direction[order] * (low + np.clip(missing + cost, 0, cost))
            last = min(int(np.count_nonzero(missing > 0)), len(members) - 1)
            offsets[k] = slope[order][last]
        return vertex, offsets

    def project(self, signed: Floats) -> Floats:
        """Return the feasible point nearest to the given one."""
        projected = np.clip(signed, self.lower, self.upper)
        for k, (members, direction) in enumerate(self._rows()):
            low = np.where(direction > 0, self.lower[members], -self.upper[members])
            high = np.where(direction > 0, self.upper[members], -self.lower[members])
            moved = _onto_sum(direction * signed[members], low, high, float(self.total[k]))
            projected[members] = direction * moved
        return projected

    def infeasibility(self, signed: Floats) -> float:
        """Return the largest violation of a bound or an equality, relative to the multipliers."""
        outside = np.maximum(self.lower - signed, signed - self.upper).max(initial=0.0)
        unbalanced = np.abs(self.sums(signed) - self.total).max(initial=0.0)
        size = max(np.abs(signed).max(initial=0.0), np.abs(self.total).max(initial=0.0))
        return float(max(0.0, outside, unbalanced) / size) if size > 0 else 0.0


def _midpoint(slope: Floats, can_grow: Bools, can_shrink: Bools) -> float:
    """Return the middle between the slopes that bound mu from below and from above."""
    ends = [f(slope[side]) for f, side in ((np.max, can_shrink), (np.min, can_grow)) if side.any()]
    return float(np.mean(ends)) if ends else 0.0


def _onto_sum(values: Floats, low: Floats, high: Floats, total: float) -> Floats:
    """Project onto {low <= u <= high, sum(u) = total} by bisection on the common shift."""
    left, right = -1.0, 1.0
    while np.clip(values - left, low, high).sum() < total and left > -1e300:
        left *= 2
    while np.clip(values - right, low, high).sum() > total and right < 1e300:
        right *= 2
    for _ in range(200):
        middle = 0.5 * (left + right)
        if middle in (left, right):
            break
        if np.clip(values - middle, low, high).sum() > total:
            left = middle
        else:
            right = middle
    return np.clip(values - right, low, high)
