"""Separating two classes: the hard margin, the soft margin and the nu form.

Cortes, Vapnik 1995 (soft margin); Schölkopf, Smola, Williamson, Bartlett 2000 (nu form).
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

import numpy as np

from maxmargin.errors import InfeasibleProblemError, InvalidInputError
from maxmargin.kernels import Kernel, Linear
from maxmargin.problems import checks
from maxmargin.problems.base import PricedSlack, Problem, one_sum, slack_price
from maxmargin.problems.bias import Bias, Free, Regularised
from maxmargin.problems.quadratic import BoxQP
from maxmargin.typing import Floats

__all__ = ["HardMargin", "NuMargin", "SoftMargin"]


class _Classes(Problem):
    """Points with labels -1 and +1; one constraint, so one dual variable, a point."""

    y: Any
    sample_weight: Any

    def _check_classes(self) -> None:
        self._check_data()
        weight = checks.weights(self.sample_weight, self.n_points)
        self._set(sample_weight=weight, y=checks.labels(self.y, self.n_points, weight))

    def _program_with(
        self, linear: Floats, cost: Floats, ridge: Floats, equality: Floats, total: Floats
    ) -> BoxQP:
        point = np.arange(self.n_points)
        return BoxQP(self._gram(), point, self.y, linear, cost, ridge, equality, total)

    @property
    def has_two_classes(self) -> bool:
        """True."""
        return True

    def level(self, norm_squared: float, offsets: Floats) -> float:
        """Return 1: the functional margin asked of every point."""
        del norm_squared, offsets
        return 1.0


@dataclass(frozen=True, eq=False, repr=False)
class HardMargin(_Classes):
    """min 1/2 |w|^2 subject to y_i f(x_i) >= 1: no slack at all.

    Parameters
    ----------
    X : array-like of shape (n, d), CSR matrix, or whatever the kernel takes
        The points.
    y : array-like of shape (n,)
        Labels, exactly -1 and +1.
    kernel : Kernel
        Linear by default.
    bias : Free or Regularised
        How b is treated.
    sample_weight : array-like of shape (n,), optional
        Only whether it is zero matters here: such points are left out.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import HardMargin
    >>> solve(HardMargin([[0.0], [2.0]], [-1, 1])).w.round(6)
    array([1.])
    """

    X: Any
    y: Any
    _: KW_ONLY
    kernel: Kernel = Linear()
    bias: Bias = Free()
    sample_weight: Any = None

    def __post_init__(self) -> None:
        self._check_classes()

    def _dual_program(self) -> BoxQP:
        cost = np.where(self.sample_weight > 0, np.inf, 0.0)
        return self._program_with(
            -self.y, cost, np.zeros(self.n_points), *one_sum(self.bias, self.n_points)
        )

    def primal_value(self, norm_squared: float, constraint: Floats, offsets: Floats) -> float:
        """Return 1/2 |w|^2 after scaling f so that every constraint holds exactly."""
        del offsets
        margin = 1.0 + float(constraint[self.sample_weight > 0].min())
        return 0.5 * norm_squared / margin**2 if margin > 0 else float("inf")


@dataclass(frozen=True, eq=False, repr=False)
class SoftMargin(_Classes, PricedSlack):
    """min 1/2 |w|^2 + C sum_i s_i loss(slack_i), y_i f(x_i) >= 1 - slack_i.

    The loss is slack (``"hinge"``) or slack^2 (``"squared_hinge"``); s_i is the sample weight.

    Parameters
    ----------
    X : array-like of shape (n, d), CSR matrix, or whatever the kernel takes
        The points.
    y : array-like of shape (n,)
        Labels, exactly -1 and +1.
    C : float
        Price of slack; towards infinity the problem becomes `HardMargin`.
    loss : {"hinge", "squared_hinge"}
        The price's shape.
    kernel : Kernel
        Linear by default.
    bias : Free or Regularised
        How b is treated.
    sample_weight : array-like of shape (n,), optional
        Multiplies C point by point.

    Examples
    --------
    >>> from maxmargin import certify, solve
    >>> from maxmargin.kernels import RBF
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [2.0]], [-1, 1, -1], C=10, kernel=RBF(1.0))
    >>> certify(problem, solve(problem)).holds(1e-6)
    True
    """

    parameters = ("C", "loss", "kernel", "bias")

    X: Any
    y: Any
    _: KW_ONLY
    C: float = 1.0
    loss: Literal["hinge", "squared_hinge"] = "hinge"
    kernel: Kernel = Linear()
    bias: Bias = Free()
    sample_weight: Any = None

    def __post_init__(self) -> None:
        self._set(C=checks.penalty_cost(self.C))
        if self.loss not in ("hinge", "squared_hinge"):
            raise InvalidInputError(f"loss must be 'hinge' or 'squared_hinge'; got {self.loss!r}.")
        self._check_classes()

    def _dual_program(self) -> BoxQP:
        price = self.C * self.sample_weight
        cost, ridge = slack_price(price, squared=self.loss == "squared_hinge")
        return self._program_with(-self.y, cost, ridge, *one_sum(self.bias, self.n_points))


@dataclass(frozen=True, eq=False, repr=False)
class NuMargin(_Classes):
    """min 1/2 |w|^2 + sum_i s_i slack_i - nu S rho, y_i f(x_i) >= rho - slack_i.

    S is the sum of the weights s_i. nu bounds the fraction of margin errors from above and that of
    support vectors from below. (This is the form of Schölkopf et al. with everything but the
    objective multiplied by n: their w, b and rho are these divided by S. scikit-learn's NuSVC
    divides the decision by rho: that is ``solution.decision(X) / solution.level``.)

    Parameters
    ----------
    X : array-like of shape (n, d), CSR matrix, or whatever the kernel takes
        The points.
    y : array-like of shape (n,)
        Labels, exactly -1 and +1.
    nu : float
        In (0, 1], at most twice the smaller class's share of the weight (with a free bias).
    kernel : Kernel
        Linear by default.
    bias : Free or Regularised
        How b is treated.
    sample_weight : array-like of shape (n,), optional
        s_i.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import NuMargin
    >>> solution = solve(NuMargin([[0.0], [1.0], [2.0], [3.0]], [-1, -1, 1, 1], nu=0.5))
    >>> solution.decision([[1.5]]).round(6) + 0.0
    array([0.])
    """

    parameters = ("nu", "kernel", "bias")

    X: Any
    y: Any
    _: KW_ONLY
    nu: float = 0.5
    kernel: Kernel = Linear()
    bias: Bias = Free()
    sample_weight: Any = None

    def __post_init__(self) -> None:
        self._set(nu=checks.fraction(self.nu))
        self._check_classes()
        if isinstance(self.bias, Free):
            self._require_feasible_nu()

    def _require_feasible_nu(self) -> None:
        weight = self.sample_weight
        smaller = min(weight[self.y > 0].sum(), weight[self.y < 0].sum())
        largest = 2 * smaller / weight.sum()
        if self.nu > largest * (1 + 1e-12):
            raise InfeasibleProblemError(
                f"nu = {self.nu:g} is infeasible: with these class weights it can be at most "
                f"{largest:.6g}, twice the smaller class's share. Lower nu or weight that class up."
            )

    def _dual_program(self) -> BoxQP:
        weight, n = self.sample_weight, self.n_points
        sum_of_multipliers = self.nu * weight.sum()
        if isinstance(self.bias, Regularised):
            equality, total = self.y[None, :].copy(), np.array([sum_of_multipliers])
        else:
            equality = np.array([self.y > 0, self.y < 0], dtype=np.float64)
            total = np.array([0.5, -0.5]) * sum_of_multipliers
        return self._program_with(np.zeros(n), weight, np.zeros(n), equality, total)

    @property
    def margin_scale(self) -> float:
        """The squared spread of the points times the largest weight."""
        return self.dual().gram.spread * float(self.sample_weight.max())

    def level(self, norm_squared: float, offsets: Floats) -> float:
        """Return rho: the functional margin that the data chose."""
        del norm_squared
        return float(offsets[0] if len(offsets) == 1 else 0.5 * (offsets[0] - offsets[1]))
