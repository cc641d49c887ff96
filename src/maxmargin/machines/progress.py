"""Progress bars, and the callbacks of a running fit."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as RichProgress

from maxmargin.machines.callbacks import FitTasks
from maxmargin.solvers import Callback, Progress

__all__ = ["Bar", "Watcher"]


class Bar:
    """A progress bar with a line of text, on the standard error; or none, if not `shown`."""

    def __init__(self, name: str, total: int | None, *, shown: bool, estimates: bool = False):
        self._progress: RichProgress | None = None
        self._total, self._n_done = total, 0
        if not shown:
            return
        columns: list[Any] = [
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[state]}"),
            TimeElapsedColumn(),
        ]
        if estimates:
            columns += [TextColumn("elapsed,"), TimeRemainingColumn(), TextColumn("left")]
        self._progress = RichProgress(*columns, console=Console(stderr=True))
        self._task = self._progress.add_task(name, total=total, state="")

    def show(self, state: str, completed: int | None = None, total: int | None = None) -> None:
        """Show a line of text, and how much is done."""
        if self._progress is not None:
            self._progress.update(self._task, state=state, completed=completed, total=total)

    def advance(self, n: int, unit: str) -> None:
        """Show that `n` more of the units are done."""
        self._n_done += n
        self.show(f"{self._n_done}/{self._total} {unit},", self._n_done)

    def __enter__(self) -> Self:
        if self._progress is not None:
            self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        if self._progress is not None:
            self._progress.stop()


class Watcher:
    """Shows a run as a bar with the gap falling, and passes it on to the callbacks.

    The run ends when one of them, or `should_stop`, says so.
    """

    def __init__(
        self,
        tasks: FitTasks,
        bar: Bar,
        callback: Callback | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> None:
        self.tasks, self.bar = tasks, bar
        self.callback, self.should_stop = callback, should_stop

    def watch(self, progress: Progress) -> bool:
        """Show the progress; return whether anybody asks to stop."""
        if progress.kernel_share < 1:
            self.bar.show(f"{progress.kernel_share:.0%} of the kernel matrix")
        else:
            self._show(progress.gap, progress.iteration, progress.n_done)
        stops = self.should_stop is not None and self.should_stop()
        if self.callback is not None and progress.kernel_share == 1:
            stops = bool(self.callback(progress)) or stops
        return self.tasks.watch(progress) or stops

    def show_end(self, gap: float, steps: int) -> None:
        """Show where the run ended: the largest gap of a machine, and all steps."""
        n = self.tasks.n_problems
        self._show(gap, steps, n, total=n)

    def _show(self, gap: float, steps: int, n_done: int, total: int | None = None) -> None:
        state = f"gap {gap:.2e}, {steps} steps"
        if self.tasks.n_problems > 1:
            state = f"{n_done}/{self.tasks.n_problems} machines, {state}"
        self.bar.show(state, n_done, total)
