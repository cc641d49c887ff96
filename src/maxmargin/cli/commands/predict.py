"""``maxmargin predict``: what a model says about new data."""

from __future__ import annotations

from typing import Any

import click
import numpy as np

from maxmargin.cli.formats import STDIN
from maxmargin.cli.models import load_model
from maxmargin.cli.options import data_options, output_option
from maxmargin.cli.rows import cell, write_columns, write_rows, write_text
from maxmargin.cli.session import Session, with_session
from maxmargin.cli.source import Source
from maxmargin.errors import InvalidInputError

__all__ = ["predict"]


@click.command()
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@data_options
@output_option("A file instead of standard output; .json for JSON.")
@click.option("--scores", is_flag=True, help="Add the decision values.")
@click.option("--proba", is_flag=True, help="Add the probabilities of the classes.")
@with_session
def predict(
    session: Session, model: str, source: Source, output: str | None, scores: bool, proba: bool
) -> None:
    """Print what MODEL predicts for each row of DATA.

    One prediction a line; with --scores or --proba, or in a .csv file, columns under a header.
    Columns of DATA are found by the names that the model was trained with.
    """
    output = None if output == STDIN else output
    loaded, data = load_model(model).read(source, judged=False)
    labels = loaded.fitted.predict(data.X)
    columns: dict[str, Any] = {"prediction": labels}
    if scores:
        columns.update(_columns("score", _values(loaded.fitted, "decision_function", data.X), None))
    if proba:
        values = _values(loaded.fitted, "predict_proba", data.X)
        columns.update(_columns("probability", values, loaded.fitted.classes_))
    if session.json and output is None:
        session.answer({"command": "predict", "rows": data.n_rows, **columns})
        return
    name = str(output).lower()
    if name.endswith(".json"):
        lists = [np.asarray(values).tolist() for values in columns.values()]
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]
        write_rows(rows, output)
    elif len(columns) > 1 or name.endswith(".csv"):
        write_columns(columns, output)
    else:
        write_text("".join(f"{cell(label)}\n" for label in labels), output)
    if output is not None:
        session.note(f"{data.n_rows} predictions in {output}")
        session.answer({"command": "predict", "rows": data.n_rows, "output": output})


def _values(fitted: Any, method: str, X: Any) -> Any:
    try:
        found = getattr(fitted, method)
    except AttributeError:
        advice = "train with --probability" if method == "predict_proba" else "leave out --scores"
        raise InvalidInputError(
            f"A {type(fitted).__name__} of this kind has no {method}: {advice}."
        ) from None
    return np.asarray(found(X))


def _columns(name: str, values: Any, classes: Any) -> dict[str, Any]:
    if values.ndim == 1:
        return {name: values}
    keys = range(values.shape[1]) if classes is None else classes.tolist()
    return {f"{name}_{key}": values[:, k] for k, key in enumerate(keys)}
