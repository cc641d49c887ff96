"""Checks of labels, targets, weights and parameters, each with a sentence."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from maxmargin.errors import InvalidInputError
from maxmargin.kernels import Kernel
from maxmargin.kernels.base import positive, real
from maxmargin.problems.bias import Bias, Free, Regularised
from maxmargin.typing import Floats

__all__ = ["bias_kind", "fraction", "kernel_kind", "labels", "penalty_cost", "targets", "weights"]

_LARGEST_COST = 1e50


def labels(y: Any, n_points: int, weight: Floats) -> Floats:
    """Return labels that are exactly -1 and +1, both present with a positive weight."""
    values = _vector(y, n_points, "y")
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
                "classes; OneClass and Sphere describe a single one."
            )
        if not (weight[values == label] > 0).any():
            raise InvalidInputError(
                f"sample_weight is zero for every point with the label {label:+g}: a margin needs "
                "both classes."
            )
    return values


def targets(y: Any, n_points: int) -> Floats:
    """Return finite regression targets."""
    return _vector(y, n_points, "y")


def weights(sample_weight: Any, n_points: int) -> Floats:
    """Return one weight a point, zero or more, not all zero; ones by default."""
    if sample_weight is None:
        return np.ones(n_points)
    values = _vector(sample_weight, n_points, "sample_weight")
    if (values < 0).any():
        raise InvalidInputError(
            f"sample_weight must be zero or more everywhere; the smallest is {values.min():g}."
        )
    if values.max() > _LARGEST_COST:
        raise InvalidInputError(
            f"sample_weight reaches {values.max():g}, which leaves no digits for anything else: "
            "scale the weights to moderate numbers."
        )
    if not (values > 0).any():
        raise InvalidInputError("sample_weight is zero everywhere: no point is left to learn from.")
    return values


def penalty_cost(C: Any) -> float:
    """Return C as a positive finite number."""
    if isinstance(C, float) and math.isinf(C) and C > 0:
        raise InvalidInputError(
            "C is infinite, which allows no slack at all: that problem is HardMargin."
        )
    value = positive(C, "C")
    if value > _LARGEST_COST:
        raise InvalidInputError(
            f"C = {value:g} leaves no digits for anything else: use HardMargin."
        )
    return value


def fraction(nu: Any) -> float:
    """Return nu in (0, 1]."""
    value = real(nu, "nu")
    if not 0 < value <= 1:
        raise InvalidInputError(
            f"nu must lie in (0, 1], for it bounds a fraction of the points; got {nu!r}."
        )
    return value


def kernel_kind(kernel: Any) -> Kernel:
    """Return the kernel if it is one."""
    if not isinstance(kernel, Kernel):
        raise InvalidInputError(
            f"kernel must be one of maxmargin.kernels, such as RBF(1.0); got {kernel!r}. "
            "Wrap a function as kernels.Function(f), a Gram matrix as kernels.Precomputed()."
        )
    return kernel


def bias_kind(bias: Any) -> Bias:
    """Return the bias if it is Free() or Regularised(...)."""
    if not isinstance(bias, Free | Regularised):
        raise InvalidInputError(f"bias must be Free() or Regularised(scale); got {bias!r}.")
    return bias


def _vector(values: Any, n_points: int, name: str) -> Floats:
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
            f"{name} must be one-dimensional, one value a point; got shape {vector.shape}."
        )
    if len(vector) != n_points:
        raise InvalidInputError(
            f"{name} has {len(vector)} values for {n_points} points: give exactly one a point."
        )
    if not np.isfinite(vector).all():
        kind = "NaN" if np.isnan(vector).any() else "infinity"
        raise InvalidInputError(f"{name} contains {kind}: remove or repair those points.")
    vector.setflags(write=False)
    return vector
