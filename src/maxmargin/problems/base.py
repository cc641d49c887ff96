"""What every problem has: points, parameters, a bias; and what kernel machines have besides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from inspect import signature
from typing import Any, ClassVar, Literal, Self

import numpy as np

from maxmargin.errors import InvalidInputError
from maxmargin.kernels import Kernel
from maxmargin.kernels.base import positive
from maxmargin.problems import checks
from maxmargin.problems.bias import Bias, Free, Regularised
from maxmargin.problems.points import Points
from maxmargin.problems.quadratic import BoxQP
from maxmargin.typing import Floats

__all__ = ["KernelProblem", "NuForm", "PenalisedSlack", "Problem", "slack_cost"]

# The objective of a nu form is about the square of its multipliers; below this, a gap of it would
# have no digits.
_SMALLEST_MULTIPLIER = 1e-130


class Problem(ABC):
    """An optimisation problem as plain data over the rows of some `Points`.

    Labels and weights are copied. The points are not, and must not be changed while the problem is
    in use. A problem is immutable; `replace` returns a changed copy.

    Attributes
    ----------
    points : Points
        The points and the kernel.
    sample_weight : ndarray of shape (n,)
        One weight per point.
    bias : Free or Regularised
        How b is treated.

    Examples
    --------
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> problem
    SoftMargin(4 points, C=1.0, loss='hinge', kernel=Linear(), bias=Free())
    >>> problem.replace(C=10)
    SoftMargin(4 points, C=10.0, loss='hinge', kernel=Linear(), bias=Free())
    """

    points: Points
    sample_weight: Floats
    bias: Bias = Free()

    #: Attributes that the repr shows.
    parameters: ClassVar[tuple[str, ...]] = ("kernel", "bias")

    @classmethod
    def posed(cls, points: Points, **values: Any) -> Self:
        """Return a problem with these attributes, which the caller has checked."""
        problem = cls.__new__(cls)
        problem._set(points=points, **values)
        return problem

    def replace(self, **changes: Any) -> Self:
        """Return the same problem with other arguments of its constructor, checked like those.

        The points are shared, also if they get another kernel.
        """
        names = [name for name in signature(type(self)).parameters if name != "X"]
        for name in changes:
            if name != "X" and name not in names:
                raise InvalidInputError(
                    f"{type(self).__name__} has no argument {name!r}: it takes {', '.join(names)}."
                )
        given = {name: changes.get(name, getattr(self, name)) for name in names}
        X = changes.get("X", self.points)
        if "X" not in changes and isinstance(changes.get("kernel"), Kernel):
            X, given["kernel"] = self.points.compared_by(changes["kernel"]), None
        make: Callable[..., Self] = type(self)
        return make(X, **given)

    def _take_points(self, X: Any, kernel: Kernel | None, sample_weight: Any) -> None:
        """Set the points, given as `Points` or as data with a kernel, and their weights."""
        if not isinstance(X, Points):
            X = Points(X, kernel)
        elif kernel is not None and kernel != X.kernel:
            raise InvalidInputError(
                f"kernel is {kernel!r}, but the points are compared by {X.kernel!r}: leave kernel "
                "out, or use points.with_kernel(kernel)."
            )
        self._set(points=X, sample_weight=checks.weights(sample_weight, X.n_points))

    def _set_parameters(self, **parameters: Any) -> None:
        self._set(**parameters)
        self._check_parameters()

    def _set(self, **values: Any) -> None:
        self.__dict__.update(values)

    @abstractmethod
    def _check_parameters(self) -> None:
        """Check the parameters and convert them to their documented types."""

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(
            f"{type(self).__name__} does not change: make another one with replace({name}=...)."
        )

    @property
    def X(self) -> Any:
        """The data of the points."""
        return self.points.X

    @property
    def kernel(self) -> Kernel:
        """The kernel, with numbers for its parameters."""
        return self.points.kernel

    @property
    def n_points(self) -> int:
        """The number of points."""
        return self.points.n_points

    @property
    def has_two_classes(self) -> bool:
        """Whether y holds the labels of two classes, separated by f(x) = 0."""
        return False

    def __repr__(self) -> str:
        shown = (f"{name}={getattr(self, name)!r}" for name in self.parameters)
        return f"{type(self).__name__}({self.n_points} points, {', '.join(shown)})"


class KernelProblem(Problem):
    """A problem for any kernel, whose dual is a `BoxQP`.

    Subclasses state their dual (`_dual_qp`) and what the multipliers of its equality constraints
    mean (`bias_value`, `level`).

    Examples
    --------
    >>> from maxmargin.problems import KernelProblem, SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> isinstance(problem, KernelProblem), problem.dual().n_variables
    (True, 4)
    """

    @cached_property
    def _qp(self) -> BoxQP:
        return self._dual_qp()

    def dual(self) -> BoxQP:
        """Return the dual as a quadratic program in signed variables."""
        return self._qp

    @abstractmethod
    def _dual_qp(self) -> BoxQP: ...

    @property
    def dual_kernel(self) -> Kernel:
        """The kernel of the dual's quadratic form."""
        return self.kernel

    @property
    def constant(self) -> float:
        """The constant that a regularised bias adds to the kernel."""
        return self.bias.eps if isinstance(self.bias, Regularised) else 0.0

    def in_unit_weights(self) -> tuple[KernelProblem, float]:
        """Return a problem with the same decisions in better units, and that unit; see `NuForm`."""
        return self, 1.0

    @property
    def _zero_sum(self) -> Floats:
        """The right-hand side of sum(b) = 0, the constraint that a free bias adds to the dual."""
        return np.zeros(1 if isinstance(self.bias, Free) else 0)

    def primal_value(self, norm_squared: float, constraint: Floats, offsets: Floats) -> float:
        """Return the primal objective.

        Parameters
        ----------
        norm_squared : float
            |w|^2, including a regularised bias.
        constraint : ndarray of shape (m,)
            c of `maxmargin.problems.quadratic`; the slack is max(0, -c).
        offsets : ndarray of shape (k,)
            Multipliers of the dual's equality constraints.
        """
        qp = self.dual()
        slack = np.maximum(0.0, -constraint)
        return 0.5 * norm_squared + qp.penalty(slack) - float(qp.total @ offsets)

    def bias_value(self, coefficients: Floats, offsets: Floats) -> float:
        """Return b of the decision function."""
        if isinstance(self.bias, Regularised):
            return float(self.bias.eps * coefficients.sum())
        return float(-offsets.mean())

    @abstractmethod
    def level(self, norm_squared: float, offsets: Floats) -> float:
        """Return the level of the margin condition: 1, rho, epsilon or R^2."""

    @property
    def margin_scale(self) -> float:
        """The natural size of a margin, wherever the origin is; violations are relative to it."""
        return 1.0

    def baseline(self, X: Any) -> Floats | float:
        """Return the term that is added to w'phi(x) + b: zero except for the sphere."""
        del X
        return 0.0


class NuForm(KernelProblem):
    """A problem whose dual has no linear term: w, b and rho are as large as the weights.

    So weights t s have the solution of s times t, and the same decisions.
    """

    @cached_property
    def largest_multiplier(self) -> float:
        """The largest value that a multiplier can have: its weight or, if smaller, its sum."""
        qp = self.dual()
        largest = [
            min(float(qp.cost[members].max(initial=0.0)), abs(float(total)))
            for members, total in zip(qp.groups, qp.total, strict=True)
        ]
        return max(largest)

    def in_unit_weights(self) -> tuple[KernelProblem, float]:
        """Return the problem with weights near one, and what that divides them by."""
        if self.largest_multiplier < _SMALLEST_MULTIPLIER:
            raise InvalidInputError(
                f"The weights leave the multipliers at most {self.largest_multiplier:g}, whose "
                "square float64 cannot hold: scale sample_weight and class_weight to moderate "
                "numbers."
            )
        # A power of two, so that nothing is rounded.
        exponent = int(np.frexp(self.largest_multiplier)[1]) - 1
        if exponent == 0:
            return self, 1.0
        names = set(signature(type(self)).parameters) - {"X", "kernel", "sample_weight"}
        given = {name: getattr(self, name) for name in names}
        weight = np.ldexp(self.sample_weight, -exponent)
        problem = type(self).posed(self.points, sample_weight=weight, **given)
        return problem, float(np.ldexp(1.0, exponent))


class PenalisedSlack(KernelProblem):
    """A problem with the penalty C, which some authors write as a weight lambda of |w|^2."""

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
            As in the constructor, except C.

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
        problem = cls(X, y, **others)  # type: ignore[call-arg]
        total = float(problem.sample_weight.sum())
        return problem.replace(C=1.0 / ((1 if form == "half" else 2) * value * total))


def slack_cost(C: float, weight: Floats, *, squared: bool) -> tuple[Floats, Floats]:
    """Return cost and ridge of the dual for the penalty C weight slack, or C weight slack^2."""
    n = len(weight)
    if not squared:
        return C * weight, np.zeros(n)
    if weight.strides == (0,) and weight[0] == 1.0:  # the default weights, one number read n times
        return np.full(n, np.inf), np.full(n, 0.5 / C)
    used = weight > 0
    ridge = np.divide(0.5, C * weight, out=np.zeros(n), where=used)
    return np.where(used, np.inf, 0.0), ridge
