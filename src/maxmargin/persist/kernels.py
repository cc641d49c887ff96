"""Kernels as JSON, by a list of the classes that there are."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from maxmargin.errors import InvalidInputError, ModelFileError
from maxmargin.kernels import (
    RBF,
    Chi2,
    CommonSubstrings,
    Kernel,
    Laplacian,
    Linear,
    Mismatch,
    On,
    Polynomial,
    Precomputed,
    Product,
    Scaled,
    Sigmoid,
    Spectrum,
    Subsequence,
    Sum,
    WeightedDegree,
)
from maxmargin.persist.reading import Reader
from maxmargin.persist.writing import Writer

__all__ = ["describe_kernel", "restore_kernel"]

_DEEPEST = 32
_LARGEST = 2**31 - 1
_MOST_MISMATCHES = 12

#: The classes that are their parameters, and these; those of the algebra hold kernels.
_PLAIN: dict[type[Kernel], tuple[str, ...]] = {
    Linear: (),
    Polynomial: ("gamma", "coef0", "degree"),
    RBF: ("gamma",),
    Sigmoid: ("gamma", "coef0"),
    Laplacian: ("gamma",),
    Chi2: ("gamma",),
    Precomputed: (),
    CommonSubstrings: ("count", "min_length", "max_length", "normalize"),
    Spectrum: ("k", "up_to", "normalize"),
    Mismatch: ("k", "m", "alphabet", "normalize"),
    WeightedDegree: ("degree", "shift", "normalize"),
    Subsequence: ("length", "decay", "normalize"),
}

#: Parameters that are whole numbers: the least and the greatest.
_WHOLE = {
    "degree": (1, _LARGEST),
    "k": (1, _LARGEST),
    "m": (0, _MOST_MISMATCHES),
    "alphabet": (1, _LARGEST),
    "shift": (0, _LARGEST),
    "length": (1, _LARGEST),
    "min_length": (1, _LARGEST),
    "max_length": (1, _LARGEST),
}
_OPTIONAL = frozenset({"alphabet", "max_length"})
_FLAGS = frozenset({"normalize", "up_to"})
_COMBINATIONS: tuple[type[Sum] | type[Product], ...] = (Sum, Product)


def describe_kernel(kernel: Kernel, out: Writer) -> None:
    """Write a kernel of `maxmargin.kernels`; any other is refused."""
    kind = type(kernel)
    out.json("kernel", kind.__name__)
    if kind in _PLAIN:
        for name in _PLAIN[kind]:
            out.value(name, getattr(kernel, name))
    elif isinstance(kernel, Sum | Product) and kind in _COMBINATIONS:
        out.json("n_parts", len(kernel.parts))
        for k, part in enumerate(kernel.parts):
            describe_kernel(part, out.child(f"part{k}"))
    elif isinstance(kernel, Scaled) and kind is Scaled:
        out.value("factor", kernel.factor)
        describe_kernel(kernel.kernel, out.child("of"))
    elif isinstance(kernel, On) and kind is On:
        names = kernel.columns
        out.json("columns", names if isinstance(names, str) else list(names))
        describe_kernel(kernel.kernel, out.child("of"))
    else:
        raise ModelFileError(
            f"The kernel {kind.__name__} is code, which a model file cannot hold: fit with a "
            "kernel of maxmargin.kernels or with kernel='precomputed', or use joblib."
        )


def restore_kernel(held: Reader, rules: Collection[str] = ("scale", "auto")) -> Kernel:
    """Return the kernel that was written; gamma may be a number or one of the rules."""
    held.require(held.depth <= _DEEPEST, "kernel", "is nested too deeply")
    plain = {kind.__name__: kind for kind in _PLAIN}
    combinations = {kind.__name__: kind for kind in _COMBINATIONS}
    name = held.text("kernel", {*plain, *combinations, Scaled.__name__, On.__name__})
    try:
        if name in plain:
            return plain[name](
                **{field: _field(held, field, rules) for field in _PLAIN[plain[name]]}
            )
        if name in combinations:
            count = held.whole("n_parts", least=1, most=1 << 20)
            parts = (restore_kernel(held.child(f"part{k}"), rules) for k in range(count))
            return combinations[name](tuple(parts))
        if name == On.__name__:
            return On(held.json("columns"), restore_kernel(held.child("of"), rules))
        return Scaled(held.real("factor"), restore_kernel(held.child("of"), rules))
    except InvalidInputError as error:
        held.refuse("kernel", f"is impossible: {str(error).rstrip('.')}")


def _field(held: Reader, field: str, rules: Collection[str]) -> Any:
    if field in _OPTIONAL and not held.has(field):
        return None
    if field in _WHOLE:
        return held.whole(field, *_WHOLE[field])
    if field in _FLAGS:
        return held.flag(field)
    if field == "count":
        return held.text(field, {"pairs", "distinct"})
    if field == "gamma" and isinstance(held.json("gamma"), str):
        return held.text("gamma", rules)
    return held.real(field)
