"""The one quadratic program that every problem's dual is, and the primal that belongs to it.

With signed variables b (b_i = sign_i a_i, a_i >= 0 the Lagrange multiplier of constraint i):

    dual     min  1/2 b'Hb + p'b      0 <= a_i <= cost_i,   Ab = d
             H = S'KS + diag(ridge),  S adds up the variables that share a point

    primal   min  1/2 |w|^2 + sum_i penalty_i(slack_i) - d'mu
             s.t. c_i + slack_i >= 0,  c = sign (phi(x)'w + p - A'mu),  slack >= 0

The rows of A have entries in {-1, 0, 1} and do not overlap. mu, the multipliers of Ab = d, hold
the bias and, in the nu forms, the level (rho or epsilon) of the margin. A ridge of zero makes the
penalty cost_i slack_i; a positive one makes it slack_i^2 / (2 ridge_i) with an infinite cost.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems.gram import Gram
from maxmargin.typing import Bools, Floats, Integers

__all__ = ["BoxQP", "Case"]

_AT_BOUND = 1e-7


class Case(IntEnum):
    """Where a multiplier lies between its bounds.

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
    """The quadratic program that every problem's dual is, in signed variables.

    Attributes
    ----------
    gram : Gram
        K over the points, with the constant of a regularised bias.
    point : ndarray of shape (m,)
        The point that each variable belongs to.
    sign, linear, cost, ridge : ndarray of shape (m,)
        As in the formulas; linear is p.
    equality : ndarray of shape (k, m)
        The matrix A of the sums.
    total : ndarray of shape (k,)
        Their values d.

    Examples
    --------
    >>> from maxmargin.problems import SoftMargin
    >>> qp = SoftMargin([[0.0], [1.0]], [-1, 1], C=2).dual()
    >>> qp.lower + 0.0, qp.upper, qp.equality
    (array([-2.,  0.]), array([0., 2.]), array([[1., 1.]]))
    """

    gram: Gram
    point: Integers
    sign: Floats
    linear: Floats
    cost: Floats
    ridge: Floats
    equality: Floats
    total: Floats

    @property
    def n_variables(self) -> int:
        """The number m of variables."""
        return len(self.sign)

    @cached_property
    def lower(self) -> Floats:
        """Lower bounds of the signed variables."""
        return np.where(self.sign > 0, 0.0, -self.cost)

    @cached_property
    def upper(self) -> Floats:
        """Upper bounds of the signed variables."""
        return np.where(self.sign > 0, self.cost, 0.0)

    @cached_property
    def diagonal(self) -> Floats:
        """The diagonal of H."""
        return self.gram.diagonal[self.point] + self.ridge

    @cached_property
    def cost_scale(self) -> float:
        """The size of the multipliers: the largest finite cost, or 1 / max k(x, x) without any."""
        finite = self.cost[np.isfinite(self.cost)]
        largest = float(np.abs(self.diagonal).max(initial=0.0))
        return float(finite.max(initial=0.0)) or (1.0 / largest if largest > 0 else 1.0)

    @cached_property
    def value_scale(self) -> float:
        """The size of the decision values: that of p, or cost times k(x, x) if p is zero."""
        linear = float(np.abs(self.linear).max(initial=0.0))
        return linear or self.cost_scale * float(np.abs(self.diagonal).max(initial=0.0)) or 1.0

    def step_scale(self, unit: float = 1.0) -> Floats:
        """Return for each multiplier the change that matters: its cost, or a Newton step.

        A Newton step against a margin violation of one unit has the length unit / H_ii.
        """
        curvature = np.abs(self.diagonal)
        newton = np.divide(
            unit, curvature, out=np.full(self.n_variables, np.inf), where=curvature > 1e-300
        )
        scale = np.minimum(self.cost, newton)
        return np.where(np.isinf(scale), 1.0, scale)

    @cached_property
    def groups(self) -> list[Integers]:
        """The variables of each equality constraint."""
        return [np.flatnonzero(row) for row in self.equality]

    def coefficients(self, signed: Floats) -> Floats:
        """Add up the variables of each point: w = sum of coefficient times phi(x)."""
        totals = np.zeros(self.gram.n_points)
        np.add.at(totals, self.point, signed)
        return totals

    def hessian_rows(self, variables: Integers) -> Floats:
        """Return rows of H."""
        rows = self.gram.rows(self.point[variables])[:, self.point]
        rows[np.arange(len(variables)), variables] += self.ridge[variables]
        return rows

    def hessian(self) -> Floats:
        """Return H."""
        whole: Floats = self.gram.matrix[np.ix_(self.point, self.point)]
        whole[np.diag_indices_from(whole)] += self.ridge
        return whole

    def gradient(self, signed: Floats) -> Floats:
        """Return Hb + p."""
        similarities = self.gram @ self.coefficients(signed)
        return similarities[self.point] + self.ridge * signed + self.linear

    def value(self, signed: Floats, gradient: Floats | None = None) -> float:
        """Return 1/2 b'Hb + p'b."""
        gradient = self.gradient(signed) if gradient is None else gradient
        return float(0.5 * signed @ (gradient + self.linear))

    def norm_squared(self, signed: Floats, gradient: Floats) -> float:
        """Return |w|^2, a regularised bias included."""
        return float(signed @ (gradient - self.linear - self.ridge * signed))

    def constraint(self, signed: Floats, gradient: Floats, offsets: Floats) -> Floats:
        """Return c: what is negative of it is the slack."""
        return self.stationarity(gradient, offsets) - self.ridge * self.sign * signed

    def stationarity(self, gradient: Floats, offsets: Floats) -> Floats:
        """Return sign (Hb + p - A'mu): zero for a free variable, >= 0 at zero, <= 0 at its cost."""
        return self.sign * (gradient - self.equality.T @ offsets)

    def penalty(self, slack: Floats) -> float:
        """Return the price of the slacks in the primal; infinite for a hard constraint."""
        if np.any((slack > 0) & np.isinf(self.cost) & (self.ridge == 0)):
            return float("inf")
        linear = np.where(np.isinf(self.cost), 0.0, self.cost) @ slack
        soft = self.ridge > 0
        return float(linear + (slack[soft] ** 2 / (2 * self.ridge[soft])).sum())

    def case(self, multipliers: Floats) -> NDArray[np.int8]:
        """Say for each multiplier whether it is zero, free or at its cost."""
        near_zero = _AT_BOUND * self.step_scale(self.value_scale)
        finite = np.where(np.isinf(self.cost), 0.0, self.cost)
        near_cost = np.minimum(np.maximum(near_zero, 1e-9 * finite), 0.5 * finite)
        bounded = np.isfinite(self.cost) & (multipliers >= finite - near_cost)
        kind = np.where(bounded, np.int8(Case.BOUNDED), np.int8(Case.FREE))
        return np.where(multipliers <= near_zero, np.int8(Case.ZERO), kind)

    def offsets(self, signed: Floats, gradient: Floats) -> Floats:
        """Return mu: the mean over the free variables, else the midpoint of what is feasible."""
        case = self.case(np.abs(signed))
        offsets = np.zeros(len(self.equality))
        for k, members in enumerate(self.groups):
            direction = self.equality[k, members]
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

    def vertex(self, gradient: Floats) -> tuple[Floats, Floats]:
        """Minimise gradient'b over the feasible set, whose costs must be finite.

        Returns the minimiser and mu. For the gradient at a point b they are a subgradient step's
        target for w and the best offsets for that w (Bach 2015).
        """
        vertex = np.where(self.sign * gradient < 0, self.sign * self.cost, 0.0)
        offsets = np.zeros(len(self.total))
        for k, members in enumerate(self.groups):
            direction = self.equality[k, members]
            slope = direction * gradient[members]
            order = np.argsort(slope, kind="stable")
            low = np.where(direction > 0, self.lower[members], -self.upper[members])[order]
            missing = self.total[k] - low.sum() - self.cost[members][order].cumsum()
            filled = low + np.clip(
                missing + self.cost[members][order], 0, self.cost[members][order]
            )
            vertex[members[order]] = direction[order] * filled
            offsets[k] = slope[order][min(np.count_nonzero(missing > 0), len(members) - 1)]
        return vertex, offsets

    def project(self, signed: Floats) -> Floats:
        """Return the feasible point nearest to the given one."""
        projected = np.clip(signed, self.lower, self.upper)
        for k, members in enumerate(self.groups):
            direction = self.equality[k, members]
            low = np.where(direction > 0, self.lower[members], -self.upper[members])
            high = np.where(direction > 0, self.upper[members], -self.lower[members])
            moved = _onto_sum(direction * signed[members], low, high, float(self.total[k]))
            projected[members] = direction * moved
        return projected

    def infeasibility(self, signed: Floats) -> float:
        """Return the largest violation of a bound or an equality, relative to the multipliers."""
        outside = np.maximum(self.lower - signed, signed - self.upper).max(initial=0.0)
        unbalanced = np.abs(self.equality @ signed - self.total).max(initial=0.0)
        size = max(np.abs(signed).max(initial=0.0), np.abs(self.total).max(initial=0.0))
        return float(max(0.0, outside, unbalanced) / size) if size > 0 else 0.0


def _midpoint(slope: Floats, can_grow: Bools, can_shrink: Bools) -> float:
    """Midpoint of [largest slope that may only shrink, smallest that may only grow]."""
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
