"""The proof of a fit: certificate, slacks and margins, made when first asked for.

They are recomputed in float64 from the training data, which can cost more than the fit; once made
they need the data no more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from maxmargin.certify import Certificate, certify
from maxmargin.errors import InvalidInputError
from maxmargin.problems import EpsilonTube, NuMargin, NuTube, Solution
from maxmargin.typing import Floats, Integers

__all__ = [
    "FitCertificate",
    "Machine",
    "MachineCertificate",
    "NoProofError",
    "Proof",
    "Provable",
    "Proved",
]


@dataclass(frozen=True)
class MachineCertificate:
    """What is proved about one machine of a fit.

    Attributes
    ----------
    classes : tuple
        The two classes it separates, (class, None) against the rest, or () without classes.
    primal, dual, gap, relative_gap, kkt_violation, feasibility : float
        As in `maxmargin.Certificate`.
    n_free, n_bounded : int
        Multipliers between their bounds and at the upper one.
    convex : bool
        Whether the dual is known to be convex.
    claim : str
        A sentence on what these numbers prove.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> machine = SVC().fit([[0.0], [1.0], [2.0]], ["a", "b", "c"])
    >>> sorted(found.classes for found in machine.certificate_.machines)
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """

    classes: tuple[Any, ...]
    primal: float
    dual: float
    gap: float
    relative_gap: float
    kkt_violation: float
    feasibility: float
    n_free: int
    n_bounded: int
    convex: bool
    claim: str

    @classmethod
    def of(cls, certificate: Certificate, classes: tuple[Any, ...]) -> MachineCertificate:
        """Return the numbers of a certificate, without the data it refers to."""
        measures = certificate.measures
        return cls(
            classes,
            measures.primal,
            measures.dual,
            measures.gap,
            measures.relative_gap,
            measures.kkt_violation,
            measures.feasibility,
            certificate.n_free,
            certificate.n_bounded,
            certificate.convexity.holds,
            certificate.claim,
        )

    def holds(self, tol: float = 1e-6) -> bool:
        """Say whether this proves the machine optimal to the tolerance."""
        numbers = (abs(self.relative_gap), self.kkt_violation, self.feasibility)
        return self.convex and all(number <= tol for number in numbers)


@dataclass(frozen=True)
class FitCertificate:
    """What is proved about a fit: its numbers are those of its worst machine.

    Attributes
    ----------
    machines : tuple of MachineCertificate
        One a pair of classes (or a class, or one in all), that with the largest relative gap
        first.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> certificate = SVC(tol=1e-6).fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]).certificate_
    >>> certificate.holds(1e-5), len(certificate.machines)
    (True, 1)
    """

    machines: tuple[MachineCertificate, ...]

    @property
    def worst(self) -> MachineCertificate:
        """The machine with the largest relative gap."""
        return self.machines[0]

    def summary(self) -> str:
        """Return one line a machine, the worst first, and what is proved.

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

    @property
    def primal(self) -> float:
        """Primal value of the worst machine."""
        return self.worst.primal

    @property
    def dual(self) -> float:
        """Dual value of the worst machine."""
        return self.worst.dual

    @property
    def gap(self) -> float:
        """Primal minus dual value of the worst machine."""
        return self.worst.gap

    @property
    def relative_gap(self) -> float:
        """The largest relative gap."""
        return self.worst.relative_gap

    @property
    def kkt_violation(self) -> float:
        """The largest violation of a KKT condition in any machine, in units of its margin."""
        return max(machine.kkt_violation for machine in self.machines)

    @property
    def feasibility(self) -> float:
        """The largest violation of a dual constraint in any machine."""
        return max(machine.feasibility for machine in self.machines)

    @property
    def n_free(self) -> int:
        """Free multipliers of the worst machine."""
        return self.worst.n_free

    @property
    def n_bounded(self) -> int:
        """Multipliers of the worst machine at their upper bound."""
        return self.worst.n_bounded

    @property
    def claim(self) -> str:
        """A sentence on what is proved about the worst machine."""
        return self.worst.claim

    def holds(self, tol: float = 1e-6) -> bool:
        """Say whether every machine is proved optimal to the tolerance."""
        return all(machine.holds(tol) for machine in self.machines)

    def __str__(self) -> str:
        return (
            f"{len(self.machines)} machine(s), relative gap {self.relative_gap:.2e}, "
            f"KKT violation {self.kkt_violation:.2e}. {self.claim}"
        )


class Provable(Protocol):
    """One machine of a fit: the training points it is about, and how to prove it."""

    @property
    def rows(self) -> Integers | slice:
        """The machine's training points."""

    def prove(self) -> tuple[MachineCertificate, Floats, float]:
        """Return its certificate, the slack of each of its points, and its margin."""


@dataclass(frozen=True, eq=False)
class Machine:
    """A machine that is its multipliers: `solution` makes its solution."""

    solution: Callable[[], Solution]
    rows: Integers | slice
    classes: tuple[Any, ...] = ()

    def prove(self) -> tuple[MachineCertificate, Floats, float]:
        """Return its certificate, the slack of each of its points, and its margin."""
        solution = self.solution()
        certificate = certify(solution.problem, solution)
        return MachineCertificate.of(certificate, self.classes), *_slack_and_margin(solution)


@dataclass(frozen=True, eq=False)
class Proved:
    """The proof itself."""

    certificate: FitCertificate
    slack: Floats
    margin: Floats


class NoProofError(InvalidInputError, AttributeError):
    """The proof could not be made when the model was saved."""


class Proof:
    """The proof of a fit, made on first use; the training data is let go then."""

    #: Why there is no proof, in a copy that has not the data to try again.
    _failure: str | None = None

    def __init__(self, machines: Sequence[Provable], n_points: int) -> None:
        self._machines: Sequence[Provable] | None = machines
        self._n_points = n_points
        self._proved: Proved | None = None

    @classmethod
    def of(cls, proved: Proved) -> Proof:
        """Return a proof that was made before."""
        proof = cls((), len(proved.slack))
        proof._machines, proof._proved = None, proved
        return proof

    @classmethod
    def missing(cls, why: str) -> Proof:
        """Return the proof of a fit whose data are not there, with a sentence on it."""
        proof = cls((), 0)
        proof._machines, proof._failure = None, why
        return proof

    def result(self) -> Proved:
        """Return the proof, made now if it is not there yet."""
        if self._failure is not None:
            raise NoProofError(self._failure)
        if self._proved is None:
            assert self._machines is not None
            self._proved = _prove(self._machines, self._n_points)
            self._machines = None
        return self._proved

    def __getstate__(self) -> dict[str, Any]:
        try:
            self.result()
        except Exception as error:
            return {**self.__dict__, "_machines": None, "_failure": str(error)}
        return dict(self.__dict__)


def _prove(machines: Sequence[Provable], n_points: int) -> Proved:
    found = []
    slack = np.zeros((n_points, len(machines)))
    margin = np.zeros(len(machines))
    for k, machine in enumerate(machines):
        certificate, slack[machine.rows, k], margin[k] = machine.prove()
        found.append(certificate)
    found.sort(key=lambda proved: -abs(proved.relative_gap))
    return Proved(FitCertificate(tuple(found)), slack, margin)


def _slack_and_margin(solution: Solution) -> tuple[Floats, float]:
    """Return the slacks and the margin, in the scale of the estimator's decision values."""
    problem, slack, level = solution.problem, solution.slack, solution.level
    if isinstance(problem, EpsilonTube | NuTube):
        return slack, level
    c = solution.coefficients
    gram = problem.dual().gram
    norm_squared = float(c @ (gram @ c)) - gram.constant * float(c.sum()) ** 2
    margin = level / norm_squared**0.5 if norm_squared > 0 else float("inf")
    if isinstance(problem, NuMargin) and level > 0:
        slack = slack / level
    return slack, margin
