"""What searches and calibrations ask of an estimator of kernel machines."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from maxmargin.kernels import Kernel
from maxmargin.machines.classes import ClassMachines
from maxmargin.machines.fitting import SolvesProblems
from maxmargin.machines.training import Training
from maxmargin.problems import Bias, KernelProblem, Points
from maxmargin.solvers import Solution, Solver, Stop
from maxmargin.typing import Floats, Integers

__all__ = ["ClassifierFamily", "KernelFamily", "Posed"]


@dataclass(frozen=True, eq=False)
class Posed:
    """The problems of one fit.

    Attributes
    ----------
    problems : sequence of KernelProblem
        One per machine.
    rows : sequence of ndarray or None
        The training rows of each; None for all of them.
    names : sequence of str
        What each is called in messages.
    machines : ClassMachines or None
        The machines of a classifier.
    """

    problems: Sequence[KernelProblem]
    rows: Sequence[Integers | None]
    names: Sequence[str]
    machines: ClassMachines | None = None


class KernelFamily(SolvesProblems):
    """An estimator that poses problems, and is fitted by their solutions."""

    #: Parameters that the kernel's values do not depend on, in the order in which a search varies
    #: them: the last one fastest.
    penalties: ClassVar[tuple[str, ...]] = ("C",)

    #: Whether a point has two dual variables, one above the tube and one below.
    is_two_sided: ClassVar[bool] = False

    #: Data for which the values of all machines are there already.
    _known: Sequence[tuple[Any, Floats]] = ()

    n_jobs: int | None

    #: scikit-learn's.
    _validate_params: Callable[[], None]

    @abstractmethod
    def _kernel(self) -> Kernel:
        """Return the kernel that the parameters describe."""

    @abstractmethod
    def _train(self, X: Any, y: Any, sample_weight: Any, points: Points | None = None) -> Training:
        """Check the training data and resolve the kernel on it.

        `points` are these rows of data that was checked before.
        """

    @abstractmethod
    def _pose(self, training: Training) -> Posed:
        """Return the problems of the estimator's parameters."""

    @abstractmethod
    def _stop(self, time_left: float | None = None) -> Stop:
        """Return when to stop, with this many seconds left."""

    @abstractmethod
    def _solver(self) -> Solver:
        """Return the solver."""

    @abstractmethod
    def _adopt(self, training: Training, posed: Posed, solutions: Sequence[Solution]) -> None:
        """Set the fitted attributes."""

    @abstractmethod
    def _values_from(
        self, posed: Posed, solutions: Sequence[Solution], expansions: Floats
    ) -> Floats:
        """Return the values of all machines, given the kernel expansion of each solution.

        Parameters
        ----------
        posed, solutions
            What the estimator was fitted by.
        expansions : ndarray of shape (n_problems, m)
            At m points, without the constant of a regularised bias.

        Returns
        -------
        ndarray of shape (m, n_machines)
        """

    @abstractmethod
    def _bias(self) -> Bias:
        """Return how the bias is treated."""

    @property
    @abstractmethod
    def _is_plain(self) -> bool:
        """Whether nothing but the accuracy ends a fit, and nobody watches it."""


class ClassifierFamily(KernelFamily):
    """A classifier made of two-class kernel machines."""

    multi_class: str
    probability: Any
    class_weight: Any

    @abstractmethod
    def _machine_values(self, X: Any) -> Floats:
        """Return the value of each machine, the first class of a pair positive."""

    @abstractmethod
    def _cross_fit(
        self, training: Training, posed: Posed, folds: Sequence[Any]
    ) -> list[Floats | None]:
        """Fit to all points and, from there, to each fold; return the folds' held-out values.

        They are None for folds that were stopped.
        """
