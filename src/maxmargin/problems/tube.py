"""Regression: the epsilon-insensitive tube and its nu form.

With f(x) = w'phi(x) + b, sample weights s_i that sum to S, and the distance of a point to the tube
slack_i = max(0, |y_i - f(x_i)| - epsilon):

    EpsilonTube  min 1/2 |w|^2 + C sum s_i loss(slack_i)                       given epsilon
    NuTube       min 1/2 |w|^2 + C (sum s_i slack_i + nu S epsilon)            over epsilon, too

Each point has two constraints, f(x_i) >= y_i - epsilon - slack_i and f(x_i) <= y_i + epsilon +
slack_i, hence two multipliers: a_i of the first (for points above the tube) and a_(n+i) of the
second. With b_i = a_i - a_(n+i) and w = sum b_i phi(x_i) the duals are

    EpsilonTube  max sum y_i b_i - epsilon sum a - 1/2 |w|^2      sum b_i = 0,  a <= C s
                 or, for slack^2, with sum a^2 / (4 C s) subtracted instead of the upper bound
    NuTube       max sum y_i b_i - 1/2 |w|^2                      sum b_i = 0,  a <= C s,
                                                                  sum a = C nu S

A regularised bias adds a constant to the kernel and drops the constraint sum b_i = 0.

Vapnik 1995; Schölkopf, Smola, Williamson, Bartlett 2000 (nu form).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from maxmargin.errors import InvalidInputError
from maxmargin.kernels import Kernel
from maxmargin.kernels.base import real
from maxmargin.problems import checks
from maxmargin.problems.base import KernelProblem, PenalisedSlack, slack_cost
from maxmargin.problems.bias import Bias, Free, Regularised
from maxmargin.problems.quadratic import BoxQP
from maxmargin.typing import Floats

__all__ = ["EpsilonTube", "NuTube"]


class _Tube(KernelProblem):
    """Points with targets; two constraints, so two dual variables, per point."""

    y: Floats
    C: float

    def _check_parameters(self) -> None:
        checks.require_bias(self.bias)
        self._set(C=checks.penalty(self.C))

    @property
    def margin_scale(self) -> float:
        """Half the range of the targets."""
        return 0.5 * float(np.ptp(self.y))

    def _qp_with(
        self, epsilon: float, total: Floats, *, squared: bool = False, **equality: Any
    ) -> BoxQP:
        sign = np.repeat([1.0, -1.0], self.n_points)
        linear = epsilon * sign - np.tile(self.y, 2)
        cost, ridge = (
            np.tile(values, 2) for values in slack_cost(self.C, self.sample_weight, squared=squared)
        )
        return BoxQP(self.points, self.constant, sign, linear, cost, ridge, total, **equality)


class EpsilonTube(_Tube, PenalisedSlack):
    """min 1/2 |w|^2 + C sum_i s_i loss(max(0, |y_i - f(x_i)| - epsilon)).

    The loss is the slack itself (``"epsilon_insensitive"``) or its square
    (``"squared_epsilon_insensitive"``).

    Parameters
    ----------
    X : array-like of shape (n, d), CSR matrix, whatever the kernel takes, or Points
        The points.
    y : array-like of shape (n,)
        Targets.
    C : float
        Penalty of points outside the tube.
    epsilon : float
        Half the tube's width, zero or more.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}
        The shape of the penalty.
    kernel : Kernel
        Linear by default.
    bias : Free or Regularised
        How b is treated.
    sample_weight : array-like of shape (n,), optional
        s_i.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import EpsilonTube
    >>> solution = solve(EpsilonTube([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0], C=10, epsilon=0.1))
    >>> solution.w.round(6)
    array([0.9])
    """

    parameters = ("C", "epsilon", "loss", "kernel", "bias")

    epsilon: float
    loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"]

    def __init__(
        self,
        X: Any,
        y: Any,
        *,
        C: float = 1.0,
        epsilon: float = 0.1,
        loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = "epsilon_insensitive",
        kernel: Kernel | None = None,
        bias: Bias = Free(),
        sample_weight: Any = None,
    ) -> None:
        self._take_points(X, kernel, sample_weight)
        y = checks.targets(y, self.n_points)
        self._set_parameters(y=y, C=C, epsilon=epsilon, loss=loss, bias=bias)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        epsilon = real(self.epsilon, "epsilon")
        if epsilon < 0:
            raise InvalidInputError(f"epsilon must be zero or more; got {self.epsilon!r}.")
        if self.loss not in ("epsilon_insensitive", "squared_epsilon_insensitive"):
            raise InvalidInputError(
                "loss must be 'epsilon_insensitive' or 'squared_epsilon_insensitive'; "
                f"got {self.loss!r}."
            )
        self._set(epsilon=epsilon)

    def _dual_qp(self) -> BoxQP:
        squared = self.loss == "squared_epsilon_insensitive"
        return self._qp_with(self.epsilon, self._zero_sum, squared=squared)

    def level(self, norm_squared: float, offsets: Floats) -> float:
        """Return epsilon."""
        del norm_squared, offsets
        return self.epsilon


class NuTube(_Tube):
    """min 1/2 |w|^2 + C sum_i s_i (nu epsilon + max(0, |y_i - f(x_i)| - epsilon)) over epsilon too.

    nu is an upper bound on the fraction of points outside the tube and a lower bound on the
    fraction of support vectors. The scale of C is that of LIBSVM and scikit-learn.

    Parameters
    ----------
    X : array-like of shape (n, d), CSR matrix, whatever the kernel takes, or Points
        The points.
    y : array-like of shape (n,)
        Targets.
    C : float
        Penalty of points outside the tube.
    nu : float
        In (0, 1].
    kernel : Kernel
        Linear by default.
    bias : Free or Regularised
        How b is treated.
    sample_weight : array-like of shape (n,), optional
        s_i.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import NuTube
    >>> solution = solve(NuTube([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.5], C=10, nu=0.5))
    >>> round(solution.level, 4)
    0.125
    """

    parameters = ("C", "nu", "kernel", "bias")

    nu: float

    def __init__(
        self,
        X: Any,
        y: Any,
        *,
        C: float = 1.0,
        nu: float = 0.5,
        kernel: Kernel | None = None,
        bias: Bias = Free(),
        sample_weight: Any = None,
    ) -> None:
        self._take_points(X, kernel, sample_weight)
        self._set_parameters(y=checks.targets(y, self.n_points), C=C, nu=nu, bias=bias)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._set(nu=checks.fraction(self.nu))

    def _dual_qp(self) -> BoxQP:
        total = self.C * self.nu * float(self.sample_weight.sum())
        if isinstance(self.bias, Regularised):
            direction = np.repeat([1.0, -1.0], self.n_points)
            return self._qp_with(0.0, np.array([total]), direction=direction)
        group = np.repeat([0, 1], self.n_points)
        return self._qp_with(0.0, np.array([0.5 * total, -0.5 * total]), group=group)

    def level(self, norm_squared: float, offsets: Floats) -> float:
        """Return epsilon."""
        del norm_squared
        return float(-offsets[0] if len(offsets) == 1 else 0.5 * (offsets[1] - offsets[0]))
