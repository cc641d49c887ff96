"""What the engine tells: progress while it runs, an answer for each program at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from maxmargin.solvers.program import Sums
from maxmargin.typing import Floats

__all__ = ["Answer", "Ending", "Progress", "Watch"]

Ending = Literal["converged", "steps", "seconds", "watch", "interrupt", "stalled"]


@dataclass(frozen=True)
class Progress:
    """What a watcher sees a few times a second.

    Attributes
    ----------
    program, n_done, n_programs : int
        The program that was looked at, how many are solved, how many there are.
    steps : int
        Of this program so far.
    violation : float
        Its largest m(a) - M(a) over the sums: LIBSVM's stopping measure.
    primal, dual : float
        Estimates of its objective values.
    kernel_share : float
        Of the kernel's matrix, where that is computed before the first step; one after it.
    """

    program: int
    n_done: int
    n_programs: int
    steps: int
    violation: float
    primal: float
    dual: float
    kernel_share: float = 1.0


#: Returning True ends the run with the point reached.
Watch = Callable[[Progress], bool | None]


@dataclass(frozen=True, eq=False)
class Answer:
    """Where the engine ended with one program.

    Attributes
    ----------
    signed : ndarray of shape (m,)
        The variables b.
    gradient : ndarray of shape (m,)
        Hb + p.
    violation : float
        The largest m(a) - M(a) over the sums.
    steps : int
        Taken in all.
    ending : str
        "converged", or what ended the run before: "steps", "seconds", "watch", "interrupt", or
        "stalled" when no step helps any more.
    sums : ndarray of shape (n,), optional
        sum_j b_j k(x_j, x) at every point of the engine, where the run kept it.
    parts : sequence of Sums, optional
        What each part of the variables adds to it, where `Program.shares` asks for them.
    """

    signed: Floats
    gradient: Floats
    violation: float
    steps: int
    ending: Ending
    sums: Floats | None = None
    parts: Sequence[Sums] | None = None

    @property
    def converged(self) -> bool:
        """Whether the violation is below the tolerance."""
        return self.ending == "converged"
