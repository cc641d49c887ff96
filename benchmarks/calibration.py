"""Calibrated fits against plain ones: `python -m benchmarks.calibration`.

Each fit has a process of its own, called with --child. The raw results are in calibration.json.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks import command, datasets, machine, memory, page, processes
from benchmarks.library import OURS, SCIKIT_LEARN
from benchmarks.ratios import show_ratio, show_seconds
from benchmarks.results import Record, done, runs_of_each, tell

RESULTS = Path(__file__).with_suffix(".json")
WARM_UP_ROWS = 400


@dataclass(frozen=True)
class Problem:
    name: str
    title: str
    data: str
    C: float
    gamma: float


PROBLEMS = {
    problem.name: problem
    for problem in (
        Problem("fingerprint", "fingerprint spoofing", "mlpr/mlpr_fingerprint_spoofing", 32, 0.135),
        Problem("a9a", "a9a", "classification/a9a", 1, 0.05),
        Problem("a9a-hard", "a9a", "classification/a9a", 100, 0.05),
    )
}


def our_fit(C: float, gamma: float) -> Any:
    from maxmargin import SVC

    return SVC(C=C, gamma=gamma)


def our_calibration(C: float, gamma: float) -> Any:
    from maxmargin import CalibratedSVC

    return CalibratedSVC(our_fit(C, gamma), cv=5)


def their_fit(C: float, gamma: float) -> Any:
    from sklearn.svm import SVC

    return SVC(C=C, gamma=gamma, cache_size=4000)


def their_calibration(C: float, gamma: float) -> Any:
    from sklearn.calibration import CalibratedClassifierCV

    return CalibratedClassifierCV(their_fit(C, gamma), ensemble=False, cv=5)


MODELS: dict[str, Callable[[float, float], Any]] = {
    "maxmargin": our_fit,
    "maxmargin calibrated": our_calibration,
    "scikit-learn": their_fit,
    "scikit-learn calibrated": their_calibration,
}


def child(data_file: str, problem_name: str, model_name: str, result_file: str) -> None:
    from sklearn.metrics import log_loss

    problem, make = PROBLEMS[problem_name], MODELS[model_name]
    data = datasets.read(Path(data_file))
    X, y, X_test, y_test = (data[name] for name in ("X", "y", "X_test", "y_test"))
    # Modules are imported and threads started before the clock starts.
    make(problem.C, problem.gamma).fit(X[:WARM_UP_ROWS], y[:WARM_UP_ROWS])
    memory.warm()
    model = make(problem.C, problem.gamma)
    result: Record = {"seconds": memory.measured(lambda: model.fit(X, y)).seconds}
    if "calibrated" in model_name:
        result["log_loss"] = float(log_loss(y_test, model.predict_proba(X_test)))
    Path(result_file).write_text(json.dumps(result))


def measure(name: str, arguments: argparse.Namespace, results: Record, folder: Path) -> None:
    found = datasets.load(PROBLEMS[name].data)
    data, result = folder / f"{name}.npz", folder / "result.json"
    X, X_test = (found[part].astype(np.float64) for part in ("X", "X_test"))
    datasets.write(data, {"X": X, "y": found["y"], "X_test": X_test, "y_test": found["y_test"]})
    chosen = arguments.models
    results["runs"] = [
        run for run in results["runs"] if run["problem"] != name or run["library"] not in chosen
    ]

    def fit(model: str) -> Record:
        given = ["--child", str(data), name, model, str(result)]
        record = processes.run("benchmarks.calibration", given, result, arguments.timeout)
        return {"problem": name, "library": model, **record}

    for record in processes.in_turns(chosen, fit, range(arguments.repeats)):
        results["runs"].append(record)
        tell(record, "seconds", "message")
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")


def report(results: Record) -> None:
    page.replace_section("calibration", text(results))


def text(results: Record) -> str:
    return f"""## Calibration

Made by `make bench-calibration` (`python -m benchmarks.calibration --help` lists its options); the
raw results are in [calibration.json](calibration.json).

Machine: {machine.in_words(results["machine"])}

`maxmargin.CalibratedSVC(SVC())` and scikit-learn's `CalibratedClassifierCV(SVC(), ensemble=False)`,
both with Platt's sigmoid on five folds and a final fit to all rows, compared with a plain fit of
the same machine: Gaussian kernel, tolerance 0.001. Every fit has a process of its own, which begins
with a small fit; they take turns, and numbers are medians of
{runs_of_each(results["runs"], "problem", "library")} runs. "times a fit" is the time of the
calibrated fit divided by that of the plain fit, "ratio" the time of scikit-learn's calibration
divided by ours, and "log loss" that of the probabilities of the test rows.

{page.markdown_table(*_table(results["runs"]))}
"""


def _table(runs: list[Record]) -> tuple[list[str], list[list[str]]]:
    headings = ["data", "C, gamma"]
    for library in ("maxmargin", "scikit-learn"):
        headings += [f"{library} fit s", "calibrated s", "times a fit", "log loss"]
    rows = []
    for problem in PROBLEMS.values():
        own = {model: done(runs, problem=problem.name, library=model) for model in MODELS}
        if not any(own.values()):
            continue
        seconds = {
            model: median(run["seconds"] for run in found) for model, found in own.items() if found
        }
        row = [problem.title, f"{problem.C:g}, {problem.gamma:g}"]
        for library in ("maxmargin", "scikit-learn"):
            plain, calibrated = library, f"{library} calibrated"
            row += [show_seconds(seconds[m]) if m in seconds else "" for m in (plain, calibrated)]
            row.append(_ratio(seconds, calibrated, plain))
            losses = [run["log_loss"] for run in own[calibrated]]
            row.append(f"{losses[0]:.4f}" if losses else "")
        rows.append([*row, _ratio(seconds, "scikit-learn calibrated", "maxmargin calibrated")])
    return [*headings, "ratio"], rows


def _ratio(seconds: dict[str, float], one: str, other: str) -> str:
    both = one in seconds and other in seconds
    return show_ratio(seconds[one] / seconds[other]) if both else ""


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibration", description=__doc__)
    add = parser.add_argument
    add("--problems", nargs="+", choices=PROBLEMS, default=list(PROBLEMS))
    add("--models", nargs="+", choices=MODELS, default=list(MODELS))
    add("--child", nargs=4, help=argparse.SUPPRESS)
    command.add_options(parser, RESULTS.name, timeout=1200)
    return parser.parse_args()


def main() -> None:
    arguments = options()
    if arguments.child:
        child(*arguments.child)
        return
    kept = arguments.keep or arguments.report_only
    old = json.loads(RESULTS.read_text()) if kept and RESULTS.exists() else {"runs": []}
    if arguments.report_only:
        report(old)
        return
    command.check_data()
    described = machine.describe([OURS, SCIKIT_LEARN], {})
    results = {"machine": described, "repeats": arguments.repeats, "runs": old["runs"]}
    with TemporaryDirectory() as folder:
        for name in arguments.problems:
            measure(name, arguments, results, Path(folder))
    report(results)


if __name__ == "__main__":
    main()
