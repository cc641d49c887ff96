"""From options to an estimator: which machine, with which parameters, after which steps."""

from __future__ import annotations

from typing import Any

import click
import numpy as np
from scipy import sparse

from maxmargin.cli.options import MachineOptions
from maxmargin.cli.source import Data
from maxmargin.errors import InvalidInputError

__all__ = ["MACHINE_STEP", "calibrated", "estimator_of", "guessed_machine", "is_classifier_name"]

#: What the last step of a pipeline is called.
MACHINE_STEP = "machine"

_CLASSES = {
    "svc": "SVC",
    "nu-svc": "NuSVC",
    "svr": "SVR",
    "nu-svr": "NuSVR",
    "one-class": "OneClassSVM",
    "linear-svc": "LinearSVC",
    "linear-svr": "LinearSVR",
}

#: Options and the parameters that they set.
_PARAMETERS = {
    "C": "C",
    "gamma": "gamma",
    "degree": "degree",
    "coef0": "coef0",
    "nu": "nu",
    "epsilon": "epsilon",
    "loss": "loss",
    "penalty": "penalty",
    "multi_class": "multi_class",
    "bias": "bias",
    "intercept_scaling": "intercept_scaling",
    "tol": "tol",
    "max_iter": "max_iter",
    "time_limit": "time_limit",
    "cache_size": "cache_size",
    "jobs": "n_jobs",
}
_WORDS = ("loss", "multi_class")


def is_classifier_name(machine: str) -> bool:
    """Say whether a machine decides between classes."""
    return machine.endswith("svc")


def guessed_machine(wanted: MachineOptions, y: Any) -> str:
    """Return the machine that was named, or the one that the target calls for."""
    if wanted.machine is not None:
        return wanted.machine
    if y is None:
        return "one-class"
    if y.dtype.kind == "f":
        return "svr"
    if y.dtype.kind not in "iu":
        return "svc"
    # Whole numbers that hardly repeat are amounts.
    return "svc" if len(np.unique(y)) <= max(2.0, len(y) ** 0.5) else "svr"


def estimator_of(wanted: MachineOptions, machine: str, data: Data, *, verbose: bool) -> Any:
    """Return the machine, or a pipeline of the steps before it and the machine.

    Parameters
    ----------
    wanted : MachineOptions
        With one value each.
    machine : str
        One of the names of ``--machine``.
    data : Data
        What it will be fitted to.
    verbose : bool
        Whether it shows a progress bar.
    """
    from sklearn.pipeline import Pipeline

    import maxmargin

    kind = getattr(maxmargin, _CLASSES[machine])
    known = kind().get_params(deep=False)
    parameters = _parameters_of(wanted, machine, known)
    if wanted.class_weight is not None:
        parameters["class_weight"] = _class_weight(wanted.class_weight, data.required_y())
    found = kind(**parameters, verbose=verbose)
    steps = _steps(wanted, data)
    return Pipeline([*steps, (MACHINE_STEP, found)]) if steps else found


def calibrated(estimator: Any, wanted: MachineOptions) -> Any:
    """Return the estimator with its machine calibrated."""
    from sklearn.base import clone, is_classifier
    from sklearn.pipeline import Pipeline

    from maxmargin import CalibratedSVC

    if not is_classifier(estimator):
        raise click.UsageError("--probability is about classes: use it with a classifier.")
    assert wanted.probability is not None
    if not isinstance(estimator, Pipeline):
        return CalibratedSVC(estimator, method=wanted.probability)  # type: ignore[arg-type]
    found = clone(estimator)
    name, machine = found.steps[-1]
    # The machine's folds share its engine; the steps before it have seen no label.
    found.steps[-1] = (name, CalibratedSVC(machine, method=wanted.probability))  # type: ignore[arg-type]
    return found


def _parameters_of(wanted: MachineOptions, machine: str, known: dict[str, Any]) -> dict[str, Any]:
    parameters: dict[str, Any] = {}
    for kernel in wanted.kernels[:1]:
        _require(known, "kernel", "--kernel", machine)
        parameters["kernel"] = kernel.value
        if not kernel.compares_text:
            parameters.update(kernel.parameters)
    for option, name in _PARAMETERS.items():
        value = getattr(wanted, option)
        if value is None:
            continue
        _require(known, name, f"--{option.replace('_', '-')}", machine)
        parameters[name] = value.replace("-", "_") if option in _WORDS else value
    if wanted.no_intercept:
        _require(known, "fit_intercept", "--no-intercept", machine)
        parameters["fit_intercept"] = False
    if wanted.class_weight is not None:
        _require(known, "class_weight", "--class-weight", machine)
    return parameters


def _require(known: dict[str, Any], parameter: str, option: str, machine: str) -> None:
    if parameter not in known:
        raise click.UsageError(f"{option} has no meaning for --machine {machine}.")


def _steps(wanted: MachineOptions, data: Data) -> list[tuple[str, Any]]:
    if wanted.scale is None and wanted.pca is None:
        return []
    if data.X.ndim == 1:
        raise click.UsageError("--scale and --pca are about numbers, not about text.")
    steps: list[tuple[str, Any]] = []
    if wanted.scale is not None:
        steps.append(("scale", _scaler(wanted.scale, is_sparse=sparse.issparse(data.X))))
    if wanted.pca is not None:
        from sklearn.decomposition import PCA

        if sparse.issparse(data.X):
            raise InvalidInputError("--pca needs data that are not sparse: give --dense.")
        if wanted.pca > min(data.n_rows, data.n_features):
            raise InvalidInputError(
                f"--pca {wanted.pca} asks for more components than the data have: there are "
                f"{data.n_rows} rows and {data.n_features} features."
            )
        steps.append(("pca", PCA(wanted.pca, random_state=0)))
    return steps


def _scaler(name: str, *, is_sparse: bool) -> Any:
    from sklearn import preprocessing

    if name == "minmax":
        if is_sparse:
            raise InvalidInputError(
                "--scale minmax would fill in the zeros of sparse data: use maxabs, or --dense."
            )
        return preprocessing.MinMaxScaler(feature_range=(-1, 1))
    if name == "maxabs":
        return preprocessing.MaxAbsScaler()
    if name == "robust":
        return preprocessing.RobustScaler(with_centering=not is_sparse)
    return preprocessing.StandardScaler(with_mean=not is_sparse)


def _class_weight(text: str, y: Any) -> Any:
    """Return weights by label, whatever type labels are of."""
    if text == "balanced":
        return text
    labels = {str(label): label for label in np.unique(y).tolist()}
    found: dict[Any, float] = {}
    for part in text.split(","):
        name, _, weight = part.rpartition("=")
        if name.strip() not in labels:
            raise InvalidInputError(
                f"--class-weight names {name or part!r}, which is no class: there are "
                f"{', '.join(labels)}."
            )
        try:
            found[labels[name.strip()]] = float(weight)
        except ValueError:
            raise InvalidInputError(
                f"--class-weight gives {name!r} the weight {weight!r}, which is not a number."
            ) from None
    return found
