"""The records, and the numbers of the report: medians, ratios, slopes."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from statistics import median

import numpy as np

from benchmarks import results
from benchmarks.engine.libraries import BY_NAME, LIBRARIES
from benchmarks.results import Record, done, with_medians

OURS, OURS_IN_FLOAT32 = (library.name for library in LIBRARIES if library.is_ours)
MEDIANS = ("fit_s", "predict_s", "memory_mib", "memory_total_mib")
# Points from which the exponent of the fit time is estimated; smaller fits are mostly overhead.
SLOPE_FROM = 4000


@dataclass
class Results(results.Results):
    """What engine.json holds; the records of `growth` also have their n."""

    growth: list[Record] = field(default_factory=list)


def fits(results: Results) -> dict[str, dict[str, Record]]:
    """Return problem -> library -> its last record, with medians of time and memory."""
    runs: dict[str, dict[str, list[Record]]] = defaultdict(lambda: defaultdict(list))
    for record in results.runs:
        runs[record["problem"]][record["library"]].append(record)
    return {
        problem: {name: with_medians(own, MEDIANS) for name, own in libraries.items()}
        for problem, libraries in runs.items()
    }


def ratio_to_fastest(row: dict[str, Record], key: str, ours: str = OURS) -> float | None:
    """Return the fastest peer's time over ours."""
    peers = [ratio_to(row, name, key, ours) for name in row if not BY_NAME[name].is_ours]
    return min((ratio for ratio in peers if ratio is not None), default=None)


def ratio_to(row: dict[str, Record], name: str, key: str, ours: str = OURS) -> float | None:
    """Return that library's time over ours, if both finished."""
    both = [row.get(library, {"status": ""}) for library in (name, ours)]
    return both[0][key] / both[1][key] if len(done(both)) == 2 else None


def growth(results: Results) -> dict[str, dict[str, dict[int, float]]]:
    """Return family -> library -> n -> median fit time."""
    times: dict[str, dict[str, dict[int, list[float]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    for record in done(results.growth):
        times[record["problem"]][record["library"]][record["n"]].append(record["fit_s"])
    return {
        family: {
            library: {n: median(seconds) for n, seconds in sorted(curve.items())}
            for library, curve in curves.items()
        }
        for family, curves in times.items()
    }


def slope(curve: dict[int, float]) -> float | None:
    """Return the exponent p of time ~ n^p, by least squares of logarithms over the larger n."""
    n = np.array([n for n in curve if n >= SLOPE_FROM], dtype=np.float64)
    if len(n) < 3:
        return None
    seconds = np.array([curve[int(k)] for k in n])
    return float(np.polyfit(np.log(n), np.log(seconds), 1)[0])
