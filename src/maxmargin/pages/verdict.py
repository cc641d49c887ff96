"""What a certificate proves, as a mark and a few words that follow the relative gap."""

from __future__ import annotations

from typing import NamedTuple

from maxmargin.certificates import Certificate, FitCertificate
from maxmargin.pages.words import fraction, small

__all__ = ["CLOSE", "ROUNDING", "Verdict", "at_tolerance", "verdict"]

#: The largest relative gap that gets a tick: the objective is within a thousandth of the optimum.
CLOSE = 1e-3

# A relative gap from here on is shown as 1.
_NO_BOUND = 0.995

#: Rounding alone can make a dual value exceed a primal one by this fraction.
ROUNDING = 1e-9


class Verdict(NamedTuple):
    """A mark, the class of its colour on a page ("yes", "doubt" or "no"), and words."""

    mark: str
    kind: str
    words: str


_NOTHING = Verdict("✗", "no", "nothing is proved")
_SEVERITY = ("yes", "doubt", "no")


def verdict(certificate: Certificate | FitCertificate) -> Verdict:
    """Return what is proved: an optimum, how far off it may be, or nothing.

    A fit has the verdict of its worst machine. A relative gap of 1, as it is shown, proves nothing,
    because then the lower bound is zero.
    """
    if isinstance(certificate, FitCertificate):
        found = [verdict(machine) for machine in certificate.machines]
        return max(found, key=lambda each: _SEVERITY.index(each.kind))
    gap = certificate.relative_gap
    if not (certificate.convexity.holds and -ROUNDING <= gap < _NO_BOUND):
        return _NOTHING
    short = max(gap, certificate.feasibility)
    if short <= CLOSE:
        return Verdict("✓", "yes", f"optimal to {small(short)}" if short > 0 else "optimal")
    return Verdict("!", "doubt", f"the optimum may be {fraction(short)} lower")


def at_tolerance(certificate: Certificate, tol: float) -> Verdict:
    """Return whether a certificate holds to a tolerance."""
    if certificate.holds(tol):
        return Verdict("✓", "yes", "certified")
    found = verdict(certificate)
    return found if found.kind == "no" else Verdict("!", "doubt", f"not to {tol:g}")
