"""The records of a benchmark: one per process that ran, kept in a JSON file."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Self

Record = dict[str, Any]


@dataclass
class Results:
    """The computer, the settings, the sizes of the problems, and the records.

    Records name their problem and their library.
    """

    machine: Record = field(default_factory=dict)
    settings: Record = field(default_factory=dict)
    problems: dict[str, Record] = field(default_factory=dict)
    runs: list[Record] = field(default_factory=list)
    certificates: list[Record] = field(default_factory=list)

    @classmethod
    def load(cls, path: Path) -> Self:
        return cls(**json.loads(path.read_text()))

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self), indent=1) + "\n")

    def forget(self, problem: str, library: str) -> None:
        """Drop the earlier records of this problem and library."""
        for records in (self.runs, self.certificates):
            records[:] = [r for r in records if (r["problem"], r["library"]) != (problem, library)]


def done(runs: list[Record], **named: Any) -> list[Record]:
    """Return the finished runs with the given values."""
    wanted = {"status": "done", **named}
    return [run for run in runs if all(run[key] == value for key, value in wanted.items())]


def with_medians(runs: list[Record], keys: tuple[str, ...]) -> Record:
    """Return the last run with the medians of all runs, or the first run that failed."""
    failed = [run for run in runs if run["status"] != "done"]
    if failed:
        # A median over the runs before the failure would flatter the library.
        return failed[0]
    return runs[-1] | {key: median(run[key] for run in runs) for key in keys}


def runs_of_each(runs: list[Record], *keys: str) -> str:
    """Return the number of finished runs with equal values of the keys: "3", or "1 to 3"."""
    counts = Counter(tuple(run[key] for key in keys) for run in done(runs)).values()
    few, many = min(counts, default=0), max(counts, default=0)
    return f"{many}" if few == many else f"{few} to {many}"


def tell(record: Record, *keys: str) -> None:
    """Print a record's problem, library, status and the values of the keys that it has."""
    values = "  ".join(
        f"{key} {value:.4g}" if isinstance(value, float) else f"{key} {value}"
        for key in keys
        if (value := record.get(key)) not in (None, "")
    )
    line = f"{record['problem']:<20} {record['library']:<24} {record['status']:<10} {values}"
    print(line, file=sys.stderr, flush=True)
