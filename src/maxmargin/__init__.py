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

from maxmargin import kernels, problems
from maxmargin.certify import (
    Certificate,
    Margins,
    Position,
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
    "InfeasibleProblemError",
    "InvalidInputError",
    "Margins",
    "MaxMarginError",
    "MissingDependencyError",
    "NotSeparableError",
    "Position",
    "Solution",
    "Stop",
    "UnsupportedProblemError",
    "analyse_support",
    "certify",
    "kernels",
    "margins",
    "problems",
    "separability",
    "solve",
]
