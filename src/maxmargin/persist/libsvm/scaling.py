"""The scaling before a machine as the file of ranges that LIBSVM's `svm-scale -r` reads.

`svm-scale` maps the range [low, high] of each feature to [-1, 1], so a file of ranges can hold
every map x -> factor * x + shift with positive factors.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from sklearn import preprocessing

from maxmargin.errors import ModelFileError
from maxmargin.files import replacing
from maxmargin.persist.chains import chain
from maxmargin.persist.libsvm.header import joined
from maxmargin.typing import Floats

__all__ = ["machine_of", "unscaled"]


def machine_of(model: Any) -> Any:
    """Return the machine at the end of a pipeline or search."""
    return chain(model)[1]


def unscaled(model: Any, program: str, ranges: str | PathLike[str] | None) -> Any:
    """Return the machine at the end of a model, and write the scaling before it, if any."""
    steps, machine = chain(model)
    if not steps:
        return machine
    if ranges is None:
        raise ModelFileError(
            f"The steps before the machine ({_named(steps)}) are not part of {program}'s models: "
            "give ranges, a file for the scaling that svm-scale -r reads, or save the model as "
            ".safetensors or .onnx."
        )
    _write_ranges(ranges, *_affine(steps, program))
    return machine


def _named(steps: Sequence[Any]) -> str:
    return ", ".join(type(step).__name__ for step in steps)


def _affine(steps: Sequence[Any], program: str) -> tuple[Floats, Floats]:
    """Return the factors and shifts of all features."""
    factor, shift = np.array(1.0), np.array(0.0)
    for step in steps:
        if type(step) not in _SCALERS or getattr(step, "clip", False):
            raise ModelFileError(
                f"{program} cannot hold the step {_named([step])}: its ranges scale features one "
                "by one. Save the model as .safetensors or .onnx."
            )
        own_factor, own_shift = _SCALERS[type(step)](step)
        factor, shift = factor * own_factor, shift * own_factor + own_shift
    n_features = steps[0].n_features_in_
    return np.broadcast_to(factor, n_features), np.broadcast_to(shift, n_features)


def _centred(centre: Any, scale: Any) -> tuple[Any, Any]:
    factor = 1.0 if scale is None else 1.0 / scale
    return factor, 0.0 if centre is None else -centre * factor


_SCALERS: dict[type, Any] = {
    preprocessing.StandardScaler: lambda step: _centred(
        step.mean_ if step.with_mean else None, step.scale_
    ),
    preprocessing.RobustScaler: lambda step: _centred(step.center_, step.scale_),
    preprocessing.MaxAbsScaler: lambda step: _centred(None, step.scale_),
    preprocessing.MinMaxScaler: lambda step: (step.scale_, step.min_),
}


def _write_ranges(path: str | PathLike[str], factor: Floats, shift: Floats) -> None:
    lows, highs = (-1.0 - shift) / factor, (1.0 - shift) / factor
    lines = [
        f"{k} {joined([low, high])}"
        for k, (low, high) in enumerate(zip(lows.tolist(), highs.tolist(), strict=True), start=1)
    ]
    with replacing(path) as new:
        new.write_text("\n".join(["x", "-1 1", *lines]) + "\n", encoding="ascii")
