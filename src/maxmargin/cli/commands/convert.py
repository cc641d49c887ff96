"""``maxmargin convert``: models and data from one format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.cli.data import CSR_PARTS, Data, read_training
from maxmargin.cli.models import load_model, model_format, save_model
from maxmargin.cli.options import DATA_FORMATS, MODEL_FORMATS, DataOptions, data_format
from maxmargin.cli.output import Session, write_csv
from maxmargin.errors import InvalidInputError
from maxmargin.files import replacing
from maxmargin.streams import write_libsvm

__all__ = ["run"]

_DATA_SUFFIXES = (".csv", ".tsv", ".parquet", ".pq", ".npz")


def run(session: Session, source: DataOptions, output: str, to: str | None) -> None:
    """Convert a model or data."""
    kind = model_format(source.data) if source.format is None else None
    if kind is None:
        kind, to = source.kind, data_format(output, to)
        _convert_data(source, output, to)
    else:
        to = _convert_model(session, source.data, output, to)
    session.note(f"{source.data} ({kind}) to {output} ({to})")
    session.answer(**{"from": kind}, to=to, output=output)


def _convert_model(session: Session, path: str, output: str, to: Any) -> str:
    if to is None and Path(output).suffix.lower() in _DATA_SUFFIXES:
        to = data_format(output)
    if to in DATA_FORMATS:
        raise InvalidInputError(f"{path} holds a model, which {to} files cannot hold.")
    return save_model(session, load_model(path).fitted, output, to)


def _convert_data(source: DataOptions, output: str, to: str) -> None:
    if to in MODEL_FORMATS:
        raise InvalidInputError(f"{source.data} holds data, which {to} files cannot hold.")
    data = read_training(source)
    X: Any = data.X if sparse.issparse(data.X) else np.asarray(data.X)
    if to == "libsvm":
        write_libsvm(X, np.zeros(data.n_rows) if data.y is None else data.y, output)
    elif to == "npz":
        arrays = {"X": X}
        if sparse.issparse(X):
            arrays = {f"X_{part}": np.asarray(getattr(X, part)) for part in CSR_PARTS}
        if data.y is not None:
            arrays["y"] = data.y
        with replacing(output) as new, new.open("wb") as file:
            np.savez_compressed(file, **arrays)
    else:
        _write_table(X.toarray() if sparse.issparse(X) else X, data, output, to)


def _write_table(X: Any, data: Data, output: str, to: str) -> None:
    columns = dict(zip(data.names or [f"x{k}" for k in range(X.shape[1])], X.T, strict=True))
    if data.y is not None:
        target = data.target or "y"
        if target in columns:
            raise InvalidInputError(f"There would be two columns named {target!r}.")
        columns[target] = data.y
    if to == "parquet":
        from maxmargin.cli.tables import write_parquet

        write_parquet(columns, output)
        return
    write_csv(columns, zip(*columns.values(), strict=True), output, "\t" if to == "tsv" else ",")
