"""From a grid to groups of candidates that one sweep over penalties can serve."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from maxmargin.kernels import Kernel
from maxmargin.machines.family import KernelFamily
from maxmargin.machines.sweeps import can_sweep, constant_of

__all__ = ["Group", "final_machine", "groups_of", "with_params"]

Params = Mapping[str, Any]

#: Every parameter that is a penalty of some machine.
_PENALTIES = frozenset({"C", "nu", "epsilon"})


@dataclass
class Group:
    """Candidates that differ in their penalties alone.

    Attributes
    ----------
    estimator : machine or Pipeline
        Not fitted, with all parameters set but the penalties.
    setting : hashable
        The same for groups with the same transformers.
    kernel : Kernel
        Its gamma may still be a rule.
    members : list of (int, dict)
        Places among the candidates and their penalties, ascending.
    """

    estimator: Any
    setting: Hashable
    kernel: Kernel
    members: list[tuple[int, dict[str, Any]]] = field(default_factory=list)

    @property
    def machine(self) -> KernelFamily:
        """The machine."""
        machine = final_machine(self.estimator)
        assert machine is not None
        return machine

    def penalties(self, params: Params, prefix: str) -> dict[str, Any]:
        """Return a candidate's penalties, given its parameters."""
        machine = self.machine
        names = machine.penalties
        return {name: params.get(prefix + name, getattr(machine, name)) for name in names}

    @property
    def is_bare(self) -> bool:
        """Whether the estimator is the machine itself."""
        return self.estimator is self.machine

    @property
    def gamma_is_a_rule(self) -> bool:
        """Whether the kernel's parameters depend on the training points."""
        return self.kernel.has_rules

    @property
    def constant(self) -> float:
        """What a regularised bias adds to the kernel."""
        return constant_of(self.machine)


def with_params(estimator: Any, params: Params) -> Any:
    """Return a fresh estimator with these parameters, as scikit-learn's searches make it."""
    return clone(estimator).set_params(**clone(dict(params), safe=False))


def final_machine(estimator: Any) -> KernelFamily | None:
    """Return the kernel machine that an estimator is or ends in, if any."""
    last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    return last if isinstance(last, KernelFamily) else None


def groups_of(estimator: Any, candidates: Sequence[Params]) -> tuple[list[Group], list[int]]:
    """Return the groups, and the candidates that need fits of their own."""
    prefix = f"{estimator.steps[-1][0]}__" if isinstance(estimator, Pipeline) else ""
    found: dict[Hashable, Group | None] = {}
    alone: list[int] = []
    for place, params in enumerate(candidates):
        others = {k: v for k, v in params.items() if k.removeprefix(prefix) not in _PENALTIES}
        key = _key(others)
        if key not in found:
            found[key] = _group(with_params(estimator, params), others, prefix)
        group = found[key]
        penalties = {} if group is None else group.penalties(params, prefix)
        if group is None or not all(isinstance(value, Real) for value in penalties.values()):
            alone.append(place)
        else:
            group.members.append((place, penalties))
    groups = [group for group in found.values() if group is not None and group.members]
    for group in groups:
        group.members.sort(key=lambda member: tuple(member[1].values()))
    return groups, alone


def _group(estimator: Any, others: Params, prefix: str) -> Group | None:
    machine = final_machine(estimator)
    if machine is None or not _is_sweepable(estimator, machine):
        return None
    setting = _key({k: v for k, v in others.items() if prefix and not k.startswith(prefix)})
    return Group(estimator, setting, machine._kernel())


def _is_sweepable(estimator: Any, machine: KernelFamily) -> bool:
    try:
        # Wrong parameters are left to a fit, whose error becomes that of the candidate.
        machine._validate_params()
        kernel = machine._kernel()
    except (TypeError, ValueError):
        return False
    if not isinstance(estimator, Pipeline):
        return can_sweep(machine)
    # Of a pipeline's similarities only those to the training points are known.
    plain = type(estimator) is Pipeline and not kernel.compares_similarities
    return plain and can_sweep(machine)


def _key(params: Params) -> Hashable:
    return tuple((name, _hashable(params[name])) for name in sorted(params))


def _hashable(value: Any) -> Hashable:
    try:
        hash(value)
    except TypeError:
        return id(value)
    return type(value), value
