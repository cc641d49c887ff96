"""scikit-learn's callbacks, where its version has them (1.9)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in for the mixin of scikit-learn 1.9."""


from maxmargin.solvers.engine import Progress

__all__ = ["CallbackSupportMixin", "FitTasks"]


class FitTasks:
    """The task tree of one fit.

    With several programs each is a task; with one, each look at its progress is.

    Parameters
    ----------
    estimator : the estimator that is fitted
    n_programs : int
        Programs of the fit.
    X, y, metadata
        What the hooks are told of the training data.
    """

    def __init__(self, estimator: Any, n_programs: int, X: Any, y: Any, metadata: Any) -> None:
        self.estimator = estimator
        self.n_programs = n_programs
        self.told = {"X": X, "y": y, "metadata": metadata}
        self.root: Any = None
        self.done = 0
        self.active = bool(getattr(estimator, "_skl_callbacks", None))
        start = getattr(estimator, "_init_callback_context", None)
        if start is not None:
            self.root = start(max_subtasks=n_programs if n_programs > 1 else None)
            self.root.call_on_fit_task_begin(estimator=estimator, **self.told)

    def watch(self, progress: Progress) -> bool:
        """Tell the callbacks of the tasks that ended; return whether one asks to stop."""
        if not self.active:
            return False
        if self.n_programs == 1:
            return self._task("steps")
        stop = False
        while self.done < progress.n_done:
            stop |= self._task("program")
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
        """Close the tasks of the programs that ended since the last look; n_run ran in all."""
        while self.active and self.n_programs > 1 and self.done < n_run:
            self._task("program")

    def end(self, fitted: dict[str, Any]) -> None:
        """Close the fit; `fitted` are the attributes that make a copy able to predict."""
        if self.root is not None:
            self.root.call_on_fit_task_end(
                estimator=self.estimator, reconstruction_attributes=fitted, **self.told
            )
