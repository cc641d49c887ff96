"""What a parameter can be beyond a plain value, all of it JSON.

Kernels, estimators that are not fitted, splitters and the library's scorers, and lists, arrays,
tuples and maps of all these: what the parameters of a search are made of.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from maxmargin.errors import ModelFileError
from maxmargin.kernels import Kernel
from maxmargin.persist.kernels import describe_kernel, restore_kernel
from maxmargin.persist.labels import strings_as_array
from maxmargin.persist.reading import Reader
from maxmargin.persist.registry import class_of, label_of
from maxmargin.persist.scorers import describe_scorer, is_scorer, restore_scorer
from maxmargin.persist.splitters import describe_splitter, is_splitter, restore_splitter
from maxmargin.persist.values import decoded, decoded_key, encoded, is_list_of_pairs
from maxmargin.persist.writing import Writer

__all__ = ["restore_estimator", "restored_setting", "setting", "step_names"]

_MOST_DIMENSIONS = 8
_NUMBERS = {
    *("bool", "float16", "float32", "float64"),
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
}


def setting(value: Any, name: str) -> Any:
    """Return a parameter as JSON, or say that it cannot be saved."""
    if isinstance(value, Kernel):
        return _document(describe_kernel, value)
    if isinstance(value, BaseEstimator):
        return _document(_describe_estimator, value)
    if is_splitter(value):
        return _document(lambda splitter, out: describe_splitter(splitter, out, setting), value)
    if is_scorer(value):
        return _document(describe_scorer, value)
    if callable(value):
        raise ModelFileError(_code(name))
    if isinstance(value, list | range):
        return {"list": [setting(item, name) for item in value]}
    if isinstance(value, tuple):
        return {"tuple": [setting(item, name) for item in value]}
    if isinstance(value, Mapping):
        pairs = [
            [encoded(key, name), setting(item, _last_name(key, name))]
            for key, item in value.items()
        ]
        return {"map": pairs}
    if isinstance(value, np.ndarray):
        return _array(value, name)
    return encoded(value, name)


def restored_setting(raw: Any, held: Reader, name: str) -> Any:
    """Return what some JSON at a place of the description stands for."""

    def inner(item: Any) -> Any:
        return restored_setting(item, held, name)

    if not isinstance(raw, dict):
        return decoded(raw, held.prefix + name)
    below = Reader(raw, {}, f"{held.prefix}{name}.", held.depth + 1)
    for key, restore in _RESTORERS.items():
        if key in raw:
            return restore(below)
    if len(raw) == 1:
        ((kind, content),) = raw.items()
        if kind == "list" and isinstance(content, list):
            return [inner(item) for item in content]
        if kind == "tuple" and isinstance(content, list):
            return tuple(inner(item) for item in content)
        if kind == "map" and is_list_of_pairs(content):
            place = held.prefix + name
            return {decoded_key(key, place): inner(item) for key, item in content}
    return decoded(raw, held.prefix + name)


def _last_name(key: Any, name: str) -> str:
    """Return what messages call a value: of a grid's parameter its last name."""
    return key.rsplit("__", 1)[-1] if isinstance(key, str) else name


def _document(describe: Callable[[Any, Writer], None], value: Any) -> dict[str, Any]:
    out = Writer()
    describe(value, out)
    return out.document


def _code(name: str) -> str:
    advice = (
        "fit with a kernel of maxmargin.kernels or with kernel='precomputed'"
        if name == "kernel"
        else "set it to a name or a value with set_params before"
    )
    return f"The parameter {name} is code, which a model file cannot hold: {advice}, or use joblib."


# Estimators that are not fitted -----------------------------------------------------------------


def _describe_estimator(model: Any, out: Writer) -> None:
    out.json("estimator", label_of(model))
    if isinstance(model, Pipeline):
        if model.memory is not None:
            raise ModelFileError("A Pipeline with memory cannot be saved: set memory=None before.")
        out.json("names", [name for name, _ in model.steps])
        out.json("steps", [setting(step, name) for name, step in model.steps])
        return
    given = model.get_params(deep=False)
    out.json("parameters", {name: setting(value, name) for name, value in given.items()})


def _restore_estimator(held: Reader) -> Any:
    kind = class_of(held, "estimator")
    held.require(issubclass(kind, BaseEstimator), "estimator", "has no parameters")
    return _restore_pipeline(held) if kind is Pipeline else restore_estimator(kind, held)


def _restore_pipeline(held: Reader) -> Pipeline:
    names, steps = step_names(held), held.json("steps")
    fits = isinstance(steps, list) and len(steps) == len(names)
    held.require(fits, "steps", "are not one a name")
    made = [restored_setting(step, held, "steps") for step in steps]
    for step in made:
        fits = isinstance(step, BaseEstimator | str | None)
        held.require(fits, "steps", "are not all estimators")
    return Pipeline(list(zip(names, made, strict=True)))


def step_names(held: Reader) -> list[str]:
    """Return the names of the steps of a pipeline."""
    names = held.strings("names")
    fine = names and len(set(names)) == len(names) and not any("__" in n or not n for n in names)
    held.require(fine, "names", "are not names of steps")
    return names


def restore_estimator(kind: type[BaseEstimator], held: Reader) -> Any:
    """Return an estimator with the parameters that are there, checked by itself."""
    given = held.child("parameters")
    known = set(kind._get_param_names())
    found: dict[str, Any] = {}
    for name in given.names():
        given.require(name in known, name, f"is no parameter of {kind.__name__}")
        found[name] = restored_setting(given.json(name), given, name)
    try:
        model = kind(**found)
        model._validate_params()
    except (TypeError, ValueError) as error:
        given.refuse("", f"are impossible: {str(error).rstrip('.')}")
    return model


# Arrays -----------------------------------------------------------------------------------------


def _array(value: Any, name: str) -> dict[str, Any]:
    kind = value.dtype.kind
    if kind not in "biufUO":
        raise ModelFileError(
            f"{name} is an array of {value.dtype}, which a model file cannot hold."
        )
    return {
        "array": [setting(item, name) for item in value.ravel().tolist()],
        "type": {"U": "string", "O": "object"}.get(kind, value.dtype.name),
        "shape": list(value.shape),
    }


def _restore_array(held: Reader) -> Any:
    kind, raw, shape = held.text("type"), held.json("array"), held.json("shape")
    fits = isinstance(raw, list) and isinstance(shape, list) and len(shape) <= _MOST_DIMENSIONS
    fits = fits and all(type(size) is int and 0 <= size < 2**31 for size in shape)
    held.require(fits and math.prod(shape) == len(raw), "shape", "does not fit the array")
    items = [restored_setting(item, held, "array") for item in raw]
    if kind == "string":
        held.require(all(isinstance(item, str) for item in items), "array", "holds no strings")
        return strings_as_array(items, held, "array").reshape(shape)
    held.text("type", {"object", *_NUMBERS})
    try:
        values = np.empty(len(items), dtype=kind)
        for k, item in enumerate(items):
            values[k] = item
        return values.reshape(shape)
    except (TypeError, ValueError, OverflowError) as error:
        held.refuse("array", f"cannot be read ({error})")


_RESTORERS: dict[str, Callable[[Reader], Any]] = {
    "kernel": restore_kernel,
    "estimator": _restore_estimator,
    "splitter": lambda held: restore_splitter(held, restored_setting),
    "scorer": restore_scorer,
    "array": _restore_array,
}
