"""Checks of labels, targets, weights and parameters; a failure raises `InvalidInputError`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from maxmargin.errors import InvalidInputError
from maxmargin.kernels import Linear
from maxmargin.kernels.base import positive, real
from maxmargin.problems.bias import Free, Regularised
from maxmargin.typing import Floats

__all__ = [
    "fraction",
    "labels",
    "moderate",
    "penalty",
    "require_bias",
    "require_linear_kernel",
    "targets",
    "vector",
    "weights",
]

# With a larger penalty or weight, float64 has no digits left for the rest of the objective.
_LARGEST_COST = 1e50

# Squares of larger targets, times a penalty, come close to overflow.
_LARGEST_TARGET = 1e100


def labels(y: Any, weight: Floats) -> Floats:
    """Return labels that are exactly -1 and +1, both with a point of positive weight."""
    values = vector(y, len(weight), "y")
    if not np.isin(values, (-1.0, 1.0)).all():
        found = ", ".join(f"{v:g}" for v in np.unique(values)[:5])
        raise InvalidInputError(
            f"y must hold the labels -1 and +1 exactly; it holds {found}. Map your classes first, "
            "for example with numpy.where(y == positive_class, 1, -1)."
        )
    for label in (1.0, -1.0):
        if not (values == label).any():
            raise InvalidInputError(
                f"y holds one class only: no point has the label {label:+g}. A margin needs both "
                "classes; use OneClass or Sphere to describe a single class."
            )
        if not (weight[values == label] > 0).any():
            raise InvalidInputError(
                f"sample_weight is zero for every point with the label {label:+g}: a margin needs "
                "both classes."
            )
    return values


def targets(y: Any, n_points: int) -> Floats:
    """Return one number per point, of moderate size."""
    values = vector(y, n_points, "y")
    largest = float(np.abs(values).max(initial=0.0))
    if largest > _LARGEST_TARGET:
        raise InvalidInputError(
            f"y reaches {largest:g}, beyond the range in which a problem can be solved in float64: "
            "scale the targets to moderate numbers."
        )
    return values


def weights(sample_weight: Any, n_points: int) -> Floats:
    """Return one weight per point, zero or more, not all zero; ones by default."""
    if sample_weight is None:
        # One number that is read n times takes no memory.
        return np.broadcast_to(1.0, n_points)
    values = vector(sample_weight, n_points, "sample_weight")
    if (values < 0).any():
        raise InvalidInputError(
            f"sample_weight must be zero or more everywhere; the smallest is {values.min():g}."
        )
    moderate(values, "sample_weight")
    if not (values > 0).any():
        raise InvalidInputError("sample_weight is zero everywhere: no point is left to learn from.")
    return values


def moderate(weight: Floats, name: str) -> None:
    """Refuse weights that leave float64 no digits for the rest of the objective."""
    largest = float(weight.max(initial=0.0))
    if largest > _LARGEST_COST:
        raise InvalidInputError(
            f"{name} reaches {largest:g}, beyond the range in which a problem can be solved in "
            "float64: scale the weights to moderate numbers."
        )


def penalty(C: Any) -> float:
    """Return C as a positive finite number."""
    if isinstance(C, float) and math.isinf(C) and C > 0:
        raise InvalidInputError(
            "C is infinite, which allows no slack at all: that problem is HardMargin."
        )
    value = positive(C, "C")
    if value > _LARGEST_COST:
        raise InvalidInputError(
            f"C = {value:g} is too large to be solved in float64: use HardMargin."
        )
    return value


def fraction(nu: Any) -> float:
    """Return nu in (0, 1]."""
    value = real(nu, "nu")
    if not 0 < value <= 1:
        raise InvalidInputError(
            f"nu must lie in (0, 1], because it bounds a fraction of the points; got {nu!r}."
        )
    return value


def require_linear_kernel(problem: Any) -> None:
    """Refuse any kernel but the linear one, for a problem about weights of features."""
    if type(problem.kernel) is not Linear:
        raise InvalidInputError(
            f"{type(problem).__name__} is about the weights of features and takes only Linear(); "
            f"its points are compared by {problem.kernel!r}. Use SoftMargin, or map the features "
            "first, for example with feature_map(kernel)."
        )


def require_bias(bias: Any) -> None:
    """Refuse anything but Free() or Regularised(...)."""
    if not isinstance(bias, Free | Regularised):
        raise InvalidInputError(f"bias must be Free() or Regularised(scale); got {bias!r}.")


def vector(values: Any, n_points: int, name: str) -> Floats:
    """Return one finite number per point, as a read-only copy."""
    try:
        given = np.asarray(values)
        if given.dtype.kind in "mMUS":
            raise TypeError(f"it has the type {given.dtype}")
        vector = np.array(given.real, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{name} must hold numbers: {error}.") from error
    if np.iscomplexobj(given):
        raise InvalidInputError(f"{name} holds complex numbers: give real ones.")
    if vector.ndim != 1:
        raise InvalidInputError(
            f"{name} must be one-dimensional, one value per point; got shape {vector.shape}."
        )
    if len(vector) != n_points:
        raise InvalidInputError(
            f"{name} has {len(vector)} values for {n_points} points: give exactly one per point."
        )
    if not np.isfinite(vector).all():
        kind = "NaN" if np.isnan(vector).any() else "infinity"
        raise InvalidInputError(f"{name} contains {kind}: remove or repair those points.")
    vector.setflags(write=False)
    return vector
