"""The command: measure, certify, match, report."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import command, datasets, machine
from benchmarks.linear import libraries, problems, report
from benchmarks.linear.libraries import OURS, Library
from benchmarks.linear.measure import Bench, Entry
from benchmarks.linear.problems import Problem
from benchmarks.linear.summary import Results
from benchmarks.processes import in_turns
from benchmarks.results import Record, tell

# The relative gaps that maxmargin is asked for are clipped to this range.
FINEST_GAP, COARSEST_GAP = 1e-8, 0.1
SHOWN = (
    "against",
    "fit_s",
    "predict_s",
    "memory_mib",
    "solver",
    "iterations",
    "has_warned",
    "relative_gap",
    "worst_gap",
    "certified_gap",
    "endings",
    "message",
)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.linear", description=__doc__)
    add = parser.add_argument
    add(
        "--problems",
        nargs="+",
        metavar="NAME",
        help="such as a9a, a9a-hinge or a9a-hinge-1; default: all",
    )
    add("--libraries", nargs="+", choices=libraries.BY_NAME, metavar="NAME", help="default: all")
    command.add_options(parser, "linear.json")
    command.add_trial_options(parser, "linear.json")
    return parser.parse_args()


def chosen_problems(arguments: argparse.Namespace) -> list[Problem]:
    wanted = arguments.problems or [problem.data for problem in problems.PROBLEMS]
    found = [
        problem
        for problem in problems.PROBLEMS
        if any(f"{problem.name}-".startswith(f"{part}-") for part in wanted)
    ]
    if not found:
        sys.exit(f"No such problem; there are {', '.join(problems.BY_NAME)}.")
    return found


def entries_of_ours(problem: Problem, results: Results) -> list[Entry]:
    """Return one entry per peer's gap, then one per target."""
    asked = [
        Entry(OURS, name, min(max(certificate["relative_gap"], FINEST_GAP), COARSEST_GAP))
        for (name, _), certificate in results.certificates_of(problem.name).items()
        if not libraries.BY_NAME[name].is_ours
    ]
    return asked + [Entry(OURS, f"{target:g}", target) for target in problem.targets]


def solve(
    problem: Problem,
    bench: Bench,
    compared: list[Library],
    results: Results,
    repeats: int,
    save: Callable[[], None],
) -> None:
    """Measure the gaps of the peers, ask maxmargin for the same gaps, then repeat all in turns."""
    known = results.references.get(problem.name)
    if known is None:
        known = bench.reference()
        tell({"problem": problem.name, "library": "reference", **known}, *SHOWN)
        if known["status"] != "done":
            return
        results.references[problem.name] = known
    bench.use_reference(known)

    def first(entries: list[Entry]) -> list[Entry]:
        finished = []
        for entry, record in zip(entries, in_turns(entries, bench.fit, [0]), strict=True):
            keep(record)
            if record["status"] == "done":
                finished.append(entry)
                results.certificates.append(bench.certify(entry))
                tell(results.certificates[-1], *SHOWN)
        save()
        return finished

    def keep(record: Record) -> None:
        results.runs.append(record)
        tell(record, *SHOWN)
        save()

    for library in compared:
        results.forget(problem.name, library.name)
    peers = [library for library in compared if not library.is_ours]
    finished = first([Entry(peer) for peer in peers if problem.loss in peer.losses])
    if OURS in compared:
        finished += first(entries_of_ours(problem, results))
    for record in in_turns(finished, bench.fit, range(1, repeats)):
        keep(record)


def solve_all(
    arguments: argparse.Namespace,
    compared: list[Library],
    results: Results,
    folder: Path,
    save: Callable[[], None],
) -> None:
    for problem in chosen_problems(arguments):
        arrays = problems.prepared(problem, arguments.rows)
        X, y = arrays["X"], arrays["y"]
        results.problems[problem.name] = {
            "n": X.shape[0],
            "features": X.shape[1],
            "classes": int(y.max()) + 1,
            "rows_predicted": arrays["X_test"].shape[0],
            "has_test_rows": "y_test" in arrays,
        }
        data = folder / f"{problem.name}.npz"
        datasets.write(data, arrays)
        del arrays, X, y
        bench = Bench(problem.name, data, folder, arguments.timeout)
        solve(problem, bench, compared, results, arguments.repeats, save)
        data.unlink()


def main() -> None:
    arguments = options()
    path = arguments.output / "linear.json"
    arguments.output.mkdir(parents=True, exist_ok=True)
    if arguments.report_only:
        report.write(Results.load(path), arguments.output)
        return
    command.check_data()
    command.check_trial(arguments)
    results = Results.load(path) if arguments.keep and path.exists() else Results()
    names = arguments.libraries or list(libraries.BY_NAME)
    compared = [libraries.BY_NAME[name] for name in names]
    results.machine = machine.describe(compared, results.machine)
    results.settings = {
        "repeats": arguments.repeats,
        "partly_later": bool(results.runs),
        "timeout_s": arguments.timeout,
    }
    with TemporaryDirectory() as name:
        solve_all(arguments, compared, results, Path(name), partial(results.save, path))
    report.write(results, arguments.output)


if __name__ == "__main__":
    main()
