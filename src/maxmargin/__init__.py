"""Support vector machines that prove how good each answer is.

::

    kernels     what similarity means
    problems    the optimisation problems, primal and dual
    solvers     one file an algorithm: solve(problem) -> Solution
    certify     proofs from problem and solution alone
    plot        pictures (extra "plot")

Each layer imports only those listed above it, but for certify, which the solvers use to measure
their progress.
"""

from types import ModuleType

from maxmargin import kernels, problems, solvers
from maxmargin.certify import (
    Certificate,
    CommonPoint,
    Margins,
    Position,
    SeparatingPlane,
    ZeroCombination,
    analyse_support,
    certify,
    margins,
    separability,
)
from maxmargin.errors import (
    InfeasibleProblemError,
    InvalidInputError,
    MaxMarginError,
    MissingDependencyError,
    NotSeparableError,
    UnsupportedProblemError,
)
from maxmargin.problems import Solution
from maxmargin.solvers import Stop, solve

__version__ = "0.1.0"

__all__ = [
    "Certificate",
    "CommonPoint",
    "InfeasibleProblemError",
    "InvalidInputError",
    "Margins",
    "MaxMarginError",
    "MissingDependencyError",
    "NotSeparableError",
    "Position",
    "SeparatingPlane",
    "Solution",
    "Stop",
    "UnsupportedProblemError",
    "ZeroCombination",
    "analyse_support",
    "certify",
    "kernels",
    "margins",
    "problems",
    "separability",
    "solve",
    "solvers",
]


def __getattr__(name: str) -> ModuleType:
    """Import `maxmargin.plot` on first use: it needs matplotlib, which is optional."""
    if name != "plot":
        raise AttributeError(f"module 'maxmargin' has no attribute {name!r}")
    import importlib

    return importlib.import_module("maxmargin.plot")
