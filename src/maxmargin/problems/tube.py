"""Regression: the epsilon-insensitive tube and its nu form.

Each point has two constraints, f(x_i) >= y_i - epsilon - slack and f(x_i) <= y_i + epsilon + slack,
hence two dual variables: 0..n-1 for points above the tube, n..2n-1 for points below it.

Vapnik 1995; Schölkopf, Smola, Williamson, Bartlett 2000 (nu form).
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

import numpy as np

from maxmargin.errors import InvalidInputError
from maxmargin.kernels import Kernel, Linear
from maxmargin.kernels.base import real
from maxmargin.problems import checks
from maxmargin.problems.base import PricedSlack, Problem, one_sum, slack_price
from maxmargin.problems.bias import Bias, Free, Regularised
from maxmargin.problems.quadratic import BoxQP
from maxmargin.typing import Floats

__all__ = ["EpsilonTube", "NuTube"]


class _Tube(Problem):
    y: Any
    C: float
    sample_weight: Any

    def _check_tube(self) -> None:
        self._set(C=checks.penalty_cost(self.C))
        self._check_data()
        self._set(
            sample_weight=checks.weights(self.sample_weight, self.n_points),
            y=checks.targets(self.y, self.n_points),
        )

    @property
    def margin_scale(self) -> float:
        """Half the range of the targets."""
        return 0.5 * float(np.ptp(self.y))

    def _program_with(
        self, epsilon: float, equality: Floats, total: Floats, *, squared: bool = False
    ) -> BoxQP:
        n = self.n_points
        sign = np.repeat([1.0, -1.0], n)
        linear = epsilon * sign - np.tile(self.y, 2)
        cost, ridge = slack_price(self.C * np.tile(self.sample_weight, 2), squared=squared)
        point = np.tile(np.arange(n), 2)
        return BoxQP(self._gram(), point, sign, linear, cost, ridge, equality, total)


@dataclass(frozen=True, eq=False, repr=False)
class EpsilonTube(_Tube, PricedSlack):
    """min 1/2 |w|^2 + C sum_i s_i loss(max(0, |y_i - f(x_i)| - epsilon)).

    The loss is the slack itself (``"epsilon_insensitive"``) or its square
    (``"squared_epsilon_insensitive"``).

    Parameters
    ----------
    X : array-like of shape (n, d), CSR matrix, or whatever the kernel takes
        The points.
    y : array-like of shape (n,)
        Targets.
    C : float
        Price of leaving the tube.
    epsilon : float
        Half the tube's width, zero or more.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}
        The price's shape.
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

    X: Any
    y: Any
    _: KW_ONLY
    C: float = 1.0
    epsilon: float = 0.1
    loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = "epsilon_insensitive"
    kernel: Kernel = Linear()
    bias: Bias = Free()
    sample_weight: Any = None

    def __post_init__(self) -> None:
        epsilon = real(self.epsilon, "epsilon")
        if epsilon < 0:
            raise InvalidInputError(f"epsilon must be zero or more; got {self.epsilon!r}.")
        if self.loss not in ("epsilon_insensitive", "squared_epsilon_insensitive"):
            raise InvalidInputError(
                "loss must be 'epsilon_insensitive' or 'squared_epsilon_insensitive'; "
                f"got {self.loss!r}."
            )
        self._set(epsilon=epsilon)
        self._check_tube()

    def _dual_program(self) -> BoxQP:
        squared = self.loss == "squared_epsilon_insensitive"
        sums = one_sum(self.bias, 2 * self.n_points)
        return self._program_with(self.epsilon, *sums, squared=squared)

    def level(self, norm_squared: float, offsets: Floats) -> float:
        """Return epsilon."""
        del norm_squared, offsets
        return self.epsilon


@dataclass(frozen=True, eq=False, repr=False)
class NuTube(_Tube):
    """min 1/2 |w|^2 + C sum_i s_i (nu epsilon + max(0, |y_i - f(x_i)| - epsilon)) over epsilon too.

    nu bounds the fraction of points outside the tube from above and that of support vectors from
    below. The scale of C is that of LIBSVM and scikit-learn.

    Parameters
    ----------
    X : array-like of shape (n, d), CSR matrix, or whatever the kernel takes
        The points.
    y : array-like of shape (n,)
        Targets.
    C : float
        Price of leaving the tube.
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

    X: Any
    y: Any
    _: KW_ONLY
    C: float = 1.0
    nu: float = 0.5
    kernel: Kernel = Linear()
    bias: Bias = Free()
    sample_weight: Any = None

    def __post_init__(self) -> None:
        self._set(nu=checks.fraction(self.nu))
        self._check_tube()

    def _dual_program(self) -> BoxQP:
        n = self.n_points
        sum_of_multipliers = self.C * self.nu * self.sample_weight.sum()
        above, below = np.repeat([[1.0], [0.0]], n), np.repeat([[0.0], [1.0]], n)
        if isinstance(self.bias, Regularised):
            equality, total = (above - below)[None, :], np.array([sum_of_multipliers])
        else:
            equality = np.array([above, below])
            total = np.array([0.5, -0.5]) * sum_of_multipliers
        return self._program_with(0.0, equality, total)

    def level(self, norm_squared: float, offsets: Floats) -> float:
        """Return epsilon: the width that the data chose."""
        del norm_squared
        return float(-offsets[0] if len(offsets) == 1 else 0.5 * (offsets[1] - offsets[0]))
