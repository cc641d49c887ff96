"""All solvers, by name."""

from __future__ import annotations

from maxmargin.problems import Problem
from maxmargin.solvers.base import Solver
from maxmargin.solvers.kernel import Decomposition
from maxmargin.solvers.linear import (
    ClassDescent,
    ClassInteriorPoint,
    CoordinateDescent,
    L1Descent,
    LinearInteriorPoint,
    PrimalNewton,
)
from maxmargin.solvers.online import OnlineDescent
from maxmargin.solvers.qp import DualQP, PrimalQP
from maxmargin.solvers.teaching import LBFGSB, SGD, SMO, Subgradient

__all__ = ["SOLVERS", "solvers_for"]

#: Every solver with its default options, by name.
SOLVERS: dict[str, Solver] = {
    solver.name: solver
    for solver in (
        PrimalQP(),
        DualQP(),
        Decomposition(),
        LinearInteriorPoint(),
        PrimalNewton(),
        CoordinateDescent(),
        LBFGSB(),
        SMO(),
        Subgradient(),
        SGD(),
        OnlineDescent(),
        L1Descent(),
        ClassDescent(),
        ClassInteriorPoint(),
    )
}


def solvers_for(problem: Problem) -> list[str]:
    """Return the names of the solvers that can solve a problem.

    Examples
    --------
    >>> from maxmargin.problems import HardMargin
    >>> from maxmargin.solvers import solvers_for
    >>> solvers_for(HardMargin([[0.0], [1.0]], [-1, 1]))
    ['primal-qp', 'dual-qp', 'decomposition', 'smo']
    """
    return [name for name, solver in SOLVERS.items() if solver.refusal(problem) is None]
