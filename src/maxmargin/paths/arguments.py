"""Arguments of paths that are given data, and refused beside a problem."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

from maxmargin.errors import InvalidInputError

__all__ = ["require_defaults"]


def require_defaults(function: Callable[..., Any], **given: Any) -> None:
    """Refuse arguments that a problem determines itself, unless they are the defaults."""
    parameters = signature(function).parameters
    for name, value in given.items():
        default = parameters[name].default
        is_plain = isinstance(value, str | int | float)
        if value is not default and not (is_plain and value == default):
            raise InvalidInputError(
                f"{function.__name__} was given a problem and {name}: leave {name} out, because it "
                f"is part of the problem, or give data instead, {function.__name__}(X, y, ...)."
            )
