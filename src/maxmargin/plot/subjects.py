"""What is drawn: the machines of a solution, an estimator, a pipeline or a search.

`Subject.of` finds the machines and the transformers before them. `maxmargin.plot.views` then finds
the coordinates in which a picture shows them. The functions below answer what a picture asks of one
machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from sklearn.pipeline import Pipeline

from maxmargin.calibration import CalibratedSVC
from maxmargin.certificates.subjects import one_solution, solutions_of
from maxmargin.machines.machine import HasMachines, Machine
from maxmargin.problems import CrammerSinger, EpsilonTube, NuMargin, NuTube
from maxmargin.solvers import Solution
from maxmargin.typing import Floats, Integers

__all__ = [
    "Subject",
    "classes_of",
    "decision_of",
    "rows_of",
    "side_labels",
    "sides_of",
    "unit_of",
]


@dataclass(frozen=True, eq=False)
class Subject:
    """The machines to draw, and the transformers before them.

    Attributes
    ----------
    machines : tuple of Machine
        At least one; the machine of a bare solution has no classes.
    steps : tuple of transformers
        Those of all pipelines around the machines, the first one first.
    estimator : fitted estimator or None
        The owner of the machines; None for a bare solution or machine.
    """

    machines: tuple[Machine, ...]
    steps: tuple[Any, ...] = ()
    estimator: Any = None

    @classmethod
    def of(cls, subject: Any, machine: int | None = None) -> Subject:
        """Return all machines of a subject, or the one at a place in its ``machines_``.

        The best estimator stands for a search, the last step for a pipeline, and the calibrated
        machine for a `CalibratedSVC`.
        """
        # Both raise an error that says what is wrong with a subject that cannot be drawn.
        if machine is None:
            solutions_of(subject)
        else:
            one_solution(subject, machine)
        steps: list[Any] = []
        while not isinstance(subject, Solution | Machine | HasMachines):
            if isinstance(subject, Pipeline):
                before = [step for _, step in subject.steps[:-1]]
                steps += [step for step in before if not (step is None or isinstance(step, str))]
                subject = subject.steps[-1][1]
            elif isinstance(subject, CalibratedSVC):
                subject = subject.estimator_
            else:
                subject = subject.best_estimator_
        if isinstance(subject, Solution):
            return cls((_bare_machine(subject),), tuple(steps))
        if isinstance(subject, Machine):
            return cls((subject,), tuple(steps))
        machines = subject.machines_
        if machine is not None and len(machines) > 1:
            machines = (machines[machine],)
        return cls(machines, tuple(steps), subject)

    @classmethod
    def of_one(cls, subject: Any, machine: int | None) -> Subject:
        """Return the only machine of a subject, or the one at a place in its ``machines_``."""
        one_solution(subject, machine)
        return cls.of(subject, machine)

    def transformed(self, X: Any) -> Any:
        """Return input as the machines see it."""
        for step in self.steps:
            X = step.transform(X)
        return X

    @property
    def is_regression(self) -> bool:
        """Whether its machine predicts numbers."""
        return isinstance(self.machines[0].problem, EpsilonTube | NuTube)

    @property
    def has_many_classes(self) -> bool:
        """Whether there are more than two classes, so that no single f = 0 separates them."""
        problem = self.machines[0].problem
        if isinstance(problem, CrammerSinger):
            return problem.n_classes > 2
        return len(self.machines) > 1


def _bare_machine(solution: Solution) -> Machine:
    problem = solution.problem
    classes = tuple(problem.classes.tolist()) if isinstance(problem, CrammerSinger) else ()
    return Machine(solution, classes, slice(None))


def classes_of(machines: Sequence[Machine]) -> list[Any]:
    """Return the classes that machines separate, in order of appearance."""
    names = (name for machine in machines for name in machine.classes)
    return list(dict.fromkeys(name for name in names if name is not None))


def unit_of(machine: Machine) -> float:
    """Return the number by which an estimator divides the decision values of a solution.

    It scales the nu form so that its margin is at 1.
    """
    level = machine.solution.level
    is_scaled = bool(machine.classes) and isinstance(machine.problem, NuMargin) and level > 0
    return level if is_scaled else 1.0


def decision_of(machine: Machine, X: Any) -> Floats:
    """Return f of a machine as its estimator scales it; with many classes one column for each.

    For two classes in one machine of Crammer and Singer it is the difference of the two columns.
    """
    values = machine.solution.decision(X) / unit_of(machine)
    if isinstance(machine.problem, CrammerSinger) and machine.problem.n_classes == 2:
        return np.asarray(values[:, 1] - values[:, 0])
    return values


def rows_of(machine: Machine) -> Integers:
    """Return the training rows of a machine."""
    if isinstance(machine.rows, slice):
        return np.arange(machine.problem.n_points)
    return machine.rows


def sides_of(machine: Machine) -> Floats:
    """Return the labels -1 and +1 of the points of a machine of two classes."""
    problem = machine.problem
    if isinstance(problem, CrammerSinger):
        return np.where(problem.label == 1, 1.0, -1.0)
    return cast(Floats, cast(Any, problem).y)


def side_labels(machine: Machine) -> tuple[str, str]:
    """Return what legends call the sides -1 and +1 of a machine of two classes."""
    if not machine.classes:
        return "y = -1", "y = +1"
    first, second = machine.classes
    return ("the rest", f"y = {first}") if second is None else (f"y = {first}", f"y = {second}")
