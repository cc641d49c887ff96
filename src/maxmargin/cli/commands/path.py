"""``maxmargin path``: the machines at every C."""

from __future__ import annotations

from inspect import signature
from typing import Any

import click
import numpy as np
from scipy import sparse

from maxmargin.cli.commands.train import data_line
from maxmargin.cli.data import Data, read_training
from maxmargin.cli.machines import estimator_of, split
from maxmargin.cli.models import LARGEST_GAP
from maxmargin.cli.options import STDIO, DataOptions, MachineOptions
from maxmargin.cli.output import Session, as_lines, write_rows
from maxmargin.cli.values import KernelName
from maxmargin.errors import InvalidInputError
from maxmargin.paths import linear_path, svm_path
from maxmargin.problems import Free, Regularised

__all__ = ["run"]

_LINEAR_C = tuple(float(f"1e{k}") for k in range(-3, 4))
_C_MAX = 100.0
_N_SHOWN = 20


def run(
    session: Session,
    source: DataOptions,
    output: str | None,
    wanted: MachineOptions,
    at: tuple[float, ...] | None,
    events: bool,
    c_min: float,
    c_max: float | None,
) -> None:
    """Print the path."""
    if wanted.C is not None:
        raise click.UsageError("--C: a path goes over all C: give --at, --C-min and --C-max.")
    machine = wanted.machine or "svc"
    if machine not in ("svc", "linear-svc"):
        raise click.UsageError("A path is that of --machine svc or linear-svc.")
    if machine == "linear-svc" and events:
        raise click.UsageError("--events are those of kernel machines: leave it out.")
    data = read_training(source, text=wanted.compares_text)
    session.note(data_line(data, source.data, machine))
    if machine == "linear-svc":
        rows = _linear_rows(wanted, data, at or _LINEAR_C)
        status = f"{len(rows)} linear machines, accuracy on the training data."
    else:
        found = _kernel_path(wanted, data, c_min, c_max or (max(at) if at else _C_MAX))
        rows, status = _kernel_rows(found, at, events), found.status
    if output is not None and not (session.json and output == STDIO):
        write_rows(rows, output)
    if output != STDIO:
        session.say(status, *as_lines(rows[:_N_SHOWN]))
        if len(rows) > _N_SHOWN:
            session.say(f"and {len(rows) - _N_SHOWN} rows more: -o FILE writes all of them")
    worst = max((abs(row.get("relative_gap", 0.0)) for row in rows), default=0.0)
    if worst > LARGEST_GAP:
        session.warn_of_shortfall(
            f"A machine did not reach the optimum: its relative gap is {worst:.3g}, more than "
            f"{LARGEST_GAP:g}."
        )
    session.answer(status=status, rows=rows, output=output)


def _prepared(wanted: MachineOptions, name: str, data: Data) -> tuple[Any, Any]:
    """Return the machine of this name, not fitted, and the points that reach it."""
    steps, machine = split(estimator_of(wanted, name, data, verbose=False))
    X = data.X if steps is None else steps.fit_transform(data.X)
    return machine, X if sparse.issparse(X) else np.asarray(X)


def _kernel_path(wanted: MachineOptions, data: Data, c_min: float, c_max: float) -> Any:
    if wanted.class_weight is not None:
        raise click.UsageError("--class-weight: a path of kernel machines weighs classes alike.")
    machine, X = _prepared(wanted, "svc", data)
    y = data.required_y()
    n_classes = len(np.unique(y))
    if n_classes != 2:
        raise InvalidInputError(
            f"A path is about two classes, but the target has {n_classes}: leave out others, or "
            "use --machine linear-svc."
        )
    name = wanted.kernel[0] if wanted.kernel else KernelName("rbf")
    parameters = {option: getattr(machine, option) for option in name.options}
    kernel = name.build(parameters or name.parameters)
    bias = Free() if machine.bias == "free" else Regularised(1.0)
    return svm_path(X, y, kernel=kernel, bias=bias, C_min=c_min, C_max=c_max)


def _kernel_rows(found: Any, at: tuple[float, ...] | None, events: bool) -> list[dict[str, Any]]:
    """Return the points that change, or the machines at some C or at all breakpoints."""
    if events:
        return [
            {
                "C": event.C,
                "row": event.point + 1,
                "before": event.before.name.lower(),
                "after": event.after.name.lower(),
            }
            for event in found.events
        ]
    rows = []
    for C in found.breakpoints.tolist() if at is None else at:
        n_support, n_free = int(found.n_support(C)), int(found.n_free(C))
        row = {"C": C, "support": n_support, "free": n_free, "bounded": n_support - n_free}
        row["bias"] = float(found.bias(C))
        if at is not None:
            row |= _values(found.certificate(C), "primal", "dual", "relative_gap", "kkt_violation")
        rows.append(row)
    return rows


def _linear_rows(wanted: MachineOptions, data: Data, at: tuple[float, ...]) -> list[dict[str, Any]]:
    """Return one row per C."""
    machine, X = _prepared(wanted, "linear-svc", data)
    y = data.required_y()
    parameters = machine.get_params(deep=False)
    options = {k: v for k, v in parameters.items() if k in signature(linear_path).parameters}
    found = linear_path(X, y, at, **options)
    rows = []
    for k, C in enumerate(found.Cs.tolist()):
        values = X @ found.coef[k].T + found.intercept[k]
        chosen = values[:, 0] > 0 if values.shape[1] == 1 else np.argmax(values, axis=1)
        rows.append(
            {
                "C": C,
                "accuracy": float(np.mean(found.classes[chosen.astype(np.intp)] == y)),
                "norm": float(np.linalg.norm(found.coef[k])),
                "nonzero": int(np.count_nonzero(found.coef[k])),
                **_values(found.certificates[k], "primal", "dual", "relative_gap"),
                "iterations": int(found.n_iter[k]),
                "seconds": float(found.times[k]),
            }
        )
    return rows


def _values(certificate: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(certificate, name) for name in names}
