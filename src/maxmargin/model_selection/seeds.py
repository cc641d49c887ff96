"""Where the machine of all rows starts: from those of the folds (DeCoste, Wagstaff 2000)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from maxmargin.estimators.sweep import Multipliers, Swept
from maxmargin.model_selection.folds import Fold
from maxmargin.typing import Floats

__all__ = ["Seeds"]

# All multipliers together take no more memory than this share of a kernel matrix in float32.
_SHARE = 0.5


class Seeds:
    """Multipliers of the machines of all cells.

    Those of a fold are within their bounds and balanced, and so is the sum over a candidate's folds
    divided by the number of folds that train on a row: for all rows it is nearly right.

    Parameters
    ----------
    folds : sequence of Fold
        All of the search.
    n_candidates : int
        Of the search.
    """

    def __init__(self, folds: Sequence[Fold], n_candidates: int) -> None:
        self._folds = folds
        self._n_cells = len(folds) * n_candidates
        self._found: dict[tuple[int, int], Sequence[Multipliers]] = {}

    def add(self, candidate: int, fold: Fold, swept: Swept) -> None:
        """Keep the multipliers of a candidate's machines on a fold, if there is room for them."""
        n_bytes = 8 * self._n_cells * sum(len(signed) for _, signed in swept.multipliers)
        if n_bytes <= _SHARE * 4 * fold.n_rows**2:
            self._found[candidate, fold.number] = swept.multipliers

    def of(self, candidate: int) -> list[Floats] | None:
        """Return a start for each of a candidate's machines, by row, if there is one."""
        times = np.bincount(np.concatenate([fold.train_rows for fold in self._folds]))
        starts: list[Floats] = []
        for fold in self._folds:
            own = self._found.get((candidate, fold.number), ())
            starts += [np.zeros(fold.n_rows) for _ in own[len(starts) :]]
            for start, (rows, signed) in zip(starts, own, strict=False):
                start[fold.train_rows[rows]] += signed / times.max()
        return starts or None
