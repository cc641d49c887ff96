"""The processes of one problem: its reference, its fits in turns, their certificates."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks import processes
from benchmarks.linear.libraries import Library
from benchmarks.linear.results import Record

REFERENCE_SECONDS = 300.0


@dataclass(frozen=True)
class Entry:
    """A library, and for maxmargin the gap it is asked for and who or what asks for it."""

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
    """A problem on disk, and where its runs may write."""

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
        """Take a reference that was found before."""
        self._file("reference.json").write_text(json.dumps(record))

    def fit(self, entry: Entry) -> Record:
        own = (entry.library.name, entry.against)
        result, machines = self._file(*own, "fit.json"), self._file(*own, "machines.npz")
        tolerance = "" if entry.tolerance is None else repr(entry.tolerance)
        arguments = [str(self.data), entry.library.name, tolerance, str(result), str(machines)]
        busy = os.getloadavg()[0]
        record = _run("child", arguments, result, self.limit)
        return {"problem": self.name, **entry.key, "load_before": busy, **record}

    def certify(self, entry: Entry) -> Record:
        """Certify the entry's last answer; not timed, so without a limit."""
        own = (entry.library.name, entry.against)
        result = self._file(*own, "certificate.json")
        files = [self.data, self._file(*own, "machines.npz"), self._file("reference.json"), result]
        record = _run("certificate", [str(file) for file in files], result, None)
        return {"problem": self.name, **entry.key, **record}


def alternate(bench: Bench, entries: list[Entry], repeats: Iterable[int]) -> Iterator[Record]:
    """Run every entry once, then again in another order; drop one that failed or timed out."""
    working = list(entries)
    for repeat in repeats:
        shift = repeat % max(1, len(working))
        for entry in working[shift:] + working[:shift]:
            record = bench.fit(entry)
            if record["status"] != "done":
                working.remove(entry)
            yield {"repeat": repeat, **record}


def _run(module: str, arguments: list[str], result: Path, limit: float | None) -> Record:
    return processes.run(f"benchmarks.linear.{module}", arguments, result, limit)
