"""Models that hold others as a chain: transformers, then a machine that may be calibrated."""

from __future__ import annotations

from copy import copy
from typing import Any

from sklearn.pipeline import Pipeline

from maxmargin.calibration import CalibratedSVC
from maxmargin.errors import ModelFileError
from maxmargin.model_selection import SVMSearchCV

__all__ = ["chain"]


def chain(model: Any) -> tuple[list[Any], Any]:
    """Return fitted steps that predict like a model, without searches and inner pipelines.

    Returns
    -------
    steps : list of transformers
        One after the other.
    last : estimator
        A machine, or a `CalibratedSVC` of a machine.
    """
    if isinstance(model, SVMSearchCV):
        if "best_estimator_" not in vars(model):
            raise ModelFileError(
                "A search without refit has no best model to export: fit it with refit=True."
            )
        return chain(model.best_estimator_)
    if isinstance(model, Pipeline):
        before = [
            step for _, step in model.steps[:-1] if step is not None and not isinstance(step, str)
        ]
        steps, last = chain(model.steps[-1][1])
        return [*before, *steps], last
    if isinstance(model, CalibratedSVC):
        steps, machine = chain(model.estimator_)
        model = copy(model)
        model.estimator_ = machine
        return steps, model
    return [], model
