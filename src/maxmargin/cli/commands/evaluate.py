"""``maxmargin evaluate``: how good a model is on data with a known target."""

from __future__ import annotations

from typing import Any

import click

from maxmargin.cli.measures import measures_of
from maxmargin.cli.models import load_model
from maxmargin.cli.options import Costs, cost_options, data_options
from maxmargin.cli.session import Session, with_session
from maxmargin.cli.source import Source

__all__ = ["evaluate"]


@click.command()
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@data_options
@cost_options
@with_session
def evaluate(session: Session, model: str, source: Source, costs: Costs) -> None:
    """Compare what MODEL predicts for DATA with its target.

    Classes: accuracy, balanced accuracy, F1, AUC, for two also the detection costs at the prior and
    costs, and the confusion matrix. Numbers: errors and R2.
    """
    first = load_model(model)
    judged = not source.no_target
    loaded, data = first.read(source, judged=judged)
    found = measures_of(loaded.fitted, data.X, data.y, costs)
    session.say(f"{source.data}: {data.n_rows} rows")
    matrix = found.get("confusion")
    for name, value in found.items():
        if name != "confusion":
            session.say(f"{name.replace('_', ' '):<20} {_shown(value)}")
    if matrix is not None:
        session.say("confusion matrix, a row a true class and a column a prediction:")
        for line in _matrix_lines(matrix["labels"], matrix["counts"]):
            session.say(line)
    session.answer({"command": "evaluate", "rows": data.n_rows, **found})


def _shown(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _matrix_lines(labels: list[Any], counts: list[list[int]]) -> list[str]:
    names = [str(label) for label in labels]
    cells = [[str(count) for count in row] for row in counts]
    width = max(len(word) for word in [*names, *(cell for row in cells for cell in row)]) + 2
    head = " " * width + "".join(name.rjust(width) for name in names)
    body = [
        name.rjust(width) + "".join(cell.rjust(width) for cell in row)
        for name, row in zip(names, cells, strict=True)
    ]
    return [head, *body]
