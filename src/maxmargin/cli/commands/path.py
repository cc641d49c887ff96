"""``maxmargin path``: the machines at every C."""

from __future__ import annotations

from typing import Any

import click
import numpy as np
from scipy import sparse

from maxmargin.cli.fitting import data_line
from maxmargin.cli.formats import STDIN
from maxmargin.cli.machines import estimator_of
from maxmargin.cli.numbers import grid, number
from maxmargin.cli.options import MachineOptions, data_options, machine_options, output_option
from maxmargin.cli.rows import as_lines, write_rows
from maxmargin.cli.session import Session, with_session
from maxmargin.cli.source import Data, Source
from maxmargin.errors import InvalidInputError

__all__ = ["path"]

_price = number(above=0.0)
_LINEAR_PRICES = tuple(float(f"1e{k}") for k in range(-3, 4))
_HIGHEST = 100.0
_SHOWN = 20


@click.command()
@data_options
@output_option("The whole table, CSV or JSON; - for CSV on standard output.")
@machine_options
@click.option(
    "--at", type=grid(_price, logarithmic=True), metavar="GRID", help="At these C, certified."
)
@click.option("--events", is_flag=True, help="Which point changes its set where.")
@click.option("--C-min", "c_min", type=number(least=0.0), default="0", metavar="NUMBER")
@click.option("--C-max", "c_max", type=_price, metavar="NUMBER", help="Where it ends: 100.")
@with_session
def path(
    session: Session,
    source: Source,
    output: str | None,
    wanted: MachineOptions,
    at: tuple[float, ...] | None,
    events: bool,
    c_min: float,
    c_max: float | None,
) -> None:
    """Follow the exact solutions of a two-class kernel machine as C grows.

    The table has a row for each breakpoint, where a point reaches or leaves its margin; between
    them the machine changes linearly. With --at the rows are at those C and carry a certificate;
    with --events they are the points that change. --machine linear-svc fits linear machines at
    each C of --at, for any number of classes.
    """
    _refuse(wanted, "C", "--C", "a path goes over all C: give --at, --C-min and --C-max")
    machine = wanted.machine or "svc"
    if machine not in ("svc", "linear-svc"):
        raise click.UsageError("A path is that of --machine svc or linear-svc.")
    data = source.read(text=wanted.compares_text)
    session.note(data_line(data, source.data, machine))
    if machine == "linear-svc":
        if events:
            raise click.UsageError("--events are those of kernel machines: leave it out.")
        rows, status = _linear(wanted, data, at or _LINEAR_PRICES)
    else:
        rows, status = _kernel(wanted, data, at, events, c_min, c_max)
    if output is not None and not (session.json and output == STDIN):
        write_rows(rows, output)
    if output != STDIN:
        session.say(status)
        for line in as_lines(rows[:_SHOWN]):
            session.say(line)
        if len(rows) > _SHOWN:
            session.say(f"and {len(rows) - _SHOWN} rows more: -o FILE writes all of them")
    session.answer({"command": "path", "status": status, "rows": rows, "output": output})


def _refuse(wanted: MachineOptions, name: str, option: str, why: str) -> None:
    if getattr(wanted, name) is not None:
        raise click.UsageError(f"{option}: {why}.")


def _prepared(wanted: MachineOptions, machine: str, data: Data) -> tuple[Any, Any]:
    """Return the machine, not fitted, and the points as it is given them."""
    from sklearn.pipeline import Pipeline

    estimator = estimator_of(wanted, machine, data, verbose=False)
    machine_itself, X = estimator, data.X
    if isinstance(estimator, Pipeline):
        machine_itself, X = estimator[-1], estimator[:-1].fit_transform(X)
    return machine_itself, X if sparse.issparse(X) else np.asarray(X)


def _kernel(
    wanted: MachineOptions,
    data: Data,
    at: tuple[float, ...] | None,
    events: bool,
    c_min: float,
    c_max: float | None,
) -> tuple[list[dict[str, Any]], str]:
    from maxmargin import svm_path
    from maxmargin.estimators.kernel_choice import kernel_of
    from maxmargin.problems import Free, Regularised, SoftMargin

    if wanted.class_weight is not None:
        raise click.UsageError("--class-weight: a path of kernel machines weighs classes alike.")
    machine, X = _prepared(wanted, "svc", data)
    y = data.required_y()
    classes = np.unique(y)
    if len(classes) != 2:
        raise InvalidInputError(
            f"A path is about two classes, but the target has {len(classes)}: leave out others, or "
            "use --machine linear-svc."
        )
    highest = c_max or (max(at) if at else _HIGHEST)
    problem = SoftMargin(
        X,
        np.where(y == classes[1], 1.0, -1.0),
        C=highest,
        kernel=kernel_of(machine.kernel, machine.gamma, machine.coef0, machine.degree),
        bias=Free() if machine.bias == "free" else Regularised(1.0),
    )
    found = svm_path(problem, C_min=c_min)
    if events:
        return [_event(event) for event in found.events], found.status
    if at is None:
        return [_at(found, float(C)) for C in found.breakpoints], found.status
    rows = []
    for C in at:
        certificate = found.certificate(C)
        measures = {
            "primal": certificate.primal,
            "dual": certificate.dual,
            "relative_gap": certificate.relative_gap,
            "kkt_violation": certificate.kkt_violation,
        }
        rows.append({**_at(found, C), **measures})
    return rows, found.status


def _event(event: Any) -> dict[str, Any]:
    before, after = event.before.name.lower(), event.after.name.lower()
    return {"C": event.C, "row": event.point + 1, "before": before, "after": after}


def _at(found: Any, C: float) -> dict[str, Any]:
    n_support, n_free = int(found.n_support(C)), int(found.n_free(C))
    return {
        "C": C,
        "support": n_support,
        "free": n_free,
        "bounded": n_support - n_free,
        "bias": float(found.bias(C)),
    }


def _linear(
    wanted: MachineOptions, data: Data, at: tuple[float, ...]
) -> tuple[list[dict[str, Any]], str]:
    from maxmargin import linear_path

    machine, X = _prepared(wanted, "linear-svc", data)
    y = data.required_y()
    fixed = ("C", "warm_start", "verbose")
    options = {k: v for k, v in machine.get_params(deep=False).items() if k not in fixed}
    found = linear_path(X, y, at, **options)
    rows = []
    for k, C in enumerate(found.Cs.tolist()):
        values = X @ found.coef[k].T + found.intercept[k]
        chosen = values[:, 0] > 0 if values.shape[1] == 1 else np.argmax(values, axis=1)
        certificate = found.certificates[k]
        rows.append(
            {
                "C": C,
                "accuracy": float(np.mean(found.classes[np.asarray(chosen, dtype=np.intp)] == y)),
                "norm": float(np.linalg.norm(found.coef[k])),
                "nonzero": int(np.count_nonzero(found.coef[k])),
                "primal": certificate.primal,
                "dual": certificate.dual,
                "relative_gap": certificate.relative_gap,
                "iterations": int(found.n_iter[k]),
                "seconds": float(found.times[k]),
            }
        )
    return rows, f"{len(rows)} linear machines, accuracy on the training data."
