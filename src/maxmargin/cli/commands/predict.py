"""``maxmargin predict``: what a model says about new data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from maxmargin.cli.models import load_model
from maxmargin.cli.options import STDIO, DataOptions
from maxmargin.cli.output import Session, cell, opened, write_csv, write_rows
from maxmargin.errors import InvalidInputError

__all__ = ["run"]


def run(
    session: Session, model: str, source: DataOptions, output: str, scores: bool, proba: bool
) -> None:
    """Predict each row."""
    fitted, data = load_model(model).read(source, with_target=False)
    columns: dict[str, Any] = {"prediction": fitted.predict(data.X)}
    if scores:
        columns |= _columns("score", _values(fitted, "decision_function", data.X))
    if proba:
        values = _values(fitted, "predict_proba", data.X)
        columns |= _columns("probability", values, fitted.classes_.tolist())
    if session.json and output == STDIO:
        session.answer(rows=data.n_rows, **columns)
        return
    rows = zip(*columns.values(), strict=True)
    suffix = Path(output).suffix.lower()
    if suffix == ".json":
        write_rows([dict(zip(columns, row, strict=True)) for row in rows], output)
    elif suffix == ".csv" or len(columns) > 1:
        write_csv(columns, rows, output)
    else:
        with opened(output) as file:
            file.writelines(f"{cell(label)}\n" for (label,) in rows)
    if output != STDIO:
        session.note(f"{data.n_rows} predictions in {output}")
        session.answer(rows=data.n_rows, output=output)


def _values(fitted: Any, method: str, X: Any) -> Any:
    try:
        found = getattr(fitted, method)
    except AttributeError:
        advice = "train with --probability" if method == "predict_proba" else "leave out --scores"
        raise InvalidInputError(
            f"A {type(fitted).__name__} of this kind has no {method}: {advice}."
        ) from None
    return np.asarray(found(X))


def _columns(name: str, values: Any, classes: list[Any] | None = None) -> dict[str, Any]:
    if values.ndim == 1:
        return {name: values}
    keys = classes or range(values.shape[1])
    return {f"{name}_{key}": column for key, column in zip(keys, values.T, strict=True)}
