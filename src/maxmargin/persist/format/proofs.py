"""The machines of a fitted estimator: certificate, slack and margin of each, without the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from itertools import accumulate
from typing import Any

import numpy as np

from maxmargin.certificates import Certificate
from maxmargin.certificates.convexity import Convexity
from maxmargin.certificates.measures import Measures
from maxmargin.machines.classes import pairs_of, plain
from maxmargin.machines.machine import Machine
from maxmargin.persist.format.schema import Entry, array, field, flag, number, record, text, whole
from maxmargin.persist.format.tree import Node, decode, encode
from maxmargin.typing import Floats, Integers

__all__ = ["PROOF", "unproved"]

_MISSING = "The model was saved without its proof: save it with proof=True after fit."

_MEASURES = record(
    Measures,
    *(field(one.name, number) for one in fields(Measures) if one.name != "rounding"),
    field("rounding", number, default=0.0),
)
_CONVEXITY = record(
    Convexity,
    field("convex", flag, "holds"),
    field("smallest_eigenvalue", number, default=None),
    field("locally_convex", flag, default=True),
)


def unproved(model: Any, why: str) -> list[Machine]:
    """Return the machines of a model that comes without data and certificates."""
    return [Machine.unproved(classes, why) for classes in _classes_of(model)]


def _classes_of(model: Any) -> list[tuple[Any, ...]]:
    """Return which classes each machine separates."""
    found = vars(model)
    labels = [plain(label) for label in found.get("classes_", ())]
    if len(labels) <= 2 or found.get("multi_class") == "crammer_singer":
        return [tuple(labels)]
    if found.get("_pairwise"):
        return [(labels[i], labels[j]) for i, j in pairs_of(len(labels))]
    return [(label, None) for label in labels]


def _write(model: Any) -> dict[str, Any]:
    """Write the certificate of each machine, or why there is none."""
    machines: Sequence[Machine] = model._machines
    try:
        described = [_write_machine(machine) for machine in machines]
        margin = np.array([machine.margin for machine in machines], dtype=np.float64)
    except Exception as error:  # a pickle too holds the reason instead
        return {"failure": str(error)}
    slack = np.concatenate([machine.slack for machine in machines])
    found = {"machines": described, "margin": margin, "slack": slack}
    if not all(isinstance(machine.rows, slice) for machine in machines):
        every = np.arange(model._n_training_rows, dtype=np.int32)
        found["rows"] = np.concatenate([every[machine.rows] for machine in machines])
    return found


def _write_machine(machine: Machine) -> dict[str, Any]:
    certificate = machine.certificate
    return {
        "classes": encode(machine.classes, "A class label"),
        "n_points": len(machine.slack),
        "n_free": int(certificate.n_free),
        "n_bounded": int(certificate.n_bounded),
        **_MEASURES.encode(certificate.measures),
        **_CONVEXITY.encode(certificate.convexity),
    }


def _read(model: Any, node: Node) -> None:
    proof = node["proof"]
    if "proof" not in node:
        model._machines = unproved(model, _MISSING)
    elif "failure" in proof:
        model._machines = unproved(model, proof.read("failure", text()))
    else:
        model._machines = _read_machines(model, proof)


#: `_machines`, whose certificates are computed now if that has not happened yet.
PROOF = Entry(lambda model: {"proof": lambda: _write(model)}, _read)


def _read_machines(model: Any, node: Node) -> list[Machine]:
    machines = node["machines"].items
    node["machines"].require(machines, "are none")
    certificates = [_read_certificate(one) for one in machines]
    # In version 1 the machine with the largest gap is first, but slacks follow the classes.
    places = {plain(label): k for k, label in enumerate(vars(model).get("classes_", ()))}
    try:
        certificates.sort(key=lambda one: [-1 if c is None else places[c] for c in one.classes])
    except (KeyError, TypeError):
        node["machines"].refuse("are about other classes")
    margin = node.read("margin", array("float64", len(machines), finite=False))
    slacks, rows = _read_slacks(model, node, machines)
    parts = zip(certificates, rows, slacks, margin.tolist(), strict=True)
    return [Machine.recorded(*part) for part in parts]


def _read_certificate(node: Node) -> Certificate:
    classes = decode(node["classes"])
    node["classes"].require(isinstance(classes, tuple), "are not a tuple")
    return Certificate(
        measures=_MEASURES.decode(node),
        convexity=_CONVEXITY.decode(node),
        n_free=node.read("n_free", whole()),
        n_bounded=node.read("n_bounded", whole()),
        classes=classes,
    )


def _read_slacks(
    model: Any, node: Node, machines: Sequence[Node]
) -> tuple[Sequence[Floats], Sequence[Integers | slice]]:
    """Return the slacks of each machine, and the rows of the points that have them."""
    all_rows = [slice(None)] * len(machines)
    if "n_points" not in machines[0]:  # as in version 1: a column per machine
        slack = node.read("slack", array("float64", "points", len(machines), finite=False))
        model._n_training_rows = len(slack)
        return list(np.ascontiguousarray(slack.T)), all_rows
    n_points = node.sizes.get("points", 0)
    counts = [one.read("n_points", whole(most=n_points)) for one in machines]
    *splits, total = accumulate(counts)
    slack = node.read("slack", array("float64", total, finite=False))
    if "rows" in node:
        rows = node.read("rows", array("int32", total, below=n_points))
        return np.split(slack, splits), np.split(rows.astype(np.int64), splits)
    node["rows"].require(set(counts) == {n_points}, "are missing")
    return np.split(slack, splits), all_rows
