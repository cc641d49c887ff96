"""What can be shown and analysed: a solution, or an object that holds solutions.

Functions that take a `Solution` also take a fitted estimator, and a pipeline or a search that ends
in one. `solutions_of` is a generic function: the layers above register their types with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from operator import index
from typing import Any, Protocol

from maxmargin.errors import InvalidInputError
from maxmargin.problems import Problem
from maxmargin.typing import Floats

__all__ = ["Solved", "one_solution", "solutions_of"]


class Solved(Protocol):
    """What certificates read from a solution."""

    @property
    def problem(self) -> Problem:
        """The problem that was solved."""

    @property
    def dual(self) -> Floats:
        """Lagrange multipliers."""

    @property
    def offsets(self) -> Floats:
        """Multipliers of the dual's equality constraints; for `CrammerSinger` the biases."""

    @property
    def weights(self) -> Floats | None:
        """w, if it is not computed from the multipliers."""

    @property
    def b(self) -> float:
        """The bias."""


@singledispatch
def solutions_of(subject: Any) -> Sequence[Solved]:
    """Return the solutions that a subject holds, one per machine."""
    raise InvalidInputError(
        "Give a Solution, a fitted estimator of maxmargin, or a pipeline or search that ends in "
        f"one; got {_named(subject)}."
    )


def _named(subject: Any) -> str:
    """Return the name of a type; scikit-learn's estimators have the names of ours."""
    kind = type(subject)
    library = kind.__module__.partition(".")[0]
    return kind.__name__ if library == "builtins" else f"{kind.__name__} of {library}"


def one_solution(subject: Any, machine: int | None = None) -> Solved:
    """Return the solution of the only machine, or of the machine with this index."""
    solutions = solutions_of(subject)
    if machine is None and len(solutions) == 1:
        return solutions[0]
    if machine is None:
        raise InvalidInputError(
            f"{type(subject).__name__} holds {len(solutions)} machines: say which one with "
            f"machine=0 to {len(solutions) - 1}; machines_ of the estimator lists their classes."
        )
    try:
        if isinstance(machine, bool):
            raise TypeError
        return solutions[index(machine)]
    except (TypeError, IndexError):
        raise InvalidInputError(
            f"machine must be an index of the {len(solutions)} machines of "
            f"{type(subject).__name__}, from 0 to {len(solutions) - 1}; got {machine!r}."
        ) from None
