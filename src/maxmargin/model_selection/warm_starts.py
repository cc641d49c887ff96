"""A warm start for the machine of all rows from those of the folds (DeCoste, Wagstaff 2000)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from maxmargin.machines.sweeps import Swept
from maxmargin.model_selection.folds import Fold
from maxmargin.problems import KernelProblem
from maxmargin.typing import Floats, Integers

__all__ = ["FoldSolutions"]

#: Of one problem: training rows, and their signed multipliers.
Multipliers = tuple[Integers, Floats]

# All multipliers together take no more memory than this share of a kernel matrix in float32.
_SHARE = 0.5


class FoldSolutions:
    """Multipliers of the machines of all cells.

    Those of a fold are feasible, and so is their sum over a candidate's folds divided by the number
    of folds that train on a row. For the problem of all rows this is nearly optimal.

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
        multipliers = _multipliers(swept, len(fold.train_rows))
        n_bytes = 8 * self._n_cells * sum(len(signed) for _, signed in multipliers)
        if n_bytes <= _SHARE * 4 * fold.n_rows**2:
            self._found[candidate, fold.number] = multipliers

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


def _multipliers(swept: Swept, n_rows: int) -> list[Multipliers]:
    """Return the multipliers of problems with one variable per point."""
    found: list[Multipliers] = []
    for solution, rows in zip(swept.solutions, swept.posed.rows, strict=True):
        assert isinstance(solution.problem, KernelProblem)
        qp = solution.problem.dual()
        if qp.n_variables != qp.n_points:
            return []
        found.append((np.arange(n_rows) if rows is None else rows, qp.sign * solution.dual))
    return found
