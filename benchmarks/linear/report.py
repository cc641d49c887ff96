"""The section of benchmarks/README.md, from the results alone."""

from __future__ import annotations

from pathlib import Path
from textwrap import fill

from benchmarks import machine
from benchmarks.linear import summary
from benchmarks.linear.child import WARM_UP_ROWS
from benchmarks.linear.libraries import Library
from benchmarks.linear.problems import PREDICTED_ROWS, PROBLEMS, Problem
from benchmarks.linear.summary import Pair, Results
from benchmarks.page import conditions, markdown_table, replace_section
from benchmarks.ratios import geometric_mean, show_ratio, show_seconds
from benchmarks.results import Record, runs_of_each


def write(results: Results, folder: Path) -> None:
    replace_section("linear", text(results), folder / "README.md")


def text(results: Results) -> str:
    peers = summary.compared(results)
    parts = [introduction(results), means(results, peers), fits(results, peers)]
    if any(summary.at_targets(results, peer) for peer in peers):
        parts.append(targets(results, peers))
    return "\n\n".join([*parts, solutions(results, peers), predictions(results, peers)])


def introduction(results: Results) -> str:
    repeats = runs_of_each(results.runs, "problem", "library", "against")
    worst = max((known["relative_gap"] for known in results.references.values()), default=0.0)
    return f"""## Linear machines

Made by `make bench-linear` (`python -m benchmarks.linear --help` lists its options); the raw
results are in [linear.json](linear.json). `LinearSVC`, one class against the rest, with a bias that
is penalised like the weights.

{fill("Machine: " + machine.in_words(results.machine), 100)}

How it is measured:

- Every peer stops by its own rule at its default tolerance. The gap of its solution is the
  difference between its primal value and the best known dual value, relative to the larger of both
  (with several classes, of the sums over all machines). maxmargin computes these dual values, with
  gaps of at most {worst:.0e}. Then maxmargin is asked for a gap of that size in every machine, and
  both are timed.
{conditions(results.settings, repeats, WARM_UP_ROWS)}
- Every library uses its default number of threads. LIBLINEAR's package is called through its C
  functions on lists of nodes, which its conversion creates from the arrays that the other libraries
  get. scikit-learn creates such lists inside `fit`; maxmargin's `fit` checks the arrays and reads
  them in place. "whole" is conversion plus fit. scikit-learn has its default limit of 1,000
  iterations, for covtype 100."""


def means(results: Results, peers: list[Library]) -> str:
    rows = []
    for peer in peers:
        pairs = summary.pairs(results, peer)
        keys = ("fit_s", "whole_s", "predict_s", "memory_mib")
        rows.append([peer.title, *(_mean_and_worst(pairs, key) for key in keys)])
    headings = ["maxmargin against", "fit", "whole", "predict", "memory"]
    return f"""### Ratios

The peer's time or memory divided by maxmargin's (above 1 maxmargin is better): the geometric mean,
the smallest ratio, and in brackets the number of problems.

{markdown_table(headings, rows)}"""


def _mean_and_worst(pairs: list[Pair], key: str) -> str:
    ratios = [ratio for pair in pairs if (ratio := pair.ratio(key)) is not None and ratio > 0]
    if not ratios:
        return ""
    mean, count = geometric_mean(ratios)
    return f"{show_ratio(mean)}, worst {show_ratio(min(ratios))} ({count})"


def fits(results: Results, peers: list[Library]) -> str:
    parts = [
        """### Fit

Seconds. "gap" is the gap of the peer, in brackets that of its worst machine if there are several;
"!" means that it warned of not having converged. "our gap" is the gap of maxmargin when asked for
the peer's."""
    ]
    headings = ["data", "n x d, classes", "loss, C", "gap", "our gap"]
    for peer in peers:
        converted = [f"{peer.title}, conversion", "ratio of the whole"] if peer.converts else []
        own = [*headings, peer.title, "maxmargin", "ratio", *converted]
        rows = [_fit(results, pair, peer) for pair in summary.pairs(results, peer)]
        parts.append(markdown_table(own, rows))
    return "\n\n".join(parts)


def _fit(results: Results, pair: Pair, peer: Library) -> list[str]:
    conversion = [_cell(pair.peer, "prepare_s"), show_ratio(pair.ratio("whole_s"))]
    return [
        *_description(results, pair.problem),
        _gap(pair.peer_certificate, pair.peer),
        _gap(pair.our_certificate, pair.ours),
        _cell(pair.peer, "fit_s"),
        _cell(pair.ours, "fit_s"),
        show_ratio(pair.ratio("fit_s")),
        *(conversion if peer.converts else []),
    ]


def targets(results: Results, peers: list[Library]) -> str:
    headings = ["data", "n x d, classes", "loss, C", "peer", "its gap", "our gap"]
    rows = [
        [
            *_description(results, pair.problem),
            peer.title,
            _gap(pair.peer_certificate, pair.peer),
            f"{target:.0e}",
            _cell(pair.peer, "fit_s"),
            _cell(pair.ours, "fit_s"),
            show_ratio(pair.ratio("fit_s")),
        ]
        for peer in peers
        for target, pair in summary.at_targets(results, peer)
    ]
    return f"""### Fit to a given gap

Seconds of the peer to the gap that it reached, and of maxmargin to relative gaps of 1e-3 and 1e-6.

{markdown_table([*headings, "peer (s)", "maxmargin (s)", "ratio"], rows)}"""


def solutions(results: Results, peers: list[Library]) -> str:
    rows = []
    for problem in PROBLEMS:
        pairs = {peer: _pair_of(results, peer, problem) for peer in peers}
        known = [pair for pair in pairs.values() if pair is not None]
        errors = [pair.ours.get("test_error") for pair in known]
        if not known or errors[0] is None:
            continue
        cells = ["" if pair is None else _error(pair.peer) for pair in pairs.values()]
        rows.append([*_description(results, problem), *cells, _error(known[0].ours)])
    headings = ["data", "n x d, classes", "loss, C", *(peer.title for peer in peers), "maxmargin"]
    return f"""### Test error

maxmargin is stopped at the gap of the first peer.

{markdown_table(headings, rows)}"""


def predictions(results: Results, peers: list[Library]) -> str:
    rows = []
    for problem in PROBLEMS:
        pairs = {peer: _pair_of(results, peer, problem) for peer in peers}
        known = [pair for pair in pairs.values() if pair is not None]
        if not known:
            continue
        shown = [*(pair and pair.peer for pair in pairs.values()), known[0].ours]
        size = results.problems[problem.name]
        rows.append(
            [
                _title(problem),
                f"{size['rows_predicted']}",
                *("" if record is None else _time_and_memory(record) for record in shown),
            ]
        )
    headings = ["data", "rows", *(peer.title for peer in peers), "maxmargin"]
    return f"""### Prediction and memory

Seconds for the test rows or, if there are none, for at most {PREDICTED_ROWS:,} training rows; MiB
that the fit added to resident memory at its peak. LIBLINEAR predicts one row per call from Python.

{markdown_table(headings, rows)}"""


def _pair_of(results: Results, peer: Library, problem: Problem) -> Pair | None:
    return next((pair for pair in summary.pairs(results, peer) if pair.problem is problem), None)


def _description(results: Results, problem: Problem) -> list[str]:
    size = results.problems[problem.name]
    shape = f"{size['n']} x {size['features']}, {size['classes']}"
    return [problem.title, shape, f"{problem.kind}, {problem.C:g}"]


def _title(problem: Problem) -> str:
    return f"{problem.data}, {problem.kind}, {problem.C:g}"


def _cell(record: Record, key: str) -> str:
    return show_seconds(record[key]) if record["status"] == "done" else str(record["status"])


def _time_and_memory(record: Record) -> str:
    if record["status"] != "done":
        return str(record["status"])
    return f"{show_seconds(record['predict_s'])}, {record['memory_mib']:,.0f}"


def _error(record: Record) -> str:
    error = record.get("test_error")
    return "" if error is None else f"{100 * error:.2f}%"


def _gap(certificate: Record, run: Record) -> str:
    if "relative_gap" not in certificate:
        return str(run["status"])
    text = f"{certificate['relative_gap']:.0e}"
    if certificate["machines"] > 1:
        text += f" ({certificate['worst_gap']:.0e})"
    return text + (" !" if run.get("has_warned") else "")
