"""What both classifiers share: encoding, machines by class, votes, probabilities."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import expit
from sklearn.base import ClassifierMixin, _fit_context
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state, column_or_1d, compute_class_weight, deprecated
from sklearn.utils._param_validation import Hidden, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import _ovr_decision_function, check_classification_targets
from sklearn.utils.validation import check_is_fitted

from maxmargin.errors import InvalidInputError
from maxmargin.estimators.base import KernelMachine
from maxmargin.estimators.decision import pair_coefficients, votes_of
from maxmargin.estimators.pairs import ClassRanges, Decomposition, bias_of
from maxmargin.estimators.plan import ClassFit, ClassLayout, ClassPlan, Kept
from maxmargin.estimators.probability import against_rest, couple, cross_validated_sigmoids
from maxmargin.estimators.programs import MarginForm
from maxmargin.estimators.proof import Machine
from maxmargin.estimators.run import Outcome
from maxmargin.estimators.training import Training, positive_rows
from maxmargin.problems import Bias, Solution
from maxmargin.typing import Floats, Integers

__all__ = ["KernelClassifier"]


def _has_probabilities(classifier: Any) -> bool:
    if classifier.probability == "deprecated" or not classifier.probability:
        raise AttributeError("predict_proba is not available when probability=False")
    return True


class KernelClassifier(ClassifierMixin, KernelMachine):
    """Base of the classifiers."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelMachine._parameter_constraints,
        "probability": ["boolean", Hidden(StrOptions({"deprecated"}))],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "decision_function_shape": [StrOptions({"ovr", "ovo"})],
        "break_ties": ["boolean"],
        "random_state": ["random_state"],
        "multi_class": [StrOptions({"ovo", "ovr"})],
    }

    #: Slopes and intercepts of the sigmoids, where probabilities were asked for.
    _sigmoids: Floats | None = None

    #: Which class wins of those with equal votes, the first of them first; None: in their order.
    _preference: Integers | None = None

    def _form(self) -> MarginForm:
        raise NotImplementedError

    @_fit_context(prefer_skip_nested_validation=True)
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
        fit = self._solve(X, y, sample_weight)
        if self._wants_probabilities():
            generator = check_random_state(self.random_state)
            self._sigmoids = cross_validated_sigmoids(
                fit.engine, fit.plan, self._limits(fit.training), generator, fit.outcomes
            )
        self._finish(fit.training, fit.tasks, fit.kept.machines)
        return self

    def _solve(
        self, X: Any, y: Any, sample_weight: Any, part_of_row: Integers | None = None
    ) -> ClassFit:
        """Solve the programs and set the fitted attributes.

        Of a single program the sums are kept by the parts that the rows belong to, if given.
        """
        training = self._prepare(X, y, sample_weight)
        plan = self._plan(training, self._lay_out(training))
        engine = self._engine(plan.gram)
        if part_of_row is not None and len(plan.qps) == 1:
            engine.part_of_point = part_of_row[plan.order]
        outcomes, tasks = self._run(engine, plan.qps, plan.names, training, depth=2)
        return ClassFit(
            training, plan, engine, outcomes, self._keep(training, plan, outcomes), tasks
        )

    def _lay_out(self, training: Training) -> ClassLayout:
        """Encode and weigh the classes, and sort the points by them."""
        labels = self._encode(training.y)
        self.class_weight_ = self._class_weights(labels, training.sample_weight)
        weight = training.weight * self.class_weight_[labels]
        rows = self._rows(labels, weight, self._form())
        ranges = ClassRanges.of(labels, rows, len(self.classes_))
        return ClassLayout(
            Decomposition.of(ranges, self.multi_class == "ovo"),
            training.weight[ranges.order],
            weight[ranges.order],
            self._gram(training.kernel, training.rows(ranges.order)),
        )

    def _plan(self, training: Training, layout: ClassLayout) -> ClassPlan:
        del training
        bias, decomposition = self._bias(), layout.decomposition
        forms = decomposition.forms(
            self._form(), layout.given_weight, self.class_weight_, bias, self.classes_
        )
        return ClassPlan(
            decomposition.ranges.order,
            layout.gram,
            decomposition.duals(forms, layout.gram, layout.weight, bias),
            [contest.name(self.classes_) for contest in decomposition.contests],
            [contest.machine for contest in decomposition.contests],
            layout,
            forms,
            bias,
        )

    def _encode(self, y: Any) -> Integers:
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        labels = np.searchsorted(self.classes_, y)
        if len(self.classes_) < 2:
            raise InvalidInputError(
                "The number of classes has to be greater than one; got "
                f"{len(self.classes_)} class: give y another class, or use OneClassSVM."
            )
        return np.asarray(labels, dtype=np.int64)

    def _class_weights(self, labels: Integers, sample_weight: Floats | None) -> Floats:
        """Return the weight of each class; "balanced" ones count each point by its weight."""
        names = self.classes_
        if self.class_weight == "balanced" and sample_weight is not None:
            held = np.bincount(labels, np.maximum(sample_weight, 0.0), len(names))
            shares = np.divide(held.sum(), held, out=np.zeros(len(names)), where=held > 0)
            return np.asarray(shares / len(names))
        return np.asarray(
            compute_class_weight(self.class_weight, classes=names, y=names[labels]),
            dtype=np.float64,
        )

    def _rows(self, labels: Integers, weight: Floats, form: MarginForm) -> Integers:
        rows = positive_rows(weight)
        if len(np.unique(labels[rows])) < 2:
            form.require_feasible(np.ones(len(rows)), weight[rows], self._bias())
            raise InvalidInputError(
                "Invalid input - all samples with positive weights belong to the same class: "
                "give another class a positive sample_weight and class_weight."
            )
        return rows

    def _keep(self, training: Training, plan: ClassPlan, outcomes: Sequence[Outcome]) -> Kept:
        """Set the fitted attributes; return how to prove each machine."""
        decomposition, weight, bias = plan.layout.decomposition, plan.layout.weight, plan.bias
        ranges, kept = decomposition.ranges, training.for_proof()
        signed, intercepts, machines, scales = [], [], [], []
        contests = zip(decomposition.contests, plan.forms, outcomes, strict=True)
        for contest, form, outcome in contests:
            sides = (contest.sign, weight[contest.point])
            offsets = form.settled(outcome.offsets(), *sides)
            level = form.level(offsets)
            scale = level if level > 0 else 1.0
            signed.append(outcome.signed / scale)
            scales.append(scale)
            if outcome.measured:
                intercepts.append(bias_of(bias, outcome.signed, offsets) / scale)
            else:
                # All that is known of this machine is which side is heavier.
                intercepts.append(float(np.sign(sides[0] @ sides[1])))
            rows = ranges.order[contest.point]
            multipliers = contest.sign * outcome.signed
            make = partial(_solution, kept, rows, sides, form, bias, multipliers, offsets)
            machines.append(Machine(make, rows, contest.classes(self.classes_)))
        support = self._keep_support(training, ranges.order, decomposition.coefficients(signed))
        owner = np.searchsorted(ranges.starts, support, side="right") - 1
        self._n_support: Any = np.bincount(owner, minlength=ranges.n_classes).astype(np.int32)
        self._pairwise = decomposition.pairwise
        self._preference = None
        self._intercept_ = decomposition.intercepts(intercepts)
        self._publish()
        self.n_iter_ = decomposition.steps([found.answer.steps for found in outcomes])
        self._sigmoids = None
        return Kept(machines, scales)

    def _publish(self) -> None:
        # Of two classes scikit-learn makes the second one positive.
        flip = -1.0 if len(self.classes_) == 2 else 1.0
        self.dual_coef_ = self._public(flip * self._dual_coef_)
        self.intercept_ = flip * self._intercept_ + 0.0

    def _wants_probabilities(self) -> bool:
        if self.probability == "deprecated":
            return False
        name = type(self).__name__
        warnings.warn(
            "The `probability` parameter was deprecated in scikit-learn 1.9 and will be removed. "
            f"Use `CalibratedClassifierCV({name}(), ensemble=False)` instead of "
            f"`{name}(probability=True)`",
            FutureWarning,
            stacklevel=4,
        )
        return bool(self.probability)

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
            For two classes positive on the side of ``classes_[1]``. Otherwise one value a class
            (votes and a fraction that breaks ties, or the machine against the rest), or, with
            ``decision_function_shape="ovo"``, one a pair, positive on the side of its first class.
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
    def probA_(self) -> Floats:  # noqa: N802
        """Slopes of the sigmoids."""
        return np.empty(0) if self._sigmoids is None else self._sigmoids[0]

    @deprecated(  # type: ignore[prop-decorator]
        "Attribute `probB_` was deprecated in scikit-learn 1.9 with the parameter `probability`."
    )
    @property
    def probB_(self) -> Floats:  # noqa: N802
        """Intercepts of the sigmoids."""
        return np.empty(0) if self._sigmoids is None else self._sigmoids[1]

    def _machine_coefficients(self) -> Any:
        if len(self.classes_) == 2:
            return -self._dual_coef_
        if self._pairwise:
            return pair_coefficients(self._dual_coef_, self._n_support)
        return self._dual_coef_


def _solution(
    training: Training,
    rows: Integers,
    sides: tuple[Floats, Floats],
    form: MarginForm,
    bias: Bias,
    multipliers: Floats,
    offsets: Floats,
) -> Solution:
    """Return a machine's solution over a problem of its own; sides are its labels and weights."""
    X = training.given_rows(rows)
    problem = form.problem(X, *sides, kernel=training.kernel, bias=bias)
    return Solution(problem, multipliers, offsets, solver="engine")
