"""What is proved about the machine, in numbers and in words."""

from __future__ import annotations

from collections.abc import Sequence

from maxmargin.estimators.proof import MachineCertificate
from maxmargin.report.markup import (
    Cell,
    long_table,
    numbers,
    paragraph,
    tiles,
    warning,
)
from maxmargin.report.proofs import Finding, reached
from maxmargin.report.subject import Subject
from maxmargin.report.words import counted, small

__all__ = ["certificate", "machine_name"]

_MEANING = (
    "Training solves an optimisation problem. Its primal value is what the machine reaches, and "
    "its dual value a bound that no machine with these parameters can go below; both are "
    "recomputed from the training data and the multipliers alone, whatever the solver says. Their "
    "difference is the duality gap. The KKT violation is how far any training row is from what "
    "holds at the optimum, in units of the margin, and the infeasibility how far the multipliers "
    "are from their constraints."
)


def certificate(subject: Subject, finding: Finding) -> list[str]:
    """Return the proof, or say why there is none."""
    parts = [] if finding.shortfall is None else [warning(finding.shortfall)]
    proof = finding.certificate
    if proof is None:
        return [*parts, paragraph(f"There is no certificate. {finding.why_none}")]
    facts = {
        "relative duality gap": small(proof.relative_gap),
        "KKT violation": small(proof.kkt_violation),
        "infeasibility": small(proof.feasibility),
        "tolerance asked for": small(float(subject.machine.tol)),
    }
    many = len(proof.machines) > 1
    if many:
        words = (
            f"The model is {counted(len(proof.machines), 'machine')}; the numbers above are the "
            "worst of any, and the sentence is about the one with the largest relative gap: "
        )
    else:
        words = ""
    holds = f" All conditions hold to {small(reached(proof))}." if finding.shortfall is None else ""
    parts += [paragraph(_MEANING), tiles(facts), paragraph(f"{words}{proof.claim}{holds}")]
    return [*parts, *_table(subject, proof.machines)]


def machine_name(subject: Subject, machine: MachineCertificate) -> str:
    """Return what one of the machines of a model separates."""
    if not machine.classes:
        return subject.name
    first, *others = machine.classes
    against = ["the rest" if other is None else str(other) for other in others]
    return f"{first} against {', '.join(against)}"


def _table(subject: Subject, machines: Sequence[MachineCertificate]) -> list[str]:
    headings = [Cell("machine", "text"), *numbers("primal", "dual", "gap", "relative gap")]
    headings += numbers("KKT violation", "infeasibility", "holds to")
    body = []
    for machine in machines:
        name = Cell(machine_name(subject, machine), "text", names_row=True)
        values = [f"{machine.primal:.8g}", f"{machine.dual:.8g}"]
        values += [
            small(value)
            for value in (
                machine.gap,
                machine.relative_gap,
                machine.kkt_violation,
                machine.feasibility,
            )
        ]
        verdict = (
            Cell(f"{small(reached(machine))} ✓", "number yes")
            if machine.convex
            else Cell("not proved ✗", "number no")
        )
        body.append([name, *numbers(*values), verdict])
    caption = "What is proved, the largest relative gap first"
    return long_table(caption, headings, body, "machines")
