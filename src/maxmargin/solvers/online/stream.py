"""How good a linear machine is on a stream: a primal and a dual value from one pass, O(d) memory.

    primal  1/2 |w|^2 + 1/2 b^2 + sum_i C_i loss(y_i (w'x_i + b))
    dual    sum(a) - 1/2 |sum_i a_i y_i x_i|^2 - ...,   0 <= a_i <= C_i,   (sum_i y_i a_i = 0)

A multiplier is a function of its row's margin: for the hinge loss C_i on one side of the margin
plane, zero on the other, and a ramp of some width across it; for its square 2 C_i slack. What the
dual value needs of them is a sum over the rows of each side, for each of several widths, so that no
multiplier is kept. A free bias, whose sum must be zero, reduces the multipliers of the heavier
side; then all are scaled by the factor with the best value, and the best width is taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from maxmargin.typing import Floats

__all__ = ["StreamCertificate", "StreamSums"]

_WIDTHS = np.array([1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001])


@dataclass(frozen=True)
class StreamCertificate:
    """What one pass over a stream proves of a linear machine.

    Attributes
    ----------
    primal, dual : float
        The objective 1/2 |w|^2 + sum of C_i loss_i of the machine as it is published, and a value
        that no machine is below.
    n_rows : float
        The weight of the rows.

    Examples
    --------
    >>> from maxmargin.solvers.online import StreamCertificate
    >>> certificate = StreamCertificate(primal=10.0, dual=9.9, n_rows=100.0)
    >>> round(certificate.gap, 6), certificate.holds(0.02)
    (0.1, True)
    """

    primal: float
    dual: float
    n_rows: float

    @property
    def gap(self) -> float:
        """The machine's objective is above the optimum by at most this."""
        return self.primal - self.dual

    @property
    def relative_gap(self) -> float:
        """The gap over the larger of both values."""
        return self.gap / (max(abs(self.primal), abs(self.dual)) or 1.0)

    def holds(self, tol: float) -> bool:
        """Say whether the relative gap is at most this."""
        return self.relative_gap <= tol


class StreamSums:
    """Sums over the rows of a stream for one machine with weights w and bias b."""

    def __init__(
        self,
        w: Floats,
        b: float,
        loss: Literal["hinge", "squared_hinge"],
        bias: Literal["none", "regularised", "free"],
    ) -> None:
        self.w, self.b, self.loss, self.bias = w, b, loss, bias
        n_widths = 1 if loss == "squared_hinge" else len(_WIDTHS)
        self.penalty = self.n_rows = 0.0
        #: Of the negative and the positive side: multipliers, their squares, and their rows.
        self.totals = np.zeros((2, n_widths))
        self.squares = np.zeros((2, n_widths))
        self.vectors = np.zeros((2, n_widths, len(w)))

    def add(self, X: Any, sign: Floats, weight: Floats, class_weight: Floats) -> None:
        """Add rows that count as `weight` rows each, and whose loss `class_weight` multiplies."""
        cost = weight * class_weight
        margin = sign * (X @ self.w + self.b)
        slack = np.maximum(0.0, 1.0 - margin)
        self.n_rows += float(weight.sum())
        if self.loss == "squared_hinge":
            self.penalty += float(cost @ slack**2)
            shares = 2.0 * slack[None, :]
            squares = slack[None, :] ** 2
        else:
            self.penalty += float(cost @ slack)
            shares = np.clip(0.5 * (1.0 + (1.0 - margin) / _WIDTHS[:, None]), 0.0, 1.0)
            squares = np.zeros_like(shares)
        for side, rows in enumerate((sign < 0, sign > 0)):
            own = shares[:, rows] * cost[rows]
            self.totals[side] += own.sum(axis=1)
            self.squares[side] += squares[:, rows] @ cost[rows]
            self.vectors[side] += np.asarray(X[rows].T @ own.T).T

    def certificate(self, alpha: float) -> StreamCertificate:
        """Return the values for C = 1 / (alpha n), n the weight of all rows."""
        C = 1.0 / (alpha * self.n_rows)
        penalised = self.b**2 if self.bias == "regularised" else 0.0
        primal = 0.5 * (float(self.w @ self.w) + penalised) + C * self.penalty
        dual = max(self._dual(k, C) for k in range(self.totals.shape[1]))
        return StreamCertificate(primal, dual, self.n_rows)

    def _dual(self, width: int, C: float) -> float:
        low, high = C * self.totals[:, width]
        factors = np.ones(2)
        if self.bias == "free":
            if min(low, high) == 0:
                return 0.0
            factors = np.minimum(1.0, np.array([high / low, low / high]))
        total = float(factors @ [low, high])
        signed = np.array([-1.0, 1.0]) * factors
        vector = C * (signed @ self.vectors[:, width])
        square = float(vector @ vector)
        if self.bias == "regularised":
            square += float(signed @ [low, high]) ** 2
        # With squared slack a^2 / (2 C) is half a square: a = 2 C slack.
        square += 2.0 * C * float(factors**2 @ self.squares[:, width])
        # No multiplier of the squared loss has an upper bound.
        most = np.inf if self.loss == "squared_hinge" else 1.0
        scale = min(most, total / square) if square > 0 else 0.0
        return scale * total - 0.5 * scale**2 * square
