"""What is seen of a running search: a bar over cells with the time left."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

__all__ = ["CellBar"]


class CellBar:
    """A bar over so many cells, or nothing where nobody wants one."""

    def __init__(self, name: str, n_cells: int, shown: bool) -> None:
        self._bar: Progress | None = None
        if shown:
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("cells,"),
                TimeElapsedColumn(),
                TextColumn("elapsed,"),
                TimeRemainingColumn(),
                TextColumn("left"),
                console=Console(stderr=True),
            )
            self._task = self._bar.add_task(name, total=n_cells)

    def advance(self) -> None:
        """Show one more cell."""
        if self._bar is not None:
            self._bar.advance(self._task)

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
