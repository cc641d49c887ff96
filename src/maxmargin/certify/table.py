"""The KKT conditions as a table, one row a constraint."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from html import escape
from io import StringIO
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.table import Table as RichTable

from maxmargin.frame import as_frame
from maxmargin.problems import Case

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    from rich.console import ConsoleOptions, RenderResult

__all__ = ["KKTRow", "KKTTable"]

_SHOWN = 60

_HEADINGS = {
    "point": "i",
    "side": "side",
    "multiplier": "a",
    "cost": "C",
    "decision": "f(x)",
    "margin": "margin",
    "constraint": "constraint",
    "slack": "slack",
    "case": "case",
    "primal_residual": "primal",
    "dual_residual": "dual",
    "complementarity": "compl.",
}

LEFT_OUT = "C = 0: left out"

CASES = {
    Case.ZERO: "a = 0: beyond margin",
    Case.FREE: "0 < a < C: on margin",
    Case.BOUNDED: "a = C: inside margin",
}


@dataclass(frozen=True)
class KKTRow:
    """One constraint at a solution.

    Attributes
    ----------
    point : int
        Index of the point.
    side : int
        +1 or -1: the label, or above and below the tube.
    multiplier, cost : float
        a and its upper bound.
    decision : float
        f(x).
    margin : float
        The functional margin: y f(x) with two classes, f(x) with one; in regression the distance
        to the edge of the tube, positive inside.
    constraint : float
        What must be at least zero but for slack: y f(x) - 1 for a soft margin.
    slack : float
        How much it lacks.
    case : str
        Which of the three cases of complementary slackness it is in.
    primal_residual, dual_residual, complementarity : float
        Violations of constraint + slack >= 0, of 0 <= a <= C, and of
        a (constraint + slack) = 0 and (C - a) slack = 0.

    Examples
    --------
    >>> from maxmargin import certify, solve
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> row = certify(problem, solve(problem)).table()[2]
    >>> row.point, row.side, row.multiplier, row.case
    (2, -1, 1.0, 'a = C: inside margin')
    """

    point: int
    side: int
    multiplier: float
    cost: float
    decision: float
    margin: float
    constraint: float
    slack: float
    case: str
    primal_residual: float
    dual_residual: float
    complementarity: float


@dataclass(frozen=True, repr=False)
class KKTTable:
    """All rows; shows as a table in a terminal (rich), as HTML in a notebook.

    Iterate over it for the rows, or take `to_frame` for a DataFrame.

    Examples
    --------
    >>> from maxmargin import certify, solve
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> table = certify(problem, solve(problem)).table()
    >>> len(table), max(row.complementarity for row in table) < 1e-9
    (4, True)
    """

    rows: tuple[KKTRow, ...]
    title: str

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[KKTRow]:
        return iter(self.rows)

    def __getitem__(self, index: int) -> KKTRow:
        return self.rows[index]

    def support(self) -> KKTTable:
        """Keep the rows whose multiplier is not zero."""
        kept = tuple(row for row in self.rows if row.case not in (CASES[Case.ZERO], LEFT_OUT))
        return KKTTable(kept, f"{self.title}, support vectors only")

    def to_frame(self) -> pd.DataFrame:
        """Return the rows as a pandas DataFrame (pandas must be installed)."""
        return as_frame(KKTRow, self.rows)

    def _cells(self) -> Iterator[list[str]]:
        for row in self.rows[:_SHOWN]:
            yield [_text(value) for value in astuple(row)]

    @property
    def _footnote(self) -> str:
        hidden = len(self.rows) - _SHOWN
        return f"{hidden} more rows: to_frame() has them all." if hidden > 0 else ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        del console, options
        table = RichTable(title=self.title, caption=self._footnote)
        for name, heading in _HEADINGS.items():
            table.add_column(heading, justify="left" if name == "case" else "right")
        for cells in self._cells():
            table.add_row(*cells)
        yield table

    def __repr__(self) -> str:
        return f"<KKTTable of {len(self)} rows>"

    def __str__(self) -> str:
        console = Console(width=120, file=StringIO())
        with console.capture() as captured:
            console.print(self)
        return captured.get()

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(heading)}</th>" for heading in _HEADINGS.values())
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
            for cells in self._cells()
        )
        return (
            f"<table><caption>{escape(self.title)}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table><p>{escape(self._footnote)}</p>"
        )


def _text(value: float | int | str) -> str:
    if isinstance(value, str | int | np.integer):
        return str(value)
    if np.isinf(value):
        return "inf"
    return f"{value:.1e}" if 0 < abs(value) < 1e-4 else f"{value:.5g}"
