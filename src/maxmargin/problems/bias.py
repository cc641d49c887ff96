"""Two ways to treat the bias b of f(x) = w'phi(x) + b."""

from __future__ import annotations

from dataclasses import dataclass

from maxmargin.errors import InvalidInputError
from maxmargin.kernels.base import real

__all__ = ["Bias", "Free", "Regularised"]


@dataclass(frozen=True)
class Free:
    """A bias without penalty: the dual carries the constraint sum(b) = 0.

    Examples
    --------
    >>> from maxmargin.problems import Free
    >>> Free()
    Free()
    """


@dataclass(frozen=True)
class Regularised:
    """A bias penalised like the weights, as if a constant feature were appended.

    The primal becomes 1/2 (|w|^2 + (b / scale)^2) + ..., the kernel k + scale^2, and the dual has
    bounds only.

    Parameters
    ----------
    scale : float
        Value of the constant feature; 0 means no bias at all.

    Examples
    --------
    >>> from maxmargin.problems import Regularised
    >>> Regularised(10)
    Regularised(scale=10.0)
    """

    scale: float = 1.0

    def __post_init__(self) -> None:
        scale = real(self.scale, "scale")
        if scale < 0:
            raise InvalidInputError(f"scale must be zero or more; got {self.scale!r}.")
        object.__setattr__(self, "scale", scale)


Bias = Free | Regularised
