"""What both kernel classifiers share: classes, machines by pair, votes, probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import expit
from sklearn.base import ClassifierMixin, _fit_context
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state, column_or_1d, deprecated
from sklearn.utils._param_validation import Hidden, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import _ovr_decision_function
from sklearn.utils.validation import check_is_fitted

from maxmargin.errors import InvalidInputError
from maxmargin.estimators.base import KernelEstimator
from maxmargin.machines.classes import (
    ClassMachines,
    class_weights,
    encoded,
    require_two_classes,
    times_class_weights,
)
from maxmargin.machines.decision import pair_coefficients, votes_of
from maxmargin.machines.endings import warn
from maxmargin.machines.family import ClassifierFamily, Posed
from maxmargin.machines.folds import Fold, held_out_values, random_folds
from maxmargin.machines.probability import against_rest, couple, sigmoids
from maxmargin.machines.training import Training, positive_rows
from maxmargin.problems import KernelProblem, NuMargin, Points, SoftMargin
from maxmargin.solvers import Solution
from maxmargin.solvers.stop import kept
from maxmargin.typing import Floats, Integers

__all__ = ["KernelClassifier"]


def _has_probabilities(classifier: Any) -> bool:
    if classifier.probability == "deprecated" or not classifier.probability:
        raise AttributeError(
            "predict_proba is not available when probability=False: fit "
            f"maxmargin.CalibratedSVC({type(classifier).__name__}()), which has probabilities."
        )
    return True


class KernelClassifier(ClassifierMixin, ClassifierFamily, KernelEstimator):
    """Base of the classifiers."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelEstimator._parameter_constraints,
        "probability": ["boolean", Hidden(StrOptions({"deprecated"}))],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "decision_function_shape": [StrOptions({"ovr", "ovo"})],
        "break_ties": ["boolean"],
        "random_state": ["random_state"],
        "multi_class": [StrOptions({"ovo", "ovr"})],
    }

    #: Slopes and intercepts of the sigmoids, if probabilities were asked for.
    _sigmoids: Floats | None = None

    #: The order in which classes win ties of votes; None for their own order.
    _preference: Integers | None = None

    def _problem(self, points: Points, sign: Floats, weight: Floats) -> KernelProblem:
        """Return the problem of one machine: a soft margin, unless a subclass has another."""
        return SoftMargin.posed(
            points,
            y=sign,
            C=self._penalty(),
            loss="hinge",
            bias=self._bias(),
            sample_weight=weight,
        )

    @_fit_context(prefer_skip_nested_validation=True)
    @kept
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the machine.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The points; with a precomputed kernel their Gram matrix (n, n), with a kernel on
            sequences n strings, with one on columns a frame.
        y : array-like of shape (n,)
            Class labels.
        sample_weight : array-like of shape (n,), optional
            Multiplies C point by point. Points of weight zero or less are left out.
        """
        if self._wants_probabilities():
            self._fit_with_probabilities(X, y, sample_weight)
        else:
            self._fit(X, y, sample_weight)
        self._end_tasks()
        return self

    def _pose(self, training: Training) -> Posed:
        self.classes_, labels = encoded(column_or_1d(training.y, warn=True))
        require_two_classes(self.classes_)
        self.class_weight_ = class_weights(
            self.class_weight, self.classes_, labels, training.sample_weight
        )
        points, weight = training.points, training.weight
        if self.class_weight is not None:
            weight = times_class_weights(weight, self.class_weight_[labels])
        rows = None if weight.strides == (0,) else positive_rows(weight)
        machines = ClassMachines(labels, rows, len(self.classes_), self.multi_class == "ovo")
        if np.count_nonzero(machines.sizes) < 2:
            self._refuse_one_class()
        problems = [
            self._problem(points, pair.sign, weight)
            if pair.rows is None
            else self._problem(points.take(pair.rows), pair.sign, weight[pair.rows])
            for pair in machines.pairs
        ]
        names = [pair.name(self.classes_) for pair in machines.pairs]
        if isinstance(problems[0], NuMargin):
            problems = self._feasible(problems, training, machines, names)
        return Posed(problems, [pair.rows for pair in machines.pairs], names, machines)

    def _refuse_one_class(self) -> None:
        raise InvalidInputError(
            "Invalid input - all samples with positive weights belong to the same class: "
            "give another class a positive sample_weight and class_weight."
        )

    def _feasible(
        self,
        problems: Sequence[KernelProblem],
        training: Training,
        machines: ClassMachines,
        names: Sequence[str],
    ) -> list[KernelProblem]:
        """Return nu problems with feasible nu."""
        raise NotImplementedError

    def _settled(self, solution: Solution) -> Solution:
        """Return the solution to use among those that are optimal."""
        return solution

    def _adopt(self, training: Training, posed: Posed, solutions: Sequence[Solution]) -> None:
        machines = posed.machines
        assert machines is not None
        solutions = [self._settled(solution) for solution in solutions]
        scales = [_scale(solution) for solution in solutions]
        signed = [
            solution.coefficients / scale for solution, scale in zip(solutions, scales, strict=True)
        ]
        support = self._keep(
            training,
            posed,
            solutions,
            [pair.classes(self.classes_) for pair in machines.pairs],
            machines.order,
            machines.coefficients(signed),
        )
        self._n_support: Any = machines.n_support(support)
        self._pairwise = machines.pairwise
        self._preference = None
        self._intercept_ = machines.intercepts(
            [solution.b / scale for solution, scale in zip(solutions, scales, strict=True)]
        )
        self._publish()
        self.n_iter_ = machines.steps([solution.iterations for solution in solutions])

    def _publish(self) -> None:
        flip = -1.0 if len(self.classes_) == 2 else 1.0
        self.dual_coef_ = self._public(flip * self._dual_coef_)
        self.intercept_ = flip * self._intercept_ + 0.0

    def _values_from(
        self, posed: Posed, solutions: Sequence[Solution], expansions: Floats
    ) -> Floats:
        machines = posed.machines
        assert machines is not None
        values = np.tile(self._intercept_, (expansions.shape[1], 1))
        for pair, solution, expansion in zip(machines.pairs, solutions, expansions, strict=True):
            flip = -1.0 if machines.pairwise else 1.0
            values[:, pair.place] += flip * expansion / _scale(self._settled(solution))
        return values

    # Probabilities ------------------------------------------------------------------------------

    def _wants_probabilities(self) -> bool:
        if self.probability == "deprecated":
            return False
        name = type(self).__name__
        warn(
            "The `probability` parameter was deprecated in scikit-learn 1.9 and will be removed. "
            f"Use `maxmargin.CalibratedSVC({name}())` instead of `{name}(probability=True)`: its "
            "folds share the kernel rows of the fit.",
            FutureWarning,
        )
        return bool(self.probability)

    def _fit_with_probabilities(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Fit, and with the same kernel rows machines that leave out a fifth of the points each."""
        training = self._train(X, y, sample_weight)
        posed = self._pose(training)
        folds = random_folds(posed, check_random_state(self.random_state))
        values = self._cross_fit(training, posed, folds)
        self._sigmoids = None
        held_out = [held for held in values if held is not None]
        if len(held_out) < len(values):
            warn("The fit was stopped before its probabilities: predict_proba is not available.")
        else:
            self._sigmoids = sigmoids(posed, folds, held_out)

    def _cross_fit(
        self, training: Training, posed: Posed, folds: Sequence[Fold]
    ) -> list[Floats | None]:
        """Fit to all points and, from there, to each fold; return the folds' held-out values.

        They are None for folds that were stopped.
        """
        n_own = len(posed.problems)
        solvable = [fold for fold in folds if fold.problem is not None]
        problems = [*posed.problems, *(fold.problem for fold in solvable)]
        own = self._last_fit(posed.problems) or [None] * n_own
        warm = [*own, *(fold.machine for fold in solvable)]
        solutions = self._solve(training, posed, problems, warm)
        self._adopt(training, posed, solutions[:n_own])
        behind = solutions[n_own:]
        short = sum(not one.converged and not one.ending.is_stop for one in behind)
        if short:
            warn(f"{short} of the {len(solvable)} fits behind predict_proba did not converge.")
        left = iter(behind)
        found = [None if fold.problem is None else next(left) for fold in folds]
        return [
            None
            if solution is not None and solution.ending.is_stop
            else held_out_values(fold, None if solution is None else self._settled(solution))
            for fold, solution in zip(folds, found, strict=True)
        ]

    # Prediction ---------------------------------------------------------------------------------

    def _machine_values(self, X: Any) -> Floats:
        """Return the value of each machine, the first class of a pair positive."""
        check_is_fitted(self)
        many = self._pairwise and len(self.classes_) > 2
        return self._values(X, self._n_support if many else None)

    def decision_function(self, X: Any) -> Floats:
        """Return the decision values of each row of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            With a precomputed kernel similarities to the n training points, (m, n).

        Returns
        -------
        ndarray of shape (m,), (m, n_classes) or (m, n_pairs)
            For two classes positive on the side of ``classes_[1]``. Otherwise one value per class
            (votes and a fraction that breaks ties, or the machine against the rest), or, with
            ``decision_function_shape="ovo"``, one per pair, positive on its first class's side.
        """
        values = self._machine_values(X)
        if len(self.classes_) == 2:
            return -values[:, 0]
        if self._pairwise and self.decision_function_shape == "ovr":
            votes: Floats = _ovr_decision_function(values < 0, -values, len(self.classes_))
            return votes
        return values

    def predict(self, X: Any) -> Any:
        """Return the class of each row of X."""
        check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise InvalidInputError(
                "break_ties must be False when decision_function_shape is 'ovo': set either."
            )
        k = len(self.classes_)
        if k == 2:
            winner = (self.decision_function(X) >= 0).astype(np.intp)
        elif self.break_ties or not self._pairwise:
            winner = np.argmax(self.decision_function(X), axis=1)
        else:
            votes = votes_of(self._machine_values(X), k)
            order = np.arange(k) if self._preference is None else self._preference
            winner = order[np.argmax(votes[:, order], axis=1)]
        return self.classes_[winner]

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class for each row of X.

        The sigmoids behind them are fitted to values of held-out points, so the most probable
        class need not be the predicted one.
        """
        values = self._machine_values(X)
        if self._sigmoids is None:
            raise NotFittedError(
                "predict_proba is not available when fitted with probability=False, or in a fit "
                "that ended before the probabilities: fit again."
            )
        probability = expit(-(values * self._sigmoids[0] + self._sigmoids[1]))
        if self._pairwise:
            return couple(probability, len(self.classes_))
        return against_rest(probability)

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithm of the probability of each class for each row of X."""
        probability: Floats = self.predict_proba(X)
        return np.log(probability)

    @deprecated(  # type: ignore[prop-decorator]
        "Attribute `probA_` was deprecated in scikit-learn 1.9 with the parameter `probability`."
    )
    @property
    def probA_(self) -> Floats:
        """Slopes of the sigmoids."""
        return np.empty(0) if self._sigmoids is None else self._sigmoids[0]

    @deprecated(  # type: ignore[prop-decorator]
        "Attribute `probB_` was deprecated in scikit-learn 1.9 with the parameter `probability`."
    )
    @property
    def probB_(self) -> Floats:
        """Intercepts of the sigmoids."""
        return np.empty(0) if self._sigmoids is None else self._sigmoids[1]

    def _machine_coefficients(self) -> Any:
        if len(self.classes_) == 2:
            return -self._dual_coef_
        if self._pairwise:
            return pair_coefficients(self._dual_coef_, self._n_support)
        return self._dual_coef_


def _scale(solution: Solution) -> float:
    """Return what a machine's values are divided by: the margin that a nu form chose."""
    if not isinstance(solution.problem, NuMargin):
        return 1.0
    level = solution.problem.level(0.0, solution.offsets)
    return level if level > 0 else 1.0
