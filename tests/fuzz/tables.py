"""Tables that the command line and the streams read: CSV, .npz and Parquet files."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import sparse

from maxmargin.cli.data import read_training
from maxmargin.cli.options import DataOptions
from maxmargin.streams import ParquetChunks

__all__ = [
    "array_files",
    "csv_files",
    "parquet_files",
    "read_arrays",
    "read_csv",
    "read_parquet",
]


def _frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    columns = {"a": rng.normal(size=12), "b": rng.integers(0, 9, 12), "y": ["no", "yes"] * 6}
    return pd.DataFrame(columns)


def csv_files(folder: Path) -> list[bytes]:
    """Return a table with text, one with numbers alone, and one that is quoted."""
    del folder
    frame = _frame()
    quoted = frame.to_csv(index=False, quoting=1, lineterminator="\r\n")
    texts = [frame.to_csv(index=False), frame[["a", "b"]].to_csv(index=False), quoted]
    return [text.encode() for text in texts]


def array_files(folder: Path) -> list[bytes]:
    """Return dense points, sparse points, and compressed ones."""
    del folder
    X, y = _frame()[["a", "b"]].to_numpy(), np.arange(12) % 2
    rows = sparse.csr_array(X)
    parts = {f"X_{part}": getattr(rows, part) for part in ("data", "indices", "indptr", "shape")}
    found = []
    for save, arrays in (
        (np.savez, {"X": X, "y": y}),
        (np.savez, {**parts, "y": y}),
        (np.savez_compressed, {"X": X.astype(np.float32), "y": np.array(["no", "yes"])[y]}),
    ):
        file = io.BytesIO()
        save(file, **arrays)
        found.append(file.getvalue())
    return found


def parquet_files(folder: Path) -> list[bytes]:
    """Return a table as Parquet files of several kinds."""
    del folder
    found = []
    for options in ({}, {"compression": None}, {"row_group_size": 5}):
        file = io.BytesIO()
        _frame().to_parquet(file, index=False, **options)
        found.append(file.getvalue())
    return found


def _train(path: Path, content: bytes, kind: str) -> None:
    path.write_bytes(content)
    data = read_training(DataOptions(str(path), format=kind), text=False)
    values = data.X.data if sparse.issparse(data.X) else np.asarray(data.X)
    assert np.isfinite(values).all()


def read_csv(path: Path, content: bytes) -> None:
    """Read a table to train on."""
    _train(path, content, "csv")


def read_arrays(path: Path, content: bytes) -> None:
    """Read arrays to train on."""
    _train(path, content, "npz")


def read_parquet(path: Path, content: bytes) -> None:
    """Read a table to train on, or its chunks."""
    if len(content) % 2:
        _train(path, content, "parquet")
        return
    path.write_bytes(content)
    for _ in ParquetChunks(path, label="y", size=4):
        pass
