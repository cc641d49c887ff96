"""Kernels on columns of a data frame, so that one machine can use strings and numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np

from maxmargin.errors import InvalidInputError
from maxmargin.kernels.base import Kernel
from maxmargin.kernels.data import as_float64, take
from maxmargin.kernels.rounding import Bounds
from maxmargin.typing import Floats, Integers

__all__ = ["Columns", "On"]

#: One column, or several side by side.
Names = str | tuple[str, ...]


@runtime_checkable
class _Frame(Protocol):
    """What data frames of pandas and polars have in common."""

    @property
    def columns(self) -> Any: ...

    def __len__(self) -> int: ...

    def __getitem__(self, name: Any) -> Any: ...


class Columns:
    """The columns of a frame that kernels compare, each in the form that its kernel takes.

    Parameters
    ----------
    parts : dict
        From names of columns to their points.
    n_points : int
        Rows of the frame.
    frame : DataFrame, optional
        The source of columns that are not in `parts` yet. Selections of rows and pickles drop it.
    """

    def __init__(self, parts: dict[Names, Any], n_points: int, frame: Any = None) -> None:
        self.parts = parts
        self.n_points = n_points
        self._frame = frame

    @classmethod
    def of(cls, X: Any, name: str) -> Columns:
        """Return the columns of a frame; X itself if it is a `Columns` already."""
        if isinstance(X, Columns):
            return X
        if not isinstance(X, _Frame):
            raise InvalidInputError(
                f"{name} must be a frame with named columns, of pandas or polars, for a kernel on "
                f"columns; got {type(X).__name__}."
            )
        if len(X) == 0:
            raise InvalidInputError(f"{name} has no rows: at least one point is needed.")
        return cls({}, len(X), X)

    def read(self, names: Names) -> Any:
        """Return the points in the named columns."""
        if names in self.parts:
            return self.parts[names]
        known = [] if self._frame is None else list(self._frame.columns)
        missing = [name for name in _listed(names) if name not in known]
        if missing:
            raise InvalidInputError(
                f"The frame has no column {missing[0]!r}; it has {', '.join(map(repr, known))}."
            )
        if isinstance(names, str):
            return np.asarray(self._frame[names])
        return np.column_stack([np.asarray(self._frame[name]) for name in names])

    def having(self, names: Names, points: Any) -> Columns:
        """Return a copy that also has the points of the named columns."""
        return Columns({**self.parts, names: points}, self.n_points, self._frame)

    def __len__(self) -> int:
        return self.n_points

    def __getitem__(self, rows: Any) -> Columns:
        chosen = np.arange(self.n_points)[rows]
        parts = {names: take(points, chosen) for names, points in self.parts.items()}
        return Columns(parts, len(chosen))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_frame": None}

    def __repr__(self) -> str:
        return f"<{self.n_points} rows of {', '.join(map(repr, self.parts))}>"


@dataclass(frozen=True)
class On(Kernel):
    """A kernel on some columns of a frame; X is a pandas or polars DataFrame.

    Sums and products of such kernels compare several columns at once.

    Parameters
    ----------
    columns : str or list of str
        One column, or several numeric ones that together make rows of numbers.
    kernel : Kernel
        The kernel that compares them.

    Examples
    --------
    >>> import pandas as pd
    >>> from maxmargin.kernels import On, RBF, Spectrum
    >>> people = pd.DataFrame({"name": ["Rossi", "Russo"], "age": [30.0, 31.0]})
    >>> kernel = On("name", Spectrum(2)) + On(["age"], RBF(1.0))
    >>> kernel
    On('name', Spectrum(k=2, up_to=False, normalize=False)) + On(['age'], RBF(gamma=1.0))
    >>> kernel.block(people, people).round(4)
    array([[5.    , 1.3679],
           [1.3679, 5.    ]])
    """

    compares_columns = True

    columns: Any
    kernel: Kernel

    def __post_init__(self) -> None:
        names = tuple(self.columns) if isinstance(self.columns, list) else self.columns
        if not names or not all(isinstance(name, str) for name in _listed(names)):
            raise InvalidInputError(
                f"columns must be a name or a list of names of columns; got {self.columns!r}."
            )
        if not isinstance(self.kernel, Kernel):
            raise InvalidInputError(
                f"On needs one of maxmargin.kernels to compare columns; got {self.kernel!r}."
            )
        if self.kernel.compares_similarities or self.kernel.compares_columns:
            raise InvalidInputError(
                f"{self.kernel!r} does not compare columns of a frame: use it by itself."
            )
        object.__setattr__(self, "columns", names)

    def points(self, X: Any) -> Any:
        """Return this kernel's columns of X in the form that the inner kernel takes."""
        return self.validate(X).parts[self.columns]

    def validate(self, X: Any, name: str = "X") -> Columns:
        """Return X as `Columns` that hold this kernel's columns, validated."""
        return self._checked(X, name, self.kernel.validate)

    def validate_new(self, X: Any, name: str = "X") -> Columns:
        """Return new points as `Columns`, validated like the training points."""
        return self._checked(X, name, self.kernel.validate_new)

    def _checked(self, X: Any, name: str, check: Callable[[Any, str], Any]) -> Columns:
        columns = Columns.of(X, name)
        points = columns.read(self.columns)
        if isinstance(points, np.ndarray) and points.ndim == 1 and points.dtype.kind in "fiub":
            points = points[:, None]
        points = as_float64(check(points, f"{self.columns!r} of {name}"))
        return columns.having(self.columns, points)

    @property
    def has_rules(self) -> bool:
        """As the inner kernel."""
        return self.kernel.has_rules

    def resolve(self, X: Any, sample_weight: Floats | None = None) -> Self:
        """Resolve the inner kernel on its columns."""
        return replace(self, kernel=self.kernel.resolve(self.points(X), sample_weight))

    def block(self, A: Any, B: Any) -> Floats:
        """Return the inner kernel's block of the columns."""
        left = self.points(A)
        return self.kernel.block(left, left if B is A else self.points(B))

    def diag(self, A: Any) -> Floats:
        """Return the inner kernel's diagonal of the columns."""
        return self.kernel.diag(self.points(A))

    def bounds(self, A: Any) -> Bounds:
        """Return the inner kernel's bounds on the columns."""
        return self.kernel.bounds(self.points(A))

    def within(self, X: Any) -> Callable[[Integers, Integers | None], Floats]:
        """Return the inner kernel's blocks within the columns."""
        return self.kernel.within(self.points(X))

    @property
    def positive_semidefinite(self) -> bool | None:
        """As the inner kernel."""
        return self.kernel.positive_semidefinite

    def __repr__(self) -> str:
        names = self.columns if isinstance(self.columns, str) else list(self.columns)
        return f"On({names!r}, {self.kernel!r})"


def _listed(names: Any) -> tuple[Any, ...]:
    return names if isinstance(names, tuple) else (names,)
