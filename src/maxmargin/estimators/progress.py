"""What is seen of a running fit: the progress bar of `verbose`, and the callbacks."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from maxmargin.estimators.callbacks import FitTasks
from maxmargin.solvers.engine import Progress as Seen
from maxmargin.solvers.engine import Watch

__all__ = ["Watcher"]


class Watcher:
    """Shows a run as a bar with the gap falling, and passes it on to the callbacks.

    The run ends when `stop` says so.
    """

    def __init__(
        self, tasks: FitTasks, verbose: bool, name: str, stop: Callable[[], bool] | None = None
    ) -> None:
        self.tasks = tasks
        self.bar = _Bar(name, tasks.n_programs) if verbose else None
        self.stop = stop

    @property
    def watch(self) -> Watch | None:
        """The function for the engine; None where nobody looks."""
        watched = self.bar is not None or self.tasks.active or self.stop is not None
        return self._look if watched else None

    def _look(self, seen: Seen) -> bool:
        if self.bar is not None:
            self.bar.show(seen)
        stopped = self.stop is not None and self.stop()
        return self.tasks.watch(seen) or stopped

    def show_end(self, gap: float, steps: int) -> None:
        """Show where the run ended: the largest gap of a machine, and all steps."""
        if self.bar is not None:
            self.bar.state(gap, steps, self.bar.n_programs)

    def __enter__(self) -> Self:
        if self.bar is not None:
            self.bar.progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        if self.bar is not None:
            self.bar.close(finished=kind is None)


class _Bar:
    def __init__(self, name: str, n_programs: int) -> None:
        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[state]}"),
            TimeElapsedColumn(),
            console=Console(stderr=True),
        )
        self.n_programs = n_programs
        total = n_programs if n_programs > 1 else None
        self.task = self.progress.add_task(name, total=total, state="")

    def show(self, seen: Seen) -> None:
        if seen.kernel_share < 1:
            state = f"{seen.kernel_share:.0%} of the kernel matrix"
            self.progress.update(self.task, state=state)
        else:
            self.state(seen.primal - seen.dual, seen.steps, seen.n_done)

    def state(self, gap: float, steps: int, n_done: int) -> None:
        state = f"gap {gap:.2e}, {steps} steps"
        if self.n_programs > 1:
            state = f"{n_done}/{self.n_programs} machines, {state}"
        self.progress.update(self.task, completed=n_done, state=state)

    def close(self, finished: bool) -> None:
        if finished:
            self.progress.update(self.task, total=self.n_programs, completed=self.n_programs)
        self.progress.stop()
