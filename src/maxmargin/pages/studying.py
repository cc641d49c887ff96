"""The call `study`: train machines over grids, judge them by costs, rank them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import indexable

from maxmargin.errors import InvalidInputError
from maxmargin.estimators import SVC, NuSVC
from maxmargin.kernels.base import positive
from maxmargin.metrics import DEFAULT_PRIOR, effective_prior
from maxmargin.metrics.inputs import labelled
from maxmargin.pages.candidates import Family, candidates_of, variants_of
from maxmargin.pages.costs import Setting
from maxmargin.pages.result import Study
from maxmargin.pages.runs import Experiment, protocol_of
from maxmargin.solvers.stop import Keeping
from maxmargin.typing import Bools

__all__ = ["study"]


def study(
    X: Any,
    y: Any,
    kernels: Mapping[str, Mapping[str, Sequence[Any]]] | Sequence[Family],
    *,
    preprocessing: str | Sequence[str] | Mapping[str, Any] = ("raw",),
    prior: float = DEFAULT_PRIOR,
    cost_fn: float = 1.0,
    cost_fp: float = 1.0,
    pos_label: Any = None,
    split: tuple[Any, Any] | None = None,
    cv: Any = 5,
    evaluation: tuple[Any, Any] | None = None,
    machine: SVC | NuSVC | None = None,
    certified_at: float = 1e-4,
    n_jobs: int | None = None,
    time_limit: float | None = None,
    verbose: bool = False,
) -> Study:
    """Train machines of several kernels over grids, and rank them by the costs of decisions.

    With a `split` the machines are trained on its first rows and judged on its second ones;
    otherwise the scores that folds give the rows they leave out are pooled and judged. Either way
    scores are calibrated by scores of points that their machines were not trained on. Kernel
    matrices are shared as in `maxmargin.SVMSearchCV`.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        The points.
    y : array-like of shape (n,)
        Labels of two classes.
    kernels : mapping or sequence of Family
        Grids of parameters by kernel, such as ``{"rbf": {"C": [1, 10], "gamma": [0.1, 1]}}``.
    preprocessing : str, sequence of str or mapping
        Variants of the data: "raw", "centred", "standardised" and "pca-k" with a number k, or
        transformers by names of your own (None for the data as it is). They are fitted to the
        training rows only.
    prior, cost_fn, cost_fp : float
        Probability of the positive class where decisions will be taken, 0.1 by default, and what a
        miss and a false alarm cost.
    pos_label : label, optional
        The positive class. If y holds {0, 1} or {-1, 1} it is 1 by default.
    split : (train, test), optional
        Rows to train on and rows to judge on.
    cv : int, splitter or iterable
        Folds of all rows, or with a split of its training rows, which then serve calibration only.
    evaluation : (X, y), optional
        Data that no choice may see: the final machines' costs on it are reported beside those
        that rank them.
    machine : SVC or NuSVC, optional
        Sets what the grids do not: bias, tol, class_weight, ... By default ``SVC(tol=1e-6)``.
    certified_at : float
        The tolerance of the table's certificates: for gap, KKT violation and feasibility.
    n_jobs : int, optional
        Threads; by default as many as there are CPUs.
    time_limit : float, optional
        At most this many seconds for all fits. Machines that are not finished by then, folds
        included, are left out of the table, and a warning counts them.
    verbose : bool
        Whether to show a bar over the fits.

    Returns
    -------
    Study
        The ranked table, and a page by `Study.to_html`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from maxmargin.pages import study
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> result = study(
    ...     X,
    ...     y,
    ...     {"linear": {"C": [0.01, 0.1]}, "rbf": {"C": [1.0, 10.0], "gamma": [0.01, 0.1]}},
    ...     preprocessing=["standardised", "pca-5"],
    ...     prior=0.5,
    ...     cost_fn=5.0,
    ...     pos_label=0,  # malignant
    ... )
    >>> len(result.table), result.best.preprocessing
    (12, 'standardised')
    >>> all(row.certified for row in result.table)
    True
    """
    started = perf_counter()
    setting = Setting(prior, cost_fn, cost_fp)
    # Refuse a wrong prior or cost before anything is trained.
    effective_prior(*setting)
    machine = SVC(tol=1e-6) if machine is None else machine
    if not isinstance(machine, SVC | NuSVC):
        raise InvalidInputError(
            f"machine must be a maxmargin SVC or NuSVC; got {type(machine).__name__}."
        )
    variants = variants_of(preprocessing, machine)
    candidates = candidates_of(kernels, variants, machine)
    X, y = indexable(X, y)
    points = labelled(y, pos_label=pos_label, sample_weight=None)
    y = np.asarray(y)
    experiment = Experiment(
        variants,
        X,
        y,
        points.positive,
        protocol_of(y, split, cv),
        _evaluation(evaluation, points.labels[1]),
        setting,
        positive(certified_at, "certified_at"),
        n_jobs,
        deadline=None if time_limit is None else started + positive(time_limit, "time_limit"),
    )
    with Keeping() as work:
        table = experiment.table(candidates, verbose=verbose)
    if not table and work.was_interrupted:
        raise KeyboardInterrupt("The study was interrupted before any machine was finished.")
    if not table:
        raise InvalidInputError(
            f"time_limit={time_limit} was reached before any machine was finished: give the study "
            "more time, or a smaller grid."
        )
    if len(table) < len(candidates):
        limit = f"time_limit={time_limit} was reached"
        warnings.warn(
            "The study ended early, because "
            f"{'it was interrupted' if work.was_interrupted else limit}: "
            f"{len(candidates) - len(table)} of {len(candidates)} machines are not in its table.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return Study(
        table,
        setting,
        points.labels,
        experiment.protocol,
        n_evaluation=0 if experiment.evaluation is None else len(experiment.evaluation[1]),
        certified_at=experiment.certified_at,
        seconds=perf_counter() - started,
    )


def _evaluation(evaluation: Any, pos_label: Any) -> tuple[Any, Bools] | None:
    """Return points, and which of them are positive."""
    if evaluation is None:
        return None
    try:
        X, y = evaluation
    except (TypeError, ValueError):
        raise InvalidInputError("evaluation must be a pair (X, y) of points and labels.") from None
    X, y = indexable(X, y)
    return X, labelled(y, pos_label=pos_label, sample_weight=None).positive
