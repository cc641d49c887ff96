"""The KKT conditions as a table, one row per constraint."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from html import escape
from io import StringIO
from typing import TYPE_CHECKING

import numpy as np

from maxmargin.certificates.constraints import Constraints
from maxmargin.frame import as_frame
from maxmargin.problems import Case, EpsilonTube, NuTube, OneClass, Problem, Sphere
from maxmargin.typing import Floats, Integers

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    from rich.console import Console, ConsoleOptions, RenderResult

__all__ = ["KKTRow", "KKTTable"]

# The number of rows that a terminal or a notebook shows.
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

_LEFT_OUT = "C = 0: left out"
_AT_ZERO = "a = 0"


@dataclass(frozen=True)
class Places:
    """What the table calls the places of points: where a = 0, at the edge, and with slack.

    `wrong` is the place of points with slack whose functional margin is negative.
    """

    zero: str
    edge: str
    slack: str
    wrong: str


_CLASSES = Places("beyond margin", "on margin", "inside margin", "wrong side")
_TUBE = Places("inside tube", "on edge of tube", "outside tube", "outside tube")
_ONE_CLASS = Places("inside", "on boundary", "outside", "outside")


def places_of(problem: Problem) -> Places:
    """Return the names of the places of a problem's points."""
    if isinstance(problem, EpsilonTube | NuTube):
        return _TUBE
    return _ONE_CLASS if isinstance(problem, OneClass | Sphere) else _CLASSES


@dataclass(frozen=True)
class KKTRow:
    """One constraint at a solution.

    Attributes
    ----------
    point : int
        Index of the point: in the problem or, in the table of an estimator, in its training data.
    side : int
        +1 or -1: the label, or above and below the tube.
    multiplier, cost : float
        a and its upper bound.
    decision : float
        f(x).
    margin : float
        The functional margin: y f(x) with two classes, f of the own class minus the highest of the
        others with more, f(x) with one; in regression the distance to the edge of the tube,
        positive inside.
    constraint : float
        The value that must be at least zero, except for slack: y f(x) - 1 for a soft margin.
    slack : float
        By how much the constraint is violated.
    case : str
        Which case of complementary slackness applies, by the multiplier, and where it places the
        point. Points with slack are on the wrong side if their functional margin is negative.
    primal_residual, dual_residual, complementarity : float
        Violations of constraint + slack >= 0, of 0 <= a <= C, and of
        a (constraint + slack) = 0 and (C - a) slack = 0.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> row = solve(problem).table()[2]
    >>> row.point, row.side, row.multiplier, round(row.margin, 3), row.case
    (2, -1, 1.0, -0.333, 'a = C: wrong side')
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
    """The rows of all constraints, shown as a table in a terminal (rich) or a notebook (HTML).

    Iterate over it for the rows, or call `to_frame` for a DataFrame.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> table = solve(problem).table()
    >>> len(table), max(row.complementarity for row in table) < 1e-9
    (4, True)
    """

    rows: tuple[KKTRow, ...]
    title: str

    @classmethod
    def of(
        cls, constraints: Constraints, title: str, places: Places, rows: Integers | None = None
    ) -> KKTTable:
        """Return one row per constraint; `rows` are the training rows of the points."""
        at, slack = constraints, constraints.slack
        # With a squared loss there is no upper bound; the second condition is a = slack / ridge.
        bounded = (at.ridge == 0) & np.isfinite(at.cost)
        room = np.where(bounded, at.cost, 0.0) - np.where(bounded, at.multiplier, 0.0)
        excess = np.where(at.ridge > 0, np.abs(at.ridge * at.multiplier - slack), 0.0)
        complementarity = np.maximum(
            np.abs(at.multiplier * (at.constraint + slack)),
            np.maximum(np.abs(room * slack), excess),
        )
        primal = np.maximum(0.0, -(at.constraint + slack))
        dual = np.maximum(0.0, np.maximum(-at.multiplier, at.multiplier - at.cost))
        case = _cases(constraints, places)
        values = (at.multiplier, at.cost, at.decision, at.margin, at.constraint, slack)
        columns = (
            (at.point if rows is None else rows[at.point]).tolist(),
            at.side.astype(int).tolist(),
            *map(_numbers, values),
            case,
            *map(_numbers, (primal, dual, complementarity)),
        )
        return cls(tuple(KKTRow(*row) for row in zip(*columns, strict=True)), title)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[KKTRow]:
        return iter(self.rows)

    def __getitem__(self, index: int) -> KKTRow:
        return self.rows[index]

    def support(self) -> KKTTable:
        """Return the table of the rows whose multiplier is not zero."""
        kept = tuple(row for row in self.rows if not row.case.startswith((_AT_ZERO, _LEFT_OUT)))
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
        from rich.table import Table

        del console, options
        table = Table(title=self.title, caption=self._footnote)
        for name, heading in _HEADINGS.items():
            table.add_column(heading, justify="left" if name == "case" else "right")
        for cells in self._cells():
            table.add_row(*cells)
        yield table

    def __repr__(self) -> str:
        return f"<KKTTable of {len(self)} rows>"

    def __str__(self) -> str:
        from rich.console import Console

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


def _cases(constraints: Constraints, places: Places) -> list[str]:
    at = constraints
    edge = np.where(np.isfinite(at.cost), "0 < a < C", "a > 0")
    with_slack = np.where(at.margin < 0, places.wrong, places.slack)
    # With a squared loss every point with a multiplier above zero has slack.
    free = np.where(at.ridge > 0, with_slack, places.edge)
    found = []
    for k, kind in enumerate(at.case):
        if at.cost[k] <= 0:
            found.append(_LEFT_OUT)
        elif kind == Case.ZERO:
            found.append(f"{_AT_ZERO}: {places.zero}")
        elif kind == Case.FREE:
            found.append(f"{edge[k]}: {free[k]}")
        else:
            found.append(f"a = C: {with_slack[k]}")
    return found


def _numbers(values: Floats) -> list[float]:
    """Return a list of numbers without negative zeros."""
    numbers: list[float] = (values + 0.0).tolist()
    return numbers


def _text(value: float | int | str) -> str:
    if isinstance(value, str | int | np.integer):
        return str(value)
    return f"{value:.1e}" if 0 < abs(value) < 1e-4 else f"{value:.5g}"
