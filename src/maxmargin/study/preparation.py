"""Variants of the data: as it is, centred, standardised, reduced to principal components."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin.errors import InvalidInputError

__all__ = ["Variants", "estimator_on", "machine_prefix", "variants_of"]

#: Transformers by name; None leaves the data as it is.
Variants = dict[str, Any]

_STEP = "machine"


def variants_of(preprocessing: Any) -> Variants:
    """Return transformers from what a study was given.

    Examples
    --------
    >>> from maxmargin.study.preparation import variants_of
    >>> variants_of(["raw", "pca-3"])
    {'raw': None, 'pca-3': PCA(n_components=3, random_state=0)}
    """
    if isinstance(preprocessing, Mapping):
        variants = {str(name): _transformer(name, t) for name, t in preprocessing.items()}
    else:
        names = [preprocessing] if isinstance(preprocessing, str) else list(preprocessing)
        variants = {str(name): _named(name) for name in names}
    if not variants:
        raise InvalidInputError("preprocessing is empty: give ['raw'] for the data as it is.")
    return variants


def estimator_on(machine: Any, transformer: Any) -> Any:
    """Return the machine, not fitted, behind the transformer if there is one."""
    if transformer is None:
        return clone(machine)
    return Pipeline([("preprocessing", clone(transformer)), (_STEP, clone(machine))])


def machine_prefix(transformer: Any) -> str:
    """Return what the machine's parameters begin with."""
    return "" if transformer is None else f"{_STEP}__"


def _named(name: Any) -> Any:
    simple: dict[Any, Any] = {
        "raw": None,
        "centred": StandardScaler(with_std=False),
        "standardised": StandardScaler(),
    }
    if name in simple:
        return simple[name]
    components = re.fullmatch(r"pca-([1-9]\d*)", name) if isinstance(name, str) else None
    if components is None:
        raise InvalidInputError(
            f"preprocessing names {name!r}: it may name 'raw', 'centred', 'standardised' and "
            "'pca-k' with a number k, or map names of your own to transformers."
        )
    return PCA(int(components[1]), random_state=0)


def _transformer(name: Any, transformer: Any) -> Any:
    if transformer is None or (isinstance(transformer, str) and transformer == "passthrough"):
        return None
    if not callable(getattr(transformer, "transform", None)):
        raise InvalidInputError(
            f"preprocessing maps {name!r} to {transformer!r}, which has no transform: give a "
            "transformer of scikit-learn, or None."
        )
    return transformer
