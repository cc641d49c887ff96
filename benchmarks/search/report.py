"""The section of benchmarks/README.md about searches."""

from __future__ import annotations

from statistics import median

import numpy as np

from benchmarks import machine, page
from benchmarks.ratios import show_ratio, show_seconds
from benchmarks.results import Record, done, runs_of_each
from benchmarks.search import libraries, problems


def write(results: Record) -> None:
    page.replace_section("search", text(results))


def text(results: Record) -> str:
    return f"""## Whole grids

Made by `make bench-search` (`python -m benchmarks.search --help` lists its options); the raw
results are in [search.json](search.json).

Machine: {machine.in_words(results["machine"])}

`maxmargin.SVMSearchCV` against scikit-learn's `GridSearchCV` with the machines of scikit-learn and
scikit-learn-intelex: `n_jobs={libraries.JOBS}`, the same stratified folds, tolerance
{libraries.TOLERANCE:g}, Gaussian kernel, with the final refit. Every search has a process of its
own; a small search before it imports modules and starts threads and worker processes. The libraries
take turns, and numbers are medians of {runs_of_each(results["runs"], "problem", "library")} runs.
"ratio" is the other time divided by ours; "difference" is the largest difference between mean
scores of the same candidate.

{page.markdown_table(*_table(results["runs"]))}
"""


def _table(runs: list[Record]) -> tuple[list[str], list[list[str]]]:
    known = [lib for lib in libraries.LIBRARIES if any(r["library"] == lib.name for r in runs)]
    peers = [library for library in known if not library.is_ours]
    headings = ["data", "gamma x C x folds", *(f"{library.title} s" for library in known)]
    for peer in peers:
        headings += [f"ratio to {peer.title}", f"difference from {peer.title}"]
    rows = []
    for grid in problems.GRIDS:
        own = {lib.name: done(runs, problem=grid.name, library=lib.name) for lib in known}
        if not any(own.values()):
            continue
        size = f"{len(grid.gamma)} x {len(grid.C)} x {grid.folds} = {grid.n_fits}"
        seconds = {
            name: median(r["seconds"] for r in found) for name, found in own.items() if found
        }
        row = [grid.title, size]
        row += [show_seconds(seconds[lib.name]) if lib.name in seconds else "" for lib in known]
        for peer in peers:
            both = "maxmargin" in seconds and peer.name in seconds
            row.append(show_ratio(seconds[peer.name] / seconds["maxmargin"]) if both else "")
            row.append(_difference(own["maxmargin"], own[peer.name]) if both else "")
        rows.append(row)
    return headings, rows


def _difference(ours: list[Record], theirs: list[Record]) -> str:
    one, other = (np.array(runs[0]["mean_test_score"]) for runs in (ours, theirs))
    return f"{np.abs(one - other).max():.4f}"
