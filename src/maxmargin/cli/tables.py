"""CSV and Parquet files as frames, and their columns as numbers or text (extra "cli")."""

from __future__ import annotations

import csv
import importlib
import warnings
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from maxmargin.cli.formats import STDIN
from maxmargin.errors import InvalidInputError, MissingDependencyError
from maxmargin.streams.blocks import opened

__all__ = ["Table", "read_table"]

#: Cells that hold nothing.
_MISSING = ("", "NA", "NaN", "nan")


class Table:
    """A frame, and what its file is called in sentences."""

    def __init__(self, frame: Any, name: str, *, named: bool, all_text: bool = False) -> None:
        self.frame, self.name = frame, name
        #: Whether numbers were read as text, too.
        self._all_text = all_text
        #: Whether the columns have names, rather than numbers.
        self.named = named
        if len(frame) == 0:
            raise InvalidInputError(f"{name} has no rows: it needs at least one.")

    @property
    def columns(self) -> list[Any]:
        """The columns' names, or numbers from 0 where they have none."""
        return list(self.frame.columns)

    def column(self, reference: str, option: str) -> Any:
        """Return the column that a name or a number stands for."""
        columns = self.columns
        if self.named and reference in columns:
            return reference
        try:
            return columns[int(reference)]
        except (ValueError, IndexError):
            shown = ", ".join(map(str, columns[:20])) + (", ..." if len(columns) > 20 else "")
            raise InvalidInputError(
                f"{option} is {reference!r}, but {self.name} has no such column: it has {shown}."
            ) from None

    def text_columns(self, among: Sequence[Any]) -> list[Any]:
        """Return the columns that hold strings."""
        return [name for name in among if not self._is_numeric(name)]

    def numbers(self, columns: Sequence[Any]) -> Any:
        """Return columns as a frame of floats, or an array where they have no names."""
        if not columns:
            raise InvalidInputError(f"{self.name} has no column of features beside the target.")
        for name in columns:
            self._require_numbers(name)
        found = self.frame[list(columns)].astype(np.float64)
        return found if self.named else np.ascontiguousarray(found.to_numpy())

    def text(self, column: Any) -> Any:
        """Return a column of strings."""
        self._require_complete(column)
        return np.array([str(item) for item in self.frame[column]], dtype=object)

    def target(self, column: Any) -> Any:
        """Return a column of numbers or of labels."""
        self._require_complete(column)
        values = self.frame[column]
        if self._is_numeric(column):
            return values.to_numpy(np.float64) if self._all_text else values.to_numpy()
        return np.array([str(item) for item in values])

    def _is_numeric(self, column: Any) -> bool:
        # A nullable number counts, a category or a date does not.
        if getattr(self.frame[column].dtype, "kind", "O") in "biuf":
            return True
        return self._all_text and all(map(_is_number, self.frame[column]))

    def _require_complete(self, column: Any) -> None:
        missing = np.flatnonzero(self.frame[column].isna().to_numpy())
        if len(missing):
            raise InvalidInputError(
                f"{self.name} has no value in row {missing[0] + 1} of the column {column!r}: fill "
                "it in, or leave out the row, or the column with --drop."
            )

    def _require_numbers(self, column: Any) -> None:
        if not self._is_numeric(column):
            row, cell = _first_text(self.frame[column])
            raise InvalidInputError(
                f"{self.name} has text in the column {column!r}, such as {cell!r} in row {row}, "
                "where numbers are compared: encode it, leave it out with --drop, or compare it "
                "with a kernel on text, such as --kernel spectrum:k=3."
            )
        self._require_complete(column)
        values = self.frame[column].to_numpy()
        infinite = np.flatnonzero(~np.isfinite(values.astype(np.float64)))
        if len(infinite):
            raise InvalidInputError(
                f"{self.name} has an infinite value in row {infinite[0] + 1} of the column "
                f"{column!r}: replace it, or leave the column out with --drop."
            )


def _first_text(values: Any) -> tuple[int, Any]:
    """Return where a column first holds something that is no number, counted from 1."""
    for row, cell in enumerate(values, 1):
        try:
            float(cell)
        except (TypeError, ValueError):
            return row, cell
    return 1, values.iloc[0]


def read_table(
    path: str,
    kind: str,
    content: bytes | None,
    *,
    header: bool | None = None,
    separator: str | None = None,
    as_text: bool = False,
) -> Table:
    """Read a CSV or Parquet file.

    Parameters
    ----------
    path : str
        The file.
    kind : {"csv", "tsv", "parquet"}
        Its format.
    content : bytes, optional
        What to read instead, from standard input.
    header : bool, optional
        Whether the first line of a CSV file has the names of columns.
    separator : str, optional
        Between the cells of a CSV file.
    as_text : bool
        Whether all cells of a CSV file are read as text, for 010 is not 10 then.
    """
    pandas = _pandas()
    name = "Standard input" if path == STDIN else path
    if kind == "parquet":
        return Table(_parquet(pandas, path, content), name, named=True)
    separator = separator or ("\t" if kind == "tsv" else ",")
    with _bytes(path, content) as file:
        named = _has_header(file.readline(), separator, name, header)
    with _bytes(path, content) as file, warnings.catch_warnings():
        # Cells beyond the last column are lost with a warning only.
        warnings.simplefilter("error", pandas.errors.ParserWarning)
        try:
            frame = pandas.read_csv(
                file,
                sep=separator,
                header=0 if named else None,
                index_col=False,
                keep_default_na=False,
                na_values=[] if as_text else list(_MISSING),
                dtype=str if as_text else None,
                skipinitialspace=True,
                low_memory=False,
                encoding="utf-8-sig",
                **_to_the_last_digit(pandas),
            )
        except (ValueError, OSError, pandas.errors.ParserWarning) as error:
            raise InvalidInputError(f"{name} cannot be read as CSV: {error}") from None
    return Table(frame, name, named=named, all_text=as_text)


def _to_the_last_digit(pandas: Any) -> dict[str, str]:
    # From 3.1 on every number is read so, and to ask for it is deprecated.
    version = tuple(int(part) for part in pandas.__version__.split(".")[:2])
    return {} if version >= (3, 1) else {"float_precision": "round_trip"}


def _has_header(line: bytes, separator: str, name: str, asked: bool | None) -> bool:
    if asked is not None:
        return asked
    cells = next(csv.reader([line.decode("utf-8-sig", "replace")], delimiter=separator), [])
    if cells and all(_is_number(cell) for cell in cells):
        raise InvalidInputError(
            f"{name} begins with a line of numbers: give --no-header if it is the first row, or "
            "--header if these are names of columns."
        )
    return True


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _parquet(pandas: Any, path: str, content: bytes | None) -> Any:
    try:
        importlib.import_module("pyarrow")
    except ImportError:
        raise MissingDependencyError(
            "Parquet files need pyarrow: install it with pip install 'maxmargin[cli]'."
        ) from None
    frame = pandas.read_parquet(path if content is None else BytesIO(content))
    frame = frame.reset_index(drop=True)
    frame.columns = [str(column) for column in frame.columns]
    return frame


def _bytes(path: str, content: bytes | None) -> BinaryIO:
    return opened(Path(path)) if content is None else BytesIO(content)


def _pandas() -> Any:
    try:
        return importlib.import_module("pandas")
    except ImportError:
        raise MissingDependencyError(
            "CSV and Parquet files need pandas: install it with pip install 'maxmargin[cli]'."
        ) from None
