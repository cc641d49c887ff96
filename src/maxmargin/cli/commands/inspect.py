"""``maxmargin inspect``: what is inside a model."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier

from maxmargin.cli.models import (
    Model,
    certificate_facts,
    load_model,
    over_machines,
    parts_of,
    shortfall,
    support_facts,
)
from maxmargin.cli.output import Session, as_lines
from maxmargin.estimators.base import KernelEstimator
from maxmargin.estimators.linear_base import LinearEstimator
from maxmargin.pages.source import changed

__all__ = ["run"]

_MOST_MACHINES = 12
_MOST_NAMES = 5
_MOST_WEIGHTS = 10


def run(session: Session, model: str) -> None:
    """Print what is known about a model."""
    facts = _facts(load_model(model))
    session.say(f"{model} ({facts['format']}): {' > '.join(facts['steps'])}")
    session.say(*_machine_lines(facts), *_support_lines(facts["support"]))
    if "largest_weights" in facts:
        rows = [
            {"feature": str(entry["feature"])}
            | {f"weight{k or ''}": value for k, value in enumerate(entry["weights"])}
            for entry in facts["largest_weights"]
        ]
        session.say("largest weights", *as_lines(rows, indent="  "))
    session.say(*_certificate_lines(facts["certificate"]))
    session.answer(**facts)


def _facts(model: Model) -> dict[str, Any]:
    parts, layout = list(parts_of(model.fitted)), model.layout
    machine = parts[-1]
    certificate = certificate_facts(machine)
    support = support_facts(machine, certificate)
    if support and model.format != "maxmargin":
        # The files of other programs do not say how many points there were.
        del support["n_points"], support["fraction"]
    facts: dict[str, Any] = {
        "model": model.path,
        "format": model.format,
        "steps": [type(part).__name__ for part in parts],
        "n_features": layout.n_features,
        "feature_names": layout.names,
        "machine": _machine_facts(machine, certificate),
        "support": support,
    }
    if isinstance(machine, LinearEstimator):
        names = layout.names if len(parts) == 1 else None
        facts["largest_weights"] = _largest_weights(machine.coef_, names)
    return {**facts, "certificate": certificate}


def _machine_facts(machine: Any, certificate: dict[str, Any]) -> dict[str, Any]:
    """Return the class, the parameters that differ from their default, and the fit."""
    given = {
        name: value if isinstance(value, int | float | str | dict) else str(value)
        for name, value in changed(machine).items()
        if name != "verbose"
    }
    facts: dict[str, Any] = {"class": type(machine).__name__, "parameters": given}
    if is_classifier(machine):
        facts["classes"] = machine.classes_.tolist()
    if isinstance(machine, KernelEstimator):
        facts["kernel"] = repr(machine.kernel_)
    if isinstance(machine, LinearEstimator):
        facts["solver"] = machine.solver_
    if isinstance(machine, KernelEstimator | LinearEstimator):
        ended = vars(machine).get("fit_status_", 0) == 0
        facts["converged"] = ended and not shortfall(machine, certificate)
        facts.update(fit_seconds=machine.fit_time_, iterations=int(np.sum(machine.n_iter_)))
    return facts


def _largest_weights(coef: Any, names: list[str] | None) -> list[dict[str, Any]]:
    weights = np.atleast_2d(coef.toarray() if sparse.issparse(coef) else coef)
    size = np.abs(weights).max(axis=0)
    order = np.argsort(-size, kind="stable")[:_MOST_WEIGHTS].tolist()
    return [
        {"feature": k if names is None else names[k], "weights": weights[:, k].tolist()}
        for k in order
        if size[k] > 0
    ]


def _machine_lines(facts: dict[str, Any]) -> list[str]:
    machine, names = facts["machine"], facts["feature_names"] or []
    given = ", ".join(f"{name}={value}" for name, value in machine["parameters"].items())
    some = ", ".join([*names[:_MOST_NAMES], "..."] if len(names) > _MOST_NAMES else names)
    lines = {
        "features": f"{facts['n_features'] or ''}{': ' if some else ''}{some}",
        "classes": ", ".join(map(str, machine.get("classes", []))),
        "kernel": machine.get("kernel"),
        "solver": machine.get("solver"),
        "parameters": given or "the defaults",
    }
    if machine.get("fit_seconds"):
        ending = "" if machine.get("converged", True) else ", which did not converge"
        steps = f"{machine['iterations']} iterations{ending}"
        lines["fit"] = f"{machine['fit_seconds']:.2f} s, {steps}"
    return [f"{name:<12} {text}" for name, text in lines.items() if text]


def _support_lines(support: dict[str, Any]) -> list[str]:
    if not support:
        return []
    lines = [f"support      {support['n_support']} support vectors"]
    if "n_points" in support:
        lines[0] += f" of {support['n_points']} points ({support['fraction']:.1%})"
    if "by_class" in support:
        counts = (f"{label}: {count}" for label, count in support["by_class"].items())
        lines.append(f"  by class   {', '.join(counts)}")
    if "free" in support:
        lines.append(
            f"  by place   {support['free']} free (on the margin), {support['bounded']} bounded "
            f"(inside it or on the wrong side){over_machines(support)}"
        )
    return lines


def _certificate_lines(found: dict[str, Any]) -> list[str]:
    if "missing" in found:
        return [f"certificate  {found['missing']}"]
    rows = [
        {
            "machine": " - ".join("rest" if c is None else str(c) for c in part["classes"])
            or "all",
            "primal": part["primal"],
            "dual": part["dual"],
            "relative gap": part["relative_gap"],
            "KKT violation": part["kkt_violation"],
            "free": part["n_free"],
            "bounded": part["n_bounded"],
        }
        for part in found["machines"]
    ]
    lines = ["certificate", *as_lines(rows[:_MOST_MACHINES], indent="  ")]
    if len(rows) > _MOST_MACHINES:
        lines.append(f"  and {len(rows) - _MOST_MACHINES} machines with smaller gaps")
    return [*lines, f"  {found['claim']}"]
