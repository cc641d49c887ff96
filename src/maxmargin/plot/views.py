"""The coordinates that are drawn: where the training points lie, and f at any other place.

These are the columns of the input (of a pipeline, what its first transformer takes) if there are as
many as the picture needs, and otherwise the columns that the machine sees. Behind transformers a
machine knows its points only as transformed: the training rows are recovered by the inverse
transformers, or must be given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.errors import InvalidInputError, MissingDependencyError
from maxmargin.kernels.columns import Columns
from maxmargin.machines.machine import Machine
from maxmargin.plot.subjects import Subject, decision_of, rows_of
from maxmargin.typing import Floats

__all__ = ["View"]

# Probes along each axis on which the inverse transformers are tried, and the largest error that
# passes, as a fraction of the extent of the points: far above rounding, far below a pixel.
_PROBES = 5
_LARGEST_ERROR = 1e-6

# Rows that differ by no more than this fraction of the largest entry are the same.
_SAME = 1e-6


@dataclass(frozen=True, eq=False)
class View:
    """A subject in the coordinates that are drawn.

    Attributes
    ----------
    subject : Subject
        What is drawn; its `steps` are those between these coordinates and the machines.
    places : tuple of ndarray
        The points of each machine.
    names : tuple of str, or None
        Names of the coordinates, if they have any.
    """

    subject: Subject
    places: tuple[Floats, ...]
    names: tuple[str, ...] | None

    @classmethod
    def of(cls, subject: Subject, X: Any = None) -> View:
        """Return the view of a subject, or raise an error that says why there is none.

        X holds the rows that the subject was fitted on, if its transformers cannot be inverted.
        """
        n_features = 1 if subject.is_regression else 2
        problem = subject.machines[0].problem
        if problem.kernel.compares_similarities:
            raise InvalidInputError(
                f"A precomputed kernel knows similarities, not points, so {type(problem).__name__} "
                "cannot be drawn: use the points and a kernel on them, such as kernels.Function."
            )
        if X is not None:
            return cls(subject, _given_places(subject, n_features, X), _input_names(subject))
        if subject.steps and getattr(subject.steps[0], "n_features_in_", None) == n_features:
            return cls(subject, _recovered_places(subject), _input_names(subject))
        names = _output_names(subject) if subject.steps else _input_names(subject)
        places = tuple(_own_places(machine, n_features) for machine in subject.machines)
        return cls(replace(subject, steps=()), places, names)

    def decision(self, k: int, places: Floats) -> Floats:
        """Return f of the k-th machine at each place; with many classes one column for each."""
        return decision_of(self.subject.machines[k], _transformed(self.subject, places))

    def predict(self, places: Floats) -> Any:
        """Return the class at each place."""
        if self.subject.estimator is None:
            (machine,) = self.subject.machines
            return np.asarray(machine.classes)[self.decision(0, places).argmax(axis=1)]
        return self.subject.estimator.predict(_transformed(self.subject, places))


# Input --------------------------------------------------------------------------------------------


def _transformed(subject: Subject, places: Floats) -> Any:
    """Return places in the coordinates of the input as the machines see them."""
    X = subject.machines[0].problem.X
    names = _feature_names(subject)
    if names is not None:
        return subject.transformed(_frame(places, names))
    if subject.steps or not isinstance(X, Columns):
        return subject.transformed(places)
    known = dict(zip(_columns(X), places.T, strict=True))
    parts = {names: np.column_stack([known[name] for name in _listed(names)]) for names in X.parts}
    return Columns(parts, len(places))


def _feature_names(subject: Subject) -> Any:
    """Return the column names that the first transformer, or else the estimator, was fitted on."""
    head = subject.steps[0] if subject.steps else subject.estimator
    return getattr(head, "feature_names_in_", None)


def _input_names(subject: Subject) -> tuple[str, ...] | None:
    X = subject.machines[0].problem.X
    if not subject.steps and isinstance(X, Columns):
        return tuple(_columns(X))
    names = _feature_names(subject)
    return None if names is None else tuple(map(str, names))


def _output_names(subject: Subject) -> tuple[str, ...] | None:
    """Return the names that the transformers give to their columns; None if they give none."""
    names: Any = None
    for step in subject.steps:
        name_columns = getattr(step, "get_feature_names_out", None)
        if name_columns is None:
            return None
        names = name_columns(names)
    return tuple(map(str, names))


def _frame(places: Floats, names: Any) -> Any:
    try:
        import pandas as pd
    except ImportError:
        raise MissingDependencyError(
            "A model that was fitted on named columns is drawn with the help of pandas: install "
            "it with pip install pandas."
        ) from None
    return pd.DataFrame(places, columns=list(names))


# Training points ----------------------------------------------------------------------------------


def _as_rows(X: Any) -> Floats | None:
    """Return rows of numbers as an array; None for anything else."""
    if isinstance(X, Columns):
        columns = list(_columns(X).values())
        return None if any(column is None for column in columns) else np.column_stack(columns)
    if isinstance(X, list):
        return None
    rows = X.toarray() if sparse.issparse(X) else np.asarray(X)
    if rows.ndim != 2 or rows.dtype.kind not in "biuf":
        return None
    return np.asarray(rows, dtype=np.float64)


def _columns(X: Columns) -> dict[str, Any]:
    """Return each column that a kernel reads; None in place of one that holds no numbers."""
    found: dict[str, Any] = {}
    for names, part in X.parts.items():
        listed, rows = _listed(names), _as_rows(part)
        found.update(dict.fromkeys(listed) if rows is None else zip(listed, rows.T, strict=True))
    return found


def _listed(names: str | tuple[str, ...]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else names


def _own_places(machine: Machine, n_features: int) -> Floats:
    rows = _as_rows(machine.problem.X)
    name = type(machine.problem).__name__
    if rows is None:
        raise InvalidInputError(
            f"The points of this {name} are not rows of numbers and have no place on a page: "
            "use plot.kkt, which needs no coordinates."
        )
    if rows.shape[1] != n_features:
        shape = "1 feature" if n_features == 1 else f"{n_features} features"
        raise InvalidInputError(
            f"A picture of {name} needs points with {shape}; X has {rows.shape[1]}: choose or "
            "project to that many and fit again, or use plot.kkt, which needs no coordinates."
        )
    return rows


def _given_places(subject: Subject, n_features: int, X: Any) -> tuple[Floats, ...]:
    """Return the rows of X that belong to each machine, if X is what the subject was fitted on."""
    rows = _as_rows(X)
    if rows is None or rows.shape[1] != n_features:
        shape = type(X).__name__ if rows is None else f"{rows.shape[1]} columns"
        raise InvalidInputError(
            "X must be the rows of numbers that the model was fitted on, and a picture needs "
            f"{n_features} columns; got {shape}."
        )
    seen = _as_rows(_transformed(subject, rows))
    places = []
    for machine in subject.machines:
        own, chosen = _as_rows(machine.problem.X), rows_of(machine)
        if seen is None or own is None or len(seen) <= chosen.max() or not _same(seen[chosen], own):
            raise InvalidInputError(
                "X must be the rows that the model was fitted on, in their order: these, as the "
                "model transforms them, are not its training points."
            )
        places.append(rows[chosen])
    return tuple(places)


def _same(one: Floats, other: Floats) -> bool:
    tolerance = _SAME * max(float(np.abs(other).max()), 1.0)
    return one.shape == other.shape and np.allclose(one, other, rtol=0.0, atol=tolerance)


def _recovered_places(subject: Subject) -> tuple[Floats, ...]:
    """Return the training points of each machine, turned back to input by the inverses."""
    inverses = [getattr(step, "inverse_transform", None) for step in reversed(subject.steps)]
    if all(inverse is not None for inverse in inverses):
        own = [_as_rows(machine.problem.X) for machine in subject.machines]
        places = tuple(_inverted(inverses, rows) for rows in own)
        if _are_exact(subject, inverses, np.concatenate(places)):
            return places
    names = " and ".join(type(step).__name__ for step in subject.steps)
    raise InvalidInputError(
        f"The training rows cannot be recovered from what {names} made of them: give them, as in "
        "plot.boundary(model, X=X)."
    )


def _inverted(inverses: Sequence[Any], rows: Any) -> Floats:
    for inverse in inverses:
        rows = inverse(rows)
    return np.asarray(rows, dtype=np.float64)


def _are_exact(subject: Subject, inverses: Sequence[Any], places: Floats) -> bool:
    """Say whether the inverses undo the transformers everywhere among the points.

    The recovered points themselves prove nothing: behind a projection they lie in the subspace that
    it projects to, and are returned unchanged.
    """
    if not np.isfinite(places).all():
        return False
    low, extent = places.min(axis=0), np.ptp(places, axis=0)
    shares = np.meshgrid(*[np.linspace(0.0, 1.0, _PROBES)] * places.shape[1])
    probes = low + extent * np.stack(shares, axis=-1).reshape(-1, places.shape[1])
    again = _inverted(inverses, _transformed(subject, probes))
    allowed = _LARGEST_ERROR * np.where(extent > 0, extent, 1.0)
    return bool((np.abs(again - probes) <= allowed).all())
