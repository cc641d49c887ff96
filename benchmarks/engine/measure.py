"""The processes of one problem: fits, and their certificates."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks import processes
from benchmarks.engine.libraries import Library
from benchmarks.results import Record


@dataclass(frozen=True)
class Bench:
    """A problem on disk, and the folder for the results of its runs."""

    name: str
    data: Path
    folder: Path
    limit: float

    def _file(self, library: Library, ending: str) -> Path:
        return self.folder / f"{self.name}-{library.name}{ending}"

    def fit(self, library: Library) -> Record:
        result = self._file(library, ".json")
        arguments = [str(self.data), library.name, str(result), str(self._file(library, ".npz"))]
        record = processes.run("benchmarks.engine.child", arguments, result, self.limit)
        return {"problem": self.name, "library": library.name, **record}

    def certify(self, library: Library) -> Record:
        """Certify the library's last solution; this is not timed and has no limit."""
        result = self._file(library, "-certificate.json")
        arguments = [str(self.data), str(self._file(library, ".npz")), str(result)]
        record = processes.run("benchmarks.engine.certificate", arguments, result, None)
        return {"problem": self.name, "library": library.name, **record}
