"""The report: one page that loads nothing, from the template report.html."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

import maxmargin
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
from maxmargin.certificates import KKTRow, KKTTable

TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent),
    autoescape=True,
    trim_blocks=True,
    undefined=StrictUndefined,
)
KKT_HEADINGS = ["point", "y", "a", "f(x)", "slack", "case"]
RESIDUALS = ["primal residual", "dual residual", "complementarity"]


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
    known = [run for run in story.runs if run.exact and run.deviation is not None]
    return TEMPLATES.get_template("report.html").render(
        story=story,
        version=maxmargin.__version__,
        n_known=len(known),
        n_agree=sum(run.deviation <= TOLERANCE for run in known),
        approximate=list(dict.fromkeys(run.solver for run in story.runs if not run.exact)),
        tolerance=f"{TOLERANCE:g}",
        certified_at=f"{CERTIFIED_AT:g}",
        solver_headings=["example", "solver", *SOLVER_HEADINGS, "certificate", "known solution"],
        solver_rows=[_solver_row(run) for run in story.runs],
        kkt_headings=KKT_HEADINGS + RESIDUALS,
        kkt_rows=[_kkt_row(row) for row in story.kkt],
        early_headings=["run", *EARLY_HEADINGS, "certificate"],
        early_rows=[[fit.name, *early_cells(fit), _verdict(fit.certified)] for fit in story.early],
    )


def _solver_row(run: Run) -> list[str]:
    own = [run.example.title, run.solver]
    return [*own, *solver_cells(run), _verdict(run.certified), agreement(run)]


def _kkt_row(row: KKTRow) -> list[str]:
    numbers = [f"{row.multiplier:.5g}", f"{row.decision:.5f}", f"{row.slack:.5f}"]
    residuals = (row.primal_residual, row.dual_residual, row.complementarity)
    return [str(row.point), f"{row.side:+d}", *numbers, row.case, *map(small, residuals)]


def _verdict(certified: bool) -> str:
    return "certified" if certified else "refused"
