"""The command: measure, certify, grow, report."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import command, datasets, machine
from benchmarks.engine import growth, libraries, problems, report
from benchmarks.engine.measure import Bench
from benchmarks.engine.summary import Results
from benchmarks.processes import in_turns
from benchmarks.results import tell

SHOWN = ("n", "fit_s", "predict_s", "memory_mib", "relative_gap", "kkt_violation", "message")


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engine", description=__doc__)
    add = parser.add_argument
    add("--problems", nargs="+", choices=problems.BY_NAME, metavar="NAME", help="default: all")
    add("--libraries", nargs="+", choices=libraries.BY_NAME, metavar="NAME", help="default: all")
    add("--large", action="store_true", help="also the problems that take long (mnist-60k)")
    add("--no-certificates", action="store_true")
    add("--no-growth", action="store_true")
    add("--growth-largest", type=int, default=32000, help="for the peers (%(default)s)")
    add("--growth-cap", type=float, default=60, help="a slower fit ends its curve (%(default)s)")
    command.add_options(parser, "engine.json")
    command.add_trial_options(parser, "engine.json")
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
        for record in in_turns(compared, bench.fit, range(arguments.repeats)):
            results.runs.append(record)
            if record["status"] != "done":
                finished = [lib for lib in finished if lib.name != record["library"]]
            tell(record, *SHOWN)
            save()
        for library in [] if arguments.no_certificates else finished:
            results.certificates.append(bench.certify(library))
            tell(results.certificates[-1], *SHOWN)
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
            tell(record, *SHOWN)
            save()


def main() -> None:
    arguments = options()
    path = arguments.output / "engine.json"
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
