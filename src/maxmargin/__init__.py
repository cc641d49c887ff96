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
    persist     model files: its own, LIBSVM's, LIBLINEAR's, ONNX
    plot        pictures (extra "plot")
    report      a page about a model
    study       kernels, grids and costs in one call: a ranking and a report

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
    ModelFileError,
    NotSeparableError,
    UnsupportedProblemError,
)
from maxmargin.problems import Solution
from maxmargin.solvers import Stop, solve

if TYPE_CHECKING:
    from maxmargin import calibration, estimators, metrics, model_selection, persist, streams
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
    from maxmargin.persist import load, save

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
    "ModelFileError",
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
    "load",
    "margins",
    "metrics",
    "model_selection",
    "persist",
    "problems",
    "save",
    "separability",
    "solve",
    "solvers",
    "streams",
    "svm_path",
]


_LAZY_MODULES = (
    "calibration",
    "estimators",
    "metrics",
    "model_selection",
    "persist",
    "plot",
    "report",
    "streams",
    "study",
)


def __getattr__(name: str) -> Any:
    """Import on first use what needs scikit-learn, which is slow, or matplotlib, an extra."""
    if name in _LAZY_MODULES:
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
    if name in ("load", "save"):
        return getattr(importlib.import_module("maxmargin.persist"), name)
    if name == "CalibratedSVC":
        return importlib.import_module("maxmargin.calibration").CalibratedSVC
    if name in ("SVMSearchCV", "linear_path", "svm_path"):
        return getattr(importlib.import_module("maxmargin.model_selection"), name)
    raise AttributeError(f"module 'maxmargin' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "plot", "report", "study", "__version__"]
