"""The repeats: library after library, each in a process of its own, then all of them again."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks import processes
from benchmarks.engine.libraries import Library
from benchmarks.engine.results import Record


@dataclass(frozen=True)
class Bench:
    """A problem on disk, and where its runs may write."""

    name: str
    data: Path
    folder: Path
    limit: float

    def _file(self, library: Library, ending: str) -> Path:
        return self.folder / f"{self.name}-{library.name}{ending}"

    def fit(self, library: Library) -> Record:
        result = self._file(library, ".json")
        machines = self._file(library, ".npz")
        busy = os.getloadavg()[0]
        arguments = [str(self.data), library.name, str(result), str(machines)]
        record = processes.run("benchmarks.engine.child", arguments, result, self.limit)
        return {"problem": self.name, "library": library.name, "load_before": busy, **record}

    def certify(self, library: Library) -> Record:
        """Certify the library's last answer; not timed against anything, so without a limit."""
        result = self._file(library, "-certificate.json")
        arguments = [str(self.data), str(self._file(library, ".npz")), str(result)]
        record = processes.run("benchmarks.engine.certificate", arguments, result, None)
        return {"problem": self.name, "library": library.name, **record}


def alternate(bench: Bench, libraries: list[Library], repeats: int) -> Iterator[Record]:
    """Run every library once, then again in another order; drop one that failed or timed out."""
    working = list(libraries)
    for repeat in range(repeats):
        shift = repeat % max(1, len(working))
        for library in working[shift:] + working[:shift]:
            record = bench.fit(library)
            if record["status"] != "done":
                working.remove(library)
            yield {"repeat": repeat, **record}
