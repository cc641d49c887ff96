"""Separating two classes: the hard margin, the soft margin and the nu form.

With f(x) = w'phi(x) + b, labels y_i = +-1, sample weights s_i that sum to S, and slack_i >= 0:

    HardMargin  min 1/2 |w|^2                                 y_i f(x_i) >= 1
    SoftMargin  min 1/2 |w|^2 + C sum s_i loss(slack_i)       y_i f(x_i) >= 1 - slack_i
    NuMargin    min 1/2 |w|^2 + sum s_i slack_i - nu S rho    y_i f(x_i) >= rho - slack_i

The duals have one multiplier a_i >= 0 per point, and w = sum y_i a_i phi(x_i):

    HardMargin  max sum a_i - 1/2 |w|^2     sum y_i a_i = 0
    SoftMargin  the same with a_i <= C s_i or, for slack^2, with sum a_i^2 / (4 C s_i) subtracted
    NuMargin    max -1/2 |w|^2              sum y_i a_i = 0,  sum a_i = nu S,  a_i <= s_i

A regularised bias adds a constant to the kernel and drops the constraint sum y_i a_i = 0.

Cortes, Vapnik 1995 (soft margin); Schölkopf, Smola, Williamson, Bartlett 2000 (nu form).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from maxmargin.errors import InfeasibleProblemError, InvalidInputError
from maxmargin.kernels import Kernel
from maxmargin.problems import checks
from maxmargin.problems.base import KernelProblem, NuForm, PenalisedSlack, slack_cost
from maxmargin.problems.bias import Bias, Free, Regularised
from maxmargin.problems.quadratic import BoxQP
from maxmargin.typing import Floats

__all__ = ["HardMargin", "NuMargin", "SoftMargin"]


class _TwoClasses(KernelProblem):
    """Points with labels -1 and +1; one constraint, so one dual variable, per point."""

    has_two_classes = True

    y: Floats

    def _check_parameters(self) -> None:
        checks.require_bias(self.bias)

    def level(self, norm_squared: float, offsets: Floats) -> float:
        """Return 1: the functional margin that every point should have."""
        del norm_squared, offsets
        return 1.0


class HardMargin(_TwoClasses):
    """min 1/2 |w|^2 subject to y_i f(x_i) >= 1: no slack at all.

    Parameters
    ----------
    X : array-like of shape (n, d), CSR matrix, whatever the kernel takes, or Points
        The points.
    y : array-like of shape (n,)
        Labels, exactly -1 and +1.
    kernel : Kernel
        Linear by default.
    bias : Free or Regularised
        How b is treated.
    sample_weight : array-like of shape (n,), optional
        Points of weight zero are left out; otherwise the weights do not matter here.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import HardMargin
    >>> solve(HardMargin([[0.0], [2.0]], [-1, 1])).w.round(6)
    array([1.])
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        *,
        kernel: Kernel | None = None,
        bias: Bias = Free(),
        sample_weight: Any = None,
    ) -> None:
        self._take_points(X, kernel, sample_weight)
        self._set_parameters(y=checks.labels(y, self.sample_weight), bias=bias)

    def _dual_qp(self) -> BoxQP:
        cost = np.where(self.sample_weight > 0, np.inf, 0.0)
        ridge = np.zeros(self.n_points)
        return BoxQP(self.points, self.constant, self.y, -self.y, cost, ridge, self._zero_sum)

    def primal_value(self, norm_squared: float, constraint: Floats, offsets: Floats) -> float:
        """Return 1/2 |w|^2 after f is scaled so that the smallest margin is exactly 1."""
        del offsets
        margin = 1.0 + float(constraint[self.sample_weight > 0].min())
        return 0.5 * norm_squared / margin**2 if margin > 0 else float("inf")


class SoftMargin(_TwoClasses, PenalisedSlack):
    """min 1/2 |w|^2 + C sum_i s_i loss(slack_i), y_i f(x_i) >= 1 - slack_i.

    The loss is slack (``"hinge"``) or slack^2 (``"squared_hinge"``); s_i is the sample weight.

    Parameters
    ----------
    X : array-like of shape (n, d), CSR matrix, whatever the kernel takes, or Points
        The points.
    y : array-like of shape (n,)
        Labels, exactly -1 and +1.
    C : float
        Penalty of slack; towards infinity the problem becomes `HardMargin`.
    loss : {"hinge", "squared_hinge"}
        The shape of the penalty.
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

    loss: Literal["hinge", "squared_hinge"]

    def __init__(
        self,
        X: Any,
        y: Any,
        *,
        C: float = 1.0,
        loss: Literal["hinge", "squared_hinge"] = "hinge",
        kernel: Kernel | None = None,
        bias: Bias = Free(),
        sample_weight: Any = None,
    ) -> None:
        self._take_points(X, kernel, sample_weight)
        self._set_parameters(y=checks.labels(y, self.sample_weight), C=C, loss=loss, bias=bias)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._set(C=checks.penalty(self.C))
        if self.loss not in ("hinge", "squared_hinge"):
            raise InvalidInputError(f"loss must be 'hinge' or 'squared_hinge'; got {self.loss!r}.")

    def _dual_qp(self) -> BoxQP:
        cost, ridge = slack_cost(self.C, self.sample_weight, squared=self.loss == "squared_hinge")
        return BoxQP(self.points, self.constant, self.y, -self.y, cost, ridge, self._zero_sum)


class NuMargin(_TwoClasses, NuForm):
    """min 1/2 |w|^2 + sum_i s_i slack_i - nu S rho, y_i f(x_i) >= rho - slack_i.

    S is the sum of the weights s_i. nu is an upper bound on the fraction of margin errors and a
    lower bound on the fraction of support vectors. (Schölkopf et al. scale the problem
    differently: their w, b and rho are these divided by S. scikit-learn's NuSVC divides the
    decision by rho: that is ``solution.decision(X) / solution.level``.)

    Parameters
    ----------
    X : array-like of shape (n, d), CSR matrix, whatever the kernel takes, or Points
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

    nu: float

    def __init__(
        self,
        X: Any,
        y: Any,
        *,
        nu: float = 0.5,
        kernel: Kernel | None = None,
        bias: Bias = Free(),
        sample_weight: Any = None,
    ) -> None:
        self._take_points(X, kernel, sample_weight)
        self._set_parameters(y=checks.labels(y, self.sample_weight), nu=nu, bias=bias)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._set(nu=checks.fraction(self.nu))
        largest = self.largest_nu
        if self.nu > largest * (1 + 1e-12):
            raise InfeasibleProblemError(
                f"nu = {self.nu:g} is infeasible: with these class weights it can be at most "
                f"{largest:.6g}, twice the smaller class's share. Lower nu or weight that class up."
            )

    @property
    def largest_nu(self) -> float:
        """The largest feasible nu: with a free bias twice the smaller class's share, else 1."""
        if isinstance(self.bias, Regularised):
            return 1.0
        sums = [float(self.sample_weight[self.y == label].sum()) for label in (1.0, -1.0)]
        return 2 * min(sums) / sum(sums)

    def _dual_qp(self) -> BoxQP:
        weight, zeros = self.sample_weight, np.zeros(self.n_points)
        total = self.nu * float(weight.sum())
        given = (self.points, self.constant, self.y, zeros, weight, zeros)
        if isinstance(self.bias, Regularised):
            return BoxQP(*given, np.array([total]), direction=self.y)
        # sum y_i a_i = 0 and sum a_i = nu S: each class has half of it.
        group = (self.y < 0).astype(np.int64)
        return BoxQP(*given, np.array([0.5 * total, -0.5 * total]), group=group)

    @property
    def margin_scale(self) -> float:
        """The squared spread of the points times the largest possible multiplier."""
        return self.points.spread * self.largest_multiplier

    def level(self, norm_squared: float, offsets: Floats) -> float:
        """Return rho."""
        del norm_squared
        return float(offsets[0] if len(offsets) == 1 else 0.5 * (offsets[0] - offsets[1]))
