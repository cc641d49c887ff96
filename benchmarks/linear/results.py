"""What linear.json holds: settings, the computer, and one record for each process that ran."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

Record = dict[str, Any]


@dataclass
class Results:
    """Runs and certificates name their problem, their library and whose accuracy they match."""

    machine: Record = field(default_factory=dict)
    settings: Record = field(default_factory=dict)
    problems: dict[str, Record] = field(default_factory=dict)
    references: dict[str, Record] = field(default_factory=dict)
    runs: list[Record] = field(default_factory=list)
    certificates: list[Record] = field(default_factory=list)

    @classmethod
    def load(cls, path: Path) -> Results:
        return cls(**json.loads(path.read_text()))

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self), indent=1) + "\n")

    def forget(self, problem: str, library: str) -> None:
        """Drop what was measured before for this pair."""
        for records in (self.runs, self.certificates):
            records[:] = [r for r in records if (r["problem"], r["library"]) != (problem, library)]

    def certificates_of(self, problem: str) -> dict[tuple[str, str], Record]:
        """(library, whom it matches) -> certificate."""
        return {
            (record["library"], record["against"]): record
            for record in self.certificates
            if record["problem"] == problem and record["status"] == "done"
        }
