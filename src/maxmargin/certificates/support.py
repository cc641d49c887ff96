"""Support-vector analysis: how many points are free and bounded support vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.certificates.constraints import constraints_of
from maxmargin.certificates.subjects import one_solution
from maxmargin.kernels import Kernel
from maxmargin.problems import Case

__all__ = ["SideSupport", "SupportAnalysis", "analyse_support"]


@dataclass(frozen=True)
class SideSupport:
    """The numbers of support vectors of one side.

    Attributes
    ----------
    n_points : int
        Points of that side.
    n_free : int
        Those with 0 < a < C, on the margin.
    n_bounded : int
        Those with a = C, inside the band or on the wrong side.

    Examples
    --------
    >>> from maxmargin.certificates import SideSupport
    >>> SideSupport(n_points=10, n_free=2, n_bounded=3).ratio
    0.5
    """

    n_points: int
    n_free: int
    n_bounded: int

    @property
    def n_support(self) -> int:
        """The number of support vectors, a > 0."""
        return self.n_free + self.n_bounded

    @property
    def ratio(self) -> float:
        """The share of the points that are support vectors."""
        return self.n_support / self.n_points if self.n_points else 0.0


@dataclass(frozen=True)
class SupportAnalysis:
    """The numbers of support vectors, in total and per side.

    Attributes
    ----------
    kernel : Kernel
        The kernel of the machine.
    total : SideSupport
        Both sides together; a point on both sides of a tube counts once.
    sides : dict
        By sign: the label, or +1 above and -1 below the tube.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.certificates import analyse_support
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> analysis = analyse_support(solve(problem))
    >>> analysis.total.n_free, analysis.sides[1].n_bounded
    (2, 1)
    """

    kernel: Kernel
    total: SideSupport
    sides: dict[int, SideSupport]

    def __str__(self) -> str:
        lines = [f"{self.kernel!r}: {_describe(self.total)}"]
        if len(self.sides) > 1:
            lines += [f"  side {side:+d}: {_describe(part)}" for side, part in self.sides.items()]
        return "\n".join(lines)


def analyse_support(subject: Any, machine: int | None = None) -> SupportAnalysis:
    """Count free and bounded support vectors, in total and per side.

    Parameters
    ----------
    subject : Solution, fitted estimator, pipeline or search
        The machine to analyse.
    machine : int, optional
        The index of the machine in an estimator's ``machines_``, if it has several.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> from maxmargin.certificates import analyse_support
    >>> model = SVC(kernel="linear").fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    >>> print(analyse_support(model))
    Linear(): 4 support vectors of 4 (100%), 2 free and 2 bounded
      side -1: 2 support vectors of 2 (100%), 1 free and 1 bounded
      side +1: 2 support vectors of 2 (100%), 1 free and 1 bounded
    """
    solution = one_solution(subject, machine)
    constraints = constraints_of(solution.problem, solution)
    side, case = constraints.side, constraints.case
    by_point = np.full(solution.problem.n_points, Case.ZERO, dtype=np.int8)
    np.maximum.at(by_point, constraints.point, case)
    sides = {int(s): _counted(case[side == s]) for s in np.unique(side)}
    return SupportAnalysis(solution.problem.kernel, _counted(by_point), sides)


def _counted(case: NDArray[np.int8]) -> SideSupport:
    return SideSupport(
        n_points=len(case),
        n_free=int(np.count_nonzero(case == Case.FREE)),
        n_bounded=int(np.count_nonzero(case == Case.BOUNDED)),
    )


def _describe(part: SideSupport) -> str:
    return (
        f"{part.n_support} support vectors of {part.n_points} ({part.ratio:.0%}), "
        f"{part.n_free} free and {part.n_bounded} bounded"
    )
