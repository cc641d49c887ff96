"""The command: measure, certify, match, report. `python -m benchmarks.linear --help` lists all."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import datasets, machine
from benchmarks.linear import libraries, problems, report
from benchmarks.linear.libraries import OURS, Library
from benchmarks.linear.measure import Bench, Entry, alternate
from benchmarks.linear.problems import Problem
from benchmarks.linear.results import Record, Results

HERE = Path(__file__).resolve().parent.parent

#: What maxmargin is asked for is kept within this range.
FINEST_GAP, COARSEST_GAP = 1e-8, 0.1


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
    add("--repeats", type=int, default=3, help="the median of so many runs (%(default)s)")
    add("--timeout", type=float, default=600, help="seconds for one process (%(default)s)")
    add("--rows", type=int, help="cut every problem to so many rows, to try the harness")
    add("--keep", action="store_true", help="keep other results already in linear.json")
    add("--report-only", action="store_true", help="rewrite the report from linear.json")
    add("--output", type=Path, default=HERE, help="where linear.json and README.md go")
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
    """One entry for each peer's gap, then one for each target."""
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
    """Let the peers show what they reach, then maxmargin reach it; then repeat both in turns."""
    known = results.references.get(problem.name)
    if known is None:
        known = bench.reference()
        tell({"problem": problem.name, "library": "reference", **known})
        if known["status"] != "done":
            return
        results.references[problem.name] = known
    bench.use_reference(known)

    def first(entries: list[Entry]) -> list[Entry]:
        finished = []
        for entry, record in zip(entries, alternate(bench, entries, [0]), strict=True):
            keep(record)
            if record["status"] == "done":
                finished.append(entry)
                results.certificates.append(bench.certify(entry))
                tell(results.certificates[-1])
        save()
        return finished

    def keep(record: Record) -> None:
        results.runs.append(record)
        tell(record)
        save()

    for library in compared:
        results.forget(problem.name, library.name)
    peers = [library for library in compared if not library.is_ours]
    finished = first([Entry(peer) for peer in peers if problem.loss in peer.losses])
    if OURS in compared:
        finished += first(entries_of_ours(problem, results))
    for record in alternate(bench, finished, range(1, repeats)):
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


def tell(record: Record) -> None:
    shown = ("against", "fit_s", "predict_s", "memory_mib", "solver", "iterations", "has_warned")
    numbers = "  ".join(
        f"{key} {record[key]:.4g}" if isinstance(record[key], float) else f"{key} {record[key]}"
        for key in (*shown, "relative_gap", "worst_gap", "certified_gap", "endings", "message")
        if record.get(key) not in (None, "")
    )
    line = f"{record['problem']:<20}{record['library']:<18}{record['status']:<10}{numbers}"
    print(line, file=sys.stderr, flush=True)


def main() -> None:
    arguments = options()
    path = arguments.output / "linear.json"
    arguments.output.mkdir(parents=True, exist_ok=True)
    if arguments.report_only:
        report.write(Results.load(path), arguments.output)
        return
    if datasets.folder() is None:
        sys.exit("The data sets are not here: set MAXMARGIN_DATA to their folder.")
    if arguments.rows and arguments.output == HERE:
        sys.exit("--rows is for trying the harness: name another folder with --output.")
    results = Results.load(path) if arguments.keep and path.exists() else Results()
    names = arguments.libraries or list(libraries.BY_NAME)
    compared = [libraries.BY_NAME[name] for name in names]
    known = results.machine.get("versions", {})
    own = {library.package: library.version for library in compared}
    results.machine = machine.describe(known | own)
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
