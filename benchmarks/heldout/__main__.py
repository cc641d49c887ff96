"""Fit all data sets of a folder with maxmargin and scikit-learn, and print where ours is behind.

Each fit has a time limit. Results are appended to a file of JSON lines; a second call with the same
file goes on where the first one ended.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from benchmarks.heldout import data, settings
from benchmarks.heldout.report import report
from benchmarks.heldout.worker import Worker
from benchmarks.results import Record


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.heldout", description=__doc__)
    add = parser.add_argument
    add("folder", type=Path, help="data sets: .npz with X and y, .csv, .svm, .libsvm")
    add("--output", type=Path, default=Path("heldout.jsonl"), help="default: %(default)s")
    add("--rows", type=int, default=2000, help="at most so many rows, 0 for all (%(default)s)")
    add("--time-limit", type=float, default=60.0, help="seconds per fit (%(default)s)")
    add("--kernels", nargs="+", choices=settings.KERNELS, default=settings.KERNELS)
    add("--C", nargs="+", type=float, default=settings.PENALTIES)
    add("--scalings", nargs="+", choices=settings.SCALINGS, default=settings.SCALINGS)
    add("--names", nargs="+", help="only files whose names contain one of these")
    add("--report-only", action="store_true", help="print what the output file holds")
    return parser.parse_args(arguments)


def read(path: Path) -> list[Record]:
    """Return the records of earlier calls; a line that was cut off is left out."""
    records = []
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return records


def measure(asked: argparse.Namespace, records: list[Record]) -> None:
    """Fit what there is no record of yet, and append it to the file."""
    known = {(one["data"], one["setting"], one["library"], one["rows"]) for one in records}
    workers = [Worker(library, asked.time_limit) for library in settings.LIBRARIES]
    grid = settings.grid(tuple(asked.kernels), tuple(asked.C), tuple(asked.scalings))
    with asked.output.open("a") as out:
        for path in data.files(asked.folder):
            name = str(path.relative_to(asked.folder))
            if asked.names and not any(part in name for part in asked.names):
                continue
            try:
                data.load(path, asked.rows)
            except Exception as error:
                print(f"{name}: left out: {error}", file=sys.stderr)
                continue
            for setting in grid:
                for worker in workers:
                    key = (name, str(setting), worker.library, asked.rows)
                    if key in known:
                        continue
                    record = {
                        **dict(zip(("data", "setting", "library", "rows"), key, strict=True)),
                        **setting.as_dict(),
                        **worker.fit(path, asked.rows, setting),
                    }
                    records.append(record)
                    out.write(json.dumps(record) + "\n")
                    out.flush()
            print(f"{name}: done", file=sys.stderr)
    for worker in workers:
        worker.end()


def main(arguments: list[str] | None = None) -> None:
    asked = options(arguments)
    if not asked.folder.is_dir():
        sys.exit(f"There is no folder {asked.folder}.")
    asked.output.parent.mkdir(parents=True, exist_ok=True)
    records = read(asked.output)
    if not asked.report_only:
        measure(asked, records)
    page = report(one for one in records if one["rows"] == asked.rows)
    asked.output.with_suffix(".md").write_text(page + "\n")
    print(page)


if __name__ == "__main__":
    main()
