"""Support-vector analysis: how many points carry the machine, and how."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from maxmargin.kernels import Kernel
from maxmargin.problems import Case, Problem, Solution

__all__ = ["SideSupport", "SupportAnalysis", "analyse_support"]


@dataclass(frozen=True)
class SideSupport:
    """Support vectors of one side.

    Attributes
    ----------
    n_points : int
        Constraints of that side.
    n_free : int
        With 0 < a < C: on the margin.
    n_bounded : int
        With a = C: inside the band or on the wrong side.

    Examples
    --------
    >>> from maxmargin.certify import SideSupport
    >>> SideSupport(n_points=10, n_free=2, n_bounded=3).ratio
    0.5
    """

    n_points: int
    n_free: int
    n_bounded: int

    @property
    def n_support(self) -> int:
        """Support vectors: a > 0."""
        return self.n_free + self.n_bounded

    @property
    def ratio(self) -> float:
        """Support vectors over constraints."""
        return self.n_support / self.n_points if self.n_points else 0.0


@dataclass(frozen=True)
class SupportAnalysis:
    """Support vectors in all and by side.

    Attributes
    ----------
    kernel : Kernel
        Of the machine.
    total : SideSupport
        Both sides together.
    sides : dict
        By sign: the label, or +1 above and -1 below the tube.

    Examples
    --------
    >>> from maxmargin import analyse_support, solve
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> analysis = analyse_support(problem, solve(problem))
    >>> analysis.total.n_free, analysis.sides[1].n_bounded
    (2, 1)
    """

    kernel: Kernel
    total: SideSupport
    sides: dict[int, SideSupport]

    def __str__(self) -> str:
        lines = [f"{self.kernel!r}: {_describe(self.total)}"]
        lines += [f"  side {side:+d}: {_describe(part)}" for side, part in self.sides.items()]
        return "\n".join(lines)


def analyse_support(problem: Problem, solution: Solution) -> SupportAnalysis:
    """Count free and bounded support vectors, in all and by side.

    Examples
    --------
    >>> from maxmargin import analyse_support, solve
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1], C=1)
    >>> print(analyse_support(problem, solve(problem)))
    Linear(): 4 support vectors of 4 (100%), 2 free and 2 bounded
      side -1: 2 support vectors of 2 (100%), 1 free and 1 bounded
      side +1: 2 support vectors of 2 (100%), 1 free and 1 bounded
    """
    qp = problem.dual()
    case = qp.case(solution.dual)

    def among(chosen: np.ndarray) -> SideSupport:
        return SideSupport(
            n_points=int(np.count_nonzero(chosen)),
            n_free=int(np.count_nonzero(case[chosen] == Case.FREE)),
            n_bounded=int(np.count_nonzero(case[chosen] == Case.BOUNDED)),
        )

    sides = {int(s): among(qp.sign == s) for s in np.unique(qp.sign)}
    return SupportAnalysis(problem.kernel, among(qp.sign != 0), sides)


def _describe(part: SideSupport) -> str:
    return (
        f"{part.n_support} support vectors of {part.n_points} ({part.ratio:.0%}), "
        f"{part.n_free} free and {part.n_bounded} bounded"
    )
