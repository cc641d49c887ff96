"""Support vector machines that prove how good each answer is.

::

    kernels          what similarity means
    problems         the optimisation problems, primal and dual, over shared points
    certificates     proofs from problem and solution alone
    solvers          solve(problem) -> Solution
    machines         the machines behind a model
    estimators       the scikit-learn face: SVC, NuSVC, SVR, NuSVR, OneClassSVM, LinearSVC, ...
    metrics          decision costs: DCF, EER, Cllr, scorers
    calibration      scores to probabilities and log-likelihood ratios: CalibratedSVC
    model_selection  grids with shared kernel matrices: SVMSearchCV
    paths            the solutions at every C: svm_path, linear_path
    streams          data in chunks
    persist          model files: its own, LIBSVM's, LIBLINEAR's, ONNX
    plot             pictures (extra "plot")
    pages            a page about a model or a study
    cli              the command line
    files            files that are replaced as a whole
    interrupts       what Ctrl-C does
    frame            rows of results as a pandas DataFrame
    wording          how numbers and scores are written
    interior_point   quadratic programs through Clarabel
    errors, typing   the errors; types of arrays

Each layer imports only those that it is built on: `make lint` checks it.
"""

import importlib
from typing import TYPE_CHECKING, Any

from maxmargin import certificates, kernels, problems, solvers
from maxmargin.certificates import certify, separability
from maxmargin.errors import (
    InfeasibleProblemError,
    InvalidInputError,
    MaxMarginError,
    MissingDependencyError,
    ModelFileError,
    NotSeparableError,
    UnsupportedProblemError,
)
from maxmargin.kernels import RBF, Linear, Polynomial
from maxmargin.problems import HardMargin, Points, SoftMargin
from maxmargin.solvers import Solution, Stop, solve, solve_all

if TYPE_CHECKING:
    from maxmargin import (
        calibration,
        estimators,
        machines,
        metrics,
        model_selection,
        pages,
        paths,
        persist,
        streams,
    )
    from maxmargin import plot as plot
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
    from maxmargin.model_selection import SVMSearchCV
    from maxmargin.paths import linear_path, svm_path
    from maxmargin.persist import load, save

__version__ = "0.1.0"

__all__ = [
    "RBF",
    "SVC",
    "SVR",
    "CalibratedSVC",
    "HardMargin",
    "InfeasibleProblemError",
    "InvalidInputError",
    "Linear",
    "LinearSVC",
    "LinearSVR",
    "MaxMarginError",
    "MissingDependencyError",
    "ModelFileError",
    "NotSeparableError",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "OnlineOneClassSVM",
    "OnlineSVC",
    "Points",
    "Polynomial",
    "SVMSearchCV",
    "SoftMargin",
    "Solution",
    "Stop",
    "UnsupportedProblemError",
    "calibration",
    "certificates",
    "certify",
    "estimators",
    "kernels",
    "linear_path",
    "load",
    "machines",
    "metrics",
    "model_selection",
    "pages",
    "paths",
    "persist",
    "problems",
    "save",
    "separability",
    "solve",
    "solve_all",
    "solvers",
    "streams",
    "svm_path",
]

#: What is imported on first use, because it needs scikit-learn, which is slow, or an extra.
_LAZY = {
    **dict.fromkeys(
        (
            "SVC",
            "SVR",
            "LinearSVC",
            "LinearSVR",
            "NuSVC",
            "NuSVR",
            "OneClassSVM",
            "OnlineOneClassSVM",
            "OnlineSVC",
        ),
        "estimators",
    ),
    "CalibratedSVC": "calibration",
    "SVMSearchCV": "model_selection",
    "linear_path": "paths",
    "load": "persist",
    "save": "persist",
    "svm_path": "paths",
}
_LAZY_PACKAGES = (
    "calibration",
    "estimators",
    "machines",
    "metrics",
    "model_selection",
    "pages",
    "paths",
    "persist",
    "plot",
    "streams",
)


def __getattr__(name: str) -> Any:
    if name in _LAZY_PACKAGES:
        return importlib.import_module(f"maxmargin.{name}")
    if name in _LAZY:
        return getattr(importlib.import_module(f"maxmargin.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'maxmargin' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "plot", "__version__"]
