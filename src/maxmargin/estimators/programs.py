"""The duals of two-class machines over some points of one shared data set.

They are those of `maxmargin.problems.SoftMargin` and `NuMargin`, written for points that many
machines share: one Gram matrix and one diagonal serve all pairs of classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.errors import InfeasibleProblemError
from maxmargin.problems import Bias, BoxQP, NuMargin, Problem, Regularised, SoftMargin
from maxmargin.problems.base import one_sum
from maxmargin.problems.gram import Gram
from maxmargin.typing import Floats, Integers

__all__ = ["MarginForm", "NuForm", "SoftForm", "balanced", "filled"]

_MOST_BEYOND = 1e4
_FEW = 512


@dataclass(frozen=True)
class SoftForm:
    """The soft margin with price C."""

    C: float

    def dual(self, gram: Gram, point: Integers, sign: Floats, weight: Floats, bias: Bias) -> BoxQP:
        """Return the dual program of the labels `sign` at the given points."""
        equality, total = one_sum(bias, len(point))
        ridge = np.zeros(len(point))
        return BoxQP(gram, point, sign, -sign, self.C * weight, ridge, equality, total)

    def require_feasible(self, sign: Floats, weight: Floats, bias: Bias) -> None:
        """Return: any C is feasible."""

    def without_infeasibility(self, sign: Floats, weight: Floats, bias: Bias) -> SoftForm:
        """Return the form itself."""
        del sign, weight, bias
        return self

    def settled(self, offsets: Floats, sign: Floats, weight: Floats) -> Floats:
        """Return the offsets themselves."""
        del sign, weight
        return offsets

    def level(self, offsets: Floats) -> float:
        """Return the functional margin."""
        del offsets
        return 1.0

    def problem(self, X: Any, sign: Floats, weight: Floats, **others: Any) -> Problem:
        """Return the same as a problem of its own."""
        return SoftMargin(X, sign, C=self.C, sample_weight=weight, **others)


@dataclass(frozen=True)
class NuForm:
    """The nu form.

    Attributes
    ----------
    nu : float
        The fraction.
    beyond : float
        How many times larger a nu was asked for than the class weights leave room for. The
        lighter class is at its bounds then, so its plane may lie anywhere beyond its last point;
        it moves away with this factor, towards the machine that always names the heavier class.
    """

    nu: float
    beyond: float = 1.0

    def dual(self, gram: Gram, point: Integers, sign: Floats, weight: Floats, bias: Bias) -> BoxQP:
        """Return the dual program of the labels `sign` at the given points."""
        sum_of_multipliers = self.nu * weight.sum()
        if isinstance(bias, Regularised):
            equality, total = sign[None, :], np.array([sum_of_multipliers])
        else:
            equality = np.array([sign > 0, sign < 0], dtype=np.float64)
            total = np.array([0.5, -0.5]) * sum_of_multipliers
        zeros = np.zeros(len(point))
        return BoxQP(gram, point, sign, zeros, weight, zeros, equality, total)

    def require_feasible(self, sign: Floats, weight: Floats, bias: Bias) -> None:
        """Raise if the smaller class has not weight enough for this nu."""
        largest = _largest_nu(sign, weight, bias)
        if self.nu > largest * (1 + 1e-12):
            raise InfeasibleProblemError(
                f"The specified nu is infeasible: nu = {self.nu:g}, but with these class weights "
                f"it can be at most {largest:.6g}, twice the smaller class's share. Lower nu or "
                "weight that class up."
            )

    def without_infeasibility(self, sign: Floats, weight: Floats, bias: Bias) -> NuForm:
        """Return the form with the nearest nu that is feasible."""
        largest = _largest_nu(sign, weight, bias)
        if self.nu <= largest * (1 + 1e-12):
            return self
        return NuForm(largest, min(self.nu / largest, _MOST_BEYOND))

    def settled(self, offsets: Floats, sign: Floats, weight: Floats) -> Floats:
        """Return the offsets to use among those that are optimal."""
        if self.beyond == 1.0:
            return offsets
        away = (self.beyond - 1.0) * (offsets[0] - offsets[1])
        positive_is_lighter = weight[sign > 0].sum() < weight[sign < 0].sum()
        moves = np.array([away, 0.0]) if positive_is_lighter else np.array([0.0, -away])
        settled: Floats = offsets + moves
        return settled

    def level(self, offsets: Floats) -> float:
        """Return rho."""
        return float(offsets[0] if len(offsets) == 1 else 0.5 * (offsets[0] - offsets[1]))

    def problem(self, X: Any, sign: Floats, weight: Floats, **others: Any) -> Problem:
        """Return the same as a problem of its own."""
        return NuMargin(X, sign, nu=self.nu, sample_weight=weight, **others)


MarginForm = SoftForm | NuForm


def _largest_nu(sign: Floats, weight: Floats, bias: Bias) -> float:
    if isinstance(bias, Regularised):
        return 1.0
    positive = float(weight[sign > 0].sum())
    total = float(weight.sum())
    return 2 * min(positive, total - positive) / total


def filled(qp: BoxQP) -> Floats:
    """Return the feasible point that fills the variables of each sum up to their cost in order.

    Far fewer variables leave zero than in the projection of zero, and each that does costs a row
    of the Gram matrix.
    """
    start = np.zeros(qp.n_variables)
    for k in np.flatnonzero(qp.total):
        members = qp.groups[k]
        cost = qp.cost[members]
        missing = abs(float(qp.total[k])) - (np.cumsum(cost) - cost)
        start[members] = qp.sign[members] * np.clip(missing, 0.0, cost)
    return start


def balanced(qp: BoxQP, signed: Floats, gradient: Floats) -> Floats:
    """Return a feasible point that differs from one within the bounds in few variables.

    Those move first that gain most by it, or lose least, as the gradient says.
    """
    moved = signed.copy()
    for k, members in enumerate(qp.groups):
        direction = qp.equality[k, members]
        missing = float(qp.total[k] - direction @ moved[members])
        way = np.sign(missing) * direction
        bound = np.where(way > 0, qp.upper[members], qp.lower[members])
        room = np.abs(bound - moved[members])
        eager = _most_eager(way * gradient[members], room, abs(missing))
        step = np.clip(abs(missing) - (np.cumsum(room[eager]) - room[eager]), 0.0, room[eager])
        partly = moved[members[eager]] + way[eager] * step
        moved[members[eager]] = np.where(step == room[eager], bound[eager], partly)
    return moved


def _most_eager(slope: Floats, room: Floats, missing: float) -> Integers:
    """Return variables with the least slopes, in that order, that have room enough in all."""
    usable = np.flatnonzero(room > 0)
    if len(usable) > _FEW:
        few = usable[np.argpartition(slope[usable], _FEW)[:_FEW]]
        if room[few].sum() >= missing:
            usable = np.sort(few)
    return usable[np.argsort(slope[usable], kind="stable")]
