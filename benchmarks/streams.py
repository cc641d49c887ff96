"""Two passes over a file in chunks: `python -m benchmarks.streams`.

Each run has a process of its own, called with --child. The raw results are in streams.json.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks import command, machine, memory, page, processes
from benchmarks.engine.problems import covtype
from benchmarks.library import OURS, SCIKIT_LEARN
from benchmarks.ratios import show_seconds
from benchmarks.results import Record, done

RESULTS = Path(__file__).with_suffix(".json")
SIZES = (72626, 145253, 290506, 581012)
CHUNK, C, PASSES = 10000, 1.0, 2

Chunks = Callable[[], Iterator[tuple[Any, Any]]]


def our_passes(stream: Chunks, n: int) -> Any:
    from maxmargin import OnlineSVC

    return passes(OnlineSVC(C=C, n_samples=n, random_state=0), stream)


def their_passes(stream: Chunks, n: int) -> Any:
    from sklearn.linear_model import SGDClassifier

    return passes(SGDClassifier(alpha=1 / (C * n), average=True, random_state=0), stream)


def passes(model: Any, stream: Chunks) -> Any:
    for _ in range(PASSES):
        for X, y in stream():
            model.partial_fit(X, y, classes=[-1, 1])
    return model


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
    # Modules are imported and threads started before the clock starts.
    run(lambda: iter([(np.eye(54), np.where(np.arange(54) % 2, 1, -1))]), 54)
    fit = memory.measured(lambda: run(lambda: ((chunk[0], chunk[1]) for chunk in source), int(n)))
    result: Record = {"seconds": fit.seconds, "memory_mib": fit.added_mib}
    if fit.value is not None:
        result["weights"] = weights_of(fit.value)
    Path(result_file).write_text(json.dumps(result))


def weights_of(model: Any) -> list[float]:
    return [*model.coef_[0].tolist(), float(model.intercept_[0])]


def objective(X: Any, y: Any, weights: list[float]) -> float:
    """Return the objective in which the bias is penalised like the weights."""
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
        optimum = objective(X, y, weights_of(best))
        for _ in range(arguments.repeats):
            for model in MODELS:
                result = folder / "result.json"
                given = ["--child", str(file), str(n), model, str(result)]
                record = processes.run("benchmarks.streams", given, result, arguments.timeout)
                if "weights" in record:
                    reached = objective(X, y, record.pop("weights"))
                    record["excess"] = (reached - optimum) / optimum
                results["runs"].append({"n": n, "model": model, **record})
                print(n, model, record, file=sys.stderr, flush=True)
                RESULTS.write_text(json.dumps(results, indent=1) + "\n")
        file.unlink()


def text(results: Record) -> str:
    repeats = results["repeats"]
    numbers = f"medians of {repeats} runs" if repeats > 1 else "those of single runs"
    return f"""## Streams

Made by `make bench-streams` (`python -m benchmarks.streams --help` lists its options); the raw
results are in [streams.json](streams.json).

Machine: {machine.in_words(results["machine"])}

covtype, class 2 against the rest, standardised, rows in random order, in a file in LIBSVM's format
that is read in chunks of {CHUNK:,} rows. Hinge loss, C = {C:g}. Every run reads the file twice and
has a process of its own; they take turns, and numbers are {numbers}.
"above the optimum" is the relative excess of the objective after the two passes over the optimum,
which is certified to 1e-8; "memory" is the peak of resident memory during the passes minus the
resident memory before them.

{page.markdown_table(*_table(results["runs"]))}
"""


def _table(runs: list[Record]) -> tuple[list[str], list[list[str]]]:
    headings, rows = ["rows", "two passes of", "seconds", "above the optimum", "memory MiB"], []
    for n in sorted({run["n"] for run in runs}):
        for model in MODELS:
            own = done(runs, n=n, model=model)
            if not own:
                continue
            seconds, used = (median(run[key] for run in own) for key in ("seconds", "memory_mib"))
            excess = [run["excess"] for run in own if "excess" in run]
            shown = f"{median(excess):.2%}" if excess else ""
            rows.append([f"{n:,}", model, show_seconds(seconds), shown, f"{used:.0f}"])
    return headings, rows


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streams", description=__doc__)
    add = parser.add_argument
    add("--sizes", nargs="+", type=int, default=list(SIZES), help="numbers of rows")
    add("--child", nargs=4, help=argparse.SUPPRESS)
    command.add_options(parser, RESULTS.name)
    return parser.parse_args()


def main() -> None:
    arguments = options()
    if arguments.child:
        child(*arguments.child)
        return
    if arguments.report_only:
        page.replace_section("streams", text(json.loads(RESULTS.read_text())))
        return
    command.check_data()
    earlier = json.loads(RESULTS.read_text())["runs"] if arguments.keep else []
    results: Record = {
        "machine": machine.describe([OURS, SCIKIT_LEARN], {}),
        "repeats": arguments.repeats,
        "runs": [run for run in earlier if run["n"] not in arguments.sizes],
    }
    with TemporaryDirectory() as name:
        measure(arguments, results, Path(name))
    page.replace_section("streams", text(results))


if __name__ == "__main__":
    main()
