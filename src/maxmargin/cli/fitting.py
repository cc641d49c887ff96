"""A fit that is watched, may be interrupted, and is saved before it is proved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

import numpy as np

from maxmargin.cli.facts import certificate_facts, support_facts
from maxmargin.cli.session import Session
from maxmargin.cli.source import Data

__all__ = ["data_line", "fit", "fit_lines", "parts_of", "save_with_proof"]

_MOST_CLASSES_SHOWN = 10


def data_line(data: Data, name: str, machine: str) -> str:
    """Return a sentence on what was read."""
    n, d = data.n_rows, data.n_features
    what = f"{d} feature{'s' if d != 1 else ''}" if data.X.ndim == 2 else "one column of text"
    line = f"{name}: {n} rows, {what}"
    if data.y is None or machine == "one-class":
        return line
    target = f"target {data.target!r}" if data.target else "target"
    if not machine.endswith("svc"):
        y = data.y.astype(np.float64)
        return f"{line}, {target} from {y.min():g} to {y.max():g}"
    classes, counts = np.unique(data.y, return_counts=True)
    if len(classes) > _MOST_CLASSES_SHOWN:
        return f"{line}, {target} with {len(classes)} classes"
    shares = ", ".join(f"{c} ({k})" for c, k in zip(classes, counts, strict=True))
    return f"{line}, {target} with the classes {shares}"


def fit(session: Session, make: Callable[[], Any]) -> tuple[Any, float]:
    """Return what a function fits, and the seconds it took; Ctrl-C ends it with what there is."""
    started = perf_counter()
    with session.heeding_interrupts():
        model = make()
    for part in parts_of(model):
        # How the fit was watched is no property of the model.
        part.set_params(**{name: False for name in part.get_params() if _is_verbose(name)})
    return model, perf_counter() - started


def parts_of(model: Any) -> Iterator[Any]:
    """Return a model and the fitted models inside it, the machine last."""
    from sklearn.pipeline import Pipeline

    from maxmargin import CalibratedSVC, SVMSearchCV

    yield model
    if isinstance(model, SVMSearchCV):
        yield from parts_of(model.best_estimator_)
    elif isinstance(model, Pipeline):
        yield from (step for _, step in model.steps[:-1] if not isinstance(step, str))
        yield from parts_of(model.steps[-1][1])
    elif isinstance(model, CalibratedSVC):
        yield from parts_of(model.estimator_)


def _is_verbose(parameter: str) -> bool:
    return parameter.rpartition("__")[2] == "verbose"


def save_with_proof(session: Session, model: Any, path: str, *, proof: bool) -> None:
    """Save a model, then once more with its proof, which can take as long as the fit."""
    from maxmargin import save

    save(model, path, proof=False)
    if not proof or session.interrupted:
        return
    try:
        save(model, path, proof=True)
    except KeyboardInterrupt:
        session.interrupted = True
        session.note("Interrupted: the model is saved without its proof.")


def fit_lines(model: Any, seconds: float, *, proof: bool) -> tuple[list[str], dict[str, Any]]:
    """Return sentences on a fit, and the same as data.

    Parameters
    ----------
    model : estimator
        Fitted.
    seconds : float
        What it took.
    proof : bool
        Whether the certificate may be asked for.
    """
    machine = list(parts_of(model))[-1]
    facts: dict[str, Any] = {"seconds": round(seconds, 3)}
    lines = [f"{type(machine).__name__} fitted in {seconds:.2f} s"]
    support = support_facts(machine, proof=proof)
    if support:
        facts["support"] = support
        counted = f"{support['n_support']} support vectors of {support['n_points']} points"
        lines[0] += f": {counted} ({support['fraction']:.0%})"
        if "free" in support:
            lines[0] += f", {support['free']} free and {support['bounded']} bounded"
    if proof:
        found = certificate_facts(machine)
        facts["certificate"] = found
        if "claim" in found:
            numbers = f"relative gap {found['relative_gap']:.2e}, KKT violation "
            lines.append(f"Certificate: {numbers}{found['kkt_violation']:.2e}. {found['claim']}")
        else:
            lines.append(f"Certificate: {found['missing']}")
    return lines, facts
