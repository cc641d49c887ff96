"""Support vector machines that prove how good each answer is.

::

    kernels     what similarity means
    problems    the optimisation problems, primal and dual
    solvers     one file an algorithm: solve(problem) -> Solution
    certify     proofs from problem and solution alone
    estimators  the scikit-learn face: SVC, NuSVC, SVR, NuSVR, OneClassSVM,
                LinearSVC, LinearSVR
    metrics     decision costs: DCF, EER, Cllr, scorers
    calibration scores to probabilities and log-likelihood ratios: CalibratedSVC
    model_selection  grids with shared kernel matrices, paths over C
    streams     data in chunks
    plot        pictures (extra "plot")

Each layer imports only those listed above it, but for certify, which the solvers use to measure
their progress.
"""

import importlib
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from maxmargin import calibration, estimators, metrics, model_selection
    from maxmargin.calibration import CalibratedSVC
    from maxmargin.estimators import (
        SVC,
        SVR,
        LinearSVC,
        LinearSVR,
        NuSVC,
        NuSVR,
        OneClassSVM,
        OnlineOneClassSVM,
        OnlineSVC,
    )
    from maxmargin.model_selection import SVMSearchCV, linear_path, svm_path

__version__ = "0.1.0"

__all__ = [
    "SVC",
    "SVR",
    "CalibratedSVC",
    "Certificate",
    "CommonPoint",
    "InfeasibleProblemError",
    "InvalidInputError",
    "LinearSVC",
    "LinearSVR",
    "Margins",
    "MaxMarginError",
    "MissingDependencyError",
    "NotSeparableError",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "OnlineOneClassSVM",
    "OnlineSVC",
    "Position",
    "SVMSearchCV",
    "SeparatingPlane",
    "Solution",
    "Stop",
    "UnsupportedProblemError",
    "ZeroCombination",
    "analyse_support",
    "calibration",
    "certify",
    "estimators",
    "kernels",
    "linear_path",
    "margins",
    "metrics",
    "model_selection",
    "problems",
    "separability",
    "solve",
    "solvers",
    "svm_path",
]


def __getattr__(name: str) -> Any:
    """Import on first use what needs scikit-learn, which is slow, or matplotlib, an extra."""
    if name in ("calibration", "estimators", "metrics", "model_selection", "plot", "streams"):
        return importlib.import_module(f"maxmargin.{name}")
    if name in (
        "SVC",
        "SVR",
        "LinearSVC",
        "LinearSVR",
        "NuSVC",
        "NuSVR",
        "OneClassSVM",
        "OnlineOneClassSVM",
        "OnlineSVC",
    ):
        return getattr(importlib.import_module("maxmargin.estimators"), name)
    if name == "CalibratedSVC":
        return importlib.import_module("maxmargin.calibration").CalibratedSVC
    if name in ("SVMSearchCV", "linear_path", "svm_path"):
        return getattr(importlib.import_module("maxmargin.model_selection"), name)
    raise AttributeError(f"module 'maxmargin' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "plot", "__version__"]
