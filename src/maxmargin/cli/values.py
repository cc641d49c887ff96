"""Types of options: 0.5, 2^-5, 15m, a grid 1,10,100 or 0.1:1000:9, a kernel poly:degree=2."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

import click
import numpy as np

from maxmargin import kernels
from maxmargin.errors import InvalidInputError

__all__ = ["Gamma", "Grid", "KernelName", "Number", "Time", "Whole"]
__all__ += ["class_weight", "kernel", "kernels_like", "names"]


class Number(click.FloatRange):
    """A finite number within bounds, which may be typed as a power: 2^-5."""

    name = "number"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the number."""
        base, power, exponent = str(value).partition("^")
        try:
            number = float(base) ** float(exponent) if power else float(base)
        except (ValueError, ArithmeticError):
            self.fail(f"{value!r} is not a number.", param, ctx)
        if isinstance(number, complex) or not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return super().convert(number, param, ctx)


class Whole(Number):
    """A whole number, which may be typed as 1e6 or 2^20."""

    name = "integer"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the number as an int."""
        number = super().convert(value, param, ctx)
        if not number.is_integer():
            self.fail(f"{value!r} is not a whole number.", param, ctx)
        return int(number)


#: Values of gamma that are computed from the data.
RULES = {"scale", "auto", "median"}


class Gamma(Number):
    """A number, or a rule that makes one from the data."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the number or the rule."""
        return value if value in RULES else super().convert(value, param, ctx)


class Time(Number):
    """Seconds, or a time with its unit: 90, 90s, 15m, 1.5h."""

    name = "time"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the seconds."""
        text, units = str(value), {"s": 1.0, "m": 60.0, "h": 3600.0}
        unit = text[-1:] if text[-1:] in units else ""
        return super().convert(text.removesuffix(unit), param, ctx) * units.get(unit, 1.0)


class Grid(click.ParamType):  # type: ignore[type-arg] # generic in new versions only
    """A list a,b,c of items, or FROM:TO:COUNT, which `numpy.geomspace` or `linspace` fills."""

    name = "grid"

    def __init__(self, item: Any, spacing: Callable[..., Any]) -> None:
        self.item, self.spacing = item, spacing

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the values as a tuple."""
        if isinstance(value, tuple):
            return value
        parts = str(value).split(":")
        if len(parts) == 1:
            return tuple(self.item.convert(part, param, ctx) for part in str(value).split(","))
        if len(parts) != 3:
            self.fail(f"{value!r} is neither a list a,b,c nor FROM:TO:COUNT.", param, ctx)
        ends = [self.item.convert(part, param, ctx) for part in parts[:2]]
        count = click.IntRange(1)(parts[2], param, ctx)
        if set(ends) & RULES or (self.spacing is np.geomspace and min(ends) <= 0):
            self.fail(f"{value!r}: FROM and TO must be numbers greater than 0.", param, ctx)
        values = self.spacing(*ends, count).tolist()
        return tuple(self.item.convert(f"{number:.12g}", param, ctx) for number in values)


def class_weight(value: Any) -> Any:
    """Return the word balanced, or pairs of a label and its weight as in A=1,B=5."""
    if value == "balanced" or isinstance(value, tuple):
        return value
    pairs = [part.rpartition("=") for part in str(value).split(",")]
    if not all(label for label, _, _ in pairs):
        raise click.BadParameter(f"{value!r} is neither balanced nor LABEL=WEIGHT,...")
    return tuple((label.strip(), Number()(weight)) for label, _, weight in pairs)


def names(value: Any) -> tuple[str, ...]:
    """Return names that are separated by commas."""
    parts = value if isinstance(value, tuple) else str(value).split(",")
    return tuple(part.strip() for part in parts if part.strip())


_KERNELS: dict[str, type[kernels.Kernel]] = {
    "linear": kernels.Linear,
    "poly": kernels.Polynomial,
    "rbf": kernels.RBF,
    "sigmoid": kernels.Sigmoid,
    "laplacian": kernels.Laplacian,
    "chi2": kernels.Chi2,
    "precomputed": kernels.Precomputed,
    "spectrum": kernels.Spectrum,
    "mismatch": kernels.Mismatch,
    "substrings": kernels.CommonSubstrings,
    "weighted-degree": kernels.WeightedDegree,
    "subsequence": kernels.Subsequence,
}
_ALIASES = {"gaussian": "rbf", "polynomial": "poly", "tanh": "sigmoid"}


@dataclass(frozen=True)
class KernelName:
    """The name of a kernel, and the parameters that were typed after it."""

    name: str
    parameters: dict[str, Any] = field(default_factory=dict)

    @property
    def compares_text(self) -> bool:
        """Whether the kernel compares strings."""
        return issubclass(_KERNELS[self.name], kernels.SequenceKernel)

    @property
    def options(self) -> tuple[str, ...]:
        """Which of gamma, coef0 and degree the kernel has."""
        return () if self.compares_text else tuple(signature(_KERNELS[self.name]).parameters)

    @property
    def value(self) -> Any:
        """What an estimator's parameter `kernel` is set to."""
        return self.build(self.parameters) if self.compares_text else self.name

    def build(self, parameters: Mapping[str, Any]) -> kernels.Kernel:
        """Return the kernel with these parameters."""
        return _KERNELS[self.name](**parameters)

    def __str__(self) -> str:
        parameters = ",".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{self.name}:{parameters}" if parameters else self.name


def kernel(value: Any) -> KernelName:
    """Return a kernel that is typed as NAME or NAME:PARAMETER=VALUE,..."""
    if isinstance(value, KernelName):
        return value
    head, _, tail = str(value).partition(":")
    name = _ALIASES.get(head.strip().lower(), head.strip().lower())
    if name not in _KERNELS:
        raise click.BadParameter(f"{head!r} is not a kernel: choose {', '.join(_KERNELS)}.")
    found = KernelName(name)
    for part in names(tail):
        key, _, text = (word.strip() for word in part.partition("="))
        if not (key and text):
            raise click.BadParameter(f"{part!r} is not NAME=VALUE.")
        found.parameters[key] = _constant(text)
    for key in found.parameters:
        if not found.compares_text and key not in found.options:
            has = ", ".join(found.options) or "no parameters"
            raise click.BadParameter(f"the kernel {name} has no {key!r}: it has {has}.")
    try:
        found.build(found.parameters)
    except (InvalidInputError, TypeError) as error:
        raise click.BadParameter(f"{value!r}: {error}") from None
    return found


def kernels_like(_ctx: Any, _param: Any, incomplete: str) -> list[str]:
    """Return the kernels whose names begin like this, for completion."""
    return [name for name in _KERNELS if name.startswith(incomplete)]


def _constant(text: str) -> Any:
    """Return a number, true, false or none as such, anything else as text."""
    try:
        return ast.literal_eval(text.capitalize())
    except (ValueError, SyntaxError):
        return text
