"""`CalibratedSVC`: a classifier whose scores are calibrated on held-out rows."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy.special import expit, logit
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, _fit_context
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import get_tags, indexable
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, _check_y, check_is_fitted

from maxmargin.calibration.calibrators import CALIBRATIONS, Calibrator
from maxmargin.calibration.columns import Columns, class_priors
from maxmargin.calibration.out_of_fold import out_of_fold
from maxmargin.certificates.subjects import Solved, solutions_of
from maxmargin.errors import InvalidInputError
from maxmargin.machines.endings import warn
from maxmargin.machines.refusals import explained
from maxmargin.metrics.costs import bayes_threshold
from maxmargin.solvers.stop import kept
from maxmargin.typing import Floats, Integers

__all__ = ["CalibratedSVC"]

# Folds by default, as in scikit-learn.
_FOLDS = 5


class CalibratedSVC(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier with probabilities, log-likelihood ratios and thresholds for given costs.

    The classifier is fitted to all rows, and its scores are calibrated on scores of rows that were
    held out, fold by fold. For `SVC` and `NuSVC` the folds share the kernel rows and the gamma of
    that fit and start from its solution, which takes a fraction of the time of separate fits. Any
    other classifier is fitted once per fold.

    Parameters
    ----------
    estimator : classifier, optional
        With a ``decision_function``; by default `SVC()`.
    method : {"platt", "isotonic", "logistic"}
        From scores to probabilities: Platt's sigmoid with his targets; a curve that never falls;
        or a logistic regression in which the classes have the weights of the prior, for
        log-likelihood ratios, as in speaker verification and forensics.
    prior : float or array of shape (n_classes,), optional
        Probability of the positive class, ``classes_[1]``, where the decisions are taken, or of
        each class. By default the fractions in training; for "logistic" all classes are equal.
    cost_fn, cost_fp : float
        Costs of missing the positive class and of a false alarm; for two classes.
    cv : int, splitter or iterable, optional
        Folds; each row must be held out once. By default five, stratified by class, or fewer if
        a class has fewer rows.
    scale_C : bool
        Whether the C of a support vector machine is raised in a fold in proportion to the training
        rows, or weight, that it lacks. The regularisation is then as strong as in the fit to all
        rows, and the solution close to it. False leaves C as it is, as scikit-learn does.
    n_jobs : int, optional
        Processes for fits that share nothing. The machines of this library have their own threads.
    keep_scores : bool
        Whether to keep `oof_scores_`.

    Attributes
    ----------
    estimator_ : classifier
        Fitted to all rows; the machines of this library have a ``certificate_``.
    calibrators_ : list of LogisticCalibrator or IsotonicCalibrator
        One per column of scores.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    priors_ : ndarray of shape (n_classes,)
        The priors of the classes in `predict_proba` and `predict`.
    oof_scores_ : ndarray of shape (n,) or (n, n_columns)
        Scores of the training rows by machines that were not trained on them; NaN if a column does
        not compare the row's class. Only with `keep_scores`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    With more than two classes, a classifier with one machine per pair (`SVC` with
    ``multi_class="ovo"``) is calibrated pair by pair and the probabilities are coupled (Wu, Lin,
    Weng 2004). Any other classifier is calibrated class against rest, and the probabilities are
    scaled to sum to one.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from maxmargin import SVC, CalibratedSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = CalibratedSVC(SVC(C=2), method="logistic", prior=0.9).fit(scale(X), y)
    >>> model.predict_proba(scale(X)[:2]).round(2)
    array([[0.98, 0.02],
           [1.  , 0.  ]])
    >>> round(model.threshold(prior=0.5, cost_fp=10), 4)  # log 10
    2.3026
    >>> model.estimator_.certificate_.holds(1e-3)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "decision_function"]), None],
        "method": [StrOptions(set(CALIBRATIONS))],
        "prior": [Interval(Real, 0, 1, closed="neither"), "array-like", None],
        "cost_fn": [Interval(Real, 0, None, closed="neither")],
        "cost_fp": [Interval(Real, 0, None, closed="neither")],
        "cv": ["cv_object"],
        "scale_C": ["boolean"],
        "n_jobs": [Integral, None],
        "keep_scores": ["boolean"],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        method: Literal["platt", "isotonic", "logistic"] = "platt",
        prior: Any = None,
        cost_fn: float = 1.0,
        cost_fp: float = 1.0,
        cv: Any = None,
        scale_C: bool = True,
        n_jobs: int | None = None,
        keep_scores: bool = False,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.prior = prior
        self.cost_fn = cost_fn
        self.cost_fp = cost_fp
        self.cv = cv
        self.scale_C = scale_C
        self.n_jobs = n_jobs
        self.keep_scores = keep_scores

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._base()).input_tags
        tags.input_tags.sparse = inner.sparse
        tags.input_tags.pairwise = inner.pairwise
        return tags

    def _base(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        # The default is the only reason for this package to import an estimator.
        from maxmargin.estimators import SVC

        return SVC()

    @_fit_context(prefer_skip_nested_validation=False)
    @kept
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Fit the classifier and calibrate it.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The points, as the estimator takes them.
        y : array-like of shape (n,)
            Class labels.
        sample_weight : array-like of shape (n,), optional
            How many points each counts as, in the fits and in the calibration.
        groups : array-like of shape (n,), optional
            For the splitter.
        """
        try:
            y = _check_y(y, estimator=self)
            check_classification_targets(y)
            X, y, groups = indexable(X, y, groups)
        except ValueError as error:
            raise explained(error, X, y, model=self) from None
        self.classes_, labels = np.unique(y, return_inverse=True)
        self._require_classes()
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        estimator = self._base()
        self._columns = Columns.of(estimator, len(self.classes_))
        splits = list(self._splitter(y, labels).split(X, y, groups))
        self.estimator_, scores = out_of_fold(
            estimator,
            X,
            y,
            sample_weight,
            splits,
            self._columns,
            scale_C=self.scale_C,
            n_jobs=self.n_jobs,
        )
        weight = np.ones(len(labels)) if sample_weight is None else np.maximum(sample_weight, 0.0)
        self.priors_ = self._priors(labels, weight)
        self._require_scores(scores, labels, weight)
        self.calibrators_ = self._calibrate(scores, labels, weight)
        if self.keep_scores:
            self.oof_scores_ = scores[:, 0] if scores.shape[1] == 1 else scores
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    def _require_classes(self) -> None:
        n_classes = len(self.classes_)
        if n_classes < 2:
            raise InvalidInputError(
                f"The number of classes has to be greater than one; got {n_classes} class: give y "
                "another class."
            )
        if n_classes > 2 and (self.cost_fn != 1 or self.cost_fp != 1):
            raise InvalidInputError(
                f"cost_fn and cost_fp are about two classes, but y holds {n_classes}: leave them "
                "at 1 and weight the probabilities of predict_proba."
            )

    def _splitter(self, y: Any, labels: Integers) -> Any:
        sizes = np.bincount(labels)
        rare = int(sizes.argmin())
        wanted = 2 if self.cv is None else self.cv
        if isinstance(wanted, Integral) and sizes[rare] < wanted:
            raise InvalidInputError(
                f"The class {self.classes_.tolist()[rare]!r} has too few rows for {wanted} folds, "
                f"{sizes[rare]}: give more, or a smaller cv."
            )
        if self.cv is None:
            return StratifiedKFold(min(_FOLDS, int(sizes[rare])))
        return check_cv(self.cv, y, classifier=True)

    def _priors(self, labels: Integers, weight: Floats) -> Floats:
        n_classes = len(self.classes_)
        if self.prior is not None:
            return class_priors(self.prior, n_classes)
        if self.method == "logistic":
            return np.full(n_classes, 1 / n_classes)
        held = np.bincount(labels, weight, n_classes)
        return np.asarray(held / held.sum())

    def _require_scores(self, scores: Floats, labels: Integers, weight: Floats) -> None:
        """Warn if an interrupt has left rows without scores; raise it if too few have one."""
        used = weight > 0
        has_score = np.isfinite(scores).any(axis=1)
        n_scored, n_rows = int((used & has_score).sum()), int(used.sum())
        if n_scored == n_rows:
            return
        if len(np.unique(labels[used & has_score])) < len(self.classes_):
            raise KeyboardInterrupt(
                f"{type(self).__name__} was interrupted before its scores could be calibrated: "
                "estimator_ is the machine so far, without probabilities."
            )
        warn(
            f"{type(self).__name__} was interrupted: its machine is fitted, and calibrated by the "
            f"held-out scores of {n_scored} of {n_rows} rows. Another interrupt within two "
            "seconds raises KeyboardInterrupt."
        )

    def _calibrate(self, scores: Floats, labels: Integers, weight: Floats) -> Sequence[Calibrator]:
        fit, found = CALIBRATIONS[self.method], []
        odds = self._columns.log_odds(self.priors_)
        for column in range(len(self._columns.sides)):
            about, positive = self._columns.rows(column, labels)
            used = about & (weight > 0) & np.isfinite(scores[:, column])
            scores[~about, column] = np.nan
            values = scores[used, column], positive[used], weight[used]
            found.append(fit(*values, float(expit(odds[column]))))
        return found

    # Prediction ---------------------------------------------------------------------------------

    def _ratios(self, X: Any) -> Floats:
        """Return the log-likelihood ratio of each column."""
        check_is_fitted(self)
        scores = self._columns.scores(self.estimator_, X)
        ratios = [
            calibrator.log_likelihood_ratio(values)
            for calibrator, values in zip(self.calibrators_, scores.T, strict=True)
        ]
        return np.stack(ratios, axis=1)

    def _log_odds(self, X: Any) -> Floats:
        return self._ratios(X) + self._columns.log_odds(self.priors_)

    def log_likelihood_ratio(self, X: Any) -> Floats:
        """Return log P(x | ``classes_[1]``) - log P(x | ``classes_[0]``), whatever the prior.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Points.

        Returns
        -------
        ndarray of shape (m,)
            For the functions of `maxmargin.metrics`.
        """
        check_is_fitted(self)
        self._require_two("log_likelihood_ratio")
        return self._ratios(X)[:, 0]

    def _require_two(self, name: str) -> None:
        if len(self.classes_) > 2:
            raise InvalidInputError(
                f"{name} compares two classes, but there are {len(self.classes_)}: use "
                "predict_proba."
            )

    def decision_function(self, X: Any) -> Floats:
        """Return the values by which `predict` decides.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Points.

        Returns
        -------
        ndarray of shape (m,) or (m, n_classes)
            For two classes the log-likelihood ratio with ``method="logistic"``, otherwise the
            log-odds of ``classes_[1]`` at the prior. For more, the logarithm of `predict_proba`.
        """
        check_is_fitted(self)
        if len(self.classes_) > 2:
            return np.log(self.predict_proba(X))
        found = self._ratios(X) if self.method == "logistic" else self._log_odds(X)
        return found[:, 0]

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class at the prior.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Points.

        Returns
        -------
        ndarray of shape (m, n_classes)
            Rows sum to one.
        """
        log_odds = self._log_odds(X)
        return self._columns.probabilities(log_odds)

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithm of the probability of each class."""
        return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> Any:
        """Return the class with the least expected cost.

        At equal costs it is the most probable one. Of two classes it is ``classes_[1]`` if
        `decision_function` exceeds `threshold`.
        """
        check_is_fitted(self)
        if len(self.classes_) > 2:
            return self.classes_[np.argmax(self.predict_proba(X), axis=1)]
        decision = self.decision_function(X)
        return self.classes_[(decision > self.threshold()).astype(np.intp)]

    def threshold(
        self,
        prior: float | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
    ) -> float:
        """Return the value of `decision_function` above which to decide for ``classes_[1]``.

        Parameters
        ----------
        prior : float, optional
            Probability of ``classes_[1]``; by default that of the model.
        cost_fn, cost_fp : float, optional
            Costs of the errors; by default those of the model.

        Returns
        -------
        float
            ``maxmargin.metrics.bayes_threshold`` of these, in the scale of `decision_function`.
        """
        check_is_fitted(self)
        self._require_two("threshold")
        own = float(self.priors_[1])
        cut = bayes_threshold(
            own if prior is None else prior,
            self.cost_fn if cost_fn is None else cost_fn,
            self.cost_fp if cost_fp is None else cost_fp,
        )
        if self.method == "logistic":
            return cut
        return 0.0 if cut == bayes_threshold(own) else cut + float(logit(own))


@solutions_of.register
def _(subject: CalibratedSVC) -> Sequence[Solved]:
    if "estimator_" not in vars(subject):
        raise InvalidInputError("CalibratedSVC is not fitted: call its fit first.")
    return solutions_of(subject.estimator_)
