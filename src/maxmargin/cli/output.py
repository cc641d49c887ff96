"""What one run prints and writes: results, notes, warnings, JSON, tables."""

from __future__ import annotations

import csv
import json
import math
import shlex
import signal
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

import click
import numpy as np

from maxmargin.cli.options import STDIO
from maxmargin.files import replacing

__all__ = ["INTERRUPTED", "Session", "as_lines", "cell", "opened", "write_csv", "write_rows"]

# Exit codes.
NOT_CONVERGED = 3
INTERRUPTED = 130


@dataclass
class Session:
    """What the run was asked to print, and how its fits ended.

    Results go to standard output, everything else to standard error.
    """

    json: bool = False
    quiet: bool = False
    debug: bool = False
    command: str = ""
    #: The words after the program's name.
    arguments: list[str] = field(default_factory=list)
    interrupted: bool = False
    converged: bool = True

    @property
    def shows_progress(self) -> bool:
        """Whether a progress bar is shown, which needs a terminal."""
        return not self.quiet and sys.stderr.isatty()

    @property
    def command_line(self) -> str:
        """What was typed."""
        return shlex.join(["maxmargin", *self.arguments])

    @property
    def exit_code(self) -> int:
        """The exit code of a run without errors."""
        if self.interrupted:
            return INTERRUPTED
        return 0 if self.converged else NOT_CONVERGED

    def say(self, *lines: str) -> None:
        """Print lines of the result, unless it is printed as JSON."""
        if not self.json:
            for line in lines:
                click.echo(line)

    def note(self, text: str) -> None:
        """Print a line about the way to the result."""
        if not self.quiet:
            click.echo(text, err=True)

    def answer(self, **result: Any) -> None:
        """Print the result as JSON, if that was asked for."""
        if self.json:
            result = {"command": self.command, **result}
            click.echo(json.dumps(_plain(result), allow_nan=False))

    def watch_warnings(self) -> None:
        """Print each warning as one line, and remember those about convergence."""
        warnings.simplefilter("default")
        for kind in (DeprecationWarning, PendingDeprecationWarning, FutureWarning):
            warnings.simplefilter("ignore", kind)
        # Columns without names are in the model's order.
        warnings.filterwarnings("ignore", "X does not have valid feature names", UserWarning)
        warnings.showwarning = self._show_warning  # type: ignore[assignment]

    def _show_warning(self, message: Warning | str, category: type[Warning], *_: Any) -> None:
        # By its name, because importing scikit-learn is slow and not every command needs it.
        if category.__name__ == "ConvergenceWarning":
            self.converged = False
            if "(interrupted)" in str(message):
                # Its advice is about Python; `train` says how good the model is.
                return
        first_paragraph = str(message).strip().split("\n\n")[0]
        if category.__name__ == "ScalingWarning":
            first_paragraph = first_paragraph.partition("Scale them:")[0] + "Give --scale."
        click.echo(f"Warning: {' '.join(first_paragraph.split())}", err=True)

    def warn_of_shortfall(self, text: str) -> None:
        """Print that a fit did not reach its tolerance, which the exit code will say, too."""
        if text:
            self.converged = False
            click.echo(f"Warning: {text}", err=True)

    @contextmanager
    def watch_interrupts(self) -> Iterator[None]:
        """Remember Ctrl-C, which ends a fit with the best model so far."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def interrupt(*_: Any) -> None:
            self.interrupted = True
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGINT, interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def _plain(value: Any) -> Any:
    """Return a value that JSON can hold; numbers that are not finite become null."""
    if isinstance(value, dict):
        return {str(_plain(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple | set):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, int | float | str) else str(value)


@contextmanager
def opened(path: str) -> Iterator[TextIO]:
    """Open standard output, or a file that replaces the one of this name when it is complete."""
    if path == STDIO:
        yield sys.stdout
        sys.stdout.flush()
        return
    with replacing(path) as new, new.open("w", encoding="utf-8", newline="") as file:
        yield file


def write_csv(
    names: Iterable[str], rows: Iterable[Iterable[Any]], path: str, separator: str = ","
) -> None:
    """Write rows under the names of their columns."""
    with opened(path) as file:
        writer = csv.writer(file, delimiter=separator, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(map(cell, row) for row in rows)


def write_rows(rows: Sequence[Mapping[str, Any]], path: str) -> None:
    """Write a table as JSON if the file's name says so, otherwise as CSV."""
    if Path(path).suffix.lower() != ".json":
        write_csv(rows[0] if rows else (), (row.values() for row in rows), path)
        return
    with opened(path) as file:
        file.write(json.dumps(_plain(list(rows)), indent=1) + "\n")


def cell(value: Any) -> str:
    """Return a value in the fewest digits that read back as the same number."""
    value = _plain(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return "" if value is None else str(value)


def as_lines(rows: Sequence[Mapping[str, Any]], indent: str = "") -> list[str]:
    """Return a table as lines of aligned columns under a header; floats have six digits."""
    if not rows:
        return []
    table = [list(rows[0])]
    for row in rows:
        table.append([f"{v:.6g}" if isinstance(v, float) else cell(v) for v in row.values()])
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        indent + "  ".join(word.rjust(width) for word, width in zip(line, widths, strict=True))
        for line in table
    ]
