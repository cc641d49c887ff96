"""``maxmargin report``: one HTML page about a model."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import click

from maxmargin.cli.models import load_model
from maxmargin.cli.options import Costs, cost_options, data_options, output_option
from maxmargin.cli.session import Session, with_session
from maxmargin.cli.source import Data, Source

__all__ = ["report", "require_report", "write_report"]


@click.command()
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@data_options
@output_option("The page; MODEL's name with .html by default.")
@click.option("--title", help="Of the page.")
@cost_options
@with_session
def report(
    session: Session,
    model: str,
    source: Source,
    output: str | None,
    title: str | None,
    costs: Costs,
) -> None:
    """Write one self-contained HTML page about MODEL and what it does on DATA.

    Data and machine, curves, confusion matrix, costs and calibration, support vectors, certificate,
    and how to make it again. Pictures need matplotlib (extra cli).
    """
    loaded, data = load_model(model).read(source, judged=not source.no_target)
    path = output or str(Path(model).with_suffix(".html"))
    write_report(session, loaded.fitted, data, path, costs, title=title)
    session.answer({"command": "report", "rows": data.n_rows, "report": path})


def require_report() -> None:
    """Say what is missing for a report, before anybody has waited for it."""
    for name in ("plot", "report"):
        importlib.import_module(f"maxmargin.{name}")


def write_report(
    session: Session, fitted: Any, data: Data, path: str, costs: Costs, *, title: str | None
) -> None:
    """Write the page and say where it is."""
    make = importlib.import_module("maxmargin.report").model_report
    page = make(
        fitted,
        data.X,
        data.y,
        title=title,
        feature_names=data.names,
        prior=costs.prior,
        cost_fn=costs.cost_fn,
        cost_fp=costs.cost_fp,
        command=session.command_line,
    )
    page.save(path)
    session.say(f"Report {path}")
