"""Two ways to treat the bias b of f(x) = w'phi(x) + b."""

from __future__ import annotations

from dataclasses import dataclass, field

from maxmargin.errors import InvalidInputError
from maxmargin.kernels.base import real

__all__ = ["Bias", "Free", "Regularised"]

# With larger values, products of kernel values k + eps overflow.
_LARGEST = {"scale": 1e50, "eps": 1e100}


@dataclass(frozen=True)
class Free:
    """A bias without penalty: the dual has the constraint sum(b) = 0.

    Examples
    --------
    >>> from maxmargin.problems import Free
    >>> Free()
    Free()
    """


@dataclass(frozen=True, init=False)
class Regularised:
    """A bias penalised like the weights, as if a constant feature were appended.

    The primal is 1/2 (|w|^2 + (b / scale)^2) + ..., the kernel becomes k + eps with eps = scale^2,
    and the dual has bounds but no equality constraint. Give either scale or eps.

    Parameters
    ----------
    scale : float, optional
        Value of the constant feature, 1 by default; 0 means no bias at all.
    eps : float, optional
        The constant that is added to the kernel, instead of the scale.

    Examples
    --------
    >>> from maxmargin.problems import Regularised
    >>> Regularised(10), Regularised(10).eps
    (Regularised(scale=10.0), 100.0)
    >>> Regularised(eps=0.25)
    Regularised(scale=0.5)
    """

    scale: float
    eps: float = field(repr=False)

    def __init__(self, scale: float | None = None, *, eps: float | None = None) -> None:
        if scale is not None and eps is not None:
            raise InvalidInputError(
                f"Give Regularised either scale or eps; got scale={scale!r} and eps={eps!r}."
            )
        name, value = ("scale", 1.0 if scale is None else scale) if eps is None else ("eps", eps)
        number = real(value, name)
        if number < 0:
            raise InvalidInputError(f"{name} must be zero or more; got {value!r}.")
        if number > _LARGEST[name]:
            raise InvalidInputError(f"{name} must be at most {_LARGEST[name]:g}; got {value!r}.")
        object.__setattr__(self, "scale", number if eps is None else number**0.5)
        object.__setattr__(self, "eps", number**2 if eps is None else number)


Bias = Free | Regularised
