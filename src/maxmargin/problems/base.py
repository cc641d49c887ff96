"""What every problem has: data, a kernel, a bias, its dual program and its primal value."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np

from maxmargin.errors import InvalidInputError
from maxmargin.kernels import Kernel
from maxmargin.kernels.base import positive
from maxmargin.kernels.data import count
from maxmargin.problems import checks
from maxmargin.problems.bias import Bias, Free, Regularised
from maxmargin.problems.gram import Gram
from maxmargin.problems.quadratic import BoxQP
from maxmargin.typing import Floats

__all__ = ["PricedSlack", "Problem", "one_sum", "slack_price"]


class Problem(ABC):
    """An optimisation problem as plain data.

    Labels and weights are copied; X is not, and must not be changed while the problem is in use.

    Subclasses are frozen dataclasses that say what their dual program is (`_dual_program`) and
    what the multipliers of its equality constraints mean (`bias_value`, `level`).

    Examples
    --------
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> problem
    SoftMargin(4 points, C=1.0, loss='hinge', kernel=Linear(), bias=Free())
    >>> problem.dual().n_variables
    4
    """

    X: Any
    y: Any
    kernel: Kernel
    bias: Bias = Free()

    #: What the problem has beside its data, for its repr.
    parameters: ClassVar[tuple[str, ...]] = ("kernel", "bias")

    def _check_data(self) -> None:
        """Validate the kernel, the bias and X, and resolve the kernel on X."""
        kernel = checks.kernel_kind(self.kernel)
        X = kernel.validate(self.X)
        self._set(X=X, kernel=kernel.resolve(X), bias=checks.bias_kind(self.bias))

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def n_points(self) -> int:
        """The number of points."""
        return count(self.X)

    @property
    def dual_kernel(self) -> Kernel:
        """The kernel as it stands in the dual program."""
        return self.kernel

    @cached_property
    def _program(self) -> BoxQP:
        return self._dual_program()

    def dual(self) -> BoxQP:
        """Return the dual as a quadratic program in signed variables."""
        return self._program

    @abstractmethod
    def _dual_program(self) -> BoxQP: ...

    def _gram(self) -> Gram:
        scale = self.bias.scale if isinstance(self.bias, Regularised) else 0.0
        return Gram(self.dual_kernel, self.X, scale**2)

    def primal_value(self, norm_squared: float, constraint: Floats, offsets: Floats) -> float:
        """Return the primal objective.

        Parameters
        ----------
        norm_squared : float
            |w|^2, including a regularised bias.
        constraint : ndarray of shape (m,)
            c of `maxmargin.problems.quadratic`: what is negative is the slack.
        offsets : ndarray of shape (k,)
            Multipliers of the dual's equality constraints.
        """
        qp = self.dual()
        slack = np.maximum(0.0, -constraint)
        return 0.5 * norm_squared + qp.penalty(slack) - float(qp.total @ offsets)

    def bias_value(self, coefficients: Floats, offsets: Floats) -> float:
        """Return b of the decision function."""
        if isinstance(self.bias, Regularised):
            return float(self.bias.scale**2 * coefficients.sum())
        return float(-offsets.mean())

    @abstractmethod
    def level(self, norm_squared: float, offsets: Floats) -> float:
        """Return the value that the margin condition compares with: 1, rho, epsilon or R^2."""

    @property
    def margin_scale(self) -> float:
        """The natural size of a margin, wherever the origin is; violations are relative to it."""
        return 1.0

    @property
    def has_two_classes(self) -> bool:
        """Whether y holds labels and f(x) = 0 separates them."""
        return False

    def baseline(self, X: Any) -> Floats | float:
        """Return what the decision function adds to w'phi(x) + b; zero but for the sphere."""
        del X
        return 0.0

    def training_decision(self, coefficients: Floats, offsets: Floats) -> Floats:
        """Return the decision function at the problem's own points."""
        gram = self.dual().gram
        # A regularised bias is part of the Gram matrix already.
        bias = 0.0 if gram.constant else self.bias_value(coefficients, offsets)
        return (gram @ coefficients) + bias + self.baseline(self.X)

    def __repr__(self) -> str:
        shown = (f"{name}={getattr(self, name)!r}" for name in self.parameters)
        return f"{type(self).__name__}({self.n_points} points, {', '.join(shown)})"


class PricedSlack(Problem):
    """A problem whose slack has the price C, which some write as the weight of |w|^2 instead."""

    C: float

    @classmethod
    def from_lambda(
        cls,
        X: Any,
        y: Any,
        regularisation: float,
        *,
        form: Literal["half", "full"] = "half",
        **others: Any,
    ) -> Self:
        """Make the problem from lambda/2 |w|^2 + mean loss ("half") or lambda |w|^2 + ... ("full").

        Parameters
        ----------
        X, y : data
            As in the constructor.
        regularisation : float
            lambda.
        form : {"half", "full"}
            "half": C = 1 / (lambda n); "full": C = 1 / (2 lambda n). With sample weights n is
            their sum.
        **others
            As in the constructor, but for C.

        Examples
        --------
        >>> from maxmargin.problems import EpsilonTube, SoftMargin
        >>> SoftMargin.from_lambda([[0.0], [1.0]], [-1, 1], 0.05).C
        10.0
        >>> EpsilonTube.from_lambda([[0.0], [1.0]], [0.0, 1.0], 0.05, form="full").C
        5.0
        """
        value = positive(regularisation, "regularisation")
        if form not in ("half", "full"):
            raise InvalidInputError(
                f"form must be 'half' (lambda/2 |w|^2) or 'full' (lambda |w|^2); got {form!r}."
            )
        total = float(checks.weights(others.get("sample_weight"), count(X)).sum())
        make: Callable[..., Self] = cls
        return make(X, y, C=1.0 / ((1 if form == "half" else 2) * value * total), **others)


def one_sum(bias: Bias, n_variables: int) -> tuple[Floats, Floats]:
    """Return (A, d) of the constraint sum(b) = 0, which a free bias brings."""
    rows = 1 if isinstance(bias, Free) else 0
    return np.ones((rows, n_variables)), np.zeros(rows)


def slack_price(price: Floats, *, squared: bool) -> tuple[Floats, Floats]:
    """Return (cost, ridge) of slacks that cost price times slack, or times its square."""
    if not squared:
        return price, np.zeros(len(price))
    used = price > 0
    ridge = np.divide(0.5, price, out=np.zeros(len(price)), where=used)
    return np.where(used, np.inf, 0.0), ridge
