"""What is studied: kernels over grids of the machine's parameters, on variants of the data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin.errors import InvalidInputError
from maxmargin.kernels import Kernel

__all__ = ["Candidate", "Family", "candidates_of", "variants_of"]

# Parameters that belong to a kernel, and that a kernel object brings with it.
_OF_THE_KERNEL = ("gamma", "degree", "coef0")


@dataclass(frozen=True, eq=False)
class Family:
    """One kernel over a grid.

    Parameters
    ----------
    name : str
        What tables and pictures call it.
    kernel : str or Kernel
        As for `maxmargin.SVC`.
    grid : mapping
        Values of the machine's parameters by name: C, gamma, degree, coef0, class_weight, ...
    preprocessing : sequence of str, optional
        Which of the study's variants it is trained on; all by default.

    Examples
    --------
    >>> from maxmargin.kernels import Linear, Polynomial
    >>> from maxmargin.pages import Family
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
    """A machine of the study: a family at one point of its grid, on one variant of the data.

    `settings` are its kernel and parameters by the names that the variant's estimator has for them.
    """

    family: str
    preprocessing: str
    params: dict[str, Any]
    settings: dict[str, Any]


def candidates_of(kernels: Any, variants: Mapping[str, Any], machine: Any) -> list[Candidate]:
    """Return all machines of a study, from its kernels, estimators by variant, and machine."""
    found = []
    for family in _families(kernels):
        _check_grid(family, machine.get_params(deep=False))
        for name in variants if family.preprocessing is None else family.preprocessing:
            if name not in variants:
                raise InvalidInputError(
                    f"{family.name!r} asks for the preprocessing {name!r}; the study has "
                    f"{', '.join(map(repr, variants))}."
                )
            prefix = "machine__" if isinstance(variants[name], Pipeline) else ""
            for point in ParameterGrid(dict(family.grid)):
                given = {"kernel": family.kernel, **point}
                settings = {f"{prefix}{key}": value for key, value in given.items()}
                found.append(Candidate(family.name, name, point, settings))
    return found


def _families(kernels: Any) -> list[Family]:
    if isinstance(kernels, Mapping):
        kernels = [Family(str(name), name, grid) for name, grid in kernels.items()]
    families = [kernels] if isinstance(kernels, Family) else list(kernels)
    if not families:
        raise InvalidInputError("kernels is empty: give at least one kernel with its grid.")
    names: set[str] = set()
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
        if family.name in names:
            raise InvalidInputError(
                f"kernels holds {family.name!r} twice: give each family its own name."
            )
        names.add(family.name)
    return families


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


def variants_of(preprocessing: Any, machine: Any) -> dict[str, Any]:
    """Return an estimator for each variant: the machine, behind a transformer if there is one."""
    if not isinstance(preprocessing, Mapping):
        names = [preprocessing] if isinstance(preprocessing, str) else preprocessing
        preprocessing = {name: _transformer(name) for name in names}
    if not preprocessing:
        raise InvalidInputError("preprocessing is empty: give ['raw'] for the data as it is.")
    return {str(name): _behind(name, given, machine) for name, given in preprocessing.items()}


def _transformer(name: Any) -> Any:
    if name == "raw":
        return None
    if name in ("centred", "standardised"):
        return StandardScaler(with_std=name == "standardised")
    components = re.fullmatch(r"pca-([1-9]\d*)", str(name))
    if components is None:
        raise InvalidInputError(
            f"preprocessing names {name!r}: it may name 'raw', 'centred', 'standardised' and "
            "'pca-k' with a number k, or map names of your own to transformers."
        )
    return PCA(int(components[1]), random_state=0)


def _behind(name: Any, transformer: Any, machine: Any) -> Any:
    if transformer is None or (isinstance(transformer, str) and transformer == "passthrough"):
        return clone(machine)
    if not callable(getattr(transformer, "transform", None)):
        raise InvalidInputError(
            f"preprocessing maps {name!r} to {transformer!r}, which has no transform: give a "
            "transformer of scikit-learn, or None."
        )
    return Pipeline([("preprocessing", clone(transformer)), ("machine", clone(machine))])
