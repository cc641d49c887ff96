"""``maxmargin report``: one HTML page about a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from maxmargin import pages
from maxmargin.cli.data import Data
from maxmargin.cli.models import load_model
from maxmargin.cli.options import Costs, DataOptions
from maxmargin.cli.output import Session

__all__ = ["run", "write_report"]


def run(
    session: Session,
    model: str,
    source: DataOptions,
    output: str | None,
    title: str | None,
    costs: Costs,
) -> None:
    """Write the page."""
    fitted, data = load_model(model).read(source, with_target=not source.no_target)
    path = output or str(Path(model).with_suffix(".html"))
    write_report(session, fitted, data, path, costs, title=title)
    session.answer(rows=data.n_rows, report=path)


def write_report(
    session: Session, fitted: Any, data: Data, path: str, costs: Costs, **options: Any
) -> None:
    """Write the page, with further options of `pages.report`, and print where it is."""
    page = pages.report(
        fitted,
        data.X,
        data.y,
        feature_names=data.names,
        **costs.numbers,
        command=session.command_line,
        **options,
    )
    page.save(path)
    session.say(f"Report {path}")
