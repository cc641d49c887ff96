"""When to stop: an accuracy to reach, limits not to pass."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from maxmargin.certify import Measures
from maxmargin.solvers.options import positive, whole

__all__ = ["Stop"]


@dataclass(frozen=True)
class Stop:
    """A stopping rule.

    A run ends when every accuracy that is given has been reached, or when any limit has. Without
    an accuracy the solver's own is used; without a limit of iterations, the solver's own limit.

    Parameters
    ----------
    gap : float, optional
        Relative duality gap to reach.
    kkt : float, optional
        KKT violation to reach, in units of the margin.
    seconds : float, optional
        Wall time not to pass.
    iterations : int, optional
        Iterations not to pass, in the solver's own unit.

    Examples
    --------
    >>> from maxmargin import Stop, solve
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> solution = solve(problem, solver="smo", stop=Stop(iterations=1))
    >>> solution.converged
    False
    """

    gap: float | None = None
    kkt: float | None = None
    seconds: float | None = None
    iterations: int | None = None

    def __post_init__(self) -> None:
        for name in ("gap", "kkt", "seconds", "iterations"):
            value = getattr(self, name)
            if value is not None:
                checked = whole if name == "iterations" else positive
                object.__setattr__(self, name, checked(value, f"Stop({name}=...)"))

    def completed_by(self, default: Stop) -> Self:
        """Fill what is not given from the solver's defaults."""
        filled = self
        if self.gap is None and self.kkt is None:
            filled = replace(filled, gap=default.gap, kkt=default.kkt)
        if self.iterations is None:
            filled = replace(filled, iterations=default.iterations)
        return filled

    @property
    def accuracy(self) -> float:
        """The tighter of the accuracies that are given."""
        return min((value for value in (self.gap, self.kkt) if value is not None), default=1e-8)

    def reached_by(self, measures: Measures) -> bool:
        """Say whether every accuracy that is given has been reached."""
        wanted = ((self.gap, abs(measures.relative_gap)), (self.kkt, measures.kkt_violation))
        return all(limit is None or value <= limit for limit, value in wanted)
