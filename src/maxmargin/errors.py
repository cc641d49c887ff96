"""The errors and warnings of the library: sentences that name the argument and what to do."""

from __future__ import annotations

__all__ = [
    "InfeasibleProblemError",
    "InvalidInputError",
    "MaxMarginError",
    "MissingDependencyError",
    "ModelFileError",
    "NotSeparableError",
    "ScalingWarning",
    "UnsupportedProblemError",
]


class MaxMarginError(Exception):
    """Base of every error raised on purpose by maxmargin."""


class InvalidInputError(MaxMarginError, ValueError):
    """An argument has a value that the mathematics does not allow."""


class InfeasibleProblemError(MaxMarginError, ValueError):
    """The optimisation problem has no feasible point."""


class NotSeparableError(InfeasibleProblemError):
    """A hard margin was asked of data whose convex hulls meet.

    Attributes
    ----------
    witness : maxmargin.CommonPoint or maxmargin.ZeroCombination
        The common point of the two hulls, as two convex combinations.
    """

    def __init__(self, message: str, witness: object = None) -> None:
        super().__init__(message)
        self.witness = witness


class UnsupportedProblemError(MaxMarginError, ValueError):
    """The solver cannot solve this problem; the message names those that can."""


class MissingDependencyError(MaxMarginError, ImportError):
    """An optional dependency is needed; the message says how to install it."""


class ModelFileError(MaxMarginError, ValueError):
    """A file does not hold a model that can be loaded, or a model cannot be held by such a file."""


class ScalingWarning(UserWarning):
    """The columns of X have ranges so different that a kernel hardly sees some of them."""
