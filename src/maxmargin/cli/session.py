"""How one run talks: results on standard output, everything else on standard error."""

from __future__ import annotations

import json
import math
import shlex
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, TypeVar

import click
import numpy as np

__all__ = ["INTERRUPTED", "NOT_CONVERGED", "Session", "with_session"]

NOT_CONVERGED = 3
INTERRUPTED = 130

_UNINTERESTING = (DeprecationWarning, PendingDeprecationWarning, FutureWarning)

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass
class Session:
    """What the options say about talking, and what happened.

    Attributes
    ----------
    json : bool
        Whether the result is one JSON object.
    quiet : bool
        Whether notes and progress bars are left out.
    debug : bool
        Whether errors show where they come from.
    arguments : list of str
        The words after the program's name.
    interrupted, converged : bool
        How the fits of this run ended.
    """

    json: bool = False
    quiet: bool = False
    debug: bool = False
    arguments: list[str] = field(default_factory=list)
    interrupted: bool = False
    converged: bool = True

    @property
    def is_watched(self) -> bool:
        """Whether somebody looks at a terminal, who would like a progress bar."""
        return not self.quiet and sys.stderr.isatty()

    @property
    def command_line(self) -> str:
        """What was typed."""
        return shlex.join(["maxmargin", *self.arguments])

    @property
    def exit_code(self) -> int:
        """What the shell is told, where nothing went wrong."""
        if self.interrupted:
            return INTERRUPTED
        return 0 if self.converged else NOT_CONVERGED

    def say(self, text: str = "") -> None:
        """Print a line of the result, which JSON takes the place of."""
        if not self.json:
            click.echo(text)

    def note(self, text: str) -> None:
        """Print a line about the way to the result."""
        if not self.quiet:
            click.echo(text, err=True)

    def answer(self, result: dict[str, Any]) -> None:
        """Print the result as JSON, if that was asked for."""
        if self.json:
            click.echo(json.dumps(plain(result), allow_nan=False))

    def listen(self) -> None:
        """Show warnings as single lines, and remember those about convergence."""
        warnings.simplefilter("default")
        for kind in _UNINTERESTING:
            warnings.simplefilter("ignore", kind)
        # Files without names of columns have them in the model's order.
        warnings.filterwarnings("ignore", "X does not have valid feature names", UserWarning)
        warnings.showwarning = self._show_warning  # type: ignore[assignment]

    def _show_warning(self, message: Warning | str, category: type[Warning], *_: Any) -> None:
        # By its name: scikit-learn is slow to import, and not every command needs it.
        if category.__name__ == "ConvergenceWarning":
            self.converged = False
        click.echo(f"Warning: {first_paragraph(str(message))}", err=True)

    @contextmanager
    def heeding_interrupts(self) -> Iterator[None]:
        """Remember Ctrl-C, which a fit takes as the wish for the best model so far."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def heard(number: int, frame: FrameType | None) -> None:
            del number, frame
            self.interrupted = True
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGINT, heard)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def first_paragraph(text: str) -> str:
    """Return a message in one line, without the details that follow it."""
    return " ".join(text.strip().split("\n\n")[0].split())


def plain(value: Any) -> Any:
    """Return a value as JSON has it; infinite numbers become null."""
    if isinstance(value, dict):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    return str(value)


def _set(name: str) -> Callable[[click.Context, click.Parameter, bool], None]:
    def remember(context: click.Context, parameter: click.Parameter, value: bool) -> None:
        del parameter
        if value:
            setattr(context.ensure_object(Session), name, True)

    return remember


def _flag(name: str, text: str) -> Callable[[Command], Command]:
    return click.option(
        f"--{name}", is_flag=True, expose_value=False, callback=_set(name), help=text
    )


def with_session(command: Command) -> Command:
    """Give a command the options of talking, and the session as its first argument."""
    for name, text in (
        ("debug", "Show where an error comes from."),
        ("quiet", "Print results only."),
        ("json", "Print one JSON object."),
    ):
        command = _flag(name, text)(command)
    return click.pass_obj(command)  # type: ignore[return-value]
