"""The section of benchmarks/README.md, from the results alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import fill

from benchmarks import machine
from benchmarks.engine import picture, problems, summary
from benchmarks.engine.child import WARM_UP_ROWS
from benchmarks.engine.libraries import BY_NAME, LIBRARIES, Library
from benchmarks.engine.summary import Results
from benchmarks.page import conditions, markdown_table, replace_section
from benchmarks.ratios import geometric_mean, show_ratio, show_seconds
from benchmarks.results import Record, runs_of_each

PICTURE = "growth.svg"
TIMES = ("fit_s", "predict_s")
Row = dict[str, Record]


def write(results: Results, folder: Path) -> None:
    """Write the section, and the picture if growth was measured."""
    if results.growth:
        titles = {name: problems.BY_NAME[name].title for name in summary.growth(results)}
        picture.draw(summary.growth(results), titles, folder / PICTURE)
    replace_section("engine", text(results), folder / "README.md")


def text(results: Results) -> str:
    parts = [introduction(results)]
    if results.runs:
        parts += [times(results), means(results), memory(results), solutions(results)]
    if results.growth:
        parts.append(growing(results))
    return "\n\n".join(parts)


def introduction(results: Results) -> str:
    settings = results.settings
    return f"""## Whole fits

Made by `make bench-engine` (`python -m benchmarks.engine --help` lists its options); the raw
results are in [engine.json](engine.json). Gaussian kernel, tolerance {settings["tolerance"]:g}.

{fill("Machine: " + machine.in_words(results.machine), 100)}

How it is measured:

{conditions(settings, runs_of_each(results.runs, "problem", "library"), WARM_UP_ROWS)}
- Every library uses its default number of threads. The peers have a cache of
  {settings["cache_megabytes"]} MB, maxmargin its default.
- The data are float64 unless a column says float32. a9a and w8a are sparse (CSR) for all libraries
  but AOCL, which takes dense arrays only. The conversion to a library's own format is not timed:
  LIBSVM is called through its C functions on lists of nodes created before.
- maxmargin computes the certificate of every solution from the library's dual coefficients and
  offsets, in float64 and on the float64 data; with several classes the worst pair counts."""


def times(results: Results) -> str:
    return f"""### Fit

Seconds. "ratio" is the time of the fastest peer divided by that of maxmargin; above 1 maxmargin is
faster.

{_time_table(results, "fit_s", _description, ["data", "n x d", "C, gamma"])}

{_scalings(results)}

### Predict

Seconds for the test rows or, if there are none, for {problems.PREDICTED_ROWS} training rows.

{_time_table(results, "predict_s", _predicted, ["data", "rows"])}"""


def _time_table(
    results: Results,
    key: str,
    describe: Callable[[Results, str], list[str]],
    headings: list[str],
) -> str:
    columns = _compared(results)
    rows = []
    for name, row in _rows(results):
        cells = [_cell(row, library, lambda r: show_seconds(r[key])) for library in columns]
        ratio = show_ratio(summary.ratio_to_fastest(row, key))
        rows.append([*describe(results, name), *cells, ratio])
    return markdown_table([*headings, *(lib.title for lib in columns), "ratio"], rows)


def means(results: Results) -> str:
    table = [row for _, row in _rows(results)]
    peers = [library for library in _compared(results) if not library.is_ours]
    measured = [(ours, key) for ours in (summary.OURS, summary.OURS_IN_FLOAT32) for key in TIMES]
    rows = [
        ["the fastest peer"]
        + [
            _mean([summary.ratio_to_fastest(row, key, ours) for row in table])
            for ours, key in measured
        ]
    ]
    for peer in peers:
        rows.append(
            [peer.title]
            + [
                _mean([summary.ratio_to(row, peer.name, key, ours) for row in table])
                for ours, key in measured
            ]
        )
    headings = ["maxmargin against", "fit", "predict", "fit, float32", "predict, float32"]
    return f"""### Geometric means of the ratios

The number of problems that both finished is in brackets. maxmargin gets float32 data in the last
two columns and float64 data in the others.

{markdown_table(headings, rows)}"""


def _mean(ratios: list[float | None]) -> str:
    mean, count = geometric_mean(ratios)
    return f"{show_ratio(mean)} ({count})"


def memory(results: Results) -> str:
    columns = _compared(results)
    rows = [
        [
            _title(name),
            *(_cell(row, library, lambda r: f"{r['memory_mib']:,.0f}") for library in columns),
        ]
        for name, row in _rows(results)
    ]
    table = markdown_table(["data", *(lib.title for lib in columns)], rows)
    return f"### Memory\n\nMiB that the fit added to resident memory at its peak.\n\n{table}"


def solutions(results: Results) -> str:
    columns = _compared(results)
    certificates = {(r["problem"], r["library"]): r for r in results.certificates}
    quality, shortfall, support = [], [], []
    for name, row in _rows(results):
        own = {lib: certificates.get((name, lib.name), {}) for lib in columns}
        duals = [found["dual"] for found in own.values() if "dual" in found]
        quality.append([_title(name), *(_certificate(own[lib]) for lib in columns)])
        shortfall.append([_title(name), *(_shortfall(own[lib], duals) for lib in columns)])
        support.append([_title(name), *(_cell(row, lib, _support) for lib in columns)])
    headings = ["data", *(library.title for library in columns)]
    return f"""### Solutions

Relative duality gap, and KKT violation in units of the margin:

{markdown_table(headings, quality)}

Dual objective, summed over all pairs of classes: the relative distance below the best one.

{markdown_table(headings, shortfall)}

Number of support vectors, and the test error if there are test rows:

{markdown_table(headings, support)}"""


def growing(results: Results) -> str:
    parts = [
        f"""### Growth

Fit time against the number of points, on random rows of each data set. A curve ends after its first
fit of more than {results.settings["growth_cap_s"]:g} s, for the peers also at
{results.settings["growth_largest"]:,} points. The last column is the exponent p of time ~ n^p for
n >= {summary.SLOPE_FROM:,}.

![Fit time against the number of points]({PICTURE})"""
    ]
    for family, curves in summary.growth(results).items():
        sizes = sorted({n for curve in curves.values() for n in curve})
        rows = []
        for library in LIBRARIES:
            if library.name in curves:
                curve = curves[library.name]
                p = summary.slope(curve)
                cells = [show_seconds(curve[n]) if n in curve else "" for n in sizes]
                rows.append([library.title, *cells, "" if p is None else f"{p:.2f}"])
        headings = [problems.BY_NAME[family].title, *(f"{n:,}" for n in sizes), "p"]
        parts.append(markdown_table(headings, rows))
    return "\n\n".join(parts)


def _rows(results: Results) -> list[tuple[str, Row]]:
    table = summary.fits(results)
    return [
        (problem.name, table[problem.name])
        for problem in problems.PROBLEMS
        if problem.name in table
    ]


def _compared(results: Results) -> list[Library]:
    names = {record["library"] for record in results.runs}
    return [library for library in BY_NAME.values() if library.name in names]


def _title(name: str) -> str:
    problem = problems.BY_NAME[name]
    return f"{problem.title}, C = {problem.C:g}"


def _description(results: Results, name: str) -> list[str]:
    problem, size = problems.BY_NAME[name], results.problems[name]
    shape = f"{size['n']} x {size['features']}"
    return [problem.title, shape, f"{problem.C:g}, {problem.gamma:.3g}"]


def _predicted(results: Results, name: str) -> list[str]:
    size = results.problems[name]
    kind = "test" if size["has_test_rows"] else "training"
    return [_title(name), f"{size['rows_predicted']} {kind}"]


def _scalings(results: Results) -> str:
    kinds = [problems.BY_NAME[name] for name, _ in _rows(results)]
    notes = [f"{problem.title}: {problem.scaling}" for problem in kinds]
    return "Rows and scaling: " + "; ".join(dict.fromkeys(notes)) + "."


def _cell(row: Row, library: Library, show: Callable[[Record], str]) -> str:
    record = row.get(library.name, {"status": ""})
    return show(record) if record["status"] == "done" else str(record["status"])


def _certificate(record: Record) -> str:
    if "relative_gap" not in record:
        return str(record.get("status", ""))
    return f"{record['relative_gap']:.0e}, {record['kkt_violation']:.0e}"


def _shortfall(record: Record, duals: list[float]) -> str:
    if "dual" not in record:
        return ""
    best = max(duals)
    return "best" if record["dual"] == best else f"{(best - record['dual']) / best:.0e}"


def _support(record: Record) -> str:
    error = record["test_error"]
    return f"{record['support_vectors']}" + ("" if error is None else f", {100 * error:.2f}%")
