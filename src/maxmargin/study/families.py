"""What is studied: kernels, each over a grid of the machine's parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.model_selection import ParameterGrid

from maxmargin.errors import InvalidInputError
from maxmargin.kernels import Kernel
from maxmargin.study.preparation import Variants

__all__ = ["Candidate", "Family", "candidates_of", "families_of"]

_OF_THE_KERNEL = ("gamma", "degree", "coef0")


@dataclass(frozen=True, eq=False)
class Family:
    """One kernel over a grid.

    Parameters
    ----------
    name : str
        How the tables and pictures call it.
    kernel : str or Kernel
        As for `maxmargin.SVC`.
    grid : mapping
        Values of the machine's parameters by name: C, gamma, degree, coef0, class_weight, ...
    preprocessing : sequence of str, optional
        Which of the study's variants it is trained on; all by default.

    Examples
    --------
    >>> from maxmargin.kernels import Linear, Polynomial
    >>> from maxmargin.study import Family
    >>> squares = Polynomial(gamma=1, coef0=0, degree=2) + 2 * Linear()
    >>> Family("quadratic", squares, {"C": [0.1, 1.0]}, preprocessing=["raw"]).n_cells
    2
    """

    name: str
    kernel: str | Kernel
    grid: Mapping[str, Sequence[Any]]
    preprocessing: Sequence[str] | None = None

    @property
    def n_cells(self) -> int:
        """Points of the grid."""
        return len(ParameterGrid(dict(self.grid)))


@dataclass(frozen=True, eq=False)
class Candidate:
    """A machine of the study: a family at one point of its grid, on one variant of the data."""

    family: str
    preprocessing: str
    kernel: str | Kernel
    params: dict[str, Any]

    def settings(self, prefix: str) -> dict[str, Any]:
        """Return what `set_params` is told, kernel included."""
        return {f"{prefix}{k}": v for k, v in {"kernel": self.kernel, **self.params}.items()}


def families_of(kernels: Any) -> list[Family]:
    """Return families from what a study was given."""
    if isinstance(kernels, Mapping):
        families = [Family(str(name), name, grid) for name, grid in kernels.items()]
    elif isinstance(kernels, Family):
        families = [kernels]
    else:
        families = list(kernels)
    if not families:
        raise InvalidInputError("kernels is empty: give at least one kernel with its grid.")
    for family in families:
        if not isinstance(family, Family):
            raise InvalidInputError(
                "kernels must be a mapping from kernels to grids, or a list of Family; it holds "
                f"{family!r}."
            )
        if not isinstance(family.grid, Mapping):
            raise InvalidInputError(
                f"The grid of {family.name!r} must map parameters to values; got "
                f"{type(family.grid).__name__}."
            )
    names = [family.name for family in families]
    for name in names:
        if names.count(name) > 1:
            raise InvalidInputError(f"kernels holds {name!r} twice: give each family its own name.")
    return families


def candidates_of(
    families: Sequence[Family], variants: Variants, known: Mapping[str, Any]
) -> list[Candidate]:
    """Return all machines of a study; `known` are the machine's parameters."""
    found = []
    for family in families:
        _check_grid(family, known)
        for variant in _variants_of(family, variants):
            found += [
                Candidate(family.name, variant, family.kernel, point)
                for point in ParameterGrid(dict(family.grid))
            ]
    return found


def _check_grid(family: Family, known: Mapping[str, Any]) -> None:
    for name in family.grid:
        if name == "kernel" or name not in known:
            others = ", ".join(sorted(set(known) - {"kernel"}))
            raise InvalidInputError(
                f"The grid of {family.name!r} names {name!r}; it may name {others}."
            )
        if name in _OF_THE_KERNEL and not isinstance(family.kernel, str):
            raise InvalidInputError(
                f"The grid of {family.name!r} names {name!r}, which {family.kernel!r} has already: "
                "give a family for each, or the kernel by its name."
            )


def _variants_of(family: Family, variants: Variants) -> list[str]:
    chosen = list(variants) if family.preprocessing is None else list(family.preprocessing)
    for name in chosen:
        if name not in variants:
            raise InvalidInputError(
                f"{family.name!r} asks for the preprocessing {name!r}; the study has "
                f"{', '.join(map(repr, variants))}."
            )
    return chosen
