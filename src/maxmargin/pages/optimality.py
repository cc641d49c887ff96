"""Whether a machine is optimal: its certificate, or why there is none, and if the fit converged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.certificates import FitCertificate
from maxmargin.errors import MaxMarginError
from maxmargin.estimators.base import KernelEstimator
from maxmargin.estimators.linear_base import LinearEstimator
from maxmargin.machines.machine import HasMachines
from maxmargin.pages.subject import SolvedModel
from maxmargin.pages.verdict import ROUNDING
from maxmargin.pages.words import fraction, small
from maxmargin.solvers import Ending
from maxmargin.typing import Floats

__all__ = ["Optimality", "optimality_of"]

# A fit that ended by its own rule is named at the top of the page if its relative gap exceeds this.
_FAR = 1e-2

_RAISE = "Raise max_iter or time_limit, or scale the features."


@dataclass(frozen=True, eq=False)
class Optimality:
    """The certificate of a fit, or why there is none, and what is wrong with the fit.

    `slack` holds one value per training row, or a column per machine if there are several. `margin`
    is that of the only machine, in regression half the tube's width.
    """

    certificate: FitCertificate | None = None
    slack: Floats | None = None
    margin: float | None = None
    why_none: str = ""
    shortfall: str | None = None


def optimality_of(machine: Any) -> Optimality:
    """Ask a fitted machine for its certificate, which may take as long as the fit."""
    stopped = _stopped(machine)
    if not isinstance(machine, HasMachines):
        why = "learns row by row and keeps no multipliers: nothing bounds how far its objective"
        return Optimality(
            why_none=f"{type(machine).__name__} {why} is from the least one.", shortfall=stopped
        )
    try:
        certificate, slack = machine.certificate_, machine.slack_
        margin = np.atleast_1d(machine.margin_)
    except (MaxMarginError, AttributeError) as error:
        return Optimality(why_none=str(error), shortfall=stopped)
    only = float(margin[0]) if len(margin) == 1 else None
    return Optimality(certificate, slack, only, "", stopped or _short_of(machine, certificate))


def _stopped(machine: Any) -> str | None:
    """Return what the fit itself says, if it ended early."""
    if isinstance(machine, SolvedModel):
        ended = machine.solution.ending in (Ending.CONVERGED, Ending.UNKNOWN)
        return None if ended else f"The solver did not converge. {machine.solution.status}"
    if isinstance(machine, KernelEstimator) and int(machine.fit_status_) != 0:
        return (
            "The fit did not converge: it ended before the optimality conditions held to "
            f"tol={machine.tol:g}, so this model is not yet the machine that was asked for. "
            f"{_RAISE}"
        )
    is_online = not isinstance(machine, HasMachines) and machine.tol is not None
    if is_online and int(machine.n_iter_) >= machine.max_iter:
        return (
            f"The fit used all of its max_iter={machine.max_iter} passes, and may have ended "
            "before its objective settled: raise max_iter."
        )
    return None


def _short_of(machine: Any, certificate: FitCertificate) -> str | None:
    """Return what is missing for the certificate to prove an optimum."""
    for each in certificate.machines:
        if not each.convexity.holds:
            return f"No optimum is proved. {each.claim}"
    gap = certificate.relative_gap
    if gap < -ROUNDING:
        return certificate.claim
    if isinstance(machine, LinearEstimator) and gap > max(float(machine.tol), ROUNDING):
        return (
            f"The fit did not converge: its relative duality gap is {small(gap)}, but "
            f"tol={machine.tol:g} was asked for. {_RAISE}"
        )
    if gap > _FAR:
        return (
            f"The optimality conditions hold to the tolerance, but the relative duality gap is "
            f"{small(gap)}: the optimum may be {fraction(min(gap, 1.0))} lower than this model's "
            "objective. Scale the features, or lower C or tol."
        )
    return None
