"""The processes of one problem: its reference, its fits, their certificates."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from benchmarks import processes
from benchmarks.linear.libraries import Library
from benchmarks.results import Record

# Time limit of the reference, in seconds.
REFERENCE_SECONDS = 300.0


@dataclass(frozen=True)
class Entry:
    """A library; for maxmargin also the gap to reach, and the peer or target that it is from."""

    library: Library
    against: str = ""
    tolerance: float | None = None

    @property
    def key(self) -> Record:
        return {
            "library": self.library.name,
            "against": self.against,
            "tolerance": self.tolerance,
        }


@dataclass(frozen=True)
class Bench:
    """A problem on disk, and the folder for the results of its runs."""

    name: str
    data: Path
    folder: Path
    limit: float

    def _file(self, *parts: str) -> Path:
        return self.folder / "-".join([self.name, *parts])

    def reference(self) -> Record:
        result = self._file("reference.json")
        arguments = [str(self.data), str(REFERENCE_SECONDS), str(result)]
        return _run("reference", arguments, result, None)

    def use_reference(self, record: Record) -> None:
        """Use a reference that is known from earlier runs."""
        self._file("reference.json").write_text(json.dumps(record))

    def fit(self, entry: Entry) -> Record:
        own = (entry.library.name, entry.against)
        result, machines = self._file(*own, "fit.json"), self._file(*own, "machines.npz")
        tolerance = "" if entry.tolerance is None else repr(entry.tolerance)
        arguments = [str(self.data), entry.library.name, tolerance, str(result), str(machines)]
        record = _run("child", arguments, result, self.limit)
        return {"problem": self.name, **entry.key, **record}

    def certify(self, entry: Entry) -> Record:
        """Certify the entry's last solution; this is not timed and has no limit."""
        own = (entry.library.name, entry.against)
        result = self._file(*own, "certificate.json")
        files = [self.data, self._file(*own, "machines.npz"), self._file("reference.json"), result]
        record = _run("certificate", [str(file) for file in files], result, None)
        return {"problem": self.name, **entry.key, **record}


def _run(module: str, arguments: list[str], result: Path, limit: float | None) -> Record:
    return processes.run(f"benchmarks.linear.{module}", arguments, result, limit)
