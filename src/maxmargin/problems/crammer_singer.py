"""Separating many classes in one problem: Crammer and Singer's machine.

    primal  min 1/2 sum_m |w_m|^2 + sum C_i max_m (e_im + f_m(x_i)) - f_{y_i}(x_i)
    dual    max -1/2 sum_m |sum_i a_im x_i|^2 - sum e_im a_im,
            a_im <= C_i [m = y_i],   sum_m a_im = 0,   with e_im = 1 - [m = y_i]

Here x_i includes the constant feature of a bias. The slack of a point is that of its own class
against the highest of the others. There is no free bias: its dual constraint, that the multipliers
of each class sum to zero over all points, does not suit solvers that change the multipliers of one
point at a time. A large scale of `Regularised` comes close to it.

Crammer, Singer 2001; Keerthi, Sundararajan, Chang, Hsieh, Lin 2008.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.errors import InvalidInputError
from maxmargin.problems import checks
from maxmargin.problems.base import Problem
from maxmargin.problems.bias import Regularised
from maxmargin.typing import Floats, Integers

__all__ = ["CrammerSinger"]


class CrammerSinger(Problem):
    """min 1/2 sum_m |w_m|^2 + C sum_i s_i max_m (1 - [m = y_i] + f_m(x_i)) - f_{y_i}(x_i).

    Parameters
    ----------
    X : array-like of shape (n, d), CSR matrix, or Points with a linear kernel
        The points.
    y : array-like of shape (n,)
        Labels of two classes or more.
    C : float
        Penalty of slack.
    bias : Regularised
        Regularised(scale) adds 1/2 sum_m (b_m / scale)^2 to the objective; Regularised(0) means no
        bias.
    sample_weight : array-like of shape (n,), optional
        Multiplies C point by point.

    Attributes
    ----------
    classes : ndarray of shape (k,)
        The labels.
    label : ndarray of shape (n,)
        The index in `classes` of each point's label.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import CrammerSinger
    >>> X = [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]
    >>> solution = solve(CrammerSinger(X, ["a", "b", "c"]))
    >>> solution.decision(X).argmax(axis=1)
    array([0, 1, 2])
    """

    parameters = ("C", "n_classes", "bias")

    classes: Any
    label: Integers
    C: float
    bias: Regularised

    def __init__(
        self,
        X: Any,
        y: Any,
        *,
        C: float = 1.0,
        bias: Regularised = Regularised(1.0),
        sample_weight: Any = None,
    ) -> None:
        self._take_points(X, None, sample_weight)
        classes, label = np.unique(np.asarray(y), return_inverse=True)
        if label.shape != (self.n_points,):
            raise InvalidInputError(
                f"y has shape {label.shape} for {self.n_points} points: give one label per point."
            )
        if len(classes) < 2:
            raise InvalidInputError("y holds one class only: this machine needs two or more.")
        self._set_parameters(classes=classes, label=label, C=C, bias=bias)

    def _check_parameters(self) -> None:
        checks.require_linear_kernel(self)
        self._set(C=checks.penalty(self.C))
        if not isinstance(self.bias, Regularised):
            raise InvalidInputError(
                "Crammer and Singer's machine penalises its biases: use Regularised(scale) with a "
                f"large scale; got {self.bias!r}."
            )

    @property
    def y(self) -> Any:
        """The label of each point."""
        return self.classes[self.label]

    @property
    def n_classes(self) -> int:
        """The number k of classes."""
        return len(self.classes)

    @property
    def cost(self) -> Floats:
        """C_i: the penalty of each point's slack."""
        return self.C * self.sample_weight

    @property
    def margin(self) -> Floats:
        """e_im: the margin that point i should have against class m, zero for its own class."""
        margin = np.ones((self.n_points, self.n_classes))
        margin[np.arange(self.n_points), self.label] = 0.0
        return margin
