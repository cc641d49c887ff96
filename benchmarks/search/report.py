"""The section of benchmarks/README.md about searches."""

from __future__ import annotations

from statistics import median
from typing import Any

import numpy as np

from benchmarks import machine, page
from benchmarks.ratios import runs_of_each, show_ratio, show_seconds
from benchmarks.search import libraries, problems

Record = dict[str, Any]


def write(results: Record) -> None:
    page.replace_section("search", text(results))


def text(results: Record) -> str:
    return f"""## Whole grids

Made by `make bench-search` (`python -m benchmarks.search --help` lists its options); the raw
results are in [search.json](search.json).

Machine: {machine.in_words(results["machine"])}

`maxmargin.SVMSearchCV` against `GridSearchCV` of scikit-learn over the machines of scikit-learn and
scikit-learn-intelex, all with `n_jobs={libraries.JOBS}`, the same stratified folds, tolerance
{libraries.TOLERANCE:g}, Gaussian kernel, the final refit included. Every search has a process of
its own and begins with a small one, so that imports, threads and worker processes are in place;
the libraries take turns, and numbers are medians of
{runs_of_each(_measured(results["runs"]))}. "ratio" is their time over
ours; "difference" is the largest between two mean scores of the same candidate.

{page.markdown_table(*_table(results["runs"]))}
"""


def _measured(runs: list[Record]) -> list[tuple[str, str]]:
    return [(run["problem"], run["library"]) for run in runs]


def _table(runs: list[Record]) -> tuple[list[str], list[list[str]]]:
    known = [lib for lib in libraries.LIBRARIES if any(r["library"] == lib.name for r in runs)]
    peers = [library for library in known if not library.is_ours]
    headings = ["data", "gamma x C x folds", *(f"{library.title} s" for library in known)]
    for peer in peers:
        headings += [f"ratio to {peer.title}", f"difference from {peer.title}"]
    rows = []
    for grid in problems.GRIDS:
        done = {lib.name: _done(runs, grid.name, lib.name) for lib in known}
        if not any(done.values()):
            continue
        size = f"{len(grid.gamma)} x {len(grid.C)} x {grid.folds} = {grid.n_fits}"
        seconds = {
            name: median(r["seconds"] for r in found) for name, found in done.items() if found
        }
        row = [grid.title, size]
        row += [show_seconds(seconds[lib.name]) if lib.name in seconds else "" for lib in known]
        for peer in peers:
            both = "maxmargin" in seconds and peer.name in seconds
            row.append(show_ratio(seconds[peer.name] / seconds["maxmargin"]) if both else "")
            row.append(_difference(done["maxmargin"], done[peer.name]) if both else "")
        rows.append(row)
    return headings, rows


def _done(runs: list[Record], grid: str, library: str) -> list[Record]:
    return [
        run
        for run in runs
        if (run["problem"], run["library"], run["status"]) == (grid, library, "done")
    ]


def _difference(ours: list[Record], theirs: list[Record]) -> str:
    one, other = (np.array(runs[0]["mean_test_score"]) for runs in (ours, theirs))
    return f"{np.abs(one - other).max():.4f}"
