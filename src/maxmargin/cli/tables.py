"""CSV and Parquet files: their columns as numbers or text (extra "cli")."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from maxmargin.cli.data import Data, Layout, labels_of
from maxmargin.cli.options import DataOptions
from maxmargin.errors import InvalidInputError, MissingDependencyError
from maxmargin.files import replacing

try:
    import pandas as pd
except ImportError:
    raise MissingDependencyError(
        "CSV and Parquet files need pandas: install it with pip install 'maxmargin[cli]'."
    ) from None

__all__ = ["read_table", "write_parquet"]

# From version 3.1 on, pandas always reads numbers to the last digit.
_IS_EXACT = tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1)
_PRECISION: dict[str, Any] = {} if _IS_EXACT else {"float_precision": "round_trip"}


def read_table(wanted: DataOptions, layout: Layout, *, with_target: bool) -> Data:
    """Read data in a model's columns, and the target if it is needed or named."""
    table = _Table(wanted, text=layout.text)
    names = layout.names if table.is_named else None
    for name in names or ():
        if name not in table.columns:
            raise InvalidInputError(
                f"{table.name} has no column {name!r}, which the model was trained with."
            )
    target = None
    if wanted.target is not None:
        target = table.column(wanted.target, "--target")
    elif with_target and not wanted.no_target:
        target = table.guess_target(names)
    columns = names or table.choose(wanted, target)
    if layout.n_features not in (None, len(columns)):
        raise InvalidInputError(
            f"{table.name} has {len(columns)} columns of features where the model has "
            f"{layout.n_features}: name the target with --target, and leave out others with "
            "--drop."
        )
    X = table.text(columns) if layout.text else table.numbers(columns)
    if target is None:
        return Data(X)
    return Data(X, None if wanted.no_target else labels_of(table.target(target)), str(target))


class _Table:
    """A frame with at least one row; columns without names have numbers.

    With `text`, all cells of a CSV file are read as text, in which 010 and 10 differ.
    """

    def __init__(self, wanted: DataOptions, *, text: bool) -> None:
        is_parquet = wanted.kind == "parquet"
        self.name = wanted.name
        self.frame = _read_parquet(wanted) if is_parquet else _read_csv(wanted, text)
        self.columns: list[Any] = list(self.frame.columns)
        self.is_named = all(isinstance(name, str) for name in self.columns)
        self.all_text = text and not is_parquet
        if len(self.frame) == 0:
            raise InvalidInputError(f"{self.name} has no rows: it needs at least one.")

    def column(self, reference: str, option: str) -> Any:
        """Return the column with this name or number."""
        if self.is_named and reference in self.columns:
            return reference
        try:
            return self.columns[int(reference)]
        except (ValueError, IndexError):
            shown = ", ".join(map(str, self.columns[:20])) + ", ..." * (len(self.columns) > 20)
            raise InvalidInputError(
                f"{option} is {reference!r}, but {self.name} has no such column: it has {shown}."
            ) from None

    def guess_target(self, names: list[str] | None) -> Any:
        """Return the only column that the model does not use, or without a model the last."""
        others = self.columns[-1:] if names is None else [n for n in self.columns if n not in names]
        if len(others) != 1:
            raise InvalidInputError(
                f"{self.name} has {len(others)} columns beside the model's, so that the target "
                "must be named: give --target, or --no-target if there is none."
            )
        return others[0]

    def choose(self, wanted: DataOptions, target: Any) -> list[Any]:
        """Return the columns of features."""
        columns = [self.column(name, "--features") for name in wanted.features] or self.columns
        dropped = [self.column(name, "--drop") for name in wanted.drop]
        return [name for name in columns if name not in dropped and name != target]

    def numbers(self, columns: list[Any]) -> Any:
        """Return columns as a frame of floats, or as an array if they have no names."""
        if not columns:
            raise InvalidInputError(f"{self.name} has no column of features beside the target.")
        for column in columns:
            if not self.is_numeric(column):
                values = self.frame[column]
                is_text = pd.to_numeric(values, errors="coerce").isna() & values.notna()
                row = int(is_text.to_numpy().argmax())
                raise InvalidInputError(
                    f"{self.name} has text in the column {column!r}, such as {values.iloc[row]!r} "
                    f"in row {row + 1}, where numbers are compared: encode it, leave it out with "
                    "--drop, or compare it with a kernel on text, such as --kernel spectrum:k=3."
                )
        found = self.complete(columns).astype(np.float64)
        self.refuse(np.isinf(found), "an infinite value", "replace it")
        return found if self.is_named else np.ascontiguousarray(found.to_numpy())

    def text(self, columns: list[Any]) -> Any:
        """Return the only column, or the only one that does not hold numbers, as strings."""
        if len(columns) != 1:
            columns = [column for column in columns if not self.is_numeric(column)]
        if len(columns) != 1:
            found = ", ".join(map(str, columns)) or "none"
            raise InvalidInputError(
                f"A kernel on text compares one column of {self.name}, and there are several or "
                f"none that hold text ({found}): choose one with --features, and the target with "
                "--target."
            )
        return np.array([str(cell) for cell in self.complete(columns)[columns[0]]], dtype=object)

    def target(self, column: Any) -> Any:
        """Return a column of numbers or of labels."""
        values = self.complete([column])[column]
        if not self.is_numeric(column):
            return np.array([str(cell) for cell in values])
        return values.to_numpy(np.float64) if self.all_text else values.to_numpy()

    def is_numeric(self, column: Any) -> bool:
        """Return whether a column holds numbers only."""
        values = self.frame[column]
        if self.all_text:
            return bool(pd.to_numeric(values, errors="coerce").notna().all())
        return pd.api.types.is_numeric_dtype(values)

    def complete(self, columns: list[Any]) -> Any:
        """Return columns, or raise an error if one of their values is missing."""
        found = self.frame[columns]
        self.refuse(found.isna(), "no value", "fill it in, or leave out the row")
        return found

    def refuse(self, wrong: Any, what: str, advice: str) -> None:
        """Raise an error about the first of the values that are wrong, if any is."""
        places = np.argwhere(wrong.to_numpy())
        if len(places):
            row, k = places[0]
            raise InvalidInputError(
                f"{self.name} has {what} in row {row + 1} of the column {wrong.columns[k]!r}: "
                f"{advice}, or the column with --drop."
            )


def _read_csv(wanted: DataOptions, text: bool) -> Any:
    with warnings.catch_warnings():
        # pandas drops cells beyond the last column with nothing but a warning.
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            frame = pd.read_csv(
                wanted.content(),
                sep=wanted.separator or ("\t" if wanted.kind == "tsv" else ","),
                header=None if wanted.header is False else 0,
                index_col=False,
                keep_default_na=False,
                na_values=[] if text else ["", "NA", "NaN", "nan"],
                dtype=str if text else None,
                skipinitialspace=True,
                low_memory=False,
                encoding="utf-8-sig",
                **_PRECISION,
            )
        except (ValueError, OSError, EOFError, pd.errors.ParserWarning) as error:
            raise InvalidInputError(f"{wanted.name} cannot be read as CSV: {error}") from None
    names = pd.to_numeric(pd.Series(frame.columns), errors="coerce")
    if wanted.header is None and names.notna().all():
        raise InvalidInputError(
            f"{wanted.name} begins with a line of numbers: give --no-header if it is the first "
            "row, or --header if these are names of columns."
        )
    return frame


def _read_parquet(wanted: DataOptions) -> Any:
    with _needs_pyarrow():
        return pd.read_parquet(wanted.content()).reset_index(drop=True).rename(columns=str)


def write_parquet(columns: dict[str, Any], path: str) -> None:
    """Write columns to a Parquet file."""
    with _needs_pyarrow(), replacing(path) as new:
        pd.DataFrame(columns).to_parquet(new, index=False)


@contextmanager
def _needs_pyarrow() -> Iterator[None]:
    try:
        yield
    except ImportError:
        raise MissingDependencyError(
            "Parquet files need pyarrow: install it with pip install 'maxmargin[cli]'."
        ) from None
