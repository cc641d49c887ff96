"""Whether a model was trained on the rows that it is judged on, as far as that can be known.

The support vectors of a kernel machine are rows that it was trained on. If all of them are found
in X at their places, and X has as many rows as the training data, X is the training data. If some
are found anywhere in X, the model was trained on these. If none is found, X may still hold training
rows that did not become support vectors. A solution knows its own points.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from scipy import sparse

from maxmargin.errors import InvalidInputError
from maxmargin.pages.subject import Subject

__all__ = ["Evaluation", "Origin", "origin_of"]

Evaluation = Literal["held-out", "training", "out-of-fold"]

# Rows that are compared at a time, so that only a part of dense data is copied.
_CHUNK = 4096

# Rows that differ by this fraction of the largest entry are equal: some transformers round
# differently when they are fitted.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Origin:
    """What the author says about the rows, and how many equal support vectors, None if unknown.

    `are_all` says whether these are the training rows.
    """

    claimed: Evaluation | None
    n_found: int | None
    are_all: bool

    @property
    def is_contradicted(self) -> bool:
        """Whether rows that are said to be held out are not."""
        return self.claimed == "held-out" and bool(self.n_found)

    @property
    def rows(self) -> str:
        """What to call a row."""
        if self.claimed == "held-out":
            return "row" if self.is_contradicted else "held-out row"
        is_training = self.claimed in ("training", "out-of-fold") or self.are_all
        return "training row" if is_training else "row"


def origin_of(subject: Subject, X: Any, claimed: Evaluation | None) -> Origin:
    """Compare the rows with the support vectors."""
    if claimed not in (None, "held-out", "training", "out-of-fold"):
        raise InvalidInputError(
            f'evaluation must be "held-out", "training", "out-of-fold" or None; got {claimed!r}.'
        )
    machine = subject.machine
    if subject.solution is not None and X is subject.solution.problem.X:
        return Origin(claimed, len(machine.support_), are_all=True)
    unknown = Origin(claimed, None, are_all=False)
    if not subject.has_support_vectors or not subject.compares_rows_of_numbers:
        return unknown
    rows, vectors = X, machine.support_vectors_
    for _, step in subject.preparation:
        rows = step.transform(rows)
    rows = rows if sparse.issparse(rows) else np.asarray(rows)
    if rows.ndim != 2 or rows.shape[1] != vectors.shape[1]:
        return unknown
    kept = set(_keys(vectors))
    found = sum(key in kept for key in _keys(rows))
    as_many = rows.shape[0] == machine.shape_fit_[0] and len(machine.support_) > 0
    are_all = as_many and _are_equal(rows[machine.support_], vectors)
    # Behind transformers, equal rows may differ by rounding: none found does not mean none there.
    return Origin(claimed, found or (None if subject.preparation else 0), are_all)


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
