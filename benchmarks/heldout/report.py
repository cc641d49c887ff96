"""Where maxmargin is worse in objective, slower, or not certified, as tables in Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import exp, log
from typing import Any

from benchmarks.page import markdown_table
from benchmarks.results import Record

#: A larger objective counts as worse from this fraction on.
WORSE = 1e-3
#: A fit counts as slower from this ratio on, unless it takes less than so many seconds.
SLOWER = 2.0
SHORT_SECONDS = 0.020
#: A fit is certified if its relative gap is at most this.
CERTIFIED = 1e-2
#: Two computations of one objective differ by rounding, at most by this fraction.
ROUNDING = 1e-6


@dataclass(frozen=True)
class Pair:
    """The records of one fit with both libraries."""

    data: str
    setting: str
    ours: Record
    theirs: Record

    @property
    def both(self) -> bool:
        return self.ours["status"] == self.theirs["status"] == "done"

    @property
    def excess(self) -> float:
        """How far our objective is above theirs, as a fraction of theirs."""
        ours, theirs = self.ours["primal"], self.theirs["primal"]
        return (ours - theirs) / max(abs(theirs), 1e-300)

    @property
    def ratio(self) -> float:
        return self.ours["fit_s"] / max(self.theirs["fit_s"], 1e-9)

    @property
    def is_worse(self) -> bool:
        return self.both and self.excess > WORSE

    @property
    def is_slower(self) -> bool:
        return self.both and self.ours["fit_s"] > SHORT_SECONDS and self.ratio > SLOWER

    @property
    def is_uncertified(self) -> bool:
        if self.ours["status"] != "done":
            return False
        return not (self.ours["convex"] and self.ours["relative_gap"] <= CERTIFIED)

    @property
    def is_contradicted(self) -> bool:
        """Whether the published model is worse than its certificate says.

        The other library's objective is no smaller than the optimum, so that it must not be
        smaller than the certified dual value.
        """
        ours, theirs = self.ours, self.theirs
        if ours["status"] != "done" or not ours["convex"]:
            return False
        room = ROUNDING * abs(ours["certified_primal"])
        if ours["primal"] > ours["certified_primal"] + room:
            return True
        return theirs["status"] == "done" and theirs["primal"] < ours["certified_dual"] - room


def paired(records: Iterable[Record]) -> list[Pair]:
    """Put the records of both libraries side by side."""
    found: dict[tuple[str, str], dict[str, Record]] = {}
    for record in records:
        key = (record["data"], record["setting"])
        found.setdefault(key, {})[record["library"]] = record
    return [
        Pair(*key, both["maxmargin"], both["scikit-learn"])
        for key, both in found.items()
        if len(both) == 2
    ]


def _number(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _said(record: Record) -> str:
    """Return whether the fit said that it did not reach its tolerance."""
    return "yes" if record["fit_status"] or record["warnings"] else "no"


def _section(
    title: str,
    pairs: list[Pair],
    chosen: Callable[[Pair], bool],
    columns: dict[str, Callable[[Pair], Any]],
) -> str:
    hits = [pair for pair in pairs if chosen(pair)]
    lines = [f"## {title}: {len(hits)}"]
    if hits:
        rows = [
            [pair.data, pair.setting, *(_number(value(pair)) for value in columns.values())]
            for pair in hits
        ]
        lines.append(markdown_table(["data", "setting", *columns], rows))
    return "\n\n".join(lines)


def _summary(pairs: list[Pair]) -> str:
    both = [pair for pair in pairs if pair.both]
    text = f"{len(pairs)} fits with each library, {len(both)} of them done by both."
    if both:
        mean = exp(sum(log(max(pair.ratio, 1e-9)) for pair in both) / len(both))
        lower = sum(pair.excess < -WORSE for pair in both)
        text += (
            f" Our time divided by theirs: {mean:.3g} (geometric mean). Our objective is more "
            f"than {WORSE:.1%} lower in {lower} of them."
        )
    return text


def report(records: Iterable[Record]) -> str:
    """Return the page."""
    pairs = paired(records)
    ours: dict[str, Callable[[Pair], Any]] = {
        "relative gap": lambda pair: pair.ours["relative_gap"],
        "warned": lambda pair: _said(pair.ours),
    }
    return "\n\n".join(
        [
            "# maxmargin and scikit-learn on held-out data",
            _summary(pairs),
            _section(
                f"Objective more than {WORSE:.1%} above scikit-learn's",
                pairs,
                lambda pair: pair.is_worse,
                {
                    "ours": lambda pair: pair.ours["primal"],
                    "theirs": lambda pair: pair.theirs["primal"],
                    "excess": lambda pair: pair.excess,
                    **ours,
                },
            ),
            _section(
                f"More than {SLOWER:g} times as slow, above {1000 * SHORT_SECONDS:g} ms",
                pairs,
                lambda pair: pair.is_slower,
                {
                    "ours, s": lambda pair: pair.ours["fit_s"],
                    "theirs, s": lambda pair: pair.theirs["fit_s"],
                    "ratio": lambda pair: pair.ratio,
                },
            ),
            _section(
                f"Not certified to a relative gap of {CERTIFIED:g}",
                pairs,
                lambda pair: pair.is_uncertified,
                ours,
            ),
            _section(
                "Certificate contradicted by a primal value",
                pairs,
                lambda pair: pair.is_contradicted,
                {
                    "primal": lambda pair: pair.ours["primal"],
                    "certified primal": lambda pair: pair.ours["certified_primal"],
                    "certified dual": lambda pair: pair.ours["certified_dual"],
                    "theirs": lambda pair: pair.theirs.get("primal", ""),
                },
            ),
            _section(
                "Not done",
                pairs,
                lambda pair: not pair.both,
                {
                    "maxmargin": lambda pair: pair.ours.get("message", "done"),
                    "scikit-learn": lambda pair: pair.theirs.get("message", "done"),
                },
            ),
        ]
    )
