"""What the commands of the benchmarks have in common."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks import datasets

HERE = Path(__file__).resolve().parent


def add_options(parser: argparse.ArgumentParser, results: str, timeout: float = 600) -> None:
    """Add the options of every command that keeps its results in a file."""
    add = parser.add_argument
    add("--repeats", type=int, default=3, help="number of runs; medians count (%(default)s)")
    add("--timeout", type=float, default=timeout, help="seconds per process (%(default)s)")
    add("--keep", action="store_true", help=f"keep other results already in {results}")
    add("--report-only", action="store_true", help=f"rewrite the report from {results}")


def add_trial_options(parser: argparse.ArgumentParser, results: str) -> None:
    """Add the options that try a benchmark on few rows, without touching its results."""
    add = parser.add_argument
    add("--rows", type=int, help="use at most this many rows of every problem, as a trial")
    add("--output", type=Path, default=HERE, help=f"where {results} and README.md are written")


def check_data() -> None:
    if datasets.folder() is None:
        sys.exit("The data sets were not found: set MAXMARGIN_DATA to their folder.")


def check_trial(arguments: argparse.Namespace) -> None:
    if arguments.rows and arguments.output == HERE:
        sys.exit("--rows is for trials: name another folder with --output.")
