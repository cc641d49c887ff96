"""The command: search, report."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import command, datasets, machine, processes
from benchmarks.results import Record, tell
from benchmarks.search import libraries, problems, report

RESULTS = command.HERE / "search.json"


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search", description=__doc__)
    add = parser.add_argument
    add("--problems", nargs="+", choices=problems.BY_NAME, default=list(problems.BY_NAME))
    add("--libraries", nargs="+", choices=libraries.BY_NAME, default=list(libraries.BY_NAME))
    command.add_options(parser, RESULTS.name, timeout=900)
    return parser.parse_args()


def measure(name: str, arguments: argparse.Namespace, results: Record, folder: Path) -> None:
    X, y = problems.BY_NAME[name].load()
    data, result = folder / f"{name}.npz", folder / "result.json"
    datasets.write(data, {"X": X, "y": y})
    chosen = arguments.libraries
    results["runs"] = [
        run for run in results["runs"] if run["problem"] != name or run["library"] not in chosen
    ]

    def search(library: str) -> Record:
        given = [str(data), name, library, str(result)]
        record = processes.run("benchmarks.search.child", given, result, arguments.timeout)
        return {"problem": name, "library": library, **record}

    for record in processes.in_turns(chosen, search, range(arguments.repeats)):
        results["runs"].append(record)
        tell(record, "seconds", "message")
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")


def main() -> None:
    arguments = options()
    kept = arguments.keep or arguments.report_only
    old = json.loads(RESULTS.read_text()) if kept and RESULTS.exists() else {"runs": []}
    if arguments.report_only:
        report.write(old)
        return
    command.check_data()
    compared = [libraries.BY_NAME[name] for name in arguments.libraries]
    described = machine.describe(compared, old.get("machine", {}))
    results = {"machine": described, "repeats": arguments.repeats, "runs": old["runs"]}
    with TemporaryDirectory() as folder:
        for name in arguments.problems:
            measure(name, arguments, results, Path(folder))
    report.write(results)


if __name__ == "__main__":
    main()
