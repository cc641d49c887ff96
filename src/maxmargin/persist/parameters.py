"""An estimator's parameters, checked by the estimator itself when they are read."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from maxmargin.errors import ModelFileError
from maxmargin.persist.reading import Reader
from maxmargin.persist.settings import restore_estimator, setting
from maxmargin.persist.writing import Writer

__all__ = ["describe_parameters", "require_fitted", "restore_parameters"]


def require_fitted(model: Any) -> None:
    """Refuse a model that was not fitted."""
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise ModelFileError(
            f"This {type(model).__name__} is not fitted: call fit before it is saved."
        ) from None


def describe_parameters(model: Any, out: Writer) -> None:
    """Write what the constructor was given."""
    held = out.child("parameters")
    for name, value in model.get_params(deep=False).items():
        held.json(name, setting(value, name))


def restore_parameters(kind: type[BaseEstimator], held: Reader) -> Any:
    """Return an estimator that is not fitted. Parameters that are not there have their default."""
    return restore_estimator(kind, held)
