"""``maxmargin train``: fit a machine to data and save it."""

from __future__ import annotations

import math
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from maxmargin.cli.data import Data, read_training
from maxmargin.cli.machines import calibrated, estimator_of, is_classifier_name, machine_name
from maxmargin.cli.models import (
    certificate_facts,
    over_machines,
    parts_of,
    require_place,
    save_model,
    shortfall,
    support_facts,
)
from maxmargin.cli.options import DataOptions, MachineOptions
from maxmargin.cli.output import Session
from maxmargin.machines.machine import HasMachines

__all__ = ["data_line", "finish", "fit", "run"]

_MOST_CLASSES = 10


def run(
    session: Session, source: DataOptions, output: str, wanted: MachineOptions, no_proof: bool
) -> None:
    """Train a machine."""
    require_place(output)
    data = read_training(source, text=wanted.compares_text)
    machine = machine_name(wanted, data.y)
    targets = () if machine == "one-class" else (data.required_y(),)
    estimator = estimator_of(wanted, machine, data, verbose=session.shows_progress)
    estimator = calibrated(estimator, wanted)
    session.note(data_line(data, source.data, machine))
    model, seconds = fit(session, lambda: estimator.fit(data.X, *targets))
    facts = finish(session, model, data, output, seconds, certify=not no_proof)
    session.answer(machine=machine, **facts)


def _interruption(machine: Any) -> str:
    """Return a sentence on a fit that Ctrl-C ended."""
    said = "Interrupted: this is the model so far"
    if isinstance(machine, HasMachines):
        gaps = [abs(one.solution.estimate.relative_gap) for one in machine.machines_]
        if all(map(math.isfinite, gaps)):
            said += f", with a relative gap of about {max(gaps):.2g} (an estimate, no certificate)"
    return f"{said}. Ctrl-C twice within two seconds ends a run without a model."


def data_line(data: Data, name: str, machine: str) -> str:
    """Return a line about the data that were read."""
    d = data.n_features
    what = f"{d} feature{'s' if d != 1 else ''}" if data.X.ndim == 2 else "one column of text"
    line = f"{name}: {data.n_rows} rows, {what}"
    if data.y is None or machine == "one-class":
        return line
    line += f", target {data.target!r}" if data.target else ", target"
    if not is_classifier_name(machine):
        y = data.y.astype(np.float64)
        return f"{line} from {y.min():g} to {y.max():g}"
    classes, counts = np.unique(data.y, return_counts=True)
    if len(classes) > _MOST_CLASSES:
        return f"{line} with {len(classes)} classes"
    shown = ", ".join(f"{label} ({count})" for label, count in zip(classes, counts, strict=True))
    return f"{line} with the classes {shown}"


def fit(session: Session, make: Callable[[], Any]) -> tuple[Any, float]:
    """Return a fitted model and the seconds it took; Ctrl-C ends it with the best so far."""
    started = perf_counter()
    with session.watch_interrupts():
        model = make()
    for part in parts_of(model):
        # Whether progress was shown is not a property of the model.
        names = [name for name in part.get_params() if name.split("__")[-1] == "verbose"]
        part.set_params(**dict.fromkeys(names, False))
    return model, perf_counter() - started


def finish(
    session: Session, model: Any, data: Data, path: str, seconds: float, *, certify: bool
) -> dict[str, Any]:
    """Save a fitted model, certify it, print the results, and return them for JSON."""
    certificate: dict[str, Any] = {}
    # First without the certificate: if Ctrl-C interrupts it, the model is not lost.
    kind = save_model(session, model, path, proof=False)
    *_, machine = parts_of(model)
    if certify and not session.interrupted:
        try:
            certificate = certificate_facts(machine)
            if kind == "maxmargin":
                save_model(session, model, path)
        except KeyboardInterrupt:
            session.interrupted = True
            session.note("Interrupted: the model is saved without its proof.")
            certificate = {}
    certify = certify and not session.interrupted
    support = support_facts(machine, certificate)
    line = f"{type(machine).__name__} fitted in {seconds:.2f} s"
    if support:
        counted = f"{support['n_support']} support vectors of {support['n_points']} points"
        line += f": {counted} ({support['fraction']:.0%})"
    if "free" in support:
        line += f", {support['free']} free and {support['bounded']} bounded{over_machines(support)}"
    session.say(line)
    if session.interrupted and not session.converged:
        session.note(_interruption(machine))
    if "claim" in certificate:
        gap, violation = certificate["relative_gap"], certificate["kkt_violation"]
        numbers = f"relative gap {gap:.2e}, KKT violation {violation:.2e}"
        session.say(f"Certificate: {numbers}. {certificate['claim']}")
        session.warn_of_shortfall(shortfall(machine, certificate))
    elif certify:
        session.say(f"Certificate: {certificate['missing']}")
    session.say(f"Saved {path}")
    facts: dict[str, Any] = {
        "rows": data.n_rows,
        "features": data.n_features,
        "feature_names": data.names,
        "target": data.target or None,
        "converged": session.converged,
        "seconds": round(seconds, 3),
        "model": path,
    }
    proved = {"support": support, "certificate": certificate}
    return facts | {name: fact for name, fact in proved.items() if fact}
