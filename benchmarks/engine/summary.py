"""From records to the numbers of the report: medians, ratios, geometric means, slopes."""

from __future__ import annotations

from collections import defaultdict
from statistics import median

import numpy as np

from benchmarks.engine.libraries import BY_NAME, LIBRARIES
from benchmarks.engine.results import Record, Results
from benchmarks.ratios import runs_of_each

OURS, OURS_IN_FLOAT32 = (library.name for library in LIBRARIES if library.is_ours)
MEDIANS = ("fit_s", "predict_s", "memory_mib", "memory_total_mib")
SLOPE_FROM = 4000


def fits(results: Results) -> dict[str, dict[str, Record]]:
    """problem -> library -> its last record, the times and the memory being medians."""
    runs: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in results.runs:
        runs[record["problem"], record["library"]].append(record)
    table: dict[str, dict[str, Record]] = defaultdict(dict)
    for (problem, library), records in runs.items():
        done = [record for record in records if record["status"] == "done"]
        if len(done) < len(records):
            # A median of what a failing library managed before would flatter it.
            table[problem][library] = next(r for r in records if r["status"] != "done")
        else:
            table[problem][library] = done[-1] | {
                key: median(record[key] for record in done) for key in MEDIANS
            }
    return dict(table)


def repeats(results: Results) -> str:
    """How many runs the medians are of."""
    done = [run for run in results.runs if run["status"] == "done"]
    return runs_of_each((run["problem"], run["library"]) for run in done)


def peers(row: dict[str, Record], key: str) -> dict[str, float]:
    """The value of every peer that finished."""
    return {
        name: record[key]
        for name, record in row.items()
        if record["status"] == "done" and not BY_NAME[name].is_ours
    }


def ratio_to_fastest(row: dict[str, Record], key: str, ours: str = OURS) -> float | None:
    """The fastest peer's time over ours."""
    others = peers(row, key)
    return min(others.values()) / row[ours][key] if others and _finished(row, ours) else None


def ratio_to(row: dict[str, Record], name: str, key: str, ours: str = OURS) -> float | None:
    """That library's time over ours."""
    both = _finished(row, ours) and _finished(row, name)
    return row[name][key] / row[ours][key] if both else None


def _finished(row: dict[str, Record], name: str) -> bool:
    return row.get(name, {}).get("status") == "done"


def geometric_mean(ratios: list[float | None]) -> tuple[float, int]:
    """The mean of those that exist, and how many they are."""
    known = [ratio for ratio in ratios if ratio is not None]
    return (float(np.exp(np.mean(np.log(known)))) if known else float("nan")), len(known)


def growth(results: Results) -> dict[str, dict[str, dict[int, float]]]:
    """family -> library -> n -> median fit time."""
    times: dict[str, dict[str, dict[int, list[float]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    for record in results.growth:
        if record["status"] == "done":
            times[record["problem"]][record["library"]][record["n"]].append(record["fit_s"])
    return {
        family: {
            library: {n: median(seconds) for n, seconds in sorted(curve.items())}
            for library, curve in curves.items()
        }
        for family, curves in times.items()
    }


def slope(curve: dict[int, float]) -> float | None:
    """The exponent p of time ~ n^p, by least squares in logarithms over the larger n."""
    n = np.array([n for n in curve if n >= SLOPE_FROM], dtype=np.float64)
    if len(n) < 3:
        return None
    seconds = np.array([curve[int(k)] for k in n])
    return float(np.polyfit(np.log(n), np.log(seconds), 1)[0])
