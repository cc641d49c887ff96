"""The schemas of scikit-learn's scalers and PCA, and of pipelines of them and an estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import preprocessing
from sklearn.decomposition import PCA
from sklearn.pipeline import Pipeline

from maxmargin.errors import ModelFileError
from maxmargin.persist.format.data import FEATURES, FLOATS
from maxmargin.persist.format.parameters import estimator_schema, step_names, steps_of
from maxmargin.persist.format.schema import MODEL, Entry, Schema, array, field, real, whole
from maxmargin.persist.format.tree import Codec, Node

__all__ = ["SCHEMAS"]

_BY_FEATURE = array(FLOATS, "features")
_BY_COMPONENT = array(FLOATS, "components")


def _fields(codec: Codec, *names: str, needed_if: str = "") -> list[Entry]:
    """Return entries of attributes, which may be None if there is a parameter to say so."""
    if not needed_if:
        return [field(name, codec) for name in names]
    return [field(name, codec, default=None, needed_if=needed_if) for name in names]


def _write_count(model: Any) -> dict[str, Any]:
    if np.ndim(model.n_samples_seen_):
        raise ModelFileError(
            f"A {type(model).__name__} that was fitted to data with missing values cannot be "
            "saved: impute them before."
        )
    return {"n_samples_seen_": int(model.n_samples_seen_)}


_ROWS_SEEN = Entry(_write_count, field("n_samples_seen_", whole()).read)

_TRANSFORMERS: dict[type, list[Entry]] = {
    preprocessing.StandardScaler: [
        *_fields(_BY_FEATURE, "mean_", needed_if="with_mean"),
        *_fields(_BY_FEATURE, "var_", "scale_", needed_if="with_std"),
        _ROWS_SEEN,
    ],
    preprocessing.MinMaxScaler: [
        *_fields(_BY_FEATURE, "min_", "scale_", "data_min_", "data_max_", "data_range_"),
        _ROWS_SEEN,
    ],
    preprocessing.MaxAbsScaler: [*_fields(_BY_FEATURE, "scale_", "max_abs_"), _ROWS_SEEN],
    preprocessing.RobustScaler: [
        *_fields(_BY_FEATURE, "center_", needed_if="with_centering"),
        *_fields(_BY_FEATURE, "scale_", needed_if="with_scaling"),
    ],
    preprocessing.Normalizer: [],
    PCA: [
        field("components_", array(FLOATS, "components", "features")),
        *_fields(_BY_FEATURE, "mean_"),
        *_fields(_BY_COMPONENT, "explained_variance_", "explained_variance_ratio_"),
        *_fields(_BY_COMPONENT, "singular_values_"),
        field("n_components_", whole()),
        field("n_samples_", whole()),
        field("noise_variance_", real()),
    ],
}


def _write_steps(model: Any) -> dict[str, Any]:
    """Write fitted models, and null for a step that does nothing."""
    steps = steps_of(model)
    made = {
        f"step{k}": None if step in (None, "passthrough") else MODEL.encode(step)
        for k, (_, step) in enumerate(steps)
    }
    return {"names": [name for name, _ in steps], **made}


def _read_steps(model: Any, node: Node) -> None:
    names = step_names(node)
    steps = [
        MODEL.decode(node[f"step{k}"]) if f"step{k}" in node else "passthrough"
        for k in range(len(names))
    ]
    fits = all(step == "passthrough" or type(step) in _TRANSFORMERS for step in steps[:-1])
    node["names"].require(fits, "have a step before the last that transforms nothing")
    model.steps = list(zip(names, steps, strict=True))


SCHEMAS = (
    *(estimator_schema(kind, FEATURES, *entries) for kind, entries in _TRANSFORMERS.items()),
    Schema(Pipeline, (Entry(_write_steps, _read_steps),), lambda _: Pipeline([])),
)
