"""The command: search, report. `python -m benchmarks.search --help` lists all."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import datasets, machine, processes
from benchmarks.search import libraries, problems, report

RESULTS = Path(__file__).resolve().parent.parent / "search.json"


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search", description=__doc__)
    add = parser.add_argument
    add("--problems", nargs="+", choices=problems.BY_NAME, default=list(problems.BY_NAME))
    add("--libraries", nargs="+", choices=libraries.BY_NAME, default=list(libraries.BY_NAME))
    add("--repeats", type=int, default=3, help="the median of so many runs (%(default)s)")
    add("--timeout", type=float, default=900, help="seconds for one process (%(default)s)")
    add("--keep", action="store_true", help="keep other results already in search.json")
    add("--report-only", action="store_true", help="rewrite the report from search.json")
    return parser.parse_args()


def measure(arguments: argparse.Namespace, results: dict[str, Any], folder: Path) -> None:
    for name in arguments.problems:
        X, y = problems.BY_NAME[name].load()
        data = folder / f"{name}.npz"
        datasets.write(data, {"X": X, "y": y})
        chosen = list(arguments.libraries)
        results["runs"] = [
            run for run in results["runs"] if run["problem"] != name or run["library"] not in chosen
        ]
        for repeat in range(arguments.repeats):
            shift = repeat % max(1, len(chosen))
            for library in chosen[shift:] + chosen[:shift]:
                busy = os.getloadavg()[0]
                answer = folder / "answer.json"
                given = [str(data), name, library, str(answer)]
                record = processes.run("benchmarks.search.child", given, answer, arguments.timeout)
                run = {"problem": name, "library": library, "load_before": busy, **record}
                results["runs"].append(run)
                said = f"{record['seconds']:.3f} s" if "seconds" in record else record["message"]
                print(f"{name:<12} {library:<10} {said}", file=sys.stderr, flush=True)
                RESULTS.write_text(json.dumps(results, indent=1) + "\n")


def main() -> None:
    arguments = options()
    kept = arguments.keep or arguments.report_only
    old = json.loads(RESULTS.read_text()) if kept and RESULTS.exists() else {"runs": []}
    if arguments.report_only:
        report.write(old)
        return
    if datasets.folder() is None:
        sys.exit("The data sets are not here: set MAXMARGIN_DATA to their folder.")
    compared = [libraries.BY_NAME[name] for name in arguments.libraries]
    described = machine.describe({library.package: library.version for library in compared})
    described["versions"] = old.get("machine", {}).get("versions", {}) | described["versions"]
    results = {"machine": described, "repeats": arguments.repeats, "runs": old["runs"]}
    with TemporaryDirectory() as name:
        measure(arguments, results, Path(name))
    report.write(results)


if __name__ == "__main__":
    main()
