"""Whether a model was trained on the rows that it is judged on, as far as that can be known.

The support vectors of a kernel machine are rows that it was trained on. If all of them are found
in X at their places, and X has as many rows as the training data, X is the training data. If some
are found anywhere in X, it was trained on these. If none is found, X may still hold training rows
that did not become support vectors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from scipy import sparse

from maxmargin.errors import InvalidInputError
from maxmargin.estimators.base import KernelMachine
from maxmargin.report.judged import Judged
from maxmargin.report.subject import Subject
from maxmargin.report.words import counted

__all__ = ["Evaluation", "Origin", "origin_of"]

Evaluation = Literal["held-out", "training"]

_CHUNK = 4096
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Origin:
    """Where the rows come from.

    Attributes
    ----------
    rows : str
        What to call them: "training rows", "held-out rows" or "rows".
    sentence : str
        What is known.
    contradiction : str or None
        Why what was claimed cannot be true.
    """

    rows: str
    sentence: str
    contradiction: str | None = None

    @property
    def is_training(self) -> bool:
        """Whether the model was trained on these rows."""
        return self.rows == "training rows"


def origin_of(subject: Subject, judged: Judged, claimed: str | None) -> Origin:
    """Compare the rows with the support vectors, and with what is claimed about them."""
    if claimed not in (None, "held-out", "training"):
        raise InvalidInputError(
            f'evaluation must be "held-out", "training" or None; got {claimed!r}.'
        )
    found, all_of_them = _found(subject, judged.X)
    if claimed == "held-out":
        return _held_out(found)
    if claimed == "training" or all_of_them:
        said = (
            "These are the rows that the model was trained on"
            if all_of_them
            else "The model was trained on these rows, says who made this report"
        )
        sentence = f"{said}: the measures below flatter, and say little about new rows."
        return Origin("training rows", sentence)
    if found:
        sentence = (
            f"Of these rows, {found:,} equal support vectors, so the model was trained on some of "
            "them at least: the measures below flatter."
        )
    elif found is None:
        sentence = (
            "It is not known whether the model was trained on these rows. If it was, the measures "
            "below flatter."
        )
    else:
        sentence = (
            "None of these rows is a support vector. Whether the model was trained on some of them "
            "all the same is not known; if it was, the measures below flatter."
        )
    return Origin("rows", sentence)


def _held_out(found: int | None) -> Origin:
    if not found:
        sentence = (
            "The model was not trained on these rows, says who made this report: the measures "
            "below estimate what it will do on new ones."
        )
        return Origin("held-out rows", sentence)
    rows = counted(found, "row that is", "rows that are")
    return Origin(
        "rows",
        "It was trained on some of these rows at least: the measures below flatter.",
        f"These rows are said to be held out, but X holds {rows} support vectors of the model, or "
        "equal to some: it was trained on them.",
    )


def _found(subject: Subject, X: Any) -> tuple[int | None, bool]:
    """Return how many rows are support vectors, None if unknown; and whether X is all of them."""
    machine = subject.machine
    if not isinstance(machine, KernelMachine) or not subject.compares_rows_of_numbers:
        return None, False
    rows, vectors = subject.prepared(X), machine.support_vectors_
    if rows.ndim != 2 or rows.shape[1] != vectors.shape[1]:
        return None, False
    kept = set(_keys(vectors))
    found = sum(key in kept for key in _keys(rows))
    as_many = rows.shape[0] == machine.shape_fit_[0] and len(machine.support_) > 0
    all_of_them = as_many and _are_equal(rows[machine.support_], vectors)
    # Some transformers give other roundings when they are fitted than later.
    return found or (None if subject.preparation else 0), all_of_them


def _keys(rows: Any) -> Iterator[tuple[bytes, bytes]]:
    """Yield what tells rows apart: where they are not zero, and their values there."""
    for begin in range(0, rows.shape[0], _CHUNK):
        part = sparse.csr_array(rows[begin : begin + _CHUNK], dtype=np.float64)
        part.eliminate_zeros()
        part.sort_indices()
        for low, high in pairwise(part.indptr):
            yield part.indices[low:high].astype(np.int64).tobytes(), part.data[low:high].tobytes()


def _are_equal(rows: Any, vectors: Any) -> bool:
    difference = sparse.csr_array(rows) - sparse.csr_array(vectors)
    return bool(abs(difference).max() <= _ROUNDING * abs(vectors).max())
