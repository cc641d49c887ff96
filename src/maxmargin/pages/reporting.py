"""The call `report`: one page about one model."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from maxmargin.errors import InvalidInputError
from maxmargin.metrics import DEFAULT_PRIOR, effective_prior
from maxmargin.pages.costs import Setting
from maxmargin.pages.evidence import Evidence
from maxmargin.pages.origin import Evaluation
from maxmargin.pages.page import Report, render, require_extra
from maxmargin.pages.subject import Subject

__all__ = ["report"]


def report(
    subject: Any,
    X: Any = None,
    y: Any = None,
    *,
    title: str | None = None,
    feature_names: Sequence[str] | None = None,
    prior: float = DEFAULT_PRIOR,
    cost_fn: float = 1.0,
    cost_fp: float = 1.0,
    search: Any = None,
    command: str | None = None,
    evaluation: Evaluation | None = None,
) -> Report:
    """Report on a fitted model: how good it is on some rows, what is proved, how to make it again.

    The page is one file that runs no scripts and loads nothing. Give it rows that the model was not
    trained on: measures on training rows are optimistic. Making the certificate, unless it was made
    before, can take as long as the fit.

    Parameters
    ----------
    subject : estimator or Solution
        A fitted machine of `maxmargin.estimators`, a pipeline that ends in one, a `CalibratedSVC`,
        an `SVMSearchCV` with ``refit=True``, a `Solution`, or one of an estimator's ``machines_``.
    X : array-like, sparse matrix, frame or sequences of n rows
        The rows to judge it on, as its ``predict`` takes them. A solution is judged on its
        problem's own points if X and y are left out.
    y : array-like of shape (n,)
        Their labels or targets. For novelty detection 1 for usual rows and -1 for others, or None;
        other labels are ignored.
    title : str, optional
        Of the page.
    feature_names : sequence of str, optional
        Of the columns; by default those of a frame.
    prior, cost_fn, cost_fp : float
        For two classes: the probability of the second one, ``classes_[1]``, where decisions will
        be taken, 0.1 by default, and what a miss of it and a false alarm cost.
    search : fitted search, optional
        The search that chose the model's parameters, if the model is not the search itself: a
        `CalibratedSVC` of its best estimator, for example.
    command : str, optional
        The command that made this report, to be shown in it; the Python lines are always shown.
    evaluation : {"held-out", "training", "out-of-fold"}, optional
        Whether the model was trained on these rows. By default the report says what the support
        vectors tell. With "out-of-fold", X and y are the training rows, and each is judged by a
        copy of the model that was fitted without its fold: the folds are those of the search or of
        the calibration, else five. Sample weights are not used in these fits.

    Returns
    -------
    Report
        The page, and `Report.save`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC, SVMSearchCV
    >>> from maxmargin.pages import report
    >>> X, y = load_iris(return_X_y=True)
    >>> search = SVMSearchCV(SVC(), {"C": [1.0, 10.0], "gamma": [0.1, 1.0]}, cv=3)
    >>> page = report(search.fit(X[::2], y[::2]), X[1::2], y[1::2], evaluation="held-out")
    >>> page.title
    'Report on a model: SVC'
    >>> "Confusion matrix" in page.html
    True
    """
    require_extra()
    from maxmargin.pages.sections import REPORT

    if title is not None and not isinstance(title, str):
        raise InvalidInputError(f"title must be a string; got {type(title).__name__}.")
    setting = Setting(prior, cost_fn, cost_fp)
    # Refuse a wrong prior or cost before anything is computed.
    effective_prior(*setting)
    model = Subject(subject, search)
    names = None if feature_names is None else [str(name) for name in feature_names]
    given = {"title": title, "feature_names": names, "evaluation": evaluation, **setting._asdict()}
    known = inspect.signature(report).parameters
    chosen = {name: value for name, value in given.items() if value != known[name].default}
    evidence = Evidence(model, X, y, setting, chosen, command)
    shown = f"Report on a model: {model.name}" if title is None else title
    return render(shown, [], REPORT, evidence, **vars(evidence))
