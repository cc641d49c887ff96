"""``maxmargin convert``: models and data from one format to another."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
from scipy import sparse

from maxmargin.cli.formats import DATA_FORMATS, MODEL_FORMATS, data_format, model_format
from maxmargin.cli.models import load_model
from maxmargin.cli.options import data_options
from maxmargin.cli.rows import write_columns
from maxmargin.cli.session import Session, with_session
from maxmargin.cli.source import Data, Source
from maxmargin.errors import InvalidInputError, MissingDependencyError
from maxmargin.files import replacing

__all__ = ["convert"]

_MODEL_SUFFIXES = {".safetensors": "maxmargin", ".onnx": "onnx"}


@click.command()
@data_options
@click.argument("output", type=click.Path(dir_okay=False, allow_dash=True))
@click.option(
    "--to",
    type=click.Choice([*MODEL_FORMATS, *DATA_FORMATS]),
    help="Format of OUTPUT, if its name does not tell it.",
)
@with_session
def convert(session: Session, source: Source, output: str, to: str | None) -> None:
    """Write DATA, which may also be a model, to OUTPUT in another format.

    Models: .safetensors (this library), .onnx (write only), .model (LIBSVM, or LIBLINEAR for linear
    machines). Data: .csv, .tsv, .parquet, .npz, and LIBSVM by any other name.
    """
    kind = model_format(source.data) if source.format is None else None
    if kind is not None:
        found = _convert_model(source.data, output, to)
    else:
        found = _convert_data(source, output, to)
    session.note(f"{source.data} ({kind or source.kind}) to {output} ({found})")
    session.answer(
        {"command": "convert", "from": kind or source.kind, "to": found, "output": output}
    )


# Models -----------------------------------------------------------------------------------------


def _convert_model(path: str, output: str, to: str | None) -> str:
    from maxmargin import SVMSearchCV, persist
    from maxmargin.estimators.linear_base import LinearMachine

    fitted = load_model(path).fitted
    if isinstance(fitted, SVMSearchCV):
        fitted = fitted.best_estimator_
    to = to or _MODEL_SUFFIXES.get(Path(output).suffix.lower())
    if to is None:
        to = "liblinear-model" if isinstance(fitted, LinearMachine) else "libsvm-model"
    if to == "maxmargin":
        persist.save(fitted, output)
    elif to == "libsvm-model":
        persist.to_libsvm(fitted, output)
    elif to == "liblinear-model":
        persist.to_liblinear(fitted, output)
    elif to == "onnx":
        graph = persist.to_onnx(fitted)
        with replacing(output) as new:
            new.write_bytes(graph.SerializeToString())
    else:
        raise InvalidInputError(f"{path} holds a model, which {to} files cannot hold.")
    return to


# Data -------------------------------------------------------------------------------------------


def _convert_data(source: Source, output: str, to: str | None) -> str:
    to = data_format(output, to)
    if to in MODEL_FORMATS:
        raise InvalidInputError(f"{source.data} holds data, which {to} files cannot hold.")
    data = source.read()
    writers: dict[str, Callable[[Data, str], None]] = {
        "csv": partial(_write_text, ","),
        "tsv": partial(_write_text, "\t"),
        "parquet": _write_parquet,
        "npz": _write_npz,
        "libsvm": _write_libsvm,
    }
    writers[to](data, output)
    return to


def _matrix(data: Data) -> Any:
    return data.X if sparse.issparse(data.X) else np.asarray(data.X)


def _columns(data: Data) -> dict[str, Any]:
    """Return the columns by name, the target last."""
    X = _matrix(data)
    X = X.toarray() if sparse.issparse(X) else X
    names = data.names or [f"x{k}" for k in range(X.shape[1])]
    columns = {name: X[:, k] for k, name in enumerate(names)}
    if data.y is not None:
        target = data.target or "y"
        if target in columns:
            raise InvalidInputError(f"There would be two columns named {target!r}.")
        columns[target] = data.y
    return columns


def _write_text(separator: str, data: Data, output: str) -> None:
    write_columns(_columns(data), output, separator)


def _write_parquet(data: Data, output: str) -> None:
    try:
        import pyarrow as arrow
        import pyarrow.parquet as parquet
    except ImportError:
        raise MissingDependencyError(
            "Parquet files need pyarrow: install it with pip install 'maxmargin[cli]'."
        ) from None
    with replacing(output) as new:
        parquet.write_table(arrow.table(_columns(data)), new)


def _write_npz(data: Data, output: str) -> None:
    X = _matrix(data)
    arrays: dict[str, Any] = {"X": X}
    if sparse.issparse(X):
        parts = (X.data, X.indices, X.indptr, np.array(X.shape))
        names = ("X_data", "X_indices", "X_indptr", "X_shape")
        arrays = dict(zip(names, parts, strict=True))
    if data.y is not None:
        arrays["y"] = data.y
    with replacing(output) as new, new.open("wb") as file:
        np.savez_compressed(file, **arrays)


def _write_libsvm(data: Data, output: str) -> None:
    from maxmargin.streams import write_libsvm

    y = np.zeros(data.n_rows) if data.y is None else data.y
    write_libsvm(_matrix(data), y, output)
