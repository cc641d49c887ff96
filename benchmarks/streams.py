"""Two passes over a file in chunks: `python -m benchmarks.streams`.

Each run has a process of its own, called with --child. The raw results are in streams.json.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks import datasets, machine, memory, page, processes
from benchmarks.engine.problems import covtype
from benchmarks.ratios import show_seconds

RESULTS = Path(__file__).with_suffix(".json")
SIZES = (72626, 145253, 290506, 581012)
CHUNK, C, PASSES = 10000, 1.0, 2

Record = dict[str, Any]
Chunks = Callable[[], Iterator[tuple[Any, Any]]]


def our_passes(stream: Chunks, n: int) -> Any:
    from maxmargin import OnlineSVC

    machine = OnlineSVC(C=C, n_samples=n, random_state=0)
    for _ in range(PASSES):
        for X, y in stream():
            machine.partial_fit(X, y, classes=[-1, 1])
    return machine


def their_passes(stream: Chunks, n: int) -> Any:
    from sklearn.linear_model import SGDClassifier

    machine = SGDClassifier(alpha=1 / (C * n), average=True, random_state=0)
    for _ in range(PASSES):
        for X, y in stream():
            machine.partial_fit(X, y, classes=[-1, 1])
    return machine


def reading(stream: Chunks, _n: int) -> None:
    for _ in range(PASSES):
        for _ in stream():
            pass


MODELS: dict[str, Callable[[Chunks, int], Any]] = {
    "reading alone": reading,
    "maxmargin OnlineSVC": our_passes,
    "scikit-learn SGDClassifier": their_passes,
}


def child(data_file: str, n: str, model_name: str, result_file: str) -> None:
    from maxmargin.streams import chunks

    source = chunks(Path(data_file), n_features=54, size=CHUNK)
    run = MODELS[model_name]
    # Imports and threads are in place when the clock starts.
    run(lambda: iter([(np.eye(54), np.where(np.arange(54) % 2, 1, -1))]), 54)
    memory.give_back()
    memory.forget_peak()
    before = memory.resident_mib()
    start = perf_counter()
    fitted = run(lambda: ((chunk[0], chunk[1]) for chunk in source), int(n))
    result: Record = {
        "seconds": perf_counter() - start,
        "memory_mib": memory.peak_mib() - before,
    }
    if fitted is not None:
        result["weights"] = [*fitted.coef_[0].tolist(), float(fitted.intercept_[0])]
    Path(result_file).write_text(json.dumps(result))


def objective(X: Any, y: Any, weights: list[float]) -> float:
    """With a bias that is penalised like the weights."""
    w, b = np.array(weights[:-1]), weights[-1]
    slack = np.maximum(0.0, 1 - y * (X @ w + b))
    return float(0.5 * (w @ w + b * b) + C * slack.sum())


def measure(arguments: argparse.Namespace, results: Record, folder: Path) -> None:
    from maxmargin import LinearSVC
    from maxmargin.streams import write_libsvm

    for n in arguments.sizes:
        data = covtype(n)
        X, y = data["X"], data["y"]
        file = folder / f"covtype-{n}.svm"
        write_libsvm(X, y, file)
        best = LinearSVC(C=C, loss="hinge", tol=1e-8).fit(X, y)
        optimum = objective(X, y, [*best.coef_[0].tolist(), float(best.intercept_[0])])
        for _ in range(arguments.repeats):
            for model in MODELS:
                answer = folder / "answer.json"
                given = ["--child", str(file), str(n), model, str(answer)]
                record = processes.run("benchmarks.streams", given, answer, arguments.timeout)
                if "weights" in record:
                    reached = objective(X, y, record.pop("weights"))
                    record["excess"] = (reached - optimum) / optimum
                results["runs"].append({"n": n, "model": model, **record})
                print(n, model, record, file=sys.stderr, flush=True)
                RESULTS.write_text(json.dumps(results, indent=1) + "\n")
        file.unlink()


def text(results: Record) -> str:
    return f"""## Streams

Made by `make bench-streams` (`python -m benchmarks.streams --help` lists its options); the raw
results are in [streams.json](streams.json).

Machine: {machine.in_words(results["machine"])}

covtype, class 2 against the rest, standardised, rows in random order, in a file in LIBSVM's format
that is read in chunks of {CHUNK:,} rows. Hinge loss, C = {C:g}. Every run reads the file twice and
has a process of its own; they take turns, and numbers are medians of {results["repeats"]}. "above
the optimum" is the objective after the two passes, relative to the optimum, which is certified to
1e-8; "memory" the peak of resident memory during the passes less what was resident before them.

{page.markdown_table(*_table(results["runs"]))}
"""


def _table(runs: list[Record]) -> tuple[list[str], list[list[str]]]:
    headings, rows = ["rows", "two passes of", "seconds", "above the optimum", "memory MiB"], []
    for n in sorted({run["n"] for run in runs}):
        for model in MODELS:
            done = [run for run in runs if (run["n"], run["model"]) == (n, model)]
            done = [run for run in done if run["status"] == "done"]
            if not done:
                continue
            seconds, used = (median(run[key] for run in done) for key in ("seconds", "memory_mib"))
            excess = [run["excess"] for run in done if "excess" in run]
            shown = f"{median(excess):.2%}" if excess else ""
            rows.append([f"{n:,}", model, show_seconds(seconds), shown, f"{used:.0f}"])
    return headings, rows


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streams", description=__doc__)
    add = parser.add_argument
    add("--sizes", nargs="+", type=int, default=list(SIZES), help="numbers of rows")
    add("--repeats", type=int, default=3, help="the median of so many runs (%(default)s)")
    add("--timeout", type=float, default=600, help="seconds for one process (%(default)s)")
    add("--child", nargs=4, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    arguments = options()
    if arguments.child:
        child(*arguments.child)
        return
    if datasets.folder() is None:
        sys.exit("The data sets are not here: set MAXMARGIN_DATA to their folder.")
    packages = ("maxmargin", "scikit-learn")
    described = machine.describe({package: version(package) for package in packages})
    results: Record = {"machine": described, "repeats": arguments.repeats, "runs": []}
    with TemporaryDirectory() as name:
        measure(arguments, results, Path(name))
    page.replace_section("streams", text(results))


if __name__ == "__main__":
    main()
