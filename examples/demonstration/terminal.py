"""What the demo prints, as rich tables."""

from __future__ import annotations

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from demonstration.real_data import Fit
from demonstration.worked import TOLERANCE, Run

ROUNDING = 1e-15


def small(value: float) -> str:
    """Return a gap or a violation with two digits; values below rounding are not shown."""
    return "< 1e-15" if abs(value) < ROUNDING else f"{value:.1e}"


def solver_cells(run: Run) -> list[str]:
    certificate, solution = run.certificate, run.solution
    return [
        f"{certificate.primal:.4f}",
        f"{certificate.dual:.4f}",
        small(certificate.relative_gap),
        small(certificate.kkt_violation),
        str(solution.iterations),
        f"{1000 * solution.seconds:.0f}",
    ]


SOLVER_HEADINGS = ["primal", "dual", "relative gap", "KKT violation", "steps", "ms"]


def agreement(run: Run) -> str:
    """Say whether an exact solver's run agrees with the known numbers."""
    if not run.exact or run.deviation is None:
        return "-"
    return "agrees" if run.deviation <= TOLERANCE else f"off by {run.deviation:.1e}"


def solver_table(runs: list[Run]) -> Table:
    table = _table("Every solver on the worked examples (certified: optimal to 1e-6)")
    table.add_column("example, solver", min_width=13)
    for heading in SOLVER_HEADINGS:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("certified", no_wrap=True)
    table.add_column("known", no_wrap=True)
    previous = ""
    for run in runs:
        title = run.example.title
        if title != previous:
            table.add_section()
            table.add_row(Text(title, style="bold"))
        table.add_row(
            f"  {run.solver}",
            *solver_cells(run),
            _verdict(run.certified),
            Text(agreement(run), style="red" if agreement(run).startswith("off") else ""),
        )
        previous = title
    return table


def early_table(fits: list[Fit]) -> Table:
    table = _table("L-BFGS-B, stopped early and run to convergence")
    table.add_column("run", min_width=14)
    for heading in EARLY_HEADINGS:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("certified", no_wrap=True)
    for fit in fits:
        table.add_row(fit.name, *early_cells(fit), _verdict(fit.certified))
    return table


EARLY_HEADINGS = [
    "steps",
    "primal",
    "relative gap",
    "KKT violation",
    "free",
    "bounded",
    "accuracy",
]


def early_cells(fit: Fit) -> list[str]:
    certificate = fit.certificate
    return [
        str(fit.solution.iterations),
        f"{certificate.primal:.3f}",
        small(certificate.relative_gap),
        small(certificate.kkt_violation),
        str(certificate.n_free),
        str(certificate.n_bounded),
        f"{fit.accuracy:.1%}",
    ]


def fit_lines(fit: Fit) -> RenderableType:
    return Group(fit.certificate, Text(str(fit.support)))


def _table(title: str) -> Table:
    return Table(title=title, box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))


def _verdict(certified: bool) -> Text:
    return Text("yes", style="green") if certified else Text("no", style="yellow")
