"""Who is trained on which rows, and judged on which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

from maxmargin.errors import InvalidInputError
from maxmargin.typing import Integers

__all__ = ["Protocol", "protocol_of"]

Rows = tuple[Integers, Integers]

# Where nothing is judged on the final machine, a fold still needs rows to test.
_A_FEW = 2


@dataclass(frozen=True, eq=False)
class Protocol:
    """The final machine's rows, and folds of its training rows.

    Attributes
    ----------
    final : (train, test)
        Rows of the machine whose support vectors and certificate are reported.
    folds : list of (train, test)
        Each training row is tested at most once.
    is_split : bool
        Whether the final machine is judged, on its test rows, and the folds serve its calibration;
        otherwise the folds' scores are judged.
    """

    final: Rows
    folds: list[Rows]
    is_split: bool

    @property
    def held_out(self) -> Integers:
        """The rows that folds test, fold by fold."""
        return np.concatenate([test for _, test in self.folds])

    @property
    def judged(self) -> Integers:
        """The rows whose scores are judged."""
        return self.final[1] if self.is_split else self.held_out

    @property
    def n_cells(self) -> int:
        """Fits that each candidate takes."""
        return 1 + len(self.folds)


def protocol_of(y: Any, split: Any, cv: Any) -> Protocol:
    """Return the protocol of a fixed split, or of folds over all rows."""
    everything = np.arange(len(y))
    if split is None:
        train, test = everything, everything[:_A_FEW]
    else:
        train, test = _rows(split, everything)
    splitter = check_cv(cv, y[train], classifier=True)
    places = np.zeros(len(train))
    folds = [
        (train[np.asarray(inner)], train[np.asarray(outer)])
        for inner, outer in splitter.split(places, y[train])
    ]
    if len(folds) < 2:
        raise InvalidInputError("cv must give at least two folds; a fixed split goes into split.")
    protocol = Protocol((train, test), folds, split is not None)
    if len(np.unique(protocol.held_out)) < len(protocol.held_out):
        raise InvalidInputError("cv tests a row more than once: give folds that do not overlap.")
    return protocol


def _rows(split: Any, everything: Integers) -> Rows:
    try:
        train, test = (_chosen(everything, part) for part in split)
    except (TypeError, ValueError, IndexError) as error:
        raise InvalidInputError(
            f"split must be two arrays of rows, those to train on and those to judge: {error}."
        ) from error
    if not len(train) or not len(test):
        raise InvalidInputError("split leaves one of its parts empty: give rows to both.")
    if len(np.intersect1d(train, test)):
        raise InvalidInputError("split judges rows that it trains on: give two separate parts.")
    return train, test


def _chosen(everything: Integers, part: Any) -> Integers:
    rows = np.asarray(part)
    return everything[rows] if rows.size else everything[:0]
