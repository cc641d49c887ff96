"""From options to an estimator: which machine, with which parameters, after which steps."""

from __future__ import annotations

from typing import Any

import click
import numpy as np
from scipy import sparse
from sklearn import preprocessing
from sklearn.base import clone, is_classifier
from sklearn.decomposition import PCA
from sklearn.pipeline import Pipeline

from maxmargin import CalibratedSVC
from maxmargin.cli.data import Data
from maxmargin.cli.options import FLAGS, MachineOptions
from maxmargin.errors import InvalidInputError
from maxmargin.estimators import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM

__all__ = ["calibrated", "estimator_of", "is_classifier_name", "machine_name", "split"]

_CLASSES: dict[str, Any] = {
    "svc": SVC,
    "nu-svc": NuSVC,
    "svr": SVR,
    "nu-svr": NuSVR,
    "one-class": OneClassSVM,
    "linear-svc": LinearSVC,
    "linear-svr": LinearSVR,
}


def is_classifier_name(machine: str) -> bool:
    """Return whether a machine decides between classes."""
    return machine.endswith("svc")


def machine_name(wanted: MachineOptions, y: Any) -> str:
    """Return the machine that was named, or the one that suits the target."""
    if wanted.machine is not None:
        return wanted.machine
    if y is None:
        return "one-class"
    if y.dtype.kind not in "iuf":
        return "svc"
    # Whole numbers that hardly repeat are amounts.
    repeats = len(np.unique(y)) <= max(2.0, len(y) ** 0.5)
    return "svc" if repeats and y.dtype.kind != "f" else "svr"


def estimator_of(wanted: MachineOptions, machine: str, data: Data, *, verbose: bool) -> Any:
    """Return the machine of this name, in a pipeline if steps come before it."""
    kind = _CLASSES[machine]
    parameters = _parameters(wanted)
    for name in parameters:
        if name not in kind().get_params(deep=False):
            raise click.UsageError(f"{FLAGS[name]} has no meaning for --machine {machine}.")
    if isinstance(wanted.class_weight, tuple):
        parameters["class_weight"] = _by_label(wanted.class_weight, data.required_y())
    found = kind(**parameters, verbose=verbose)
    steps = _steps(wanted, data)
    return Pipeline([*steps, ("machine", found)]) if steps else found


def split(estimator: Any) -> tuple[Any, Any]:
    """Return the steps before the machine, None if there are none, and the machine."""
    if isinstance(estimator, Pipeline):
        return estimator[:-1], estimator[-1]
    return None, estimator


def calibrated(estimator: Any, wanted: MachineOptions) -> Any:
    """Return the estimator, with its machine calibrated if probabilities were asked for."""
    if wanted.probability is None:
        return estimator
    if not is_classifier(estimator):
        raise click.UsageError("--probability is about classes: use it with a classifier.")
    steps, machine = split(clone(estimator))
    # Inside the pipeline, because the folds of a machine share its kernel rows.
    machine = CalibratedSVC(machine, method=wanted.probability)  # type: ignore[arg-type]
    return machine if steps is None else Pipeline([*steps.steps, ("machine", machine)])


def _parameters(wanted: MachineOptions) -> dict[str, Any]:
    if len(wanted.kernel) > 1:
        raise click.UsageError("Several kernels are compared by tune: give one --kernel here.")
    found: dict[str, Any] = {}
    for kernel in wanted.kernel:
        found["kernel"] = kernel.value
        found.update({} if kernel.compares_text else kernel.parameters)
    for name, value in wanted.parameters.items():
        found[name] = value.replace("-", "_") if isinstance(value, str) else value
    if wanted.class_weight is not None:
        found["class_weight"] = wanted.class_weight
    return found


def _by_label(weights: tuple[tuple[str, float], ...], y: Any) -> dict[Any, float]:
    """Return weights by label, whatever the type of the labels."""
    labels = {str(label): label for label in np.unique(y).tolist()}
    for name, _ in weights:
        if name not in labels:
            raise InvalidInputError(
                f"--class-weight names {name!r}, which is not a class: there are "
                f"{', '.join(labels)}."
            )
    return {labels[name]: weight for name, weight in weights}


def _steps(wanted: MachineOptions, data: Data) -> list[tuple[str, Any]]:
    steps: list[tuple[str, Any]] = []
    is_sparse = sparse.issparse(data.X)
    if (wanted.scale or wanted.pca) and data.X.ndim == 1:
        raise click.UsageError("--scale and --pca are about numbers, not about text.")
    if wanted.scale == "minmax" and is_sparse:
        raise InvalidInputError(
            "--scale minmax would fill in the zeros of sparse data: use maxabs, or --dense."
        )
    if wanted.scale is not None:
        scalers = {
            "standard": preprocessing.StandardScaler(with_mean=not is_sparse),
            "minmax": preprocessing.MinMaxScaler(feature_range=(-1, 1)),
            "maxabs": preprocessing.MaxAbsScaler(),
            "robust": preprocessing.RobustScaler(with_centering=not is_sparse),
        }
        steps.append(("scale", scalers[wanted.scale]))
    if wanted.pca is not None:
        if is_sparse:
            raise InvalidInputError("--pca needs data that are not sparse: give --dense.")
        if wanted.pca > min(data.n_rows, data.n_features):
            raise InvalidInputError(
                f"--pca {wanted.pca} asks for more components than the data have: there are "
                f"{data.n_rows} rows and {data.n_features} features."
            )
        steps.append(("pca", PCA(wanted.pca, random_state=0)))
    return steps
