"""Step schedules of the subgradient methods.

A step eta in (0, 1] moves the coefficients to (1 - eta) b + eta b', where b' is the step's target:
eta = lambda times the learning rate of the lambda-parametrised objective, whose modulus of strong
convexity is lambda.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import inf

from maxmargin.solvers.options import as_float, finite_from_zero, require

__all__ = ["ConstantStep", "InverseRoot", "InverseTime", "Schedule"]


class Schedule(ABC):
    """Length of the t-th step, t = 1, 2, ...

    Examples
    --------
    >>> from maxmargin.solvers import InverseTime, Schedule
    >>> isinstance(InverseTime(), Schedule)
    True
    """

    @abstractmethod
    def __call__(self, t: int) -> float:
        """Return the step length in (0, 1]."""


@dataclass(frozen=True)
class InverseTime(Schedule):
    """eta_t = numerator / (t + numerator - 1 + delay): 1/t by default, as in Pegasos.

    With numerator 2 and no delay the iterate is a weighted mean of all targets in which the t-th
    weighs t. A delay keeps the first steps short.

    Examples
    --------
    >>> from maxmargin.solvers import InverseTime
    >>> [InverseTime()(t) for t in (1, 2, 4)]
    [1.0, 0.5, 0.25]
    """

    numerator: float = 1.0
    delay: float = 0.0

    def __post_init__(self) -> None:
        usable = 1 <= as_float(self.numerator) < inf
        require(usable, "InverseTime(numerator=...)", "be finite and at least 1", self.numerator)
        finite_from_zero(self.delay, "InverseTime(delay=...)")

    def __call__(self, t: int) -> float:
        """Return numerator / (t + numerator - 1 + delay)."""
        return self.numerator / (t + self.numerator - 1 + self.delay)


@dataclass(frozen=True)
class InverseRoot(Schedule):
    """eta_t = scale / sqrt(t).

    Examples
    --------
    >>> from maxmargin.solvers import InverseRoot
    >>> [InverseRoot(0.5)(t) for t in (1, 4)]
    [0.5, 0.25]
    """

    scale: float = 1.0

    def __post_init__(self) -> None:
        usable = 0 < as_float(self.scale) <= 1
        require(usable, "InverseRoot(scale=...)", "lie in (0, 1]", self.scale)

    def __call__(self, t: int) -> float:
        """Return scale / sqrt(t)."""
        return float(self.scale / t**0.5)


@dataclass(frozen=True)
class ConstantStep(Schedule):
    """eta_t = length: converges only to a neighbourhood, which averaging shrinks.

    Examples
    --------
    >>> from maxmargin.solvers import ConstantStep
    >>> ConstantStep(0.1)(1000)
    0.1
    """

    length: float = 0.01

    def __post_init__(self) -> None:
        usable = 0 < as_float(self.length) <= 1
        require(usable, "ConstantStep(length=...)", "lie in (0, 1]", self.length)

    def __call__(self, t: int) -> float:
        """Return the length."""
        del t
        return self.length
