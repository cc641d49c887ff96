"""The certificate: what is proved about a solution, recomputed in float64 from the problem."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from rich.table import Table as RichTable

from maxmargin.certify.convexity import Convexity, examine_convexity
from maxmargin.certify.measure import Measures, measure
from maxmargin.certify.table import CASES, LEFT_OUT, KKTRow, KKTTable
from maxmargin.errors import InvalidInputError
from maxmargin.problems import Case, Problem, Solution

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

__all__ = ["Certificate", "certify"]

# What the rounding of long sums in float64 amounts to; no smaller gap is claimed.
_ROUNDING = 1e-11


@dataclass(frozen=True, eq=False)
class Certificate:
    """Proof of how good a solution is, made by `certify`.

    Attributes
    ----------
    problem, solution
        What was certified.
    measures : Measures
        The numbers; each is also an attribute of the certificate.
    convexity : Convexity
        Whether the dual is convex, and what can be claimed if it is not.
    n_free, n_bounded : int
        Constraints with 0 < a < C (on the margin) and with a = C.

    Examples
    --------
    >>> from maxmargin import certify, solve
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> certificate = certify(problem, solve(problem))
    >>> certificate.n_free, certificate.n_bounded
    (2, 2)
    >>> certificate.gap < 1e-9
    True
    """

    problem: Problem
    solution: Solution
    measures: Measures
    convexity: Convexity
    n_free: int
    n_bounded: int

    @property
    def primal(self) -> float:
        """Primal value."""
        return self.measures.primal

    @property
    def dual(self) -> float:
        """Dual value."""
        return self.measures.dual

    @property
    def gap(self) -> float:
        """Primal minus dual value: no solution can be better than this one by more."""
        return self.measures.gap

    @property
    def relative_gap(self) -> float:
        """The gap over the larger objective value."""
        return self.measures.relative_gap

    @property
    def kkt_violation(self) -> float:
        """The largest violation of a KKT condition, in units of the margin."""
        return self.measures.kkt_violation

    @property
    def feasibility(self) -> float:
        """The largest violation of the dual's constraints, relative to the multipliers."""
        return self.measures.feasibility

    def holds(self, tol: float = 1e-6) -> bool:
        """Say whether this proves the solution optimal to the tolerance.

        True where the dual is convex and relative gap, KKT violation and dual infeasibility are at
        most tol. For an indefinite kernel nothing is proved about the global optimum and the
        answer is False; `claim` says what remains.
        """
        numbers = (abs(self.relative_gap), self.kkt_violation, self.feasibility)
        return self.convexity.holds and all(number <= tol for number in numbers)

    @property
    def claim(self) -> str:
        """A sentence on what these numbers prove."""
        if not self.convexity.holds:
            return self.convexity.claim
        if self.relative_gap < -_ROUNDING:
            return (
                f"Nothing is proved: the dual value exceeds the primal one by {-self.gap:.3g}, "
                "more than the rounding of sums explains. The kernel values are too inaccurate "
                "on this data; centre and scale the features."
            )
        rounding = _ROUNDING * max(abs(self.primal), abs(self.dual))
        return (
            f"No solution has an objective lower by more than {max(self.gap, rounding):.3g}, "
            f"a fraction of {max(self.relative_gap, _ROUNDING):.3g}."
        )

    def summary(self) -> str:
        """Return the certificate as a few lines of text."""
        lines = [f"{name:<16}{value}" for name, value in self._entries()]
        return "\n".join([*lines, self.claim])

    @cached_property
    def _kkt_table(self) -> KKTTable:
        qp = self.problem.dual()
        multipliers = self.solution.dual
        signed = qp.sign * multipliers
        gradient = qp.gradient(signed)
        constraint = qp.constraint(signed, gradient, self.solution.offsets)
        decision = self.problem.training_decision(qp.coefficients(signed), self.solution.offsets)[
            qp.point
        ]
        soft = np.isfinite(qp.cost) | (qp.ridge > 0)
        slack = np.where(soft, np.maximum(0.0, -constraint), 0.0) + 0.0
        # A squared loss has no upper bound; its second condition is a = slack / ridge.
        upper = np.where(qp.ridge > 0, 0.0, np.where(np.isinf(qp.cost), 0.0, qp.cost - multipliers))
        excess = np.where(qp.ridge > 0, np.abs(qp.ridge * multipliers - slack), 0.0)
        complementarity = np.maximum(
            np.abs(multipliers * (constraint + slack)), np.maximum(np.abs(upper * slack), excess)
        )
        margin = qp.sign * decision if self.problem.has_two_classes else constraint
        case = qp.case(multipliers)
        rows = tuple(
            KKTRow(
                point=int(qp.point[i]),
                side=int(qp.sign[i]),
                multiplier=float(multipliers[i]),
                cost=float(qp.cost[i]),
                decision=float(decision[i]),
                margin=float(margin[i]),
                constraint=float(constraint[i]),
                slack=float(slack[i]),
                case=CASES[Case(case[i])] if qp.cost[i] > 0 else LEFT_OUT,
                primal_residual=float(max(0.0, -(constraint[i] + slack[i]))),
                dual_residual=float(max(0.0, -multipliers[i], multipliers[i] - qp.cost[i])),
                complementarity=float(complementarity[i]),
            )
            for i in range(qp.n_variables)
        )
        return KKTTable(rows, f"KKT conditions of {self.problem!r}")

    def table(self) -> KKTTable:
        """Return the KKT conditions point by point."""
        return self._kkt_table

    def _entries(self) -> list[tuple[str, str]]:
        return [
            ("primal", f"{self.primal:.10g}"),
            ("dual", f"{self.dual:.10g}"),
            ("gap", f"{self.gap:.3e}"),
            ("relative gap", f"{self.relative_gap:.3e}"),
            ("KKT violation", f"{self.kkt_violation:.3e}"),
            ("infeasibility", f"{self.feasibility:.3e}"),
            ("support vectors", f"{self.n_free} free, {self.n_bounded} bounded"),
        ]

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return (
            f"<Certificate: primal {self.primal:.8g}, dual {self.dual:.8g}, "
            f"relative gap {self.relative_gap:.2e}, KKT violation {self.kkt_violation:.2e}>"
        )

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        del console, options
        table = RichTable(title=repr(self.problem), caption=self.claim, show_header=False)
        for name, value in self._entries():
            table.add_row(name, value)
        yield table

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>"
            for name, value in self._entries()
        )
        return (
            f"<table><caption>{escape(repr(self.problem))}</caption><tbody>{rows}</tbody></table>"
            f"<p>{escape(self.claim)}</p>"
        )


def certify(problem: Problem, solution: Solution) -> Certificate:
    """Recompute from problem and solution alone what is proved about the solution.

    Parameters
    ----------
    problem : Problem
        The problem that the solution should solve; it may differ from the one it was found for
        (same points, other C) to see how far off it is.
    solution : Solution
        Its multipliers and offsets are taken, nothing that the solver computed besides.

    Returns
    -------
    Certificate
        In float64.

    Examples
    --------
    >>> from maxmargin import certify, solve
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1], C=1)
    >>> certificate = certify(problem, solve(problem))
    >>> round(certificate.primal, 6), certificate.holds(1e-6)
    (2.888889, True)
    """
    if not isinstance(problem, Problem) or not isinstance(solution, Solution):
        raise InvalidInputError(
            f"certify takes a problem and a solution, in this order; got "
            f"{type(problem).__name__} and {type(solution).__name__}."
        )
    qp = problem.dual()
    if solution.dual.shape != (qp.n_variables,) or solution.offsets.shape != qp.total.shape:
        raise InvalidInputError(
            f"The solution has {len(solution.dual)} multipliers and {len(solution.offsets)} "
            f"offsets; this problem has {qp.n_variables} and {len(qp.total)}. Certify a solution "
            "with a problem on the same points."
        )
    case = qp.case(solution.dual)
    return Certificate(
        problem=problem,
        solution=solution,
        measures=measure(problem, qp.sign * solution.dual, solution.offsets),
        convexity=examine_convexity(problem, case),
        n_free=int(np.count_nonzero(case == Case.FREE)),
        n_bounded=int(np.count_nonzero(case == Case.BOUNDED)),
    )
