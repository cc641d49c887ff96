"""From records to the numbers of the report: medians, and pairs of a peer and maxmargin."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import median

from benchmarks.linear.libraries import OURS, PEERS, Library
from benchmarks.linear.problems import PROBLEMS, Problem
from benchmarks.linear.results import Record, Results
from benchmarks.ratios import runs_of_each

MEDIANS = ("prepare_s", "fit_s", "whole_s", "predict_s", "memory_mib", "memory_total_mib")
Key = tuple[str, str]


def fits(results: Results, problem: Problem) -> dict[Key, Record]:
    """(library, whom it matches) -> its last record, the times and the memory being medians."""
    runs: dict[Key, list[Record]] = defaultdict(list)
    for record in results.runs:
        if record["problem"] == problem.name:
            runs[record["library"], record["against"]].append(record)
    return {key: _one(records) for key, records in runs.items()}


def _one(records: list[Record]) -> Record:
    failed = [record for record in records if record["status"] != "done"]
    if failed:
        # A median of what a failing library managed before would flatter it.
        return failed[0]
    return records[-1] | {key: median(record[key] for record in records) for key in MEDIANS}


def repeats(results: Results) -> str:
    """How many runs the medians are of."""
    done = [run for run in results.runs if run["status"] == "done"]
    return runs_of_each((run["problem"], run["library"], run["against"]) for run in done)


@dataclass(frozen=True)
class Pair:
    """A peer's fit of a problem, and maxmargin's that was asked for some gap, with their gaps."""

    problem: Problem
    peer: Record
    ours: Record
    peer_certificate: Record
    our_certificate: Record

    def ratio(self, key: str) -> float | None:
        """The peer's time, or memory, over ours; None where there is nothing to compare."""
        if self.peer["status"] != "done" or not self.is_matched:
            return None
        return self.peer[key] / self.ours[key] if self.ours[key] > 0 else None

    @property
    def is_matched(self) -> bool:
        """Whether ours finished and is as accurate as was asked for."""
        reached = self.our_certificate.get("relative_gap", float("inf"))
        return self.ours["status"] == "done" and reached <= 1.001 * self.ours["tolerance"]


def pairs(results: Results, peer: Library) -> list[Pair]:
    """The peer and maxmargin asked for the peer's gap, problem by problem."""
    return [
        pair
        for problem in PROBLEMS
        if (pair := _pair(results, problem, peer.name, peer.name)) is not None
    ]


def at_targets(results: Results, peer: Library) -> list[tuple[float, Pair]]:
    """The peer and maxmargin asked for each of a problem's own targets."""
    return [
        (target, pair)
        for problem in PROBLEMS
        for target in problem.targets
        if (pair := _pair(results, problem, peer.name, f"{target:g}")) is not None
    ]


def _pair(results: Results, problem: Problem, peer: str, against: str) -> Pair | None:
    runs = fits(results, problem)
    certificates = results.certificates_of(problem.name)
    key, own = (peer, ""), (OURS.name, against)
    if key not in runs or own not in runs:
        return None
    return Pair(problem, runs[key], runs[own], certificates.get(key, {}), certificates.get(own, {}))


def compared(results: Results) -> list[Library]:
    """The peers that were measured."""
    names = {record["library"] for record in results.runs}
    return [library for library in PEERS if library.name in names]
