"""From a grid to groups of candidates that one sweep over prices can serve."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from maxmargin.estimators.base import KernelMachine
from maxmargin.estimators.kernel_choice import kernel_of
from maxmargin.estimators.sweep import can_sweep
from maxmargin.kernels import Kernel

__all__ = ["Group", "final_machine", "groups_of", "with_params"]

Params = Mapping[str, Any]

#: Every parameter that is a price of some machine.
_PRICES = frozenset({"C", "nu", "epsilon"})


@dataclass
class Group:
    """Candidates that differ in their prices alone.

    Attributes
    ----------
    estimator : machine or Pipeline
        Not fitted, with all parameters set but the prices.
    setting : hashable
        The same for groups with the same transformers.
    kernel : Kernel
        Its gamma may still be a rule.
    members : list of (int, dict)
        Places among the candidates and their prices, ascending.
    """

    estimator: Any
    setting: Hashable
    kernel: Kernel
    members: list[tuple[int, dict[str, Any]]] = field(default_factory=list)

    @property
    def machine(self) -> KernelMachine:
        """The machine."""
        machine = final_machine(self.estimator)
        assert machine is not None
        return machine

    def prices(self, params: Params, prefix: str) -> dict[str, Any]:
        """Return a candidate's prices, given its parameters."""
        machine = self.machine
        return {name: params.get(prefix + name, getattr(machine, name)) for name in machine._prices}

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
        return 0.0 if self.machine.bias == "free" else 1.0


def with_params(estimator: Any, params: Params) -> Any:
    """Return a fresh estimator with these parameters, as scikit-learn's searches make it."""
    return clone(estimator).set_params(**clone(dict(params), safe=False))


def final_machine(estimator: Any) -> KernelMachine | None:
    """Return the kernel machine that an estimator is or ends in, if any."""
    last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    return last if isinstance(last, KernelMachine) else None


def groups_of(estimator: Any, candidates: Sequence[Params]) -> tuple[list[Group], list[int]]:
    """Return the groups, and the candidates that need fits of their own."""
    prefix = f"{estimator.steps[-1][0]}__" if isinstance(estimator, Pipeline) else ""
    found: dict[Hashable, Group | None] = {}
    alone: list[int] = []
    for place, params in enumerate(candidates):
        others = {k: v for k, v in params.items() if k.removeprefix(prefix) not in _PRICES}
        key = _key(others)
        if key not in found:
            found[key] = _group(with_params(estimator, params), others, prefix)
        group = found[key]
        prices = {} if group is None else group.prices(params, prefix)
        if group is None or not all(isinstance(price, Real) for price in prices.values()):
            alone.append(place)
        else:
            group.members.append((place, prices))
    groups = [group for group in found.values() if group is not None and group.members]
    for group in groups:
        group.members.sort(key=lambda member: tuple(member[1].values()))
    return groups, alone


def _group(estimator: Any, others: Params, prefix: str) -> Group | None:
    machine = final_machine(estimator)
    if machine is None or not _is_sweepable(estimator, machine):
        return None
    setting = _key({k: v for k, v in others.items() if prefix and not k.startswith(prefix)})
    return Group(estimator, setting, _kernel(machine))


def _kernel(machine: KernelMachine) -> Kernel:
    return kernel_of(machine.kernel, machine.gamma, machine.coef0, machine.degree)


def _is_sweepable(estimator: Any, machine: KernelMachine) -> bool:
    try:
        # Wrong parameters are left to a fit, whose error becomes that of the candidate.
        machine._validate_params()
        kernel = _kernel(machine)
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
