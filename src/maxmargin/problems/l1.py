"""Separating two classes with few features: the l1 penalty and the squared hinge loss.

    primal  min |w|_1 + |b| / scale + sum C_i slack_i^2,   slack_i = max(0, 1 - y_i (w'x_i + b))
    dual    max sum a_i - a_i^2 / (4 C_i),   a >= 0,   |sum y_i a_i x_ij| <= 1 for every j,
            |sum y_i a_i| <= 1 / scale,   or sum y_i a_i = 0 for a free bias

The weights are not a combination of the points, so there is no kernel version.

Fan, Chang, Hsieh, Wang, Lin 2008 (LIBLINEAR).
"""

from __future__ import annotations

from typing import Any

from maxmargin.problems import checks
from maxmargin.problems.base import Problem
from maxmargin.problems.bias import Bias, Free
from maxmargin.typing import Floats

__all__ = ["L1Margin"]


class L1Margin(Problem):
    """min |w|_1 + C sum_i s_i max(0, 1 - y_i f(x_i))^2, which makes most weights zero.

    Parameters
    ----------
    X : array-like of shape (n, d), CSR matrix, or Points with a linear kernel
        The points.
    y : array-like of shape (n,)
        Labels, exactly -1 and +1.
    C : float
        Penalty of squared slack.
    bias : Free or Regularised
        How b is treated: Regularised(scale) adds |b| / scale to the objective.
    sample_weight : array-like of shape (n,), optional
        Multiplies C point by point.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import L1Margin
    >>> solution = solve(L1Margin([[0.0, 1.0], [1.0, 1.0], [3.0, 1.0]], [-1, -1, 1], C=10))
    >>> solution.w.round(4), round(solution.b, 4)
    (array([0.975, 0.   ]), -1.95)
    """

    parameters = ("C", "bias")

    has_two_classes = True

    y: Floats
    C: float

    def __init__(
        self,
        X: Any,
        y: Any,
        *,
        C: float = 1.0,
        bias: Bias = Free(),
        sample_weight: Any = None,
    ) -> None:
        self._take_points(X, None, sample_weight)
        self._set_parameters(y=checks.labels(y, self.sample_weight), C=C, bias=bias)

    def _check_parameters(self) -> None:
        checks.require_linear_kernel(self)
        checks.require_bias(self.bias)
        self._set(C=checks.penalty(self.C))

    @property
    def cost(self) -> Floats:
        """C_i: the penalty of each point's squared slack."""
        return self.C * self.sample_weight

    @property
    def bias_penalty(self) -> float:
        """The penalty of |b|: zero for a free bias, infinite without a bias."""
        if isinstance(self.bias, Free):
            return 0.0
        return 1.0 / self.bias.scale if self.bias.scale > 0 else float("inf")
