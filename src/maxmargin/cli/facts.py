"""What is known about a fitted machine: parameters, support vectors, certificate, weights."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.errors import InvalidInputError

__all__ = ["certificate_facts", "machine_facts", "support_facts", "weight_facts"]

_LARGEST_WEIGHTS = 10


def machine_facts(machine: Any) -> dict[str, Any]:
    """Return the class, the parameters that are not at their default, and the kernel."""
    from sklearn.base import is_classifier

    from maxmargin.estimators.base import KernelMachine
    from maxmargin.estimators.linear_base import LinearMachine

    defaults = type(machine)().get_params(deep=False)
    given = {
        name: value if isinstance(value, int | float | str | dict) else str(value)
        for name, value in machine.get_params(deep=False).items()
        if name != "verbose" and not _same(value, defaults[name])
    }
    facts: dict[str, Any] = {"class": type(machine).__name__, "parameters": given}
    if is_classifier(machine):
        facts["classes"] = machine.classes_.tolist()
    if isinstance(machine, KernelMachine):
        facts["kernel"] = repr(machine.kernel_)
        facts["converged"] = machine.fit_status_ == 0
    if isinstance(machine, LinearMachine):
        facts["solver"] = machine.solver_
    if isinstance(machine, KernelMachine | LinearMachine):
        facts["fit_seconds"] = float(machine.fit_time_)
        facts["iterations"] = int(np.sum(machine.n_iter_))
    return facts


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and bool(value == default)


def support_facts(machine: Any, *, proof: bool = True) -> dict[str, Any]:
    """Return how many points carry a kernel machine; nothing for one that is its weights.

    Free and bounded ones are known from the certificate, machine by machine.
    """
    from sklearn.base import is_classifier

    from maxmargin.estimators.base import KernelMachine

    if not isinstance(machine, KernelMachine):
        return {}
    n_support, n_points = len(machine.support_), int(machine.shape_fit_[0])
    facts: dict[str, Any] = {
        "n_support": n_support,
        "n_points": n_points,
        "fraction": n_support / n_points,
    }
    if is_classifier(machine):
        counts = zip(machine.classes_.tolist(), machine.n_support_.tolist(), strict=True)
        facts["by_class"] = {str(label): count for label, count in counts}
    found = certificate_facts(machine) if proof else {}
    if "machines" in found:
        facts["free"] = sum(part["n_free"] for part in found["machines"])
        facts["bounded"] = sum(part["n_bounded"] for part in found["machines"])
    return facts


def certificate_facts(machine: Any) -> dict[str, Any]:
    """Return what is proved, or why nothing is."""
    from maxmargin.estimators.certified import Certified

    if not isinstance(machine, Certified):
        return {"missing": f"A {type(machine).__name__} comes without a certificate."}
    try:
        found = machine.certificate_
    except (InvalidInputError, AttributeError, MemoryError) as error:
        return {"missing": str(error)}
    return {
        "relative_gap": found.relative_gap,
        "kkt_violation": found.kkt_violation,
        "feasibility": found.feasibility,
        "primal": found.primal,
        "dual": found.dual,
        "claim": found.claim,
        "machines": [asdict(part) for part in found.machines],
    }


def weight_facts(machine: Any, names: list[str] | None) -> list[dict[str, Any]]:
    """Return the largest weights of a linear machine, with the names of their features."""
    from maxmargin.estimators.linear_base import LinearMachine

    if not isinstance(machine, LinearMachine):
        return []
    weights = machine.coef_
    weights = np.atleast_2d(weights.toarray() if sparse.issparse(weights) else weights)
    size = np.abs(weights).max(axis=0)
    order = np.argsort(-size, kind="stable")[:_LARGEST_WEIGHTS]
    return [
        {
            "feature": int(place) if names is None else names[place],
            "weights": weights[:, place].tolist(),
        }
        for place in order
        if size[place] > 0
    ]
