"""What the report is about, what matters most in it, and what to beware of."""

from __future__ import annotations

from maxmargin.report.judged import Judged
from maxmargin.report.markup import paragraph, tiles, warning
from maxmargin.report.origin import Origin
from maxmargin.report.proofs import Finding, reached
from maxmargin.report.sections.classes import label_facts
from maxmargin.report.sections.costs import cost_facts
from maxmargin.report.sections.novelty import novelty_facts
from maxmargin.report.sections.regression import residual_facts
from maxmargin.report.setting import Setting
from maxmargin.report.subject import Subject, Task
from maxmargin.report.words import counted, rounded, small

__all__ = ["summary"]


def summary(
    subject: Subject, judged: Judged, origin: Origin, finding: Finding, setting: Setting
) -> list[str]:
    """Return the first section."""
    parts = [
        warning(text) for text in (finding.shortfall, origin.contradiction) if text is not None
    ]
    facts = _measures(subject, judged, setting)
    proof = finding.certificate
    if proof is None:
        proved = "There is no certificate of how near its optimum the machine is."
        facts["certificate"] = "none"
    else:
        proved = proof.claim
        facts["relative duality gap"] = small(proof.relative_gap)
        if finding.shortfall is None:
            facts["conditions hold to"] = small(reached(proof))
    where = f"judged on {counted(judged.n_rows, origin.rows.removesuffix('s'))}"
    lead = f"{_what(subject)}, for {subject.task.value}, {where}. {origin.sentence} {proved}"
    return [*parts, paragraph(lead), tiles(facts)]


def _what(subject: Subject) -> str:
    words = f"{subject.name} with {_kernel(subject)}" if _kernel(subject) else subject.name
    if subject.preparation:
        steps = ", ".join(type(step).__name__ for _, step in subject.preparation)
        words += f" behind {steps}"
    if subject.calibrated is not None:
        words += ", calibrated"
    if subject.search is not None:
        words += ", chosen by a search"
    return words


def _kernel(subject: Subject) -> str:
    kernel = vars(subject.machine).get("kernel_")
    text = "" if kernel is None else rounded(repr(kernel))
    return f"the kernel {text}" if 0 < len(text) <= 80 else ""


def _measures(subject: Subject, judged: Judged, setting: Setting) -> dict[str, str]:
    if subject.task is Task.REGRESSION:
        return residual_facts(judged)
    facts = novelty_facts(judged) if subject.task is Task.NOVELTY else {}
    if judged.y is not None:
        facts |= label_facts(judged)
        facts |= cost_facts(subject, judged, setting) if judged.scores is not None else {}
    return facts
