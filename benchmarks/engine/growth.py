"""Fit time against the number of points: n = 1000, 2000, 4000, ... of covtype and SUSY."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks import datasets
from benchmarks.engine import problems
from benchmarks.engine.libraries import Library
from benchmarks.engine.measure import Bench
from benchmarks.engine.problems import Arrays
from benchmarks.processes import in_turns
from benchmarks.results import Record

SMALLEST = 1000
# A library that has spent this many seconds on one size is not run again.
ENOUGH_SECONDS = 30

FAMILIES: dict[str, tuple[Callable[[int], Arrays], int]] = {
    "covtype": (problems.covtype, 512000),
    "susy": (problems.susy, 30000),
}


def sizes(largest: int) -> list[int]:
    """Return 1000, 2000, 4000, ..., and the largest if it is far above the last of these."""
    doublings = [SMALLEST * 2**k for k in range(20) if SMALLEST * 2**k <= largest]
    return doublings if doublings[-1] > 0.75 * largest else [*doublings, largest]


def measure(
    family: str,
    libraries: list[Library],
    folder: Path,
    *,
    largest: int,
    cap: float,
    repeats: int,
) -> Iterator[Record]:
    """Increase n; drop libraries whose fit takes longer than the cap, and peers after `largest`."""
    load, available = FAMILIES[family]
    own = problems.BY_NAME[family]
    growing = list(libraries)
    for n in sizes(available):
        if n > largest:
            growing = [library for library in growing if library.is_ours]
        if not growing:
            return
        data = load(n)
        y = np.unique(data["y"], return_inverse=True)[1]
        path = folder / f"growth-{family}.npz"
        arrays = {"X": data["X"], "y": y, "X_test": data["X"][:100], "C": own.C, "gamma": own.gamma}
        datasets.write(path, arrays)
        # Starting the process and loading the data count towards its limit, not towards the cap.
        bench = Bench(family, path, folder, limit=cap + 60)
        spent = dict.fromkeys((library.name for library in growing), 0.0)
        for _ in range(repeats):
            turn = [library for library in growing if spent[library.name] < ENOUGH_SECONDS]
            for record in in_turns(turn, bench.fit, [0]):
                yield {**record, "n": n}
                seconds = record.get("fit_s", np.inf)
                spent[record["library"]] += seconds
                if seconds > cap:
                    growing = [lib for lib in growing if lib.name != record["library"]]
