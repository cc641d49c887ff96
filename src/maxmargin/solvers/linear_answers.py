"""What the solvers of linear machines answer: weights, and multipliers that prove them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from maxmargin.solvers.answers import Ending, Progress, Watch
from maxmargin.typing import Floats

__all__ = ["ClassAnswer", "LinearAnswer", "WeightsAnswer", "answer_of", "native_watcher"]

Bias_ = TypeVar("Bias_")
Answer_ = TypeVar("Answer_", bound="WeightsAnswer[Any]")


@dataclass(frozen=True, eq=False)
class WeightsAnswer(Generic[Bias_]):
    """Where a solver ended with one program.

    Attributes
    ----------
    weights : ndarray
        w.
    bias : float or ndarray
        b.
    multipliers : ndarray
        The dual point, feasible but for rounding.
    iterations : int
        In the solver's own unit.
    primal, dual : float
        The solver's own values; a certificate recomputes them.
    ending : str
        "converged", or what ended the run before: "steps", "seconds", "watch", "interrupt", or
        "stalled" when rounding leaves no progress.
    """

    weights: Floats
    bias: Bias_
    multipliers: Floats
    iterations: int
    primal: float
    dual: float
    ending: Ending

    @property
    def converged(self) -> bool:
        """Whether the relative gap that was asked for was reached."""
        return self.ending == "converged"


class LinearAnswer(WeightsAnswer[float]):
    """One machine: weights of shape (d,), a bias, and a multiplier >= 0 a variable."""


class ClassAnswer(WeightsAnswer[Floats]):
    """The machine of all classes: weights of shape (k, d), k biases, multipliers of shape (n, k).

    A point's multipliers a_im <= C_i [m = y_i] have sum zero but for rounding, and
    w_m = sum_i a_im x_i.
    """


def answer_of(result: tuple[Any, ...], nothing: Answer_) -> Answer_:
    """Return what a compiled run tells; of one that never began, `nothing` with its ending."""
    multipliers, ending = result[2], result[-1]
    if len(multipliers) == 0:
        return replace(nothing, ending=ending)
    return type(nothing)(*result)


def native_watcher(watch: Watch | None, n_programs: int) -> Callable[..., bool] | None:
    """Return a watcher as the compiled solvers call it."""
    if watch is None:
        return None

    def show(
        program: int, n_done: int, steps: int, violation: float, primal: float, dual: float
    ) -> bool:
        return bool(watch(Progress(program, n_done, n_programs, steps, violation, primal, dual)))

    return show
