"""The metrics as scikit-learn scorers: negated, because scorers are maximised."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from maxmargin.errors import InvalidInputError
from maxmargin.metrics.all_priors import cllr, eer, min_cllr
from maxmargin.metrics.costs import DEFAULT_PRIOR, error_costs
from maxmargin.metrics.detection import act_dcf, dcf, min_dcf
from maxmargin.metrics.inputs import labels_of

__all__ = ["get_scorer", "get_scorer_names", "make_dcf_scorer", "settings_of"]

_ANY_SCORE = ("decision_function", "predict_proba")

#: What each metric reads of an estimator: decisions, scores in any scale, or log-likelihood ratios.
_RESPONSES: dict[Callable[..., float], str | tuple[str, ...]] = {
    dcf: "predict",
    act_dcf: "decision_function",
    min_dcf: _ANY_SCORE,
    eer: _ANY_SCORE,
    cllr: "decision_function",
    min_cllr: _ANY_SCORE,
}
_NAMES = {f"neg_{metric.__name__}": metric for metric in _RESPONSES}
_COSTS = {metric.__name__: metric for metric in (dcf, act_dcf, min_dcf)}


class _LastClassPositive:
    """A metric for scikit-learn, with ``classes_[1]`` as the positive class by default."""

    def __init__(self, metric: Callable[..., float]) -> None:
        self.metric = metric
        self.__name__ = metric.__name__

    def __call__(
        self,
        y_true: Any,
        y_score: Any,
        *,
        pos_label: Any = None,
        sample_weight: Any = None,
        **costs: Any,
    ) -> float:
        if pos_label is None:
            pos_label = labels_of(y_true, "y")[1].tolist()[-1]
        return self.metric(
            y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, **costs
        )


def get_scorer(scoring: Any) -> Any:
    """Return a scorer by its name: one of this module's, or one of scikit-learn's.

    Parameters
    ----------
    scoring : str or callable
        A name of `get_scorer_names` or of ``sklearn.metrics.get_scorer_names``; a callable is
        returned as it is. The prior is `DEFAULT_PRIOR` and errors cost 1; for others use
        `make_dcf_scorer`. The positive class is the larger label, ``classes_[1]``.

    Returns
    -------
    callable
        ``scorer(estimator, X, y)``, greater is better. "neg_min_dcf", "neg_eer" and
        "neg_min_cllr" use ``decision_function`` or else ``predict_proba``; "neg_act_dcf" and
        "neg_cllr" read ``decision_function`` as log-likelihood ratios; "neg_dcf" judges
        ``predict``.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> from maxmargin import SVC
    >>> from maxmargin.metrics import get_scorer
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], ["no"] * 3 + ["yes"] * 3
    >>> -cross_val_score(SVC(), X, y, scoring=get_scorer("neg_min_dcf"), cv=3) + 0.0
    array([0., 0., 0.])
    """
    if isinstance(scoring, str):
        if scoring in _NAMES:
            return _scorer(_NAMES[scoring])
        # Imported here because the metrics themselves do not need scikit-learn.
        from sklearn.metrics import get_scorer as get_scikit_learn_scorer

        try:
            return get_scikit_learn_scorer(scoring)
        except ValueError:
            names = ", ".join(_NAMES)
            raise InvalidInputError(
                f"scoring is {scoring!r}, which names no scorer: give {names}, or one of "
                "sklearn.metrics.get_scorer_names()."
            ) from None
    if not callable(scoring):
        raise InvalidInputError(
            f"scoring must be a name or a callable scorer(estimator, X, y); got {scoring!r}."
        )
    return scoring


def get_scorer_names() -> list[str]:
    """Return the names that `get_scorer` knows beyond scikit-learn's.

    Returns
    -------
    list of str
        Sorted.

    Examples
    --------
    >>> from maxmargin.metrics import get_scorer_names
    >>> get_scorer_names()
    ['neg_act_dcf', 'neg_cllr', 'neg_dcf', 'neg_eer', 'neg_min_cllr', 'neg_min_dcf']
    """
    return sorted(_NAMES)


def make_dcf_scorer(
    kind: Literal["min_dcf", "act_dcf", "dcf"] = "min_dcf",
    *,
    prior: float = DEFAULT_PRIOR,
    cost_fn: float = 1.0,
    cost_fp: float = 1.0,
    normalize: bool = True,
    pos_label: Any = None,
) -> Any:
    """Return a scorer for the detection cost at given prior and costs.

    Parameters
    ----------
    kind : {"min_dcf", "act_dcf", "dcf"}
        The cost at the best threshold; the cost at the Bayes threshold, with
        ``decision_function`` read as log-likelihood ratio; or the cost of what ``predict`` decides.
    prior, cost_fn, cost_fp, normalize
        See `dcf`.
    pos_label : label, optional
        The positive class; the larger label, ``classes_[1]``, by default.

    Returns
    -------
    callable
        ``scorer(estimator, X, y)``: minus the cost, because scikit-learn maximises.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.preprocessing import scale
    >>> from maxmargin import SVC
    >>> from maxmargin.metrics import make_dcf_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> costs = make_dcf_scorer(prior=0.5, cost_fn=10, pos_label=0)  # 0 is malignant
    >>> search = GridSearchCV(SVC(), {"C": [0.01, 1]}, scoring=costs).fit(scale(X), y)
    >>> search.best_params_["C"], bool(-0.2 < search.best_score_ < 0)
    (1, True)
    """
    if kind not in _COSTS:
        raise InvalidInputError(f"kind must be 'min_dcf', 'act_dcf' or 'dcf'; got {kind!r}.")
    error_costs(prior, cost_fn, cost_fp, normalize=normalize)
    return _scorer(
        _COSTS[kind],
        prior=prior,
        cost_fn=cost_fn,
        cost_fp=cost_fp,
        normalize=normalize,
        pos_label=pos_label,
    )


def settings_of(scorer: Any) -> tuple[str, dict[str, Any]] | None:
    """Return the metric's name and the costs of a scorer of this module; None for any other."""
    metric = getattr(scorer, "_score_func", None)
    if not isinstance(metric, _LastClassPositive):
        return None
    return metric.metric.__name__, dict(scorer._kwargs)


def _scorer(metric: Callable[..., float], **settings: Any) -> Any:
    from sklearn.metrics import make_scorer

    return make_scorer(
        _LastClassPositive(metric),
        response_method=_RESPONSES[metric],
        greater_is_better=False,
        **settings,
    )
