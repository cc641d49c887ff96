"""Kernels as they are typed: rbf, poly:degree=2,coef0=1, spectrum:k=4,normalize=true."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import click
from click.shell_completion import CompletionItem

from maxmargin.errors import InvalidInputError
from maxmargin.kernels import (
    CommonSubstrings,
    Mismatch,
    SequenceKernel,
    Spectrum,
    Subsequence,
    WeightedDegree,
)

__all__ = ["KernelName", "complete_kernel", "kernel_name"]

#: Kernels on numbers, and the options that they have.
_ON_NUMBERS: dict[str, tuple[str, ...]] = {
    "linear": (),
    "poly": ("gamma", "coef0", "degree"),
    "rbf": ("gamma",),
    "sigmoid": ("gamma", "coef0"),
    "laplacian": ("gamma",),
    "chi2": ("gamma",),
    "precomputed": (),
}
_ON_TEXT: dict[str, type[SequenceKernel]] = {
    "spectrum": Spectrum,
    "mismatch": Mismatch,
    "substrings": CommonSubstrings,
    "weighted-degree": WeightedDegree,
    "subsequence": Subsequence,
}
_OTHER_NAMES = {"gaussian": "rbf", "polynomial": "poly", "tanh": "sigmoid"}
_WORDS: dict[str, Any] = {"true": True, "false": False, "none": None}


@dataclass(frozen=True)
class KernelName:
    """A kernel and its parameters.

    Attributes
    ----------
    name : str
        As estimators call it, or the name of a kernel on text.
    parameters : dict
        Those that were typed.
    """

    name: str
    parameters: dict[str, Any] = field(default_factory=dict)

    @property
    def compares_text(self) -> bool:
        """Whether it compares strings."""
        return self.name in _ON_TEXT

    @property
    def options(self) -> tuple[str, ...]:
        """Which of gamma, coef0 and degree it has."""
        return _ON_NUMBERS.get(self.name, ())

    @property
    def value(self) -> Any:
        """What an estimator's `kernel` is set to."""
        return _ON_TEXT[self.name](**self.parameters) if self.compares_text else self.name

    def __str__(self) -> str:
        parameters = ",".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{self.name}:{parameters}" if parameters else self.name


def kernel_name(text: Any) -> KernelName:
    """Return what was typed, or say what is wrong with it."""
    if isinstance(text, KernelName):
        return text
    head, _, tail = str(text).partition(":")
    name = _OTHER_NAMES.get(head.strip().lower(), head.strip().lower())
    if name not in _ON_NUMBERS and name not in _ON_TEXT:
        known = ", ".join([*_ON_NUMBERS, *_ON_TEXT])
        raise click.BadParameter(f"{head!r} is no kernel: there are {known}.")
    parameters = dict(_pair(part) for part in tail.split(",") if part.strip())
    found = KernelName(name, parameters)
    if not found.compares_text:
        for given in parameters:
            if given not in found.options:
                has = ", ".join(found.options) or "no parameters"
                raise click.BadParameter(f"the kernel {name} has no {given!r}: it has {has}.")
        return found
    try:
        found.value  # noqa: B018 - made to be checked
    except (InvalidInputError, TypeError) as error:
        raise click.BadParameter(f"{text!r}: {error}") from None
    return found


def _pair(text: str) -> tuple[str, Any]:
    name, equals, value = (part.strip() for part in text.partition("="))
    if not name or not equals or not value:
        raise click.BadParameter(f"{text!r} is not NAME=VALUE.")
    return name, _value(value)


def _value(text: str) -> Any:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def complete_kernel(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the kernels that begin so."""
    del context, parameter
    names = [*_ON_NUMBERS, *_ON_TEXT]
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]
