"""The records, and the numbers of the report: medians, and pairs of a peer and maxmargin."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from benchmarks import results
from benchmarks.linear.libraries import OURS, PEERS, Library
from benchmarks.linear.problems import PROBLEMS, Problem
from benchmarks.results import Record, done, with_medians

MEDIANS = ("prepare_s", "fit_s", "whole_s", "predict_s", "memory_mib", "memory_total_mib")
Key = tuple[str, str]


@dataclass
class Results(results.Results):
    """What linear.json holds.

    The records of maxmargin also have the peer or the target whose gap they were asked for.
    """

    references: dict[str, Record] = field(default_factory=dict)

    def certificates_of(self, problem: str) -> dict[Key, Record]:
        """Return (library, peer or target) -> certificate."""
        found = done(self.certificates, problem=problem)
        return {(record["library"], record["against"]): record for record in found}


def fits(results: Results, problem: Problem) -> dict[Key, Record]:
    """Return (library, peer or target) -> its last record, with medians of time and memory."""
    runs: dict[Key, list[Record]] = defaultdict(list)
    for record in results.runs:
        if record["problem"] == problem.name:
            runs[record["library"], record["against"]].append(record)
    return {key: with_medians(records, MEDIANS) for key, records in runs.items()}


@dataclass(frozen=True)
class Pair:
    """The fits of a peer and of maxmargin to one problem, with their certificates."""

    problem: Problem
    peer: Record
    ours: Record
    peer_certificate: Record
    our_certificate: Record

    def ratio(self, key: str) -> float | None:
        """The peer's time or memory over ours; None if they cannot be compared."""
        if self.peer["status"] != "done" or not self.is_matched:
            return None
        return self.peer[key] / self.ours[key] if self.ours[key] > 0 else None

    @property
    def is_matched(self) -> bool:
        """Whether ours finished and reached the gap that it was asked for."""
        reached = self.our_certificate.get("relative_gap", float("inf"))
        return self.ours["status"] == "done" and reached <= 1.001 * self.ours["tolerance"]


def pairs(results: Results, peer: Library) -> list[Pair]:
    """Return for each problem the peer's fit, and that of maxmargin to the peer's gap."""
    return [
        pair
        for problem in PROBLEMS
        if (pair := _pair(results, problem, peer.name, peer.name)) is not None
    ]


def at_targets(results: Results, peer: Library) -> list[tuple[float, Pair]]:
    """Return for each target of a problem the peer's fit, and that of maxmargin to the target."""
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
    """Return the peers that were measured."""
    names = {record["library"] for record in results.runs}
    return [library for library in PEERS if library.name in names]
