"""``maxmargin inspect``: what is inside a model."""

from __future__ import annotations

from typing import Any

import click

from maxmargin.cli.facts import certificate_facts, machine_facts, support_facts, weight_facts
from maxmargin.cli.fitting import parts_of
from maxmargin.cli.models import Model, load_model
from maxmargin.cli.rows import as_lines
from maxmargin.cli.session import Session, with_session

__all__ = ["inspect"]

_MOST_MACHINES = 12
_MOST_NAMES = 5


@click.command()
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@with_session
def inspect(session: Session, model: str) -> None:
    """Print MODEL's kernel, parameters, support vectors and certificate."""
    loaded = load_model(model)
    facts = _facts(loaded)
    for line in _lines(facts):
        session.say(line)
    session.answer({"command": "inspect", **facts})


def _facts(model: Model) -> dict[str, Any]:
    machine = model.machine
    facts: dict[str, Any] = {
        "model": model.path,
        "format": model.format,
        "steps": [type(part).__name__ for part in parts_of(model.fitted)],
        "n_features": model.n_features,
        "feature_names": model.names,
        "machine": machine_facts(machine),
    }
    support = support_facts(machine)
    if support and model.format != "maxmargin":
        # The files of other programs do not say how many points there were.
        del support["n_points"], support["fraction"]
    facts["support"] = support
    weights = weight_facts(machine, model.names if model.fitted is machine else None)
    if weights:
        facts["largest_weights"] = weights
    facts["certificate"] = certificate_facts(machine)
    return facts


def _lines(facts: dict[str, Any]) -> list[str]:
    machine, names = facts["machine"], facts["feature_names"]
    lines = [f"{facts['model']} ({facts['format']}): {' > '.join(facts['steps'])}"]
    if facts["n_features"] is not None:
        lines.append(f"features     {facts['n_features']}{_named(names)}")
    if "classes" in machine:
        lines.append(f"classes      {', '.join(map(str, machine['classes']))}")
    if "kernel" in machine:
        lines.append(f"kernel       {machine['kernel']}")
    if "solver" in machine:
        lines.append(f"solver       {machine['solver']}")
    given = ", ".join(f"{name}={value}" for name, value in machine["parameters"].items())
    lines.append(f"parameters   {given or 'the defaults'}")
    if machine.get("fit_seconds"):
        ending = "" if machine.get("converged", True) else ", which did not converge"
        steps = f"{machine['iterations']} iterations{ending}"
        lines.append(f"fit          {machine['fit_seconds']:.2f} s, {steps}")
    lines += _support_lines(facts["support"])
    lines += _weight_lines(facts.get("largest_weights", []))
    return lines + _certificate_lines(facts["certificate"])


def _named(names: list[str] | None) -> str:
    if names is None:
        return ""
    more = ", ..." if len(names) > _MOST_NAMES else ""
    return f": {', '.join(names[:_MOST_NAMES])}{more}"


def _support_lines(support: dict[str, Any]) -> list[str]:
    if not support:
        return []
    line = f"support      {support['n_support']} support vectors"
    if "n_points" in support:
        line += f" of {support['n_points']} points ({support['fraction']:.1%})"
    lines = [line]
    if "by_class" in support:
        shares = (f"{label}: {count}" for label, count in support["by_class"].items())
        lines.append(f"  by class   {', '.join(shares)}")
    if "free" in support:
        lines.append(
            f"  by place   {support['free']} free (on the margin), {support['bounded']} bounded "
            "(inside it or on the wrong side)"
        )
    return lines


def _weight_lines(weights: list[dict[str, Any]]) -> list[str]:
    if not weights:
        return []
    rows = [
        {
            "feature": str(weight["feature"]),
            **{f"weight{k or ''}": value for k, value in enumerate(weight["weights"])},
        }
        for weight in weights
    ]
    return ["largest weights", *(f"  {line}" for line in as_lines(rows))]


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
    lines = ["certificate", *(f"  {line}" for line in as_lines(rows[:_MOST_MACHINES]))]
    if len(rows) > _MOST_MACHINES:
        lines.append(f"  and {len(rows) - _MOST_MACHINES} machines with smaller gaps")
    return [*lines, f"  {found['claim']}"]
