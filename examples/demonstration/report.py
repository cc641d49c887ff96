"""The report: one page that needs nothing but itself."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path

import maxmargin
from demonstration import markup
from demonstration.pictures import Picture
from demonstration.real_data import Fit
from demonstration.terminal import (
    EARLY_HEADINGS,
    SOLVER_HEADINGS,
    agreement,
    early_cells,
    small,
    solver_cells,
)
from demonstration.worked import CERTIFIED_AT, TOLERANCE, Run
from maxmargin.certify import KKTTable

STYLE = Path(__file__).with_name("report.css")
TITLE = "maxmargin: support vector machines that prove their answers"


@dataclass(frozen=True)
class Story:
    """Everything the report tells."""

    runs: list[Run]
    kkt: KKTTable
    classification: Fit
    early: list[Fit]
    others: list[Fit]
    worked_pictures: list[Picture]
    race_picture: Picture
    early_pictures: list[Picture]
    other_pictures: list[Picture]

    @property
    def pictures(self) -> list[Picture]:
        return [
            *self.worked_pictures,
            self.race_picture,
            *self.early_pictures,
            *self.other_pictures,
        ]


def page(story: Story) -> str:
    parts = {
        "problems": ("Three problems", _problems(story)),
        "solvers": ("One problem, many solvers, the same optimum", _solvers(story)),
        "convergence": ("How they get there", _convergence(story)),
        "kkt": ("Optimality, point by point", _kkt(story)),
        "data": ("A fit on real data", _data(story)),
        "early": ("A solver that stopped early is refused", _early(story)),
        "others": ("Other problems, the same certificate", _others(story)),
    }
    links = "".join(
        f'<li><a href="#{key}">{escape(title)}</a></li>' for key, (title, _) in parts.items()
    )
    sections = "\n".join(markup.section(key, title, *body) for key, (title, body) in parts.items())
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(TITLE)}</title>
<style>
{STYLE.read_text()}</style>
</head>
<body>
<header>
<h1>{escape(TITLE)}</h1>
{markup.paragraph(_MEANING)}
<nav aria-label="Contents"><ul>{links}</ul></nav>
</header>
<main>
{sections}
</main>
<footer>{markup.paragraph(_MADE_BY)}</footer>
</body>
</html>
"""


_MADE_BY = f"Made by examples/demo.py with maxmargin {maxmargin.__version__}."

_MEANING = (
    "A certificate holds two numbers computed from the problem and the solution alone: the "
    "objective of this machine, and a bound (the dual value) that no machine can go below. "
    "Their difference, the duality gap, is how much better any other answer could possibly be, "
    "whatever the solver says about itself."
)


def _problems(story: Story) -> list[str]:
    return [
        markup.paragraph(
            "Rings mark free support vectors (on the margin), boxes bounded ones (their "
            "multiplier is at its limit C). Dotted lines lead from a point with slack to the "
            "margin line that it should be behind."
        ),
        markup.figures(story.worked_pictures),
    ]


def _solvers(story: Story) -> list[str]:
    held = [run for run in story.runs if run.exact and run.deviation is not None]
    agree = sum(run.deviation <= TOLERANCE for run in held)
    rows = [
        [
            run.example.title,
            run.solver,
            *solver_cells(run),
            markup.verdict(run.certified),
            agreement(run),
        ]
        for run in story.runs
    ]
    return [
        markup.paragraph(
            f"{agree} of {len(held)} exact runs agree with the known answers to {TOLERANCE:g}. "
            "Subgradient descent and SGD are approximate by nature: their certificates say how "
            "approximate."
        ),
        markup.table(
            f"Certified means proved optimal to {CERTIFIED_AT:g}; the gap is relative",
            ["example", "solver", *SOLVER_HEADINGS, "certificate", "known answer"],
            rows,
            words={0, 1, 8, 9},
        ),
    ]


def _convergence(story: Story) -> list[str]:
    return [f'<div class="wide">{markup.figure(story.race_picture)}</div>']


def _kkt(story: Story) -> list[str]:
    rows = [
        [
            str(row.point),
            f"{row.side:+d}",
            f"{row.multiplier:.5g}",
            f"{row.decision:.5f}",
            f"{row.slack:.5f}",
            row.case,
            small(row.primal_residual),
            small(row.dual_residual),
            small(row.complementarity),
        ]
        for row in story.kkt
    ]
    headings = ["point", "y", "a", "f(x)", "slack", "case"]
    return [
        markup.paragraph(
            "Each point is in one of three cases: beyond its margin with a = 0 (not shown), on "
            "the margin with 0 < a < C, or short of it with a = C. The last three columns are "
            "what is left of each condition."
        ),
        markup.table(
            story.kkt.title,
            [*headings, "primal residual", "dual residual", "complementarity"],
            rows,
            words={5},
        ),
    ]


def _data(story: Story) -> list[str]:
    fit = story.classification
    return [
        markup.paragraph(
            f"Breast cancer data, 70% for training, standardised; {fit.problem!r}. "
            f"Accuracy on the other 30%: {fit.accuracy:.1%}."
        ),
        markup.preformatted(f"{fit.certificate.summary()}\n\n{fit.support}"),
    ]


def _early(story: Story) -> list[str]:
    first, second = story.early
    excess = first.certificate.primal / second.certificate.primal - 1
    rows = [[fit.name, *early_cells(fit), markup.verdict(fit.certified)] for fit in story.early]
    return [
        markup.paragraph(
            "Both runs are L-BFGS-B on the same dual. The first uses the customary test on the "
            "decrease of the objective (factr = 1e7), which reports convergence; its objective is "
            f"{excess:.1%} above the optimum, and points lie off the path that the KKT "
            "conditions allow. The second runs until the gap is closed."
        ),
        markup.table(
            repr(first.problem),
            ["run", *EARLY_HEADINGS, "certificate"],
            rows,
            words={0, 8},
        ),
        f'<div class="pair">{markup.figures(story.early_pictures)}</div>',
        markup.paragraph(f"What the first run said: {first.solution.status}"),
    ]


def _others(story: Story) -> list[str]:
    claims = [markup.paragraph(f"{fit.name}: {fit.certificate.claim}") for fit in story.others]
    return [f'<div class="pair">{markup.figures(story.other_pictures)}</div>', *claims]
