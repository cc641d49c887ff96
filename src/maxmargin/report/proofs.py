"""What is proved about a machine, or why nothing is, and whether its fit came to its end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.errors import MaxMarginError
from maxmargin.estimators.base import KernelMachine
from maxmargin.estimators.certified import Certified
from maxmargin.estimators.online_base import OnlineMachine
from maxmargin.estimators.proof import FitCertificate, MachineCertificate
from maxmargin.report.words import number, small
from maxmargin.typing import Floats

__all__ = ["Finding", "finding_of", "reached"]

# The rounding of sums alone can make a dual value exceed a primal one by this fraction.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Finding:
    """What is known about the optimisation.

    Attributes
    ----------
    certificate : FitCertificate or None
        Of the fit.
    slack : ndarray of shape (n_training, n_machines) or None
        Of each training row in each machine.
    margin : ndarray of shape (n_machines,) or None
        Of each machine; in regression half the tube's width.
    why_none : str
        Why there is no certificate, if there is none.
    shortfall : str or None
        What is wrong with the fit, if anything is.
    """

    certificate: FitCertificate | None = None
    slack: Floats | None = None
    margin: Floats | None = None
    why_none: str = ""
    shortfall: str | None = None


def reached(machine: FitCertificate | MachineCertificate) -> float:
    """Return the least tolerance to which everything in a certificate holds."""
    return max(abs(machine.relative_gap), machine.kkt_violation, machine.feasibility)


def finding_of(machine: Any) -> Finding:
    """Ask a fitted machine for its proof, which may take as long as the fit."""
    if not isinstance(machine, Certified):
        return _unproved(machine)
    try:
        certificate = machine.certificate_
        slack, margin = np.asarray(machine.slack_), np.atleast_1d(machine.margin_)
    except (MaxMarginError, AttributeError) as error:
        return Finding(why_none=str(error), shortfall=_stopped(machine))
    slack = slack if slack.ndim == 2 else slack[:, None]
    shortfall = _stopped(machine) or _short_of(machine, certificate)
    return Finding(certificate, slack, margin, shortfall=shortfall)


def _unproved(machine: Any) -> Finding:
    name = type(machine).__name__
    shortfall = None
    if isinstance(machine, OnlineMachine) and machine.tol is not None:
        passes = int(machine.n_iter_)
        if passes >= machine.max_iter:
            shortfall = (
                f"The fit used all of its max_iter={machine.max_iter} passes, and may have ended "
                "before its objective stood still: raise max_iter."
            )
    return Finding(
        why_none=f"{name} learns row by row and keeps no multipliers: nothing bounds how far its "
        "objective is from the least one.",
        shortfall=shortfall,
    )


def _stopped(machine: Any) -> str | None:
    if isinstance(machine, KernelMachine) and int(machine.fit_status_) != 0:
        return (
            "The fit did not converge: it ended before the optimality conditions held to "
            f"tol={number(machine.tol)}. The model is one on the way to the machine that was asked "
            "for. Raise max_iter or time_limit, or scale the features."
        )
    return None


def _short_of(machine: Any, certificate: FitCertificate) -> str | None:
    worst = certificate.worst
    for each in certificate.machines:
        if not each.convex:
            return f"No optimum is proved. {each.claim}"
    if worst.relative_gap < -_ROUNDING:
        return worst.claim
    is_linear = not isinstance(machine, KernelMachine)
    if is_linear and worst.relative_gap > max(float(machine.tol), _ROUNDING):
        return (
            f"The fit did not converge: its relative duality gap is {small(worst.relative_gap)} "
            f"where tol={number(machine.tol)} was asked for. Raise max_iter or time_limit, or "
            "scale the features."
        )
    return None
