"""Kernels as JSON, by a list of the classes that there are."""

from __future__ import annotations

from collections.abc import Callable, Collection
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
from maxmargin.kernels.comparisons import shared_words
from maxmargin.persist.reading import Reader
from maxmargin.persist.writing import Writer

__all__ = ["describe_kernel", "restore_kernel"]

_DEEPEST = 32
_MOST = 2**31 - 1
#: The words near another are counted in the fourth power of the mismatches.
_MOST_MISMATCHES = 32

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
_COMBINATIONS: tuple[type[Sum] | type[Product], ...] = (Sum, Product)


def describe_kernel(kernel: Kernel, out: Writer) -> None:
    """Write a kernel of `maxmargin.kernels`; any other is refused."""
    kind = type(kernel)
    out.json("kernel", kind.__name__)
    if kind in _PLAIN:
        if isinstance(kernel, Mismatch) and kernel.m > _MOST_MISMATCHES:
            raise ModelFileError(f"Mismatch with more than m = {_MOST_MISMATCHES} is not saved.")
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
        one = isinstance(kernel.columns, str)
        out.json("columns", kernel.columns if one else list(kernel.columns))
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
            fields = _PLAIN[plain[name]]
            return _countable(
                held, plain[name](**{field: _field(held, field, rules) for field in fields})
            )
        if name in combinations:
            count = held.whole("n_parts", least=1, most=1 << 20)
            parts = (restore_kernel(held.child(f"part{k}"), rules) for k in range(count))
            return combinations[name](tuple(parts))
        inner = restore_kernel(held.child("of"), rules)
        if name == On.__name__:
            return On(_columns(held), inner)
        return Scaled(held.real("factor"), inner)
    except InvalidInputError as error:
        held.refuse("kernel", f"is impossible: {str(error).rstrip('.')}")


def _field(held: Reader, field: str, rules: Collection[str]) -> Any:
    if field == "gamma" and isinstance(held.json("gamma"), str):
        return held.text("gamma", rules)
    # What is settled on the training data must be a number where rules are not allowed.
    may_miss = field == "max_length" or (field == "alphabet" and bool(rules))
    if may_miss and not held.has(field):
        return None
    return _READERS.get(field, Reader.real)(held, field)


def _whole(held: Reader, field: str) -> int:
    return held.whole(field, least=0, most=_MOST)


_READERS: dict[str, Callable[[Reader, str], Any]] = {
    **dict.fromkeys(("degree", "k", "alphabet", "shift", "length"), _whole),
    **dict.fromkeys(("min_length", "max_length"), _whole),
    **dict.fromkeys(("normalize", "up_to"), Reader.flag),
    "m": lambda held, field: held.whole(field, most=_MOST_MISMATCHES),
    "count": lambda held, field: held.text(field, ("pairs", "distinct")),
}


def _columns(held: Reader) -> Any:
    return (
        held.text("columns") if isinstance(held.json("columns"), str) else held.strings("columns")
    )


def _countable(held: Reader, kernel: Kernel) -> Kernel:
    """Return the kernel if what it counts can be a float."""
    if isinstance(kernel, Mismatch) and kernel.alphabet is not None:
        try:
            float(max(shared_words(kernel.k, kernel.m, kernel.alphabet)))
        except OverflowError:
            held.refuse("alphabet", "makes more words than can be counted")
    return kernel
