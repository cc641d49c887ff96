"""The parameters of estimators: plain values, and the objects that a parameter can be.

Such objects are kernels, biases, estimators that are not fitted, and the library's scorers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from maxmargin import kernels
from maxmargin.errors import ModelFileError
from maxmargin.kernels import Kernel, Mismatch
from maxmargin.kernels.comparisons import shared_words
from maxmargin.metrics.scorers import get_scorer, get_scorer_names, make_dcf_scorer, settings_of
from maxmargin.persist.format.schema import (
    Entry,
    Schema,
    flag,
    named,
    real,
    schema_of,
    strings,
    text,
    whole,
)
from maxmargin.persist.format.tree import OBJECTS, Codec, Node, decode, encode
from maxmargin.problems import Free, Regularised

__all__ = [
    *("FITTED_KERNEL", "estimator_schema", "is_storable", "require_fitted"),
    *("step_names", "steps_of"),
]


def estimator_schema(kind: type[BaseEstimator], *entries: Entry) -> Schema:
    """Return the schema of an estimator: its parameters, and entries for what `fit` sets."""
    parameters = Entry(_write_fitted, lambda _model, _node: None)
    return Schema(kind, (parameters, *entries), partial(_with_parameters, kind))


def require_fitted(model: Any) -> None:
    """Refuse a model that is not fitted."""
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise ModelFileError(
            f"This {type(model).__name__} is not fitted: call fit before it is saved."
        ) from None


def _write_fitted(model: Any) -> dict[str, Any]:
    require_fitted(model)
    return _write_parameters(model)


def _write_parameters(model: Any) -> dict[str, Any]:
    given = model.get_params(deep=False).items()
    kept = {name: _SAVED.get(name, lambda value: value)(value) for name, value in given}
    return {"parameters": {name: encode(value, name) for name, value in kept.items()}}


def _with_parameters(kind: Any, node: Node) -> Any:
    """Return an estimator, which checks its parameters itself; missing ones have their default."""
    given, known = node["parameters"], set(kind._get_param_names())
    for name in given.object:
        given[name].require(name in known, f"is no parameter of {kind.__name__}")
    found = {name: decode(given[name]) for name in given.object}
    with given.refusing("are impossible"):
        model = kind(**found)
        model._validate_params()
    return model


# What is saved of some parameters ---------------------------------------------------------------


def is_storable(value: Any, name: str) -> bool:
    """Say whether a file can hold a value of a parameter."""
    try:
        encode(value, name)
    except ModelFileError:
        return False
    return True


def _storable_part(grid: Any) -> Any:
    if not isinstance(grid, Mapping):
        return [_storable_part(one) for one in grid]
    found = {}
    for name, values in grid.items():
        kept = [value for value in values if is_storable(value, name)]
        if kept:
            found[name] = values if len(kept) == len(values) else kept
    return found


#: What is saved of some parameters: no code and no splitters.
_SAVED: Mapping[str, Callable[[Any], Any]] = {
    "callback": lambda _: None,
    "cv": lambda cv: cv if isinstance(cv, int | np.integer) else None,
    "param_grid": _storable_part,
}

# Estimators that are not fitted -----------------------------------------------------------------


def _write_estimator(model: Any) -> dict[str, Any]:
    label = schema_of(model).label
    if not isinstance(model, Pipeline):
        return {"estimator": label, **_write_parameters(model)}
    steps = steps_of(model)
    made = [encode(step, name) for name, step in steps]
    return {"estimator": label, "names": [name for name, _ in steps], "steps": made}


def _read_estimator(node: Node) -> Any:
    kind = named(node["estimator"]).model
    node.require(issubclass(kind, BaseEstimator), "has no parameters")
    if kind is not Pipeline:
        return _with_parameters(kind, node)
    names, steps = step_names(node), [decode(step) for step in node["steps"].items]
    node["steps"].require(len(steps) == len(names), "are not one per name")
    fits = all(isinstance(step, BaseEstimator | str | None) for step in steps)
    node["steps"].require(fits, "are not all estimators")
    return Pipeline(list(zip(names, steps, strict=True)))


def steps_of(model: Pipeline) -> list[tuple[str, Any]]:
    """Return the steps of a pipeline, or say that it cannot be saved."""
    if model.memory is not None:
        raise ModelFileError("A Pipeline with memory cannot be saved: set memory=None before.")
    return list(model.steps)


def step_names(node: Node) -> list[str]:
    """Return the names of the steps of a pipeline."""
    names: list[str] = node.read("names", strings)
    fine = names and len(set(names)) == len(names) and not any("__" in n or not n for n in names)
    node["names"].require(fine, "are not names of steps")
    return names


# Kernels ----------------------------------------------------------------------------------------

#: The classes that a file can hold.
_KERNELS: dict[str, Any] = {
    name: getattr(kernels, name)
    for name in (
        *("Linear", "Polynomial", "RBF", "Sigmoid", "Laplacian", "Chi2", "Precomputed"),
        *("CommonSubstrings", "Spectrum", "Mismatch", "WeightedDegree", "Subsequence"),
        *("On", "Scaled", "Sum", "Product"),
    )
}
_MOST_PARTS = 1 << 20
_LARGEST = 2**31 - 1
#: The words near another one are counted in time that grows with the fourth power of m.
_MOST_MISMATCHES = 32


def _write_kernel(kernel: Kernel) -> dict[str, Any]:
    name = type(kernel).__name__
    if _KERNELS.get(name) is not type(kernel):
        raise ModelFileError(
            f"The kernel {name} is code, which a model file cannot hold: fit with a kernel of "
            "maxmargin.kernels or with kernel='precomputed', or use joblib."
        )
    if isinstance(kernel, Mismatch) and kernel.m > _MOST_MISMATCHES:
        raise ModelFileError(f"Mismatch with more than m = {_MOST_MISMATCHES} is not saved.")
    found: dict[str, Any] = {"kernel": name}
    for field in fields(kernel):  # type: ignore[arg-type]
        value = getattr(kernel, field.name)
        if field.name == "parts":
            found["n_parts"] = len(value)
            found.update((f"part{k}", _write_kernel(part)) for k, part in enumerate(value))
        elif field.name == "kernel":
            found["of"] = _write_kernel(value)
        elif isinstance(value, tuple):
            found[field.name] = list(value)
        else:
            found[field.name] = encode(bool(value) if field.type == "bool" else value, field.name)
    return found


def _read_kernel(node: Node) -> Kernel:
    kind = _KERNELS[node.read("kernel", text(*_KERNELS))]
    given = {field.name: _read_field(field.name, field.type, node) for field in fields(kind)}
    with node.refusing("is impossible"):
        kernel: Kernel = kind(**given)
    if isinstance(kernel, Mismatch):
        node["m"].require(kernel.m <= _MOST_MISMATCHES, f"is more than {_MOST_MISMATCHES}")
        with node.refusing("has numbers that are too large"):
            float(max(shared_words(kernel.k, kernel.m, kernel.alphabet or 1)))
    return kernel


def _read_field(name: str, kind: Any, node: Node) -> Any:
    if name == "parts":
        count = node.read("n_parts", whole(1, _MOST_PARTS))
        return tuple(_read_kernel(node[f"part{k}"]) for k in range(count))
    if name == "kernel":
        return _read_kernel(node["of"])
    raw = node[name].json
    if kind == "bool":
        return node.read(name, flag)
    if raw is None or isinstance(raw, float | str):
        return raw
    return node.read(name, strings if isinstance(raw, list) else whole(-_LARGEST, _LARGEST))


def _read_fitted(node: Node) -> Kernel:
    kernel = _read_kernel(node)
    node.require(not kernel.has_rules, "has rules instead of numbers")
    return kernel


#: A kernel of a fitted machine: no parameter is still a rule, such as gamma="scale".
FITTED_KERNEL = Codec(_write_kernel, _read_fitted)


# Biases and scorers -----------------------------------------------------------------------------


def _write_bias(bias: Free | Regularised) -> dict[str, Any]:
    if isinstance(bias, Free):
        return {"bias": "free"}
    return {"bias": "regularised", "scale": bias.scale, "eps": bias.eps}


def _read_bias(node: Node) -> Free | Regularised:
    if node.read("bias", text("free", "regularised")) == "free":
        return Free()
    with node.refusing("is impossible"):
        bias = Regularised(node.read("scale", real(0.0)))
        eps = node.read("eps", real(0.0))
        # The user gave one of the two. The other is its root or square, up to rounding.
        return bias if bias.eps == eps else Regularised(eps=eps)


def _write_scorer(scorer: Any) -> dict[str, Any]:
    found = settings_of(scorer)
    assert found is not None
    name, costs = found
    return {"scorer": f"neg_{name}", **{key: encode(value, key) for key, value in costs.items()}}


def _read_scorer(node: Node) -> Any:
    name = node.read("scorer", text(*get_scorer_names()))
    if "prior" not in node:
        return get_scorer(name)
    keys = ("prior", "cost_fn", "cost_fp", "normalize", "pos_label")
    costs: dict[str, Any] = {key: decode(node[key]) for key in keys}
    with node.refusing("is impossible"):
        return make_dcf_scorer(name.removeprefix("neg_"), **costs)


def _is(kind: Any) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kind)


OBJECTS.update(
    kernel=(_is(Kernel), Codec(_write_kernel, _read_kernel)),
    estimator=(_is(BaseEstimator), Codec(_write_estimator, _read_estimator)),
    bias=(_is(Free | Regularised), Codec(_write_bias, _read_bias)),
    scorer=(settings_of, Codec(_write_scorer, _read_scorer)),
    # Version 1 wrote splitters, which are read as None.
    splitter=(_is(()), Codec(list, lambda _: None)),
)
