"""The programs of one fit, and what a fit keeps of their solutions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from maxmargin.estimators.callbacks import FitTasks
from maxmargin.estimators.pairs import Decomposition
from maxmargin.estimators.programs import MarginForm
from maxmargin.estimators.proof import Machine
from maxmargin.estimators.run import Outcome
from maxmargin.estimators.training import Training
from maxmargin.problems import Bias, BoxQP, Problem
from maxmargin.problems.gram import Gram
from maxmargin.solvers.engine import Engine
from maxmargin.typing import Floats, Integers

__all__ = ["ClassFit", "ClassLayout", "ClassPlan", "Kept", "Plan", "SinglePlan"]


@dataclass(frozen=True, eq=False)
class Plan:
    """The programs of one fit.

    Attributes
    ----------
    order : ndarray of shape (n,)
        The training point at each place of the Gram matrix.
    gram : Gram
        Of the points in that order.
    qps : sequence of BoxQP
        One a machine.
    names, columns : sequence
        What each is called, and its place among the values of all machines.
    """

    order: Integers
    gram: Gram
    qps: Sequence[BoxQP]
    names: Sequence[str]
    columns: Sequence[int]


@dataclass(frozen=True, eq=False)
class ClassLayout:
    """What the machines of a classifier are about, whatever the price; weights are by place."""

    decomposition: Decomposition
    given_weight: Floats
    weight: Floats
    gram: Gram


@dataclass(frozen=True, eq=False)
class ClassPlan(Plan):
    """The programs of a classifier."""

    layout: ClassLayout
    forms: Sequence[MarginForm]
    bias: Bias


@dataclass(frozen=True, eq=False)
class SinglePlan(Plan):
    """The program of an estimator that is one machine."""

    problem: Problem
    problem_on: Callable[[Any], Problem]


@dataclass(frozen=True, eq=False)
class Kept:
    """How to prove each machine, and by what its multipliers were divided."""

    machines: Sequence[Machine]
    scales: Sequence[float]


@dataclass(frozen=True, eq=False)
class ClassFit:
    """A classifier's fit up to its end: what it was about, and where it led."""

    training: Training
    plan: ClassPlan
    engine: Engine
    outcomes: Sequence[Outcome]
    kept: Kept
    tasks: FitTasks
