"""The command: measure, certify, grow, report. `python -m benchmarks.engine --help` lists all."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import datasets, machine
from benchmarks.engine import growth, libraries, problems, report
from benchmarks.engine.measure import Bench, alternate
from benchmarks.engine.results import Record, Results

HERE = Path(__file__).resolve().parent.parent


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engine", description=__doc__)
    add = parser.add_argument
    add("--problems", nargs="+", choices=problems.BY_NAME, metavar="NAME", help="default: all")
    add("--libraries", nargs="+", choices=libraries.BY_NAME, metavar="NAME", help="default: all")
    add("--large", action="store_true", help="also the problems that take long (mnist-60k)")
    add("--repeats", type=int, default=3, help="the median of so many runs (%(default)s)")
    add("--timeout", type=float, default=600, help="seconds for one process (%(default)s)")
    add("--rows", type=int, help="cut every problem to so many rows, to try the harness")
    add("--no-certificates", action="store_true")
    add("--no-growth", action="store_true")
    add("--growth-largest", type=int, default=32000, help="for the peers (%(default)s)")
    add("--growth-cap", type=float, default=60, help="a slower fit is a curve's last (%(default)s)")
    add("--keep", action="store_true", help="keep other results already in engine.json")
    add("--report-only", action="store_true", help="rewrite the report from engine.json")
    add("--output", type=Path, default=HERE, help="where engine.json and README.md go")
    return parser.parse_args()


def chosen_problems(arguments: argparse.Namespace) -> list[problems.Problem]:
    if arguments.problems:
        return [problems.BY_NAME[name] for name in arguments.problems]
    return [problem for problem in problems.PROBLEMS if arguments.large or not problem.is_large]


def solve_all(
    arguments: argparse.Namespace,
    libraries_asked: list[libraries.Library],
    results: Results,
    folder: Path,
    save: Callable[[], None],
) -> None:
    for problem in chosen_problems(arguments):
        compared = [lib for lib in libraries_asked if lib.name not in problem.too_slow]
        arrays = problems.prepared(problem, arguments.rows)
        data = folder / f"{problem.name}.npz"
        datasets.write(data, arrays)
        results.problems[problem.name] = {
            "n": arrays["X"].shape[0],
            "features": arrays["X"].shape[1],
            "rows_predicted": arrays["X_test"].shape[0],
            "has_test_rows": "y_test" in arrays,
        }
        del arrays
        bench = Bench(problem.name, data, folder, arguments.timeout)
        finished = list(compared)
        for library in compared:
            results.forget(problem.name, library.name)
        for record in alternate(bench, compared, arguments.repeats):
            results.runs.append(record)
            if record["status"] != "done":
                finished = [lib for lib in finished if lib.name != record["library"]]
            tell(record)
            save()
        for library in [] if arguments.no_certificates else finished:
            results.certificates.append(bench.certify(library))
            tell(results.certificates[-1])
            save()
        data.unlink()


def grow_all(
    arguments: argparse.Namespace,
    compared: list[libraries.Library],
    results: Results,
    folder: Path,
    save: Callable[[], None],
) -> None:
    names = {library.name for library in compared}
    results.growth = [record for record in results.growth if record["library"] not in names]
    for family in growth.FAMILIES:
        for record in growth.measure(
            family,
            compared,
            folder,
            largest=arguments.growth_largest,
            cap=arguments.growth_cap,
            repeats=arguments.repeats,
        ):
            results.growth.append(record)
            tell(record)
            save()


def tell(record: Record) -> None:
    shown = ("n", "fit_s", "predict_s", "memory_mib", "relative_gap", "kkt_violation", "message")
    numbers = "  ".join(
        f"{key} {record[key]:.4g}" if isinstance(record[key], float) else f"{key} {record[key]}"
        for key in shown
        if key in record
    )
    line = f"{record['problem']:<14}{record['library']:<11}{record['status']:<10}{numbers}"
    print(line, file=sys.stderr, flush=True)


def main() -> None:
    arguments = options()
    path = arguments.output / "engine.json"
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
    described = machine.describe({library.package: library.version for library in compared})
    described["versions"] = results.machine.get("versions", {}) | described["versions"]
    results.machine = described
    results.settings = {
        "repeats": arguments.repeats,
        "partly_later": bool(results.runs),
        "timeout_s": arguments.timeout,
        "growth_largest": arguments.growth_largest,
        "growth_cap_s": arguments.growth_cap,
        "tolerance": libraries.TOLERANCE,
        "cache_megabytes": libraries.CACHE_MEGABYTES,
    }
    with TemporaryDirectory() as name:
        save = partial(results.save, path)
        solve_all(arguments, compared, results, Path(name), save)
        if not arguments.no_growth:
            grow_all(arguments, compared, results, Path(name), save)
    report.write(results, arguments.output)


if __name__ == "__main__":
    main()
