"""The certificate of an estimator's fit: the certificates of its machines, the worst first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Self

from maxmargin.certificates.certificate import Certificate
from maxmargin.certificates.measures import Measured, Measures
from maxmargin.certificates.table import KKTTable

__all__ = ["FitCertificate"]


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
