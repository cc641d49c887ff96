"""scikit-learn's callbacks, which versions from 1.9 on have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in for the mixin of scikit-learn 1.9."""


from maxmargin.solvers import Progress

__all__ = ["CallbackSupportMixin", "FitTasks"]


class FitTasks:
    """The task tree of one fit.

    With several problems each is a task; with one, each look at its progress is.

    Parameters
    ----------
    estimator : the estimator that is fitted
    n_problems : int
        Problems of the fit.
    X, y, metadata
        What the hooks are told of the training data.
    task : str
        What the task of a problem is called.
    """

    def __init__(
        self,
        estimator: Any,
        n_problems: int,
        X: Any,
        y: Any,
        metadata: Any,
        task: str = "problem",
    ) -> None:
        self.estimator = estimator
        self.n_problems = n_problems
        self.name = task
        self.told = {"X": X, "y": y, "metadata": metadata}
        self.root: Any = None
        self.done = 0
        self.active = bool(getattr(estimator, "_skl_callbacks", None))
        start = getattr(estimator, "_init_callback_context", None)
        if start is not None:
            self.root = start(max_subtasks=n_problems if n_problems > 1 else None)
            self.root.call_on_fit_task_begin(estimator=estimator, **self.told)

    def watch(self, progress: Progress) -> bool:
        """Tell the callbacks of the tasks that ended; return whether one asks to stop."""
        if not self.active or progress.kernel_share < 1:
            return False
        return self._task("steps") if self.n_problems == 1 else self.advance(progress.n_done)

    def advance(self, n_done: int) -> bool:
        """Tell the callbacks that this many problems are done; return whether one asks to stop."""
        stop = False
        while self.active and self.done < n_done:
            stop = bool(self._task(self.name)) or stop
        return stop

    def part(self, name: str, fitted: Callable[[], dict[str, Any]]) -> bool:
        """Tell the callbacks that a part of the fit has ended; return whether one asks to stop.

        `fitted` makes the attributes of a model as if the fit had ended here.
        """
        return self.active and self._task(name, fitted)

    def _task(self, name: str, fitted: Callable[[], dict[str, Any]] | None = None) -> bool:
        context = self.root.subcontext(task_name=name)
        context.call_on_fit_task_begin(estimator=self.estimator, **self.told)
        self.done += 1
        stop = context.call_on_fit_task_end(
            estimator=self.estimator, reconstruction_attributes=fitted, **self.told
        )
        return bool(stop)

    def end_run(self, n_run: int) -> None:
        """Close the tasks of the problems that ended since the last look; n_run ran in all."""
        if self.n_problems > 1:
            self.advance(n_run)

    def end(self, fitted: dict[str, Any]) -> None:
        """Close the fit; `fitted` are the attributes that make a copy able to predict."""
        if self.root is not None:
            self.root.call_on_fit_task_end(
                estimator=self.estimator, reconstruction_attributes=fitted, **self.told
            )
