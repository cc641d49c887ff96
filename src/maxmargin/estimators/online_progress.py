"""What is seen of learning from a stream: the progress bar of `verbose`, and the callbacks."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any, Literal, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from maxmargin.estimators.callbacks import FitTasks

__all__ = ["LearningWatch"]


class LearningWatch:
    """Shows passes and chunks as they are learnt, and passes them on to the callbacks.

    Parameters
    ----------
    tasks : FitTasks
        Of the fit.
    verbose : bool
        Whether there is a bar.
    name : str
        Of the estimator.
    n_passes : int or None
        Passes in all, if known.
    """

    def __init__(self, tasks: FitTasks, verbose: bool, name: str, n_passes: int | None) -> None:
        self.tasks = tasks
        self.bar: Progress | None = None
        if verbose:
            self.bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[state]}"),
                TimeElapsedColumn(),
                console=Console(stderr=True),
            )
            self.task = self.bar.add_task(name, total=n_passes, state="")

    def see(
        self,
        part: Literal["pass", "chunk"],
        n_passes: int,
        n_rows: float,
        objective: Callable[[], float],
        fitted: Callable[[], dict[str, Any]],
    ) -> bool:
        """Show a part that was learnt; return whether a callback asks to stop."""
        if self.bar is not None:
            state = f"{n_rows:.0f} rows, objective {objective():.4g}"
            self.bar.update(self.task, completed=n_passes, state=state)
        return self.tasks.part(part, fitted)

    def __enter__(self) -> Self:
        if self.bar is not None:
            self.bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        if self.bar is not None:
            self.bar.stop()
