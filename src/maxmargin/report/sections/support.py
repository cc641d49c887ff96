"""The rows that carry the machine: how many, on the margin, inside it, at their bound."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.estimators.base import KernelMachine
from maxmargin.estimators.linear_base import LinearMachine
from maxmargin.estimators.proof import FitCertificate
from maxmargin.report.markup import Cell, long_table, numbers, paragraph, table, tiles
from maxmargin.report.proofs import Finding
from maxmargin.report.sections.certificate import machine_name
from maxmargin.report.subject import Subject, Task
from maxmargin.report.words import measured, percent
from maxmargin.typing import Bools

__all__ = ["support"]

_ROUNDING = 1e-9

_MEANINGS = {
    Task.TWO_CLASSES: "A support vector is free if it lies on the margin, and bounded, its "
    "multiplier at the most that C or nu allows, if it lies inside the margin or on the wrong "
    "side.",
    Task.CLASSES: "Each machine separates classes. A support vector of it is free if it lies on "
    "the margin, and bounded, its multiplier at the most that C or nu allows, if it lies inside "
    "the margin or on the wrong side.",
    Task.REGRESSION: "A support vector is free if it lies on the edge of the tube, and bounded, "
    "its multiplier at the most that C allows, if it lies outside.",
    Task.NOVELTY: "A support vector is free if it lies on the boundary, and bounded, its "
    "multiplier at the most that nu allows, if it lies outside.",
}
_SQUARED = (
    "With a squared loss multipliers have no bound: every row short of the margin, or outside the "
    "tube, is a support vector, with a multiplier in proportion to its slack."
)
_FREE = {
    Task.TWO_CLASSES: "on the margin (free)",
    Task.CLASSES: "on the margin (free)",
    Task.REGRESSION: "on the tube's edge (free)",
    Task.NOVELTY: "on the boundary (free)",
}
_MARGIN = {
    Task.TWO_CLASSES: "margin",
    Task.CLASSES: "smallest margin",
    Task.REGRESSION: "half the tube's width",
    Task.NOVELTY: "distance from the origin",
}


def support(subject: Subject, finding: Finding) -> list[str]:
    """Count support vectors by what they are."""
    machine, proof = subject.machine, finding.certificate
    facts: dict[str, str] = {}
    parts: list[str] = []
    if isinstance(machine, KernelMachine):
        facts["support vectors"] = f"{len(machine.support_):,}"
        if finding.slack is not None:
            facts["of the training rows"] = percent(len(machine.support_) / len(finding.slack))
        if subject.task in (Task.TWO_CLASSES, Task.CLASSES):
            parts += _by_class(subject, machine)
    elif isinstance(machine, LinearMachine):
        weights = np.asarray(machine.coef_)
        facts["weights that are not zero"] = f"{np.count_nonzero(weights):,} of {weights.size:,}"
    else:
        return [paragraph(f"{subject.name} keeps weights, and no support vectors.")]
    if proof is not None and len(proof.machines) == 1:
        facts |= _of_one_machine(subject, finding, proof)
    elif proof is not None:
        parts += _by_machine(subject, proof)
    words = _SQUARED if _is_squared(machine) else _MEANINGS[subject.task]
    return [paragraph(words), tiles(facts), *parts]


def _is_squared(machine: Any) -> bool:
    """Say whether slack is squared, which Crammer and Singer's machine does not do."""
    at_once = machine.get_params(deep=False).get("multi_class") == "crammer_singer"
    return isinstance(machine, LinearMachine) and "squared" in machine.loss and not at_once


def _of_one_machine(subject: Subject, finding: Finding, proof: FitCertificate) -> dict[str, str]:
    assert finding.slack is not None
    assert finding.margin is not None
    if _is_squared(subject.machine):
        facts = {"support vectors": f"{proof.n_free:,}"}
    else:
        facts = {_FREE[subject.task]: f"{proof.n_free:,}", "at their bound": f"{proof.n_bounded:,}"}
    if subject.task is Task.TWO_CLASSES:
        slack = finding.slack[:, 0]
        # What is nearer to the margin than the violation cannot be told from what is on it.
        inside: Bools = slack > max(proof.kkt_violation, _ROUNDING)
        wrong: Bools = slack > 1.0
        facts["inside the margin, right side"] = f"{np.count_nonzero(inside & ~wrong):,}"
        facts["on the wrong side"] = f"{np.count_nonzero(wrong):,}"
    facts[_MARGIN[subject.task]] = measured(float(finding.margin[0]))
    return facts


def _by_class(subject: Subject, machine: KernelMachine) -> list[str]:
    headings = [Cell("class", "text"), *numbers("support vectors")]
    held = np.asarray(machine.n_support_)
    most = max(int(held.max()), 1)
    body = [
        [Cell(str(label), "text", names_row=True), Cell(f"{n:,}", share=n / most)]
        for label, n in zip(subject.classes.tolist(), held.tolist(), strict=True)
    ]
    return [table("Support vectors by class", headings, body)]


def _by_machine(subject: Subject, proof: FitCertificate) -> list[str]:
    squared = _is_squared(subject.machine)
    headings = [Cell("machine", "text"), *numbers("support vectors")]
    headings += [] if squared else numbers("free", "bounded")
    body = []
    for each in proof.machines:
        cells = [Cell(machine_name(subject, each), "text", names_row=True)]
        cells += numbers(f"{each.n_free + each.n_bounded:,}")
        body.append(cells + ([] if squared else numbers(f"{each.n_free:,}", f"{each.n_bounded:,}")))
    return long_table("Support vectors by machine", headings, body, "machines")
