"""Certificates: what is proved about a solution, or about all machines of a fit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from maxmargin.certificates.constraints import constraints_of
from maxmargin.certificates.convexity import Convexity, examine_convexity
from maxmargin.certificates.measures import Measured, Measures, measure_solution
from maxmargin.certificates.subjects import Solved, one_solution
from maxmargin.certificates.table import KKTTable, places_of
from maxmargin.errors import InvalidInputError
from maxmargin.problems import Case, KernelProblem, Problem
from maxmargin.typing import Integers

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

__all__ = ["Certificate", "FitCertificate", "certified", "certify"]

# If rounding makes up most of a relative gap larger than this, the claim says so.
_NOTABLE = 1e-6


@dataclass(frozen=True)
class Certificate(Measured):
    """What is proved about a solution, made by `certify`.

    Attributes
    ----------
    measures : Measures
        The numbers below.
    primal, dual, gap, relative_gap, kkt_violation, feasibility : float
        As in `Measures`. No solution is better than this one by more than the gap.
    convexity : Convexity
        Whether the dual is convex, and what can be claimed if it is not.
    n_free, n_bounded : int
        The number of constraints with 0 < a < C (on the margin) and with a = C.
    classes : tuple
        The classes of an estimator's machine: two classes, (class, None) for one against the rest,
        all classes of one machine for many, or () without classes.
    problem, solution
        The problem and the solution; None in a certificate that was pickled or read from a file,
        which holds numbers but no data.

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

    measures: Measures
    convexity: Convexity
    n_free: int
    n_bounded: int
    classes: tuple[Any, ...] = ()
    problem: Problem | None = field(default=None, compare=False)
    solution: Solved | None = field(default=None, compare=False)
    rows: Integers | None = field(default=None, compare=False)

    def holds(self, tol: float = 1e-6) -> bool:
        """Say whether the solution is proved to be optimal up to the tolerance.

        That is true if the dual is convex and the relative gap, the KKT violation and the dual
        infeasibility are at most tol. It is false for an indefinite kernel, because nothing is
        proved about the global optimum; `claim` says what can be claimed.
        """
        numbers = (abs(self.relative_gap), self.kkt_violation, self.feasibility)
        return self.convexity.holds and all(number <= tol for number in numbers)

    @property
    def claim(self) -> str:
        """A sentence that says what these numbers prove."""
        if not self.convexity.holds:
            return self.convexity.claim
        if self.gap < 0:
            return (
                f"Nothing is proved: the dual value exceeds the primal one by {-self.gap:.3g}, "
                "which rounding does not explain. The kernel is not what it is said to be."
            )
        proved = (
            f"No solution has an objective lower by more than {self.gap:.3g}, "
            f"a fraction of {self.relative_gap:.3g}."
        )
        if self.relative_gap > _NOTABLE and self.rounding > 0.5 * self.gap:
            return (
                f"{proved} Rounding alone may account for {self.rounding:.3g} of it: the numbers "
                "are too large for float64 to tell more. Centre and scale the features."
            )
        return proved

    def summary(self) -> str:
        """Return the certificate as a few lines of text."""
        lines = [f"{name:<16}{value}" for name, value in self._entries()]
        return "\n".join([*lines, self.claim])

    def table(self) -> KKTTable:
        """Return the KKT conditions point by point."""
        return self._kkt_table

    @cached_property
    def _kkt_table(self) -> KKTTable:
        if self.problem is None or self.solution is None:
            raise InvalidInputError(
                "This certificate was pickled or read from a file and holds numbers only: the "
                "table needs the training data. Fit again, or certify the problem again."
            )
        title = f"KKT conditions of {self.problem!r}"
        if len(self.classes) == 2 and self.classes[1] is None:
            title += f", class {self.classes[0]!r} against the rest"
        elif self.classes:
            title += f", classes {' and '.join(map(repr, self.classes))}"
        constraints = constraints_of(self.problem, self.solution)
        return KKTTable.of(constraints, title, places_of(self.problem), self.rows)

    def of_classes(self, *classes: Any, rows: Integers | None = None) -> Certificate:
        """Return the same certificate with the classes and training rows of its machine."""
        return replace(self, classes=classes, rows=rows)

    @property
    def _title(self) -> str:
        return "Certificate" if self.problem is None else repr(self.problem)

    def __getstate__(self) -> dict[str, Any]:
        state = {**self.__dict__, "problem": None, "solution": None, "rows": None}
        state.pop("_kkt_table", None)
        return state

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
        from rich.table import Table

        del console, options
        table = Table(title=self._title, caption=self.claim, show_header=False)
        for name, value in self._entries():
            table.add_row(name, value)
        yield table

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>"
            for name, value in self._entries()
        )
        return (
            f"<table><caption>{escape(self._title)}</caption><tbody>{rows}</tbody></table>"
            f"<p>{escape(self.claim)}</p>"
        )


def certify(problem: Problem, solution: Any) -> Certificate:
    """Compute from problem and solution alone what is proved about the solution.

    Parameters
    ----------
    problem : Problem
        The problem that the solution should solve. It may differ from the problem for which the
        solution was found (same points, other C), to see how far from its optimum that is.
    solution : Solution, or a fitted estimator of one machine
        Only its multipliers, offsets and weights are used, nothing else that a solver computed.

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
    if not isinstance(problem, Problem):
        raise InvalidInputError(
            f"certify takes a problem and a solution, in this order; got "
            f"{type(problem).__name__} and {type(solution).__name__}."
        )
    return certified(problem, one_solution(solution))


def certified(problem: Problem, solution: Solved) -> Certificate:
    """Return the certificate of a solution, without the checks of types in `certify`."""
    if isinstance(problem, KernelProblem):
        qp = problem.dual()
        if solution.dual.shape != (qp.n_variables,) or solution.offsets.shape != qp.total.shape:
            raise InvalidInputError(
                f"The solution has {len(solution.dual)} multipliers and {len(solution.offsets)} "
                f"offsets; this problem has {qp.n_variables} and {len(qp.total)}. Certify a "
                "solution with a problem on the same points."
            )
        case = qp.case(solution.dual)
        is_convex = problem.dual_kernel.positive_semidefinite is True
        convexity = Convexity(True) if is_convex else examine_convexity(problem, case)
    else:
        case = constraints_of(problem, solution).case
        convexity = Convexity(True)
    return Certificate(
        measures=measure_solution(problem, solution),
        convexity=convexity,
        n_free=int(np.count_nonzero(case == Case.FREE)),
        n_bounded=int(np.count_nonzero(case == Case.BOUNDED)),
        problem=problem,
        solution=solution,
    )


@dataclass(frozen=True)
class FitCertificate(Measured):
    """What is proved about a fit; its numbers are those of its worst machine.

    Attributes
    ----------
    machines : tuple of Certificate
        One per machine (a pair of classes, a class, or all data), the largest relative gap first.
    measures : Measures
        The values of the worst machine, and the largest violations of all machines.
    primal, dual, gap, relative_gap, kkt_violation, feasibility : float
        As in `measures`.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> certificate = SVC(tol=1e-6).fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]).certificate_
    >>> certificate.holds(1e-5), len(certificate.machines)
    (True, 1)
    """

    machines: tuple[Certificate, ...]
    measures: Measures = field(repr=False)

    @classmethod
    def of(cls, machines: Iterable[Certificate]) -> Self:
        """Return the certificate of a fit with these machines, in any order."""
        worst_first = sorted(machines, key=lambda machine: -abs(machine.relative_gap))
        measures = replace(
            worst_first[0].measures,
            kkt_violation=max(machine.kkt_violation for machine in worst_first),
            feasibility=max(machine.feasibility for machine in worst_first),
        )
        return cls(tuple(worst_first), measures)

    @property
    def worst(self) -> Certificate:
        """The machine with the largest relative gap."""
        return self.machines[0]

    def summary(self) -> str:
        """Return one line per machine, the worst first, and a sentence on what is proved.

        Examples
        --------
        >>> from maxmargin import SVC
        >>> machine = SVC(tol=1e-6).fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
        >>> print(machine.certificate_.summary().splitlines()[0])
        classes              primal           dual   relative gap  KKT violation
        """
        heads = ("primal", "dual", "relative gap", "KKT violation")
        lines = [f"{'classes':<12}" + "".join(f"{head:>15}" for head in heads)]
        for machine in self.machines:
            values = f"{machine.primal:>15.6g}{machine.dual:>15.6g}"
            errors = f"{machine.relative_gap:>15.2e}{machine.kkt_violation:>15.2e}"
            lines.append(f"{machine.classes!s:<12}{values}{errors}")
        return "\n".join([*lines, str(self)])

    def table(self) -> KKTTable:
        """Return the KKT conditions of the worst machine, point by point."""
        return self.worst.table()

    @property
    def n_free(self) -> int:
        """The number of free multipliers of the worst machine."""
        return self.worst.n_free

    @property
    def n_bounded(self) -> int:
        """The number of multipliers of the worst machine at their upper bound."""
        return self.worst.n_bounded

    @property
    def claim(self) -> str:
        """A sentence that says what is proved about the worst machine."""
        return self.worst.claim

    def holds(self, tol: float = 1e-6) -> bool:
        """Say whether every machine is proved to be optimal up to the tolerance."""
        return all(machine.holds(tol) for machine in self.machines)

    def __str__(self) -> str:
        n = len(self.machines)
        return (
            f"{n} machine{'s' if n != 1 else ''}, relative gap {self.relative_gap:.2e}, "
            f"KKT violation {self.kkt_violation:.2e}. {self.claim}"
        )
