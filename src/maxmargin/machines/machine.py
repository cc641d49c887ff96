"""The machines of a fitted estimator: what each is about, its solution, and its certificate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from maxmargin.certificates import Certificate, FitCertificate
from maxmargin.certificates.geometry import margin_norm
from maxmargin.certificates.subjects import Solved, solutions_of
from maxmargin.errors import InvalidInputError
from maxmargin.problems import EpsilonTube, NuMargin, NuTube, Problem
from maxmargin.solvers import Solution, Trace
from maxmargin.typing import Floats, Integers

__all__ = ["HasMachines", "Machine", "NoDataError"]


class NoDataError(InvalidInputError, AttributeError):
    """What was asked for needs the training data, which a pickled or saved model does not hold."""


@dataclass(eq=False, repr=False)
class Machine:
    """One machine of a fitted estimator.

    Attributes
    ----------
    classes : tuple
        The two classes that it separates, the positive one last; (class, None) against the rest;
        all of them in one machine; or () without classes.
    rows : ndarray of int or slice
        The training rows that it is about.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> model = SVC().fit([[0.0], [1.0], [2.0]], ["a", "b", "c"])
    >>> for machine in model.machines_:
    ...     print(machine.classes, machine.problem, machine.certificate.holds(1e-6))
    ('a', 'b') SoftMargin(2 points, C=1.0, loss='hinge', kernel=RBF(gamma=1.5), bias=Free()) True
    ('a', 'c') SoftMargin(2 points, C=1.0, loss='hinge', kernel=RBF(gamma=1.5), bias=Free()) True
    ('b', 'c') SoftMargin(2 points, C=1.0, loss='hinge', kernel=RBF(gamma=1.5), bias=Free()) True
    """

    _solution: Solution | None
    classes: tuple[Any, ...]
    rows: Integers | slice

    #: Why there is no solution, in a machine without one.
    _why_not: ClassVar[str] = (
        "This model was pickled or read from a file, without its training data: fit it again for "
        "its solutions."
    )

    @classmethod
    def unproved(cls, classes: tuple[Any, ...], why_not: str) -> Machine:
        """Return a machine without data or a certificate, and with a sentence on why."""
        machine = cls(None, classes, slice(None))
        machine.__dict__["_why_not"] = why_not
        return machine

    @classmethod
    def recorded(
        cls, certificate: Certificate, rows: Integers | slice, slack: Floats, margin: float
    ) -> Machine:
        """Return a machine whose certificate was made before, without its data."""
        machine = cls(None, certificate.classes, rows)
        machine.__dict__.update(certificate=certificate, slack=slack, margin=margin)
        return machine

    @property
    def solution(self) -> Solution:
        """Its solution, which knows the problem and the training data."""
        if self._solution is None:
            raise NoDataError(self._why_not)
        return self._solution

    @property
    def problem(self) -> Problem:
        """What was solved."""
        return self.solution.problem

    @cached_property
    def certificate(self) -> Certificate:
        """What is proved about it, made when first asked for."""
        rows = None if isinstance(self.rows, slice) else self.rows
        return self.solution.certificate.of_classes(*self.classes, rows=rows)

    @cached_property
    def slack(self) -> Floats:
        """How far each point is on the wrong side of its margin, in the scale of decisions."""
        slack, problem = self.solution.slack, self.problem
        if isinstance(problem, NuMargin) and self.solution.level > 0:
            return slack / self.solution.level
        return slack

    @cached_property
    def margin(self) -> float:
        """Distance of the margin plane from the boundary; in regression the tube's half-width."""
        if isinstance(self.problem, EpsilonTube | NuTube):
            return self.solution.level
        norm, level = margin_norm(self.solution)
        return level / norm if norm > 0 else float("inf")

    @cached_property
    def trace(self) -> Trace:
        """The records of its run."""
        return self.solution.trace

    def __deepcopy__(self, memo: dict[int, Any]) -> Machine:
        # A machine does not change, and its training data need not be copied.
        del memo
        return self

    def __getstate__(self) -> dict[str, Any]:
        state = {"classes": self.classes, "rows": self.rows, "_solution": None}
        try:
            made = {
                "certificate": self.certificate,
                "slack": self.slack,
                "margin": self.margin,
                "trace": self.trace,
            }
        except Exception as error:
            return {**state, "_why_not": str(error)}
        return {**state, **made}

    def __repr__(self) -> str:
        about = f" of {self.classes}" if self.classes else ""
        return (
            f"<Machine{about}>" if self._solution is None else f"<Machine{about}: {self.problem}>"
        )


class HasMachines:
    """An estimator whose `fit` leaves its machines in `_machines`."""

    _machines: Sequence[Machine]

    #: Training rows of the fit.
    _n_training_rows: int

    #: scikit-learn's.
    get_params: Callable[..., dict[str, Any]]

    def _fitted_machines(self, name: str) -> Sequence[Machine]:
        machines: Sequence[Machine] | None = self.__dict__.get("_machines")
        if machines is None:
            raise AttributeError(f"{type(self).__name__} has no {name} before fit.")
        return machines

    @property
    def machines_(self) -> tuple[Machine, ...]:
        """Its machines: classes, problem, solution and certificate of each."""
        return tuple(self._fitted_machines("machines_"))

    @property
    def certificate_(self) -> FitCertificate:
        """What is proved about the fit; made when first asked for."""
        machines = self._fitted_machines("certificate_")
        return FitCertificate.of(machine.certificate for machine in machines)

    @property
    def trace_(self) -> Trace:
        """The records of the fit; with several machines, of the one with the most records."""
        machines = self._fitted_machines("trace_")
        return max((machine.trace for machine in machines), key=len)

    @property
    def slack_(self) -> Floats:
        """How far each training point is on the wrong side of its margin."""
        machines = self._fitted_machines("slack_")
        slack = np.zeros((self._n_training_rows, len(machines)))
        for k, machine in enumerate(machines):
            slack[machine.rows, k] = machine.slack
        return slack[:, 0] if len(machines) == 1 else slack

    @property
    def margin_(self) -> Any:
        """Distance of the margin plane from the boundary; in regression the tube's half-width."""
        margins = [machine.margin for machine in self._fitted_machines("margin_")]
        return margins[0] if len(margins) == 1 else np.array(margins)


@solutions_of.register
def _(subject: HasMachines) -> Sequence[Solved]:
    if "_machines" not in subject.__dict__:
        raise InvalidInputError(f"{type(subject).__name__} is not fitted: call its fit first.")
    return [machine.solution for machine in subject._machines]


@solutions_of.register
def _(subject: Machine) -> Sequence[Solved]:
    return [subject.solution]


@solutions_of.register
def _(subject: BaseEstimator) -> Sequence[Solved]:
    # Imported here, because a plain fit need not wait for these imports.
    from sklearn.model_selection._search import BaseSearchCV
    from sklearn.pipeline import Pipeline

    if isinstance(subject, Pipeline):
        return solutions_of(subject.steps[-1][1])
    if not isinstance(subject, BaseSearchCV):
        return solutions_of.dispatch(object)(subject)
    best = subject.__dict__.get("best_estimator_")
    if best is None:
        raise InvalidInputError(
            f"{type(subject).__name__} has no best_estimator_: fit it, with refit=True."
        )
    return solutions_of(best)
