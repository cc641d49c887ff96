"""What was proved about a fit: the certificate, slacks and margins."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from maxmargin.estimators.proof import FitCertificate, MachineCertificate, Proof, Proved
from maxmargin.persist.reading import Reader
from maxmargin.persist.writing import Writer

__all__ = ["describe_proof", "restore_proof"]

_COUNTS = ("n_free", "n_bounded")
_MISSING = "The model was saved without its proof: save it with proof=True after fit."


def describe_proof(model: Any, out: Writer) -> None:
    """Write the proof of a fit, made now if it was not asked for before."""
    if not out.with_proof:
        return
    held = out.child("proof")
    try:
        proved = model._proof.result()
    except Exception as error:  # as in a pickle, which holds the reason too
        held.json("failure", str(error))
        return
    held.array("slack", proved.slack, finite=False)
    held.array("margin", proved.margin, finite=False)
    machines = []
    for machine in proved.certificate.machines:
        inner = Writer(held.arrays)
        for field in fields(machine):
            inner.value(field.name, getattr(machine, field.name))
        machines.append(inner.document)
    held.json("machines", machines)


def restore_proof(held: Reader) -> Proof:
    """Return the proof, or one that says why there is none."""
    if not held.has("proof"):
        return Proof.missing(_MISSING)
    found = held.child("proof")
    if found.has("failure"):
        return Proof.missing(found.text("failure"))
    machines = found.children("machines")
    found.require(machines, "machines", "are none")
    slack = found.array("slack", "float64", (None, len(machines)), finite=False)
    margin = found.array("margin", "float64", (len(machines),), finite=False)
    certificates = tuple(_certificate(machine) for machine in machines)
    return Proof.of(Proved(FitCertificate(certificates), slack, margin))


def _certificate(held: Reader) -> MachineCertificate:
    classes = held.value("classes")
    held.require(isinstance(classes, tuple), "classes", "are not a tuple")
    numbers: dict[str, Any] = {}
    for field in fields(MachineCertificate):
        if field.type == "float":
            number = held.value(field.name)
            is_number = isinstance(number, int | float) and not isinstance(number, bool)
            held.require(is_number, field.name, "is not a number")
            numbers[field.name] = float(number)
    for name in _COUNTS:
        numbers[name] = held.whole(name)
    return MachineCertificate(
        classes=classes, convex=held.flag("convex"), claim=held.text("claim"), **numbers
    )
