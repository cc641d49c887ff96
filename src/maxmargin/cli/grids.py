"""What is searched: the grids that were given, and defaults for those that were not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click
import numpy as np
from scipy import sparse

from maxmargin.cli.kernel_names import KernelName
from maxmargin.cli.machines import MACHINE_STEP
from maxmargin.cli.options import MachineOptions
from maxmargin.cli.source import Data

__all__ = ["parameter_grid", "without_grids"]

_GRIDS = ("C", "gamma", "degree", "coef0", "nu", "epsilon")
_PRICES = (0.1, 1.0, 10.0, 100.0, 1000.0)
_LINEAR_PRICES = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)
_NUS = (0.1, 0.2, 0.3, 0.4, 0.5)
_DEGREES = (2, 3)

#: Times the gamma that "scale" would choose.
_GAMMAS = (1 / 16, 1 / 4, 1.0, 4.0, 16.0)
#: Times the spread of the target.
_TUBES = (0.01, 0.1)


def without_grids(wanted: MachineOptions) -> MachineOptions:
    """Return the options that are the same for every candidate."""
    nothing: dict[str, Any] = dict.fromkeys(_GRIDS)
    return replace(wanted, kernel=None, **nothing)


def parameter_grid(
    wanted: MachineOptions, machine: str, estimator: Any, data: Data
) -> list[dict[str, list[Any]]]:
    """Return one grid a kernel, for scikit-learn's searches.

    Parameters
    ----------
    wanted : MachineOptions
        Grids where they were given.
    machine : str
        One of the names of ``--machine``.
    estimator : estimator
        The machine or pipeline, not fitted.
    data : Data
        From which the default of gamma comes.
    """
    from sklearn.pipeline import Pipeline

    is_pipeline = isinstance(estimator, Pipeline)
    prefix = f"{MACHINE_STEP}__" if is_pipeline else ""
    known = (estimator[-1] if is_pipeline else estimator).get_params(deep=False)
    grids = []
    for kernel in _kernels(wanted, known, machine):
        found = _prices(wanted, machine, data)
        if kernel is not None:
            found["kernel"] = [kernel.value]
            found.update(_of_kernel(wanted, kernel, estimator, data))
        for name in _GRIDS:
            given = getattr(wanted, name)
            if given is not None and name not in found:
                whose = f"the kernel {kernel}" if name in known else f"--machine {machine}"
                raise click.UsageError(f"--{name} has no meaning for {whose}.")
        grids.append({prefix + name: list(values) for name, values in found.items()})
    return grids


def _kernels(
    wanted: MachineOptions, known: dict[str, Any], machine: str
) -> tuple[KernelName | None, ...]:
    if "kernel" in known:
        return wanted.kernels or (KernelName("rbf"),)
    if wanted.kernels:
        raise click.UsageError(f"--kernel has no meaning for --machine {machine}.")
    return (None,)


def _prices(wanted: MachineOptions, machine: str, data: Data) -> dict[str, Any]:
    """Return the grids of C, nu and epsilon, as far as the machine has them."""
    found: dict[str, Any] = {}
    if machine != "nu-svc":
        default = _LINEAR_PRICES if machine.startswith("linear") else _PRICES
        found["C"] = wanted.C or default
    if machine.startswith("nu"):
        found["nu"] = wanted.nu or _NUS
    if machine in ("svr", "linear-svr"):
        spread = float(np.std(data.required_y())) or 1.0
        found["epsilon"] = wanted.epsilon or tuple(_rounded(part * spread) for part in _TUBES)
    return found


def _of_kernel(
    wanted: MachineOptions, kernel: KernelName, estimator: Any, data: Data
) -> dict[str, Any]:
    """Return the grids of gamma, degree and coef0, as far as the kernel has them."""
    found: dict[str, Any] = {}
    for name in kernel.options:
        if name in kernel.parameters:
            found[name] = (kernel.parameters[name],)
        elif getattr(wanted, name) is not None:
            found[name] = getattr(wanted, name)
        elif name == "gamma" and kernel.name != "poly":
            centre = _scale(estimator, data)
            found[name] = tuple(_rounded(factor * centre) for factor in _GAMMAS)
        elif name == "degree":
            found[name] = _DEGREES
    return found


def _scale(estimator: Any, data: Data) -> float:
    """Return the gamma that "scale" chooses for what reaches the machine."""
    from sklearn.base import clone
    from sklearn.pipeline import Pipeline

    from maxmargin.kernels import RBF

    X = data.X
    if isinstance(estimator, Pipeline):
        X = clone(estimator)[:-1].fit_transform(X)
    if not sparse.issparse(X):
        X = np.asarray(X, dtype=np.float64)
    gamma = RBF("scale").resolve(X).gamma
    assert not isinstance(gamma, str)
    return float(gamma)


def _rounded(value: float) -> float:
    return float(f"{value:.3g}")
