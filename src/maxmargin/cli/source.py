"""Where data come from, and what they are turned into: X and y."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.cli.arrays import read_arrays
from maxmargin.cli.formats import STDIN, data_format
from maxmargin.cli.tables import Table, read_table
from maxmargin.errors import InvalidInputError
from maxmargin.streams import read_libsvm

__all__ = ["Data", "Source"]

#: From this fraction of entries on that are not zero, a dense matrix is the faster one.
_DENSE_FROM = 0.25

_TABLES = ("csv", "tsv", "parquet")


@dataclass(frozen=True)
class Data:
    """What was read.

    Attributes
    ----------
    X : frame, array, csr_array or array of str
        The points.
    y : array, optional
        The target; whole numbers are integers.
    target : str
        What it is called, empty where it has no name.
    """

    X: Any
    y: Any = None
    target: str = ""

    @property
    def n_rows(self) -> int:
        """How many points."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """How many columns; one of text."""
        return int(self.X.shape[1]) if self.X.ndim == 2 else 1

    @property
    def names(self) -> list[str] | None:
        """The columns' names, None if they have none."""
        columns = getattr(self.X, "columns", None)
        return None if columns is None else [str(name) for name in columns]

    def required_y(self) -> Any:
        """Return the target, or say that there is none."""
        if self.y is None:
            raise InvalidInputError("The data have no target: name it with --target.")
        return self.y


@dataclass(frozen=True)
class Source:
    """The data options of a command: which file, and which of its columns."""

    data: str
    format: str | None = None
    target: str | None = None
    no_target: bool = False
    features: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    header: bool | None = None
    separator: str | None = None
    zero_based: bool = False
    dense: bool | None = None
    _held: list[bytes] = field(default_factory=list, repr=False)

    @property
    def kind(self) -> str:
        """The format."""
        return data_format(self.data, self.format)

    @property
    def is_table(self) -> bool:
        """Whether columns may have names."""
        return self.kind in _TABLES

    def _content(self) -> bytes | None:
        """Return what standard input has, None for a file."""
        if self.data != STDIN:
            return None
        if not self._held:
            self._held.append(sys.stdin.buffer.read())
        return self._held[0]

    def read(self, *, text: bool = False) -> Data:
        """Read data to learn from.

        Parameters
        ----------
        text : bool
            Whether a column of strings is compared, rather than numbers.
        """
        if self.is_table:
            return self._from_table(text)
        self._refuse_columns()
        if text:
            raise InvalidInputError(
                f"A kernel on text needs a column of a CSV or Parquet file; {self.data} is of "
                f"the format {self.kind}."
            )
        X, y = self._matrix(None)
        if self.dense is not None or sparse.issparse(X):
            X = self._as_wanted(X)
        return Data(X, None if self.no_target else labels(y), self.target or "")

    def read_new(
        self, names: Sequence[str] | None, n_features: int | None, *, text: bool, judged: bool
    ) -> Data:
        """Read data for a model.

        Parameters
        ----------
        names : sequence of str, optional
            The model's columns.
        n_features : int, optional
            How many they are.
        text : bool
            Whether the model compares strings.
        judged : bool
            Whether the target is needed too.
        """
        if self.is_table and text:
            return self._from_table(text, target_needed=judged)
        if self.is_table:
            return self._table_for(names, n_features, judged)
        self._refuse_columns()
        X, y = self._matrix(n_features)
        return Data(X, None if self.no_target else labels(y), self.target or "")

    # Matrices -----------------------------------------------------------------------------------

    def _refuse_columns(self) -> None:
        if self.features or self.drop:
            raise InvalidInputError(
                f"--features and --drop choose columns of CSV and Parquet files; {self.data} is "
                f"of the format {self.kind}."
            )

    def _matrix(self, n_features: int | None) -> tuple[Any, Any]:
        content = self._content()
        if self.kind == "npz":
            return read_arrays(self.data, content, self.target)
        if self.target is not None:
            raise InvalidInputError(
                "A LIBSVM file has its target first in each line, not --target."
            )
        given: Any = self.data if content is None else BytesIO(content)
        return read_libsvm(given, n_features=n_features, zero_based=self.zero_based)

    def _as_wanted(self, X: Any) -> Any:
        n, d = X.shape
        dense = self.dense
        if dense is None:
            dense = X.nnz >= _DENSE_FROM * n * d
        if not dense:
            return sparse.csr_array(X)
        return X.toarray() if sparse.issparse(X) else X

    # Tables -------------------------------------------------------------------------------------

    def _table(self, *, text: bool = False) -> Table:
        return read_table(
            self.data,
            self.kind,
            self._content(),
            header=self.header,
            separator=self.separator,
            as_text=text,
        )

    def _from_table(self, text: bool, *, target_needed: bool = True) -> Data:
        table = self._table(text=text)
        columns = table.columns
        target = None
        if self.target is not None:
            target = table.column(self.target, "--target")
        elif target_needed and not self.no_target:
            target = columns[-1]
        chosen = self._chosen(table, [name for name in columns if name != target])
        y = None if target is None or self.no_target else labels(table.target(target))
        if not text:
            return Data(table.numbers(chosen), y, _name(target))
        strings = table.text_columns(chosen)
        if len(chosen) == 1:
            strings = chosen
        if len(strings) != 1:
            found = ", ".join(map(str, strings)) or "none"
            raise InvalidInputError(
                f"A kernel on text compares one column of {table.name}, and there are several or "
                f"none that hold text ({found}): choose one with --features, and the target with "
                "--target."
            )
        return Data(table.text(strings[0]), y, _name(target))

    def _chosen(self, table: Table, columns: list[Any]) -> list[Any]:
        if self.features:
            columns = [table.column(name, "--features") for name in self.features]
        dropped = {table.column(name, "--drop") for name in self.drop}
        return [name for name in columns if name not in dropped]

    def _table_for(self, names: Sequence[str] | None, n_features: int | None, judged: bool) -> Data:
        table = self._table()
        if names is not None and table.named:
            missing = [name for name in names if name not in table.columns]
            if missing:
                raise InvalidInputError(
                    f"{table.name} has no column {missing[0]!r}, which the model was trained with."
                )
            others = [name for name in table.columns if name not in set(names)]
            target = self._target(table, others, judged)
            return self._parts(table, list(names), target)
        target = self._target(table, table.columns[-1:], judged)
        columns = self._chosen(table, [name for name in table.columns if name != target])
        if n_features is not None and len(columns) != n_features:
            raise InvalidInputError(
                f"{table.name} has {len(columns)} columns of features where the model has "
                f"{n_features}: name the target with --target, and leave out others with --drop."
            )
        return self._parts(table, columns, target)

    def _target(self, table: Table, candidates: Sequence[Any], judged: bool) -> Any:
        if self.target is not None:
            return table.column(self.target, "--target")
        if not judged or self.no_target:
            return None
        if len(candidates) != 1:
            raise InvalidInputError(
                f"{table.name} has {len(candidates)} columns beside the model's, so that the "
                "target must be named: give --target, or --no-target if there is none."
            )
        return candidates[0]

    @staticmethod
    def _parts(table: Table, columns: list[Any], target: Any) -> Data:
        y = None if target is None else labels(table.target(target))
        return Data(table.numbers(columns), y, _name(target))


def _name(target: Any) -> str:
    return "" if target is None else str(target)


def labels(y: Any) -> Any:
    """Return a target with whole numbers as integers, and anything but numbers as strings."""
    if y is None:
        return None
    values = np.asarray(y)
    if values.dtype.kind == "f":
        if not np.isfinite(values).all():
            row = int(np.flatnonzero(~np.isfinite(values))[0]) + 1
            raise InvalidInputError(f"The target has no finite value in row {row}: fill it in.")
        if (values == np.floor(values)).all() and (np.abs(values) < 2**53).all():
            return values.astype(np.int64)
    if values.dtype.kind in "SO":
        return np.array(
            [item.decode() if isinstance(item, bytes) else str(item) for item in values]
        )
    return values
