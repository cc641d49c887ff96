"""How a solver went: one record per observation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maxmargin.frame import as_frame
from maxmargin.typing import Floats

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Callback", "Progress", "Record", "Trace"]


@dataclass(frozen=True)
class Record:
    """The state of a solver at one observation.

    Attributes
    ----------
    iteration : int
        In the solver's own unit.
    seconds : float
        Since the start, observations included.
    primal, dual : float
        Objective values: primal of the current machine, dual of the nearest feasible multipliers.
        An interior-point method reports those of its iterates, which need not be feasible.
    gap : float
        primal - dual; with infeasible iterates it can be negative.

    Examples
    --------
    >>> from maxmargin.solvers import Record
    >>> Record(iteration=1, seconds=0.1, primal=3.0, dual=2.5, gap=0.5).gap
    0.5
    """

    iteration: int
    seconds: float
    primal: float
    dual: float
    gap: float


@dataclass(frozen=True)
class Progress(Record):
    """What a callback sees: the state of one of the problems that are being solved.

    Attributes
    ----------
    problem, n_done, n_problems : int
        The problem that the record is about, how many are solved, how many there are.
    kernel_share : float
        How much of the kernel matrix is there, where that is computed before the first step.

    Examples
    --------
    >>> from maxmargin.solvers import Progress
    >>> Progress(1, 0.1, 3.0, 2.5, 0.5, problem=0, n_done=0, n_problems=3).n_problems
    3
    """

    problem: int = 0
    n_done: int = 0
    n_problems: int = 1
    kernel_share: float = 1.0


#: Called with each `Progress`; returning True ends the run.
Callback = Callable[[Progress], bool | None]


class Trace:
    """The records of a run, in order; columns as attributes.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import HardMargin
    >>> trace = solve(HardMargin([[0.0], [2.0]], [-1, 1]), solver="smo", trace=True).trace
    >>> bool(trace.gap[-1] < 1e-6)
    True
    """

    def __init__(self, records: Sequence[Record] = ()) -> None:
        self._records = tuple(records)

    def __getitem__(self, index: int) -> Record:
        return self._records[index]

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records)

    def __repr__(self) -> str:
        return f"<Trace of {len(self)} records>"

    def _column(self, name: str) -> Floats:
        return np.array([getattr(record, name) for record in self._records], dtype=np.float64)

    @property
    def iteration(self) -> Floats:
        """Iterations of the records."""
        return self._column("iteration")

    @property
    def seconds(self) -> Floats:
        """Times of the records."""
        return self._column("seconds")

    @property
    def primal(self) -> Floats:
        """Primal values."""
        return self._column("primal")

    @property
    def dual(self) -> Floats:
        """Dual values."""
        return self._column("dual")

    @property
    def gap(self) -> Floats:
        """Duality gaps."""
        return self._column("gap")

    def to_frame(self) -> pd.DataFrame:
        """Return the records as a pandas DataFrame (pandas must be installed)."""
        return as_frame(Record, self._records)


#: A run without records.
NO_TRACE = Trace()
