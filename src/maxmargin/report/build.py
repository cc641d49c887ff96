"""The one call: a page about a model."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from maxmargin.errors import InvalidInputError
from maxmargin.report.judged import judge
from maxmargin.report.origin import Evaluation, origin_of
from maxmargin.report.page import page
from maxmargin.report.proofs import finding_of
from maxmargin.report.result import Report
from maxmargin.report.setting import Setting
from maxmargin.report.subject import Task, subject_of

__all__ = ["model_report"]


def model_report(
    model: Any,
    X: Any,
    y: Any,
    *,
    title: str | None = None,
    feature_names: Sequence[str] | None = None,
    prior: float = 0.5,
    cost_fn: float = 1.0,
    cost_fp: float = 1.0,
    command: str | None = None,
    evaluation: Evaluation | None = None,
) -> Report:
    """Report on a fitted model: what it is worth on some rows, what is proved, how to redo it.

    The page needs nothing but itself and no scripts. Give it rows that the model was not trained
    on: measures on training rows flatter. Making the certificate, where that has not happened
    yet, can take as long as the fit.

    Parameters
    ----------
    model : estimator
        A fitted machine of `maxmargin.estimators`, a pipeline that ends in one, a `CalibratedSVC`,
        or an `SVMSearchCV` with ``refit=True``.
    X : array-like, sparse matrix, frame or sequences of n rows
        The rows to judge it on, as its ``predict`` takes them.
    y : array-like of shape (n,)
        Their labels or targets. For novelty detection 1 for usual rows and -1 for others, or None;
        other labels are not looked at.
    title : str, optional
        Of the page.
    feature_names : sequence of str, optional
        Of the columns; by default those of a frame.
    prior, cost_fn, cost_fp : float
        For two classes: the probability of the second one, ``classes_[1]``, where decisions will
        be taken, and what a miss of it and a false alarm cost.
    command : str, optional
        What made this report, to be shown in it; the Python lines are shown in any case.
    evaluation : {"held-out", "training"}, optional
        Whether the model was trained on these rows. By default the report says what the support
        vectors tell.

    Returns
    -------
    Report
        The page, and `Report.save`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC, SVMSearchCV
    >>> from maxmargin.report import model_report
    >>> X, y = load_iris(return_X_y=True)
    >>> search = SVMSearchCV(SVC(), {"C": [1.0, 10.0], "gamma": [0.1, 1.0]}, cv=3)
    >>> report = model_report(search.fit(X[::2], y[::2]), X[1::2], y[1::2], evaluation="held-out")
    >>> report.title
    'Report on a model: SVC'
    >>> "Confusion matrix" in report.html
    True
    """
    # Matplotlib is an extra; where it is missing, maxmargin.plot says how to install it.
    importlib.import_module("maxmargin.plot")
    from maxmargin.report import sections

    setting = Setting(prior, cost_fn, cost_fp)
    subject = subject_of(model)
    judged = judge(subject, X, y, feature_names)
    origin = origin_of(subject, judged, evaluation)
    finding = finding_of(subject.machine)
    parts: dict[str, tuple[str, list[str]]] = {
        "summary": ("Summary", sections.summary(subject, judged, origin, finding, setting)),
        "data": ("The data", sections.data(subject, judged, origin)),
    }
    if subject.search is not None:
        parts["search"] = ("The search", sections.search(subject))
    if subject.task is Task.REGRESSION:
        parts["residuals"] = ("Residuals", sections.regression(subject, judged, finding))
    if subject.task is Task.NOVELTY:
        parts["novelty"] = ("Inside and outside", sections.novelty(subject, judged, origin))
    if subject.task is not Task.REGRESSION and judged.y is not None:
        parts["classes"] = ("Right and wrong", sections.classes(subject, judged))
        if judged.scores is not None:
            parts["costs"] = ("Errors and costs", sections.costs(subject, judged, setting))
    parts["certificate"] = ("The certificate", sections.certificate(subject, finding))
    parts["support"] = ("Support vectors", sections.support(subject, finding))
    parts["parameters"] = ("Parameters and times", sections.parameters(subject, judged))
    told: dict[str, Any] = {
        "title": title,
        "feature_names": _listed(feature_names),
        "evaluation": evaluation,
    }
    told |= {"prior": setting.prior, "cost_fn": setting.cost_fn, "cost_fp": setting.cost_fp}
    again = sections.reproduction(subject, origin, told, command)
    parts["again"] = ("How to make it again", again)
    shown = f"Report on a model: {subject.name}" if title is None else _text(title)
    return Report(shown, page(shown, [], parts))


def _listed(names: Sequence[str] | None) -> list[str] | None:
    return None if names is None else [str(name) for name in names]


def _text(title: Any) -> str:
    if not isinstance(title, str):
        raise InvalidInputError(f"title must be a string; got {type(title).__name__}.")
    return title
