"""scikit-learn's scalers and PCA, and pipelines of them with an estimator at the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    RobustScaler,
    StandardScaler,
)

from maxmargin.errors import ModelFileError
from maxmargin.persist.labels import describe_features, restore_features
from maxmargin.persist.parameters import (
    describe_parameters,
    require_fitted,
    restore_parameters,
)
from maxmargin.persist.reading import Reader
from maxmargin.persist.registry import Kind, describe_model, restore_model
from maxmargin.persist.settings import step_names
from maxmargin.persist.writing import Writer

__all__ = ["KINDS"]


@dataclass(frozen=True)
class _Fitted:
    """Attributes that `fit` leaves.

    Arrays have a shape in "d" (features) and "c" (components); some are there only if a parameter
    is true.
    """

    arrays: Mapping[str, str] = field(default_factory=dict)
    wholes: tuple[str, ...] = ()
    reals: tuple[str, ...] = ()
    needed_if: Mapping[str, str] = field(default_factory=dict)


_TRANSFORMERS: dict[type, _Fitted] = {
    StandardScaler: _Fitted(
        {"mean_": "d", "var_": "d", "scale_": "d"},
        ("n_samples_seen_",),
        needed_if={"mean_": "with_mean", "var_": "with_std", "scale_": "with_std"},
    ),
    MinMaxScaler: _Fitted(
        dict.fromkeys(("min_", "scale_", "data_min_", "data_max_", "data_range_"), "d"),
        ("n_samples_seen_",),
    ),
    MaxAbsScaler: _Fitted({"scale_": "d", "max_abs_": "d"}, ("n_samples_seen_",)),
    RobustScaler: _Fitted(
        {"center_": "d", "scale_": "d"},
        needed_if={"center_": "with_centering", "scale_": "with_scaling"},
    ),
    Normalizer: _Fitted(),
    PCA: _Fitted(
        {
            "components_": "cd",
            "mean_": "d",
            "explained_variance_": "c",
            "explained_variance_ratio_": "c",
            "singular_values_": "c",
        },
        ("n_components_", "n_samples_"),
        ("noise_variance_",),
    ),
}


def _describe(model: Any, out: Writer) -> None:
    require_fitted(model)
    describe_parameters(model, out)
    describe_features(model, out)
    fitted = _TRANSFORMERS[type(model)]
    for name in fitted.arrays:
        values = getattr(model, name)
        if values is not None:
            out.array(name, values)
    for name in fitted.wholes:
        count = np.asarray(getattr(model, name))
        if count.ndim:
            raise ModelFileError(
                f"A {type(model).__name__} that was fitted to data with missing values cannot be "
                "saved: impute them before."
            )
        out.value(name, int(count))
    for name in fitted.reals:
        out.value(name, float(getattr(model, name)))


def _restore(kind: Any, held: Reader) -> Any:
    model = restore_parameters(kind, held)
    sizes: dict[str, int | None] = {"d": restore_features(model, held), "c": None}
    fitted = _TRANSFORMERS[kind]
    for name, shape in fitted.arrays.items():
        if not held.holds(name):
            optional = name in fitted.needed_if and not getattr(model, fitted.needed_if[name])
            held.require(optional, name, "is missing")
            setattr(model, name, None)
            continue
        values = held.array(name, "float", [sizes[letter] for letter in shape])
        sizes.update(zip(shape, values.shape, strict=True))
        setattr(model, name, values)
    for name in fitted.wholes:
        setattr(model, name, held.whole(name))
    for name in fitted.reals:
        setattr(model, name, held.real(name))
    return model


def _describe_pipeline(model: Any, out: Writer) -> None:
    if model.memory is not None:
        raise ModelFileError("A Pipeline with memory cannot be saved: set memory=None before.")
    out.json("names", [name for name, _ in model.steps])
    for k, (_, step) in enumerate(model.steps):
        if step is None or step == "passthrough":
            out.json(f"step{k}", None)
        else:
            describe_model(step, out.child(f"step{k}"))


def _restore_pipeline(held: Reader) -> Any:
    names = step_names(held)
    steps: list[tuple[str, Any]] = [
        (name, restore_model(held.child(f"step{k}")) if held.has(f"step{k}") else "passthrough")
        for k, name in enumerate(names)
    ]
    for _, step in steps[:-1]:
        fits = step == "passthrough" or type(step) in _TRANSFORMERS
        held.require(fits, "names", "have a step before the last that transforms nothing")
    return Pipeline(steps)


KINDS = (
    *(Kind(kind, _describe, partial(_restore, kind)) for kind in _TRANSFORMERS),
    Kind(Pipeline, _describe_pipeline, _restore_pipeline),
)
